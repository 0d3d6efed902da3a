"""Text and JSON from outside: made harmless for one line, for prose and for a page; and which part of it is shown."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.render.excerpt import (
    MarkedSpan,
    both_ends,
    legible,
    plain,
    script_json,
    segments,
    visible_ranges,
)
from trail_callbacks.text import shorten

WALL = "lorem ipsum dolor " * 500


@given(st.text())
def test_plain_is_one_printable_line_and_a_legible_text_the_text_but_for_what_would_deceive(text):
    shown = plain(text)
    assert "\n" not in shown
    assert all(character.isprintable() or character in "\u200c\u200d" for character in shown)
    assert plain(text, ascii=True).isascii()
    assert plain(shown) == shown
    shown = legible(text)
    assert not set("\u202e\u2066\u2028\x00\x1b\x85\r") & set(shown)
    assert legible(shown) == shown
    assert legible("a\tb\n\n  c \u4e2d \u05d0") == "a\tb\n\n  c \u4e2d \u05d0"


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_in_a_script_says_the_same_and_ends_nothing(value):
    text = script_json(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value


def test_a_text_is_shown_by_both_its_ends():
    shown = both_ends(f"It opened {WALL}and closed.", 60)
    assert shown.startswith("It opened")
    assert shown.endswith("and closed.")
    assert " ... " in shown


@pytest.mark.parametrize("cut", [both_ends, shorten])
@given(text=st.text(alphabet="ab1 \n\u6e2f", max_size=300), limit=st.integers(20, 80))
def test_what_is_cut_fits_and_stands_in_the_text(cut, text, limit):
    shown = cut(text, limit)
    assert len(shown) <= limit
    flat = "".join(text.split())
    assert all("".join(part.split()) in flat for part in shown.split("..."))


SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30), st.integers(0, 5)), max_size=12).map(
    lambda found: [MarkedSpan(start, start + length, owner) for start, length, owner in found]
)


@given(SPANS, st.integers(0, 40), st.integers(0, 60))
def test_stretches_cover_the_text_and_name_what_holds_there(spans, start, length):
    end = start + length
    found = list(segments(start, end, spans))
    assert [offset for each in found for offset in range(each.start, each.end)] == list(range(start, end))
    for each in found:
        for offset in range(each.start, each.end):
            assert sorted(map(repr, each.spans)) == sorted(repr(s) for s in spans if s.start <= offset < s.end)
    opened = [span for each in found for span in each.opens]
    assert sorted(map(repr, opened)) == sorted(repr(s) for s in spans if s.start < end and s.end > start)


@given(st.integers(0, 5_000), SPANS, st.integers(200, 2_000))
def test_what_is_kept_of_a_text_holds_all_that_is_pointed_at(length, spans, limit):
    spans = [span for span in spans if span.end <= length]
    ranges = visible_ranges(length, spans, limit)
    assert all(0 <= a < b <= length for a, b in ranges)
    assert all(b < a for (_, b), (a, _) in pairwise(ranges))
    assert all(any(a <= span.start and span.end <= b for a, b in ranges) for span in spans)
    if length <= limit:
        assert sum(b - a for a, b in ranges) == length
