import pytest

from trail_callbacks.errors import InputError
from trail_callbacks.statistics.intervals import wilson
from trail_callbacks.statistics.sizes import needed_for_bound, needed_for_difference


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
