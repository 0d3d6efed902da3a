"""Text and JSON from outside, made harmless for one line, for prose and for a page."""

import json

from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.render.excerpt import legible, plain, script_json
from trail_callbacks.text import shorten


@given(st.text())
def test_plain_is_one_printable_line(text):
    shown = plain(text)
    assert "\n" not in shown
    assert all(character.isprintable() or character in "\u200c\u200d" for character in shown)
    assert plain(text, ascii=True).isascii()
    assert plain(shown) == shown


@given(st.text(alphabet="ab \n", max_size=300), st.integers(5, 80))
def test_shortened_text_fits_and_is_a_beginning(text, limit):
    short = shorten(text, limit)
    assert len(short) <= limit
    assert text.startswith(short.removesuffix("...").rstrip() if short != text else short)


@given(st.text())
def test_a_legible_text_is_the_text_but_for_what_would_deceive(text):
    shown = legible(text)
    assert not set("\u202e\u2066\u2028\x00\x1b\x85\r") & set(shown)
    assert legible(shown) == shown
    assert legible("a\tb\n\n  c \u4e2d \u05d0") == "a\tb\n\n  c \u4e2d \u05d0"


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_in_a_script_says_the_same_and_ends_nothing(value):
    text = script_json(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value
