# ruff: noqa: RUF001 - characters that look like others are what is tested
"""Numbers, units, dates and names in text: read, compared and written."""

import string
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trail_callbacks.language.values import (
    calendar_dates,
    folded,
    follows,
    is_same_name,
    measures,
    quantities,
)
from trail_callbacks.language.values.number_words import in_digits
from trail_callbacks.language.values.writing import Writing, in_words


def one(text):
    (found,) = quantities(text)
    return found


def only(text):
    (found,) = calendar_dates(quantities(text), text)
    return found


YEAR, DAY = 31557600, {"year": 2020, "month": 3, "day": 4}
READ = {
    # numbers in digits and words; magnitudes
    "1.234.567,89": [(1234567.89, "count")], "1,500.5": [(1500.5, "count")], "1'000": [(1000, "count")],
    "1\u202f000": [(1000, "count")], "1 000 people": [(1000, "count")],
    "1,00,000 rupees are a lakh": [(100000, "money:inr")],
    "one hundred and twelve dogs": [(112, "count")], "two million five hundred thousand": [(2.5e6, "count")],
    "a million people": [(1e6, "count")], "two dozen eggs": [(24, "count")], "two and a half cups": [(2.5, "count")],
    "the twelfth and the twenty-first": [(12, "rank"), (21, "rank")],
    "3.5 million": [(3.5e6, "count")], "5 Mio. Euro": [(5e6, "money:eur")], "3,5 Milliarden": [(3.5e9, "count")],
    "20 lakh": [(2e6, "count")], "120万人": [(1.2e6, "count")], "5 млн рублей": [(5e6, "money:rub")],
    "Das sind etwa 2 Billionen und nicht mehr": [(2e12, "count")],
    # what is no number
    "one of the best": [], "no one can say": [], "the someone it may concern": [], "call 1.800.542.0820": [],
    "https://example.org/2019/05?n=12 and a@b12.com": [], "version 4.2.0, model FL-7, flat 7b, COVID-19": [],
    "Henry VIII": [], "it may march on": [], "you may 5 times march on": [(5, "count")],
    # fractions and shares
    "1/3 of it": [(100 / 3, "percent")], "two thirds of it": [(200 / 3, "percent")],
    "8 out of 10 users": [(80, "percent")], "1 in 10 people": [(10, "percent")], "½ mile": [(804.672, "length")],
    "3 1/2 hours": [(12600, "time")], "open 24/7": [(24, "count"), (7, "count")],
    # units and currencies
    "330 m": [(330, "length")], "18 kilómetros": [(18000, "length")], "90 mg/dL": [(90e-6 / 0.1, "mass/volume")],
    "60 miles per hour": [(96.56064, "speed")], "16 GiB": [(16 * 2**30, "data")], "45-year-old": [(45 * YEAR, "time")],
    "fifty-eight per cent": [(58, "percent")], "\u22125 °C": [(-5, "temperature")],
    "minus 7 degrees": [(-7, "temperature")], "50 SEK": [(50, "money:sek")], "CHF 20": [(20, "money:chf")],
    "A$5": [(5, "money:aud")], "7 €": [(7, "money:eur")], "3 millones de euros": [(3e6, "money:eur")],
    "-$20": [(20, "money:usd")],
    # the calendar and times of day
    "2000 users in 2019": [(2000, "count"), (2019, "year")], "2018\u201319": [(2018, "year"), (2019, "year")],
    "the '90s": [(1990, "year")], "Q3 2021": [(3, "quarter"), (2021, "year")],
    "on Mondays in May": [(1, "weekday"), (5, "month")], "17-19 October": [(17, "day"), (19, "day"), (10, "month")],
    "2026-03-09T10:30:00": [(2026, "year"), (3, "month"), (9, "day"), (630, "clock")],
    "5 p.m.": [(1020, "clock")], "17.00 Uhr": [(1020, "clock")], "12:15 am": [(15, "clock")],
    "17 o'clock": [(1020, "clock")],
}  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_what_a_text_says_in_numbers(text):
    found = quantities(text)
    assert [q.kind for q in found] == [kind for _, kind in READ[text]]
    assert [q.value for q in found] == pytest.approx([value for value, _ in READ[text]])


@pytest.mark.parametrize("text", ["１２３ km", "१२३ km", "١٢٣ km", "𝟏𝟐𝟑 km"])
def test_digits_of_every_script(text):
    found = one(text)
    assert (found.value, found.kind, found.start, found.end) == (123000, "length", 0, 6)


