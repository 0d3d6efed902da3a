"""Presets: several kinds as one function, which is a value."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks import check
from trail_callbacks.errors import InputError
from trail_callbacks.redaction import Found, presets, replaced

TEXT = "Ada <ada@example.org> paid with 4242 4242 4242 4242 from DE89 3704 0044 0532 0130 00, call +49 30 901820."


def test_only_what_is_named_is_replaced():
    found = presets("email", "card")(TEXT)
    assert "ada@" not in found
    assert "4242" not in found
    assert "DE89 3704 0044 0532 0130 00" in found
    assert "+49 30 901820" in found
    assert not any(c.isdigit() for c in presets()(TEXT))


@pytest.mark.parametrize("unseen", ["\u200b", "\u00ad", "\u2060", "\ufe0f", "\U000e0041"])
def test_characters_that_are_not_seen_hide_nothing(unseen):
    whole = presets()(TEXT)
    for place in range(len(TEXT)):
        assert presets()(TEXT[:place] + unseen + TEXT[place:]).replace(unseen, "") == whole
    assert unseen in presets()(f"a{unseen}b"), "the rest stays as it is"


@pytest.mark.parametrize("kinds", [("e-mail",), ("email", ""), (None,)])
def test_an_unknown_kind_is_named_with_the_known(kinds):
    with pytest.raises(InputError, match=r"there is no preset .*expected some of key, email, iban, card, phone"):
        presets(*kinds)


@pytest.mark.parametrize("secret", [b"short", b"x" * 65, "0123456789abcdef"])
def test_a_secret_has_a_length(secret):
    with pytest.raises(InputError, match="16 to 64"):
        presets(secret=secret)


@given(
    st.lists(
        st.sampled_from([TEXT, "a@b.co", "+1 ", "@", "sk-", "4242424242424242", " ", "\n", "x", "é", "\ud800", ":"])
    )
)
def test_what_was_replaced_stays_as_it_is(parts):
    text = "".join(parts)
    once = presets()(text)
    assert presets()(once) == once


def test_the_offline_judge_still_tells_one_address_from_another():
    hide = presets("email")
    source = hide("Write to ada@example.org for the timetable of the ferry.")
    right = check(hide("Write to ADA@example.org for the timetable of the ferry."), [source])
    wrong = check(hide("Write to eve@example.org for the timetable of the ferry."), [source])
    assert right.hallucination_score == 0.0
    assert wrong.hallucination_score != 0.0


def placeholder(value, secret=None):
    return replaced("x", "email", [Found(0, 1, value)], secret)


def test_they_are_equal_for_equal_values_only():
    found = {placeholder(f"user{i}@example.org", b"k" * 32) for i in range(1_000)}
    assert len(found) >= 999
    assert placeholder("a") == placeholder("a")


def test_a_secret_makes_them_the_same_in_another_process():
    code = "from trail_callbacks.redaction import Found, replaced; "
    code += "print(replaced('x', 'email', [Found(0, 1, 'a')], {}))"

    def elsewhere(secret):
        return subprocess.run(
            [sys.executable, "-c", code.format(secret)], capture_output=True, text=True, check=True
        ).stdout.strip()

    assert elsewhere(b"k" * 32) == placeholder("a", b"k" * 32)
    assert elsewhere(None) != placeholder("a")
    assert placeholder("a", b"k" * 32) != placeholder("a", b"l" * 32)
