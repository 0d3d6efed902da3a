"""Charts: what is drawn is what the table says."""

from __future__ import annotations

import re

import pytest

from trail_callbacks.serving.charts import Chart, Point, minute

DAY = 86_400.0


def chart(*values, n=10):
    points = [
        Point(
            at=place * DAY,
            value=value,
            low=value and value / 2,
            high=value and min(1.0, value * 2),
            n=n if value is not None else 0,
        )
        for place, value in enumerate(values)
    ]
    return Chart(title="Bad", points=points, since=0.0, until=len(values) * DAY, bucket=DAY)


def numbers(path):
    return [float(each) for each in re.findall(r"-?\d+\.?\d*", path)]


def test_points_are_where_the_axes_say():
    drawn = chart(0.0, 0.05, 0.1)
    assert drawn.top == 0.2, "its interval is whole"
    places = numbers(drawn.path)
    xs, ys = places[::2], places[1::2]
    assert xs == sorted(xs)
    zero, half, top = (place for place, _ in drawn.across)
    assert ys == [zero, (zero + half) / 2, half]
    assert top == min(numbers(drawn.band)[1::2])
    assert [text for _, text in drawn.across] == ["0 %", "10 %", "20 %"]
    assert all(38 <= x <= 314 for x in xs)


def test_a_gap_is_no_line():
    drawn = chart(0.1, None, 0.2, 0.3)
    assert drawn.path.count("M") == 2
    assert drawn.band.count("Z") == 2


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((None, None), "no data"),
        ((None, 0.25), "25 % on 1970-01-02"),
        ((0.04, None, 0.085), "4 % on 1970-01-01, 8.5 % on 1970-01-03"),
    ],
)
def test_the_caption_says_what_is_drawn(values, said):
    assert chart(*values).caption == said


def test_a_time_that_no_calendar_has_is_shown_as_it_is():
    assert (minute(0.0), minute(1e300)) == ("1970-01-01 00:00", "1e+300")
