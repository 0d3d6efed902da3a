import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks.errors import InputError
from trail_callbacks.statistics.intervals import difference, needed_for_bound, needed_for_difference, quantile, wilson


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


def test_the_least_number_for_a_bound():
    n = needed_for_bound(0.013)
    assert wilson(0.0, n)[1] < 0.013 <= wilson(0.0, n - 1)[1]
    assert needed_for_bound(0.013, design=2.0) == pytest.approx(2 * n, abs=2)
    assert needed_for_bound(0.013, confidence=0.99) > n


def test_a_paired_difference_agrees_with_the_published_formula():
    # Connor (1987): (1.96 sqrt(0.2) + 0.8416 sqrt(0.2 - 0.01))^2 / 0.01
    assert needed_for_difference(0.1) == 155
    assert needed_for_difference(0.1, comparisons=28) > 2 * needed_for_difference(0.1) - 30


@pytest.mark.parametrize(
    "call",
    [
        lambda: needed_for_bound(0.0),
        lambda: needed_for_bound(float("nan")),
        lambda: needed_for_bound(0.1, confidence=1.0),
        lambda: needed_for_bound(1e-12),
        lambda: needed_for_difference(0.3, 0.2),
        lambda: needed_for_difference(0.1, comparisons=0),
        lambda: needed_for_difference(0.1, power=1.0),
    ],
)
def test_values_out_of_range_are_refused(call):
    with pytest.raises(InputError):
        call()
