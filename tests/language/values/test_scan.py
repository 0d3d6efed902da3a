"""What is a number at all; offsets."""

import string
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trail_callbacks.language.values import quantities


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/2019/05?n=12 and a@b12.com",
        "version 4.2.0, model FL-7, flat 7b, COVID-19",
        "call 1.800.542.0820",
        "Henry VIII",
        "it may march on",
    ],
)
def test_digits_in_names_and_links_are_not_numbers(text):
    assert quantities(text) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1/3 of it", [(100 / 3, "percent")]),
        ("two thirds of it", [(200 / 3, "percent")]),
        ("8 out of 10 users", [(80, "percent")]),
        ("1 in 10 people", [(10, "percent")]),
        ("½ mile", [(804.672, "length")]),
        ("3 1/2 hours", [(12600, "time")]),
        ("open 24/7", [(24, "count"), (7, "count")]),
    ],
)
def test_fractions_and_shares(text, expected):
    assert [(q.value, q.kind) for q in quantities(text)] == [(pytest.approx(value), kind) for value, kind in expected]


CHARACTERS = string.digits + ".,/-\u2013:%$€ '\u00a0\u200b\u0663\uff11½eE()#+I年月日万" + "abc\n\0\ud800"


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=CHARACTERS, max_size=60))
def test_any_text_gives_spans_inside_it(text):
    found = quantities(text)
    assert all(0 <= q.start < q.end <= len(text) for q in found)
    assert all(a.start <= b.start for a, b in pairwise(found))
