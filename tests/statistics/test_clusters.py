import numpy as np
import pytest

from trail_callbacks.statistics.clusters import prior_design, residuals, share


def test_claims_that_go_wrong_together_count_as_one():
    rows = [(5.0 * (n % 10 == 0), 5.0, 5.0) for n in range(1_000)]
    found = residuals(rows)
    estimate = share(found, prior_design([found]))
    assert estimate.value == pytest.approx(0.1)
    assert estimate.design == pytest.approx(5.0, rel=0.02)
    assert estimate.effective == pytest.approx(1_000, rel=0.02)
    assert estimate.icc == pytest.approx(1.0, abs=0.02)


def test_the_variance_is_that_of_leaving_answers_out():
    rng = np.random.default_rng(2)
    sizes = rng.integers(1, 13, 400)
    bad = rng.binomial(sizes, rng.beta(0.4, 3.6, 400))
    weights = rng.choice([1.0, 4.0], 400)
    found = residuals(list(zip(bad * weights, sizes * weights, sizes.astype(float), strict=True)))
    total_bad, total = (bad * weights).sum(), (sizes * weights).sum()
    left_out = (total_bad - bad * weights) / (total - sizes * weights)
    jackknife = 399 / 400 * ((left_out - left_out.mean()) ** 2).sum()
    assert found.squares / found.whole**2 == pytest.approx(jackknife, rel=0.02)


def test_without_anything_bad_an_answer_is_assumed_to_go_wrong_as_a_whole():
    found = residuals([(0.0, 7.0, 7.0)] * 50)
    assert share(found, prior_design([found])).effective == pytest.approx(50.0)


@pytest.mark.parametrize("rows", [[], [(1.0, 3.0, 3.0)], [(0.0, 0.0, 0.0)] * 5])
def test_less_than_two_answers_say_nothing(rows):
    assert residuals(rows) is None