def test_a_number_without_a_unit_counts_what_follows():
    assert [q.noun for q in quantities("two thousand visitors and 12 of them")] == ["visitors", ""]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Das Dorf hat nach der letzten Zählung 1.250 Einwohner und ist nicht groß.", [1250]),
        ("A vila tem 1.250 metros de altura e não é a mais alta.", [1250]),
        ("The village has 1,250 inhabitants and it is on the river.", [1250]),
        ("The ratio is 1.618 of the whole and not more than that.", [1.618, 1618]),
        ("12 500 habitants et un chat dans le village", [12500]),
        ("2.375", [2.375, 2375]),  # nothing decides
        ("2,375", [2375, 2.375]),
        ("$1.325 billion", [1.325e9, 1.325e12]),  # nobody writes thousands of billions
    ],
)
def test_a_certain_language_decides_what_digits_leave_open(text, expected):
    found = next(q for q in quantities(text) if q.kind in {"count", "length", "money:usd"})
    assert [each.value for each in found.readings] == expected
    assert {each.kind for each in found.readings} == {found.kind}


@settings(max_examples=100, deadline=None)
@given(st.integers(min_value=0, max_value=10**11))
def test_grouping_changes_no_value(n):
    for text in (
        f"there are {n:,} of it and the rest of them",
        f"das sind {n:,} Teile und der Rest ist nicht da".replace(",", "."),
    ):
        assert [q.value for q in quantities(text)] == [n]


CHARACTERS = string.digits + ".,/-\u2013:%$€ '\u00a0\u200b\u0663\uff11½eE()#+I年月日万" + "abc\n\0\ud800"


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=CHARACTERS, max_size=60))
def test_any_text_gives_spans_inside_it(text):
    found = quantities(text)
    assert all(0 <= q.start < q.end <= len(text) for q in found)
    assert all(a.start <= b.start for a, b in pairwise(found))


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("over 60 guests", "over"), ("no more than 60 guests", "under"), ("about 60 guests", "about"),
        ("~60 guests", "about"), ("60+ guests", "over"), ("after 2000", "over"), ("exactly 60 guests", "exact"),
    ],
)  # fmt: skip
def test_words_before_a_number_limit_it(text, bound):
    assert one(text).bound == bound


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("between 10 and 15 km", 10000, 15000), ("10-15 km", 10000, 15000), ("3 to 4 million euros", 3e6, 4e6),
        ("von 2 bis 8 kg", 2, 8), ("4-6 March", 4, 6), ("5 or 6 people", 5, 6),
    ],
)  # fmt: skip
def test_the_ends_of_a_range_share_what_is_written_once(text, low, high):
    first, second = quantities(text)[:2]
    assert (first.value, second.value) == (low, high)
    assert first.within == second.within == (None if " or " in text else (low, high))


@pytest.mark.parametrize(
    ("said", "given", "same"),
    [
        ("forty minutes", "40 min", True),
        ("2/3 of an hour", "40 min", False),
        ("26.2 miles", "42.2 km", True),  # what is lost between units
        ("about 500 seats", "496 seats", True),
        ("496 seats", "about 500 seats", False),
        ("12,000 seats", "12,340 seats", True),
        ("over 4 kg", "4.1 kg", True),
        ("the 1990s", "in 1994", True),
        ("50 °F", "10 °C", True),
        ("40 euros", "40 dollars", False),
        ("5:30", "17:30", True),  # of either half of the day
        ("5:30 a.m.", "17:30", False),
        ("05:30", "17:30", False),
    ],
)
def test_a_quantity_follows_from_another(said, given, same):
    assert follows(one(said), one(given)) == same


def test_what_may_be_meant():
    assert one("the 1990s").may_be(one("in 1994"))
    assert not one("the 1990s").may_be(one("in 2004"))
    assert one("5:30").may_be(one("17:30"))
    assert not one("5 kg").may_be(one("5 km"))


@pytest.mark.parametrize(
    ("text", "seconds"), [("1 hour and 3 minutes", 3780), ("1 h 3 min", 3780), ("2 days, 5 hours", 190800)]
)
def test_parts_of_one_measure_are_one_quantity(text, seconds):
    (found,) = measures(text)
    assert (found.kind, found.value, text[found.start : found.end]) == ("time", seconds, text)


@pytest.mark.parametrize(
    ("said", "meant", "same"),
    [
        ("Solvang's", "Solvang", True), ("MUELLER", "Müller", True), ("Москва", "Moskva", True),
        ("Skoghlom", "Skogholm", True),  # a slip
        ("Anna", "Anne", False), ("Berg", "Borg", False), ("a" * 200, "a" * 199 + "b", False),
    ],
)  # fmt: skip
def test_words_that_are_one_name(said, meant, same):
    assert is_same_name(folded(said), folded(meant)) == same


@pytest.mark.parametrize(
    "text",
    [
        "March 4, 2020", "the 4th of March, 2020", "2020-03-04", "4.3.2020", "Am 4. März 2020 war es kalt",
        "le 4 mars 2020", "4 марта 2020", "2020年3月4日",
    ],
)  # fmt: skip
def test_one_day_in_many_notations(text):
    assert {q.kind: q.value for q in quantities(text)} == DAY


