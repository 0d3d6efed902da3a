import pytest

from trail_callbacks.language.quantities import quantities


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("$3.5 million", [(3.5e6, "money:usd")]),
        ("3,500,000 dollars", [(3.5e6, "money:usd")]),
        ("1.234.567,89 €", [(1234567.89, "money:eur")]),
        ("twelve apples", [(12, "count")]),
        ("one hundred and twelve dogs", [(112, "count")]),
        ("330 m, 1 km and 2 miles", [(330, "length"), (1000, "length"), (3218.688, "length")]),
        ("13.5% or fifty-eight per cent", [(13.5, "percent"), (58, "percent")]),
        ("1 in 10 people", [(10, "percent")]),
        ("two thirds of it", [(200 / 3, "percent")]),
        ("one and a half seconds or 1500 ms", [(1.5, "time"), (1.5, "time")]),
        ("16 March 2026", [(16, "day"), (3, "month"), (2026, "year")]),
        ("2026-03-16", [(2026, "year"), (3, "month"), (16, "day")]),
        ("250 to 400 MW", [(2.5e8, "power"), (4e8, "power")]),
        ("EUR 360 to 370 million", [(3.6e8, "money:eur"), (3.7e8, "count")]),
        ("2000 users in 2019", [(2000, "count"), (2019, "year")]),
        ("the third of them at 12:30", [(3, "rank"), (750, "clock")]),
        ("2:30 pm, 12:15 a.m., 12:00PM and 14:30", [(870, "clock"), (15, "clock"), (720, "clock"), (870, "clock")]),
        ("١٢", [(12, "count")]),
        ("塔高330米", [(330, "count")]),
        ("one of the best, version 4.2.0, model FL-7, flat 7b, call 1.800.542.0820", []),
        ("it may march on", []),
    ],
)
def test_quantities_are_read_in_their_base_units(text, values):
    found = quantities(text)
    assert [(pytest.approx(q.value), q.kind) for q in found] == values
    assert all(text[q.start : q.end].strip() for q in found)
