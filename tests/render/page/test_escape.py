"""Text and JSON from outside, made harmless for a page."""

import json

from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.render.page.escape import legible


@given(st.text())
def test_a_legible_text_is_the_text_but_for_what_would_deceive(text):
    shown = legible(text)
    assert not set("\u202e\u2066\u2028\x00\x1b\x85\r") & set(shown)
    assert legible(shown) == shown
    assert legible("a\tb\n\n  c \u4e2d \u05d0") == "a\tb\n\n  c \u4e2d \u05d0"


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_in_a_script_says_the_same_and_ends_nothing(value):
    from trail_callbacks.render.page.escape import script_json

    text = script_json(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value