def test_parts_that_stand_together_are_one_date():
    text = "In 1950. 3 May was a Monday, and 4 March 2020, 2020-03-05 and the 1990s were not."
    dates = calendar_dates(quantities(text), text)
    assert [each.words for each in dates] == ["1950", "3 May", "Monday", "4 March 2020", "2020-03-05", "1990s"]
    assert [each.is_whole for each in dates] == [False, False, False, True, True, False]
    assert str(dates[3].day) == "2020-03-04"
    assert dates[5].is_decade


@pytest.mark.parametrize(
    ("said", "given", "parts"),
    [
        ("12 March 2019", "2019-03-12", 3),
        ("in March 2019", "2019-03-12", 2),
        ("3 April 2020", "03/04/2020", 3),  # read both ways
        ("4 March 2020", "03/04/2020", 3),
        ("4 April 2020", "03/04/2020", 0),
        ("12 March 2018", "2019-03-12", 0),
    ],
)
def test_dates_agree_in_the_parts_that_both_give(said, given, parts):
    assert only(said).agrees(only(given)) == parts


@pytest.mark.parametrize(
    ("text", "by", "expected"),
    [
        ("May 14, 1962", {"years": 5}, "May 14, 1967"),
        ("2020-03-04", {"days": 30}, "2020-04-03"),
        ("the 4th of March, 2020", {"days": -2}, "2nd of March, 2020"),
        ("4. März 2020", {"days": 60}, "3. Mai 2020"),
        ("1er juin 2019", {"days": 30}, "1er juillet 2019"),
        ("4 DEC 2020", {"days": 31}, "4 JAN 2021"),
        ("4 april 2020", {"days": 60, "language": "nl"}, "3 juni 2020"),
        ("4 april 2020", {"days": 60}, "3 june 2020"),
        ("March 4", {"years": 5}, "March 4"),
        ("the 1990s", {"years": -20}, "1970s"),
        ("the 1990s", {"years": 3}, None),
        ("29 February 2020", {"years": 1}, None),
        ("Monday, 3 May 2021", {"days": 7}, "Monday, 10 May 2021"),
        ("Monday, 3 May 2021", {"days": 3}, None),
        ("2020年3月4日", {"days": 1}, "2020年3月5"),
    ],
)
def test_a_moved_date_is_written_in_the_same_form(text, by, expected):
    assert only(text).moved(**by) == expected


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("it has 12,500 seats", 9300, "it has 9,300 seats"),
        ("das kostet nicht 1.250 Euro", 8400, "das kostet nicht 8.400 Euro"),
        ("there are 1\u202f250 of them", 3400, "there are 3\u202f400 of them"),
        ("it is 3.5 km long", 4100, "it is 4.1 km long"),
        ("das sind 3,5 Millionen und nicht mehr", 4.1e6, "das sind 4,1 Millionen und nicht mehr"),
        ("Forty minutes", 53 * 60, "Fifty-three minutes"),
        ("a hundred guests", 340, "three hundred and forty guests"),
        ("١٢٣ km", 456000, "٤٥٦ km"),
        ("\u22125 °C", -8, "\u22128 °C"),
        ("it is 3.5 km long", 4123, None),  # needs more digits
        ("it has 900 seats", 12000, None),  # nothing shows how it would be grouped
        ("a third of it", 40, None),
        ("2.375 of it", 3, None),  # two readings
    ],
)
def test_another_value_is_written_in_the_same_form(text, value, expected):
    numeral = Writing(text).numeral(one(text))
    new = numeral.write(value) if numeral else None
    assert (None if new is None else text[: numeral.start] + new + text[numeral.end :]) == expected


@pytest.mark.parametrize(
    ("text", "grain"),
    [("has 12,000 seats", 1000), ("40 seats", 1), ("3.5 km", 100), ("forty seats", 1), ("300 kg", 10)],
)
def test_another_value_is_as_round_as_the_first(text, grain):
    assert Writing(text).numeral(one(text)).grain == pytest.approx(grain)


@pytest.mark.parametrize("value", [0, 7, 21, 112, 1999, 2_500_000, 10**12 + 1])
def test_what_is_written_in_words_is_read_back(value):
    assert sum(each.value for each in quantities(f"{in_words(value)} eggs")) == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("zweihundertzwanzig Grad", "220 Grad"),
        ("quatre-vingt-dix-sept jours", "97 jours"),
        ("treinta y uno de marzo", "31 de marzo"),
        ("duemilatrecento", "2300"),
        ("двести двадцать минут", "220 minutes"),
        ("elva dagar", "11 days"),
        ("neun Komma acht", "9.8"),
        ("nine point eight", "9.8"),
        ("a fortnight", "14 days"),
        ("six people were there once", "six people were there once"),  # words of several languages
        ("elf of the forest", "elf of the forest"),
    ],
)
def test_number_words_of_other_languages_are_written_in_digits(text, expected):
    assert in_digits(text) == expected


@pytest.mark.parametrize("piece", ["hundert", "vingt ", "und", "two hundred ", "9 "])
def test_number_words_of_any_length_are_read(piece):
    assert in_digits(piece * 3000)
