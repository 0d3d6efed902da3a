import pytest

from trail_callbacks.language.values import follows, quantities


def values(text):
    return [(q.value, q.kind) for q in quantities(text)]


@pytest.mark.parametrize(
    "text",
    [
        "March 4, 2020",
        "the 4th of March, 2020",
        "2020-03-04",
        "4.3.2020",
        "Am 4. März 2020 war es kalt",
        "le 4 mars 2020",
        "4 марта 2020",
        "2020年3月4日",
    ],
)
def test_one_day_in_many_notations(text):
    found = {q.kind: q for q in quantities(text)}
    assert {kind: q.value for kind, q in found.items()} == {"year": 2020, "month": 3, "day": 4}


def test_a_date_of_two_small_numbers_has_both_readings():
    month, day, year = quantities("03/04/2020")
    assert (month.value, month.also, day.value, day.also, year.value) == (3, (("month", 4),), 4, (("day", 3),), 2020)
    assert not any(q.also for q in quantities("13/04/2020"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2000 users in 2019", [(2000, "count"), (2019, "year")]),
        ("2018\u201319", [(2018, "year"), (2019, "year")]),
        ("the 1990s", [(1990, "year")]),
        ("the '90s", [(1990, "year")]),
        ("Q3 2021", [(3, "quarter"), (2021, "year")]),
        ("on Mondays in May", [(1, "weekday"), (5, "month")]),
        ("17-19 October", [(17, "day"), (19, "day"), (10, "month")]),
        ("2026-03-09T10:30:00", [(2026, "year"), (3, "month"), (9, "day"), (630, "clock")]),
        ("you may 5 times march on", [(5, "count")]),
    ],
)
def test_parts_of_the_calendar(text, expected):
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("5 p.m.", 1020), ("17:00", 1020), ("17.00 Uhr", 1020), ("12:15 am", 15), ("17 o'clock", 1020)],
)
def test_times_of_day(text, minutes):
    assert values(text) == [(minutes, "clock")]


@pytest.mark.parametrize(
    ("text", "same"), [("5:30", True), ("5:30 p.m.", True), ("5:30 a.m.", False), ("05:30", False)]
)
def test_an_hour_without_its_half_of_the_day_may_be_either(text, same):
    (one,), (other,) = quantities(text), quantities("17:30")
    assert follows(one, other) == same
