import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.statistics.intervals import difference, quantile, wilson


@given(st.floats(0, 1), st.integers(1, 10_000))
def test_an_interval_holds_its_share(share, n):
    low, high = wilson(share, n)
    assert 0.0 <= low <= share + 1e-9
    assert share - 1e-9 <= high <= 1.0


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [  # Newcombe, Statistics in Medicine 17 (1998) 2635, table III, method 10
        ((36, 12, 2), 0.0569, 0.3404),
        ((36, 14, 0), 0.1528, 0.4167),
    ],
)
def test_paired_shares_have_the_published_limits(counts, low, high):
    both, new, old = counts
    after, before = [1] * (both + new) + [0] * old, [1] * both + [0] * new + [1] * old
    assert difference(before, after, len(before), 1.959964) == pytest.approx((low, high), abs=6e-5)


@pytest.mark.parametrize(
    ("clusters", "expected"), [(5, 2.7764), (6, 2.5706), (11, 2.2281), (31, 2.0423), (10_000, 1.9602)]
)
def test_the_quantile_is_students(clusters, expected):
    assert quantile(clusters) == pytest.approx(expected, rel=0.003)
