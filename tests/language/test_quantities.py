# ruff: noqa: RUF001 - signs that look like others are what is tested
"""Numbers as values: every notation, both readings where nothing decides, linear time."""

import re
import string
import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trail_callbacks.judges.local.checks import number
from trail_callbacks.judges.local.checks.number import equal
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.language.quantities import quantities


def values(text):
    return [(pytest.approx(q.value), q.kind) for q in quantities(text)]


def one(text):
    (found,) = quantities(text)
    return found


@pytest.mark.parametrize(
    ("text", "expected", "other"),
    [
        ("The town has 1,000 inhabitants.", 1000, None),
        ("Der Ort hat 1.000 Einwohner.", 1000, None),
        ("Der Ort ist 1,5 km lang und hat 1.250 Einwohner.", 1250, None),
        ("The village and the lake: 1 000 people live there.", 1000, None),
        ("12 500 habitants et un chat dans le village", 12500, None),
        ("1'000 Franken", 1000, None),
        ("1\u202f000 euros", 1000, None),
        ("1.000", 1000, 1),  # nothing tells
        ("1,000", 1000, 1),
        ("The ratio of the two is 1.618 and no more.", 1.618, 1618),
        ("It is 1.618 and then 2.5 in the end.", 1.618, None),  # the other number shows the point
        ("0.125", 0.125, None),
        ("1,00,000 rupees", 100000, None),
        ("1.234.567,89", 1234567.89, None),
        ("1,500.5", 1500.5, None),
        ("$1.325 billion", 1.325e9, 1.325e12),
    ],
)
def test_separators_are_read_as_the_text_means_them(text, expected, other):
    found = next(q for q in quantities(text) if q.value == pytest.approx(expected))
    assert [value for _, value in found.also] == ([] if other is None else [pytest.approx(other)])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1/3 of it", [(100 / 3, "percent")]),
        ("½ mile", [(804.672, "length")]),
        ("2½ hours", [(9000, "time")]),
        ("3 1/2 hours", [(12600, "time")]),
        ("8 out of 10 users", [(80, "percent")]),
        ("150 %", [(150, "percent")]),
        ("1.5e6 units", [(1.5e6, "count")]),
        ("3×10⁸ m/s", [(3e8 * 3.6, "speed")]),
        ("$3 \\times 10^{5}$", [(3e5, "money:usd")]),
        ("6.02 x 10^23", [(6.02e23, "count")]),
        ("−5 °C and minus 7 degrees", [(-5, "temperature"), (-7, "temperature")]),
        ("50 °F", [(50, "fahrenheit")]),
        ("90 mg/dL", [(90e-6 / 0.1, "mass/volume")]),
        ("60 miles per hour", [(96.56064, "speed")]),
        ("16 GB or 16 GiB", [(16e9, "data"), (16 * 2**30, "data")]),
        ("2 h 30 min", [(9000, "time")]),
        ("5 ft 10 in", [(1.778, "length")]),
        ("a 45-year-old", [(45 * 31557600, "time")]),
        ("aged 45", [(45 * 31557600, "time")]),
        ("50 SEK, CHF 20, A$5 and 7 €", [(50, "money:sek"), (20, "money:chf"), (5, "money:aud"), (7, "money:eur")]),
        ("5 Mio. Euro", [(5e6, "money:eur")]),
        ("3,5 Milliarden Dollar", [(3.5e9, "money:usd")]),
        ("a million people", [(1e6, "count")]),
        ("two million five hundred thousand", [(2.5e6, "count")]),
        ("nineteen eighty-four", [(1984, "year")]),
        ("5 p.m., 17:00 and 17.00 Uhr", [(1020, "clock")] * 3),
        ("Chapter IV, World War II, Second World War", [(4, "label"), (2, "label"), (2, "label")]),
        ("the 3rd and the twelfth", [(3, "rank"), (12, "rank")]),
        ("5+ people", [(5, "count")]),
        ("Q3 2021", [(3, "quarter"), (2021, "year")]),
        ("the third quarter of 2021", [(3, "quarter"), (2021, "year")]),
        ("the 1990s", [(1990, "year")]),
        ("the nineties", [(1990, "year")]),
        ("the 19th century", [(1801, "year")]),
        ("el siglo XIX", [(1801, "year")]),
        ("im 19. Jahrhundert", [(1801, "year")]),
        ("44 BC, AD 79 and 300 BCE", [(-44, "year"), (79, "year"), (-300, "year")]),
        ("in 1066 and in 1492", [(1066, "year"), (1492, "year")]),
        ("1932-35", [(1932, "year"), (1935, "year")]),
        ("https://example.org/2019/05?n=12 and a@b12.com", []),
        ("Henry VIII", []),
        ("COVID-19 and 3fa85f64-5717-4562-b3fc-2c963f66afa6", []),
    ],
)
def test_notations(text, expected):
    assert values(text) == [(pytest.approx(value), kind) for value, kind in expected]


