from statistics import NormalDist

import numpy as np
import pytest

from trail_callbacks.statistics.clusters import Difference, Share, prior_design, residuals, share


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
