"""Values of an app that are kept: whatever they are, they can be encoded and written as JSON."""

import json
from concurrent.futures import CancelledError
from enum import StrEnum

from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.capture.payloads import described, exact_text, fields_text, is_cancellation, scalars


class Colour(StrEnum):
    RED = "red"


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_can_be_encoded_and_is_otherwise_unchanged(text):
    kept = exact_text(text)
    kept.encode()
    assert len(kept) == len(text)
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert kept == text


def test_subclasses_of_str_and_other_values_become_plain_text():
    assert (type(exact_text(Colour.RED)), exact_text(Colour.RED)) == (str, "red")
    assert exact_text(7) == "7"


def test_metadata_is_kept_as_far_as_json_has_it():
    kept = scalars({"page": 3, "score": 0.5, 7: "x", "nan": float("nan"), "list": [1], "none": None, "bad": "\ud800"})
    assert kept == {"page": 3, "score": 0.5, "7": "x", "nan": "nan", "bad": "?"}
    assert json.loads(json.dumps(kept, allow_nan=False)) == kept


def test_broken_exceptions_are_described_too():
    class MuteError(Exception):
        def __str__(self):
            raise RuntimeError

    assert described(MuteError()) == "MuteError: [unreadable message]"
    assert described(ValueError("\ud800" * 9_999)).startswith("ValueError: ??")
    assert len(described(ValueError("x" * 9_999))) == 2_000


def test_an_app_that_stops_a_run_did_not_fail():
    assert is_cancellation(CancelledError())
    assert is_cancellation(GeneratorExit())
    assert not is_cancellation(TimeoutError())


def leaves(value, path=()):
    if isinstance(value, dict | list):
        for step, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(each, (*path, step))
    else:
        yield path, str(value)


NESTED = st.recursive(
    st.integers() | st.booleans() | st.text(min_size=1, max_size=20),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=4) | st.dictionaries(st.text(max_size=8), inner, min_size=1, max_size=4)
    ),
    max_leaves=12,
)


@given(st.lists(NESTED, min_size=2, max_size=4) | st.dictionaries(st.text(max_size=8), NESTED, min_size=2, max_size=4))
def test_a_structured_value_is_its_json_made_of_its_fields(value):
    read = json.loads(fields_text(leaves(value)), parse_int=str, parse_float=str)
    assert list(leaves(read)) == list(leaves(value))


def test_one_text_is_itself_and_one_number_has_a_name():
    assert fields_text([(("draft",), "An oak.")]) == "An oak."
    assert fields_text([((), "42")]) == "42"
    assert json.loads(fields_text([(("minutes",), "53")])) == {"minutes": 53}


def test_gaps_keep_their_places_and_fields_that_collide_are_all_kept():
    assert json.loads(fields_text([(("a", 0), "x"), (("a", 2), "y")])) == {"a": ["x", None, "y"]}
    assert json.loads(fields_text([(("a",), "x"), (("a",), "y")])) == {"a": ["x", "y"]}
    assert json.loads(fields_text([(("a",), "x"), (("a", "b"), "y")])) == {"a": {"": "x", "b": "y"}}
    assert len(fields_text([((10**9,), "x"), ((0,), "y")])) < 100