@pytest.mark.parametrize(
    "text",
    [
        "March 4, 2020",
        "4 March 2020",
        "4th of March 2020",
        "the 4th of March, 2020",
        "Mar 4, 2020",
        "2020-03-04",
        "2020/03/04",
        "4.3.2020",
        "Am 4. März 2020 war es kalt",
        "le 4 mars 2020",
        "el 4 de marzo de 2020",
        "il 4 marzo 2020",
        "4 de março de 2020",
        "4 maart 2020",
        "4 марта 2020",
        "2020年3月4日",
        "2020년 3월 4일",
        "٤/٣/٢٠٢٠ في",
    ],
)
def test_one_day_in_many_notations(text):
    found = {q.kind: q for q in quantities(text)}
    assert {kind: q.value for kind, q in found.items()} == {"year": 2020, "month": 3, "day": 4}


def test_a_date_of_two_small_numbers_has_both_readings():
    month, day, year = quantities("03/04/2020")
    assert (month.value, month.also, day.value, day.also, year.value) == (3, (("month", 4),), 4, (("day", 3),), 2020)
    assert not any(q.also for q in quantities("13/04/2020"))
    for other in ("March 4, 2020", "4 March 2020", "3 April 2020"):
        claim, passage = Reading(f"The bridge opened on {other}."), Reading("The bridge opened on 03/04/2020.")
        assert number.compare(claim, passage) is None
        assert all(number.stated(q, claim, passage) for q in claim.quantities)


@pytest.mark.parametrize(
    ("one_text", "other"),
    [
        ("1.000", "1"),
        ("1.000 m", "1000 m"),
        ("50 °F", "10 °C"),
        ("14:30 UTC", "16:30 CEST"),
        ("5:30", "17:30"),
        ("5:30 p.m.", "17:30"),
        ("2 h 30 min", "150 minutes"),
        ("½ hour", "30 minutes"),
        ("１２３ km", "123 km"),
        ("१२३", "123"),
        ("٣٣٠ m", "330 m"),
        ("1\u200b000 people", "1000 people"),
        ("1OO people", "100 people"),
        ("12О people", "120 people"),  # a Cyrillic letter
        ("𝟏𝟐 people", "12 people"),
        ("120万人", "1.2 million"),
        ("the 1990s", "1994"),
        ("ISBN 978-3-16-148410-0", "ISBN 9783161484100"),
        ("+49 30 1234567", "+49-30-1234567"),
    ],
)
def test_equal_in_whatever_notation(one_text, other):
    assert equal(one(one_text), one(other))


@pytest.mark.parametrize(
    ("one_text", "other"),
    [
        ("16 GB", "16 GiB"),
        ("5:30 a.m.", "17:30"),
        ("44 BC", "AD 44"),
        ("−5 °C", "5 °C"),
        ("1990s", "2004"),
        ("#17", "#18"),
    ],
)
def test_not_equal(one_text, other):
    assert not equal(one(one_text), one(other))


@pytest.mark.parametrize(
    ("claim", "passage", "wrong"),
    [
        ("Sales rose by 12 %.", "Sales rose by 10-15 %.", False),
        ("Sales rose by 17 %.", "Sales rose by 10-15 %.", True),
        ("The tower was finished in 1994.", "The tower was finished in the 1990s.", False),
        ("The tower was finished in 1984.", "The tower was finished in the 1990s.", True),
        ("The tower was finished in the 1980s.", "The tower was finished in 1994.", True),
        ("The tower was finished in June.", "The tower was finished from May to July.", False),
        ("The tower was finished in 1950.", "The tower was finished in the 20th century.", False),
    ],
)
def test_a_range_or_period_contradicts_only_what_is_outside(claim, passage, wrong):
    assert (number.compare(Reading(claim), Reading(passage)) is not None) == wrong


