"""Which part of a long text is shown."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.render.excerpt import (
    MarkedSpan,
    both_ends,
    most_relevant,
    opening,
    segments,
    visible_ranges,
)

WALL = "lorem ipsum dolor " * 500


def test_a_passage_is_shown_where_it_speaks_of_the_claim():
    shown = most_relevant(
        f"{WALL}The harbour counted 14,800 visitors. {WALL}", "The harbour counted 18,400 visitors.", 120
    )
    assert "The harbour counted 14,800 visitors." in shown
    assert shown.startswith("... ")
    assert shown.endswith(" ...")
    assert len(shown) <= 120


def test_both_ends_are_shown():
    shown = both_ends(f"It opened {WALL}and closed.", 60)
    assert shown.startswith("It opened")
    assert shown.endswith("and closed.")
    assert " ... " in shown


@pytest.mark.parametrize("cut", [both_ends, opening, lambda text, limit: most_relevant(text, "a 1 \u6e2f", limit)])
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
    assert all(a < b for a, b in ranges)
    assert all(b < a for (_, b), (a, _) in pairwise(ranges))
    assert all(a >= 0 and b <= length for a, b in ranges)
    assert all(any(a <= span.start and span.end <= b for a, b in ranges) for span in spans)
    if length <= limit:
        assert sum(b - a for a, b in ranges) == length
