"""Limits of differences between shares of clustered data."""

from __future__ import annotations

from statistics import NormalDist

import pytest

from trail_callbacks.statistics.clusters import Share
from trail_callbacks.statistics.differences import Difference

Z = 1.959964


def of(bad, n):
    return Share(bad / n, n, n)


@pytest.mark.parametrize(
    ("new", "old", "low", "high"),
    [  # Newcombe, Statistics in Medicine 17 (1998) 873, table II, method 10
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0000),
        ((0, 10), (0, 20), -0.1611, 0.2775),
    ],
)
def test_independent_shares_have_the_published_limits(new, old, low, high):
    assert Difference(of(*new), of(*old)).limits(Z) == pytest.approx((low, high), abs=6e-5)


@pytest.mark.parametrize(("new", "old"), [((30, 200), (20, 200)), ((20, 200), (30, 200)), ((1, 40), (0, 40))])
def test_the_probability_is_where_the_limit_meets_zero(new, old):
    found = Difference(of(*new), of(*old))
    p = found.p_worse()
    z = NormalDist().inv_cdf(1 - p)
    side = found.limits(abs(z))[0 if found.value > 0 else 1]
    assert side == pytest.approx(0.0, abs=1e-9)
    assert (p < 0.5) == (found.value > 0)


@pytest.mark.parametrize(("base", "claims"), [(0.05, 1_469), (0.10, 2_783), (0.20, 4_947)])
def test_as_many_are_needed_as_tables_say(base, claims):
    few = Difference(Share(base, 100, 100), Share(base, 100, 100))
    assert few.needed(0.02, 0.05, 0.8) == pytest.approx(claims, rel=0.08)


def test_where_it_is_worse_by_the_margin_no_number_helps():
    assert Difference(of(600, 5_000), of(490, 5_000)).needed(0.02, 0.05, 0.8) is None