def test_ranges_share_their_unit_and_scores_are_none():
    low, high = quantities("between 10 and 15 km")
    assert (low.value, high.value, low.within, high.within) == (10000, 15000, (10000, 15000), (10000, 15000))
    assert [q.within for q in quantities("They lost 1-3 at home.")] == [None, None]
    assert [q.within for q in quantities("3-2")] == [None, None]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("It opened in 1932. The following year it closed.", "year", 1933),
        ("It opened in 1932 and burnt down a year later.", "year", 1933),
        ("On 28 February 2020 he left; the next day he came back.", "day", 29),
        ("On 31 December 1999 he left; the next day he came back.", "day", 1),
        ("He left in May 2001 and came back the following month.", "month", 6),
    ],
)
def test_dates_told_from_a_stated_one(text, kind, value):
    assert (kind, value) in [(q.kind, q.value) for q in quantities(text)[1:]]


def test_two_years_later_is_a_length_of_time_and_a_year():
    later = quantities("Opened in 1932, it closed two years later.")[-1]
    assert (later.kind, later.also) == ("time", (("year", 1934.0),))
    assert equal(later, one("1934"))
    assert quantities("It closed two years later.")[0].also == ()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Die Stadt hat zweiundzwanzig Brücken und eine Burg.", 22),
        ("La ciudad tiene cuarenta y dos puentes y un castillo.", 42),
        ("La ville a quatre-vingt-dix-sept ponts et un château.", 97),
        ("La città ha tremila ponti e un castello.", 3000),
        ("A cidade tem vinte e dois pontes e um castelo.", 22),
        ("De stad heeft tweeëntwintig bruggen en een kasteel.", 22),
    ],
)
def test_number_words_of_other_languages(text, value):
    pytest.importorskip("text_to_num", reason="text2num has no wheel here")
    assert values(text) == [(value, "count")]  # and the article is no number


SIGNS = string.digits + ".,/-–:%$€ '\u00a0\u200b\u0663\uff11½⁸°eExX^{}()#+OlI年月日万" + "abc\n\0\ud800"


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=SIGNS, max_size=60))
def test_any_text_gives_spans_inside_it(text):
    found = quantities(text)
    assert all(0 <= q.start < q.end <= len(text) for q in found)
    assert all(a.start <= b.start for a, b in pairwise(found))
    assert found == quantities(text)


@settings(max_examples=200, deadline=None)
@given(st.integers(min_value=0, max_value=10**12))
def test_grouping_changes_no_value(n):
    for text in (f"the {n:,} of it and the rest", f"das sind {n:,} Teile und der Rest".replace(",", ".")):
        assert [q.value for q in quantities(text) if q.kind != "id"] == [n]


HOSTILE = [
    "9" * 400, "1," * 500, "1 000 " * 300, "- " * 500, "one and " * 300, "1/2/" * 300, "12:" * 300, "March " * 300,
    "the following " * 200, "+1 (" * 200, "10^" * 300, "I" * 500, "isbn " * 200, "two hundred thousand " * 150,
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE, ids=lambda piece: piece[:12])
def test_twice_the_text_takes_about_twice_the_time(piece):
    quantities(piece)  # compiles

    def cost(text):
        best = []
        for _ in range(3):
            at = time.process_time()
            quantities(text)
            best.append(time.process_time() - at)
        return min(best)

    for _ in range(3):  # another process may have had the cache
        ratio = cost(piece * 16) / max(cost(piece * 4), 1e-3)
        if ratio < 10:  # 4 where time is linear, 16 where it is quadratic
            return
    pytest.fail(f"four times the text took {ratio:.0f} times as long")


def test_no_pattern_is_compiled_at_import():
    import subprocess
    import sys

    code = "import re, trail_callbacks, sys; print('text_to_num' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "False"
    assert re.match("x", "x")
