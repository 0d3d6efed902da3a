# ruff: noqa: RUF001 - characters that look like others are what is tested
"""Digits, separators and number words: a guess at the language of a short text never decides what digits leave open."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trail_callbacks.language.values import quantities


def readings(text, kinds=("count", "money:usd", "length")):
    return [[each.value for each in q.readings] for q in quantities(text) if q.kind in kinds]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.234.567,89", [1234567.89]),
        ("1,500.5", [1500.5]),
        ("1,00,000 rupees are a lakh", [100000]),
        ("1'000", [1000]),
        ("1\u202f000", [1000]),
        ("1 000 people", [1000]),
    ],
)
def test_digits_decide_where_they_can(text, expected):
    found = [q for q in quantities(text) if q.kind != "money:inr"] or quantities(text)
    assert [q.value for q in found] == pytest.approx(expected)
    assert not any(q.also for q in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Das Dorf hat nach der letzten Zählung 1.250 Einwohner und ist nicht groß.", [1250]),
        ("A vila tem 1.250 metros de altura e não é a mais alta.", [1250]),
        ("The village has 1,250 inhabitants and it is on the river.", [1250]),
        ("The ratio is 1.618 of the whole and not more than that.", [1.618, 1618]),
        ("12 500 habitants et un chat dans le village", [12500]),
    ],
)
def test_a_certain_language_decides_what_digits_leave_open(text, expected):
    assert readings(text) == [expected]


@pytest.mark.parametrize(("text", "expected"), [("2.375", [2.375, 2375]), ("2,375", [2375, 2.375])])
def test_what_nothing_decides_has_both_readings(text, expected):
    assert readings(text) == [expected]


@pytest.mark.parametrize("text", ["１２３ km", "१२३ km", "١٢٣ km", "𝟏𝟐𝟑 km"])
def test_digits_of_every_script(text):
    assert readings(text) == [[123000]]
    assert [(q.start, q.end) for q in quantities(text)] == [(0, 6)]


@settings(max_examples=100, deadline=None)
@given(st.integers(min_value=0, max_value=10**11))
def test_grouping_changes_no_value(n):
    for text in (
        f"there are {n:,} of it and the rest of them",
        f"das sind {n:,} Teile und der Rest ist nicht da".replace(",", "."),
    ):
        assert [q.value for q in quantities(text)] == [n]


def values(text):
    return [q.value for q in quantities(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one hundred and twelve dogs", [112]),
        ("two million five hundred thousand", [2.5e6]),
        ("a million people", [1e6]),
        ("two dozen eggs", [24]),
        ("two and a half cups", [2.5]),
        ("the twelfth and the twenty-first", [12, 21]),
    ],
)
def test_english_number_words(text, expected):
    assert values(text) == expected


@pytest.mark.parametrize("text", ["one of the best", "no one can say", "the someone it may concern"])
def test_words_that_only_look_like_numbers(text):
    assert values(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3.5 million", 3.5e6),
        ("5 Mio. Euro", 5e6),
        ("3,5 Milliarden", 3.5e9),
        ("20 lakh", 2e6),
        ("120万人", 1.2e6),
        ("5 млн рублей", 5e6),
        ("Das sind etwa 2 Billionen und nicht mehr", 2e12),
    ],
)
def test_magnitudes_multiply(text, expected):
    assert values(text) == [expected]


def test_nobody_writes_thousands_of_billions():
    assert [each.value for each in quantities("$1.325 billion")[0].readings] == [1.325e9, 1.325e12]
