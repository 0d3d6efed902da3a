import math
import random
from itertools import product

import pytest
from canary_runs import probe, run

from trail_callbacks.canary.statistics.contrasts import contrasts, paired, ranking, sign_flip
from trail_callbacks.canary.statistics.rates import cases
from trail_callbacks.report.scoring import difference

F, L, U = "follows_context", "leaks_prior", "unscorable"


def mcnemar(b, c):
    """Twice the binomial tail of the smaller number of discordant pairs."""
    n, k = b + c, min(b, c)
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (0, 1), (1, 1), (0, 6), (3, 11), (40, 90), (500, 420)])
def test_one_probe_a_document_is_mcnemars_exact_test(b, c):
    less, more, either = sign_flip([-1] * b + [1] * c + [0] * 5)
    assert either == pytest.approx(mcnemar(b, c), rel=1e-9)
    assert (less > more) == (c > b) or b == c
    assert 0.0 < either <= 1.0


def test_clusters_are_flipped_whole():
    steps = [3, -1, 2, 2, 0, 1]
    sums = [
        sum(sign * abs(step) for sign, step in zip(signs, steps, strict=True)) for signs in product((1, -1), repeat=6)
    ]
    total = sum(steps)
    expected = sum(each >= total for each in sums) / len(sums)
    assert sign_flip(steps)[1] == pytest.approx(expected)
    assert sign_flip(steps)[0] == pytest.approx(sum(each <= total for each in sums) / len(sums))


def test_pairs_have_newcombes_interval():
    first = {f"p{n}": n < 12 for n in range(40)}
    second = {f"p{n}": n < 20 for n in range(40)}
    found = paired(first, second, {})
    assert (found.n, found.both, found.first, found.second) == (40, 12, 0, 8)
    assert (found.low, found.high) == difference(list(first.values()), list(second.values()), 40)
    assert found.p == pytest.approx(mcnemar(0, 8))


def test_only_common_probes_count():
    found = paired({"a": True, "b": False}, {"b": True, "c": True}, {})
    assert (found.n, found.second) == (1, 1)
    none = paired({"a": True}, {"b": True}, {})
    assert (none.n, none.difference, none.low, none.p) == (0, None, None, None)


def test_documents_of_several_probes_widen_limits_and_probability():
    first = {f"p{n}": False for n in range(200)}
    second = {f"p{n}": n < 40 for n in range(200)}
    apart = paired(first, second, {})
    together = paired(first, second, {f"p{n}": f"d{n // 10}" for n in range(200)})
    assert together.design > 4
    assert together.low < apart.low
    assert together.p == pytest.approx(mcnemar(0, 4))
    assert together.p > apart.p


def test_probes_of_few_documents_are_paired_as_independent():
    first = {f"p{n}": False for n in range(40)}
    second = {f"p{n}": n < 10 for n in range(40)}
    few = paired(first, second, {f"p{n}": f"d{n % 4}" for n in range(40)})
    assert few == paired(first, second, {})


def test_equal_strategies_are_a_tie_with_the_interval():
    made = run({"a": {"fictive": [F, L] * 10}, "b": {"fictive": [F, L] * 10}})
    (found,) = contrasts(cases(made), ["a", "b"], "follow")
    assert found.verdict == "tie"
    assert found.words.startswith("cannot be told apart at n = 20: difference within [-")


def test_what_differs_differs_after_holm():
    made = run({"a": {"fictive": [F] * 40}, "b": {"fictive": [L] * 40}, "c": {"fictive": [F] * 39 + [L]}})
    found = {(each.a, each.b): each for each in contrasts(cases(made), list("abc"), "leak")}
    assert {pair: each.verdict for pair, each in found.items()} == {
        ("a", "b"): "differ", ("a", "c"): "tie", ("b", "c"): "differ",
    }  # fmt: skip
    assert found["a", "b"].adjusted >= found["a", "b"].pairs.p
    assert found["a", "b"].words.startswith("differ by +100.0 points")


def test_strategies_without_common_probes_are_not_called_a_tie():
    made = run({"a": {"fictive": [F, None]}, "b": {"fictive": [None, F]}})
    (found,) = contrasts(cases(made), ["a", "b"], "follow")
    assert (found.verdict, found.adjusted) == ("unpaired", None)
    assert found.words == "cannot be compared: no probe counts under both"
    assert ranking([found], {"a": 1.0, "b": 1.0}, best="high") == [["a"], ["b"]]


def test_unscorable_trials_leave_the_pair():
    made = run({"a": {"fictive": [F, U, F]}, "b": {"fictive": [F, F, U]}})
    (found,) = contrasts(cases(made), ["a", "b"], "follow")
    assert found.pairs.n == 1


def test_ties_are_not_transitive():
    outcomes = {
        "best": [F] * 100,
        "middle": [F] * 95 + [L] * 5,
        "worst": [F] * 90 + [L] * 10,
    }
    made = run({name: {"fictive": each} for name, each in outcomes.items()}, [probe(n) for n in range(100)])
    found = contrasts(cases(made), list(outcomes), "follow")
    shares = {"best": 1.0, "middle": 0.95, "worst": 0.9}
    assert ranking(found, shares, best="high") == [["best", "middle"], ["middle", "worst"]]
    assert ranking(found, shares, best="low") == [["worst", "middle"], ["middle", "best"]]
    assert ranking([], {}, best="high") == []


def test_groups_hold_no_pair_that_differs_and_every_pair_that_ties():
    chance = random.Random(7)  # noqa: S311 - played answers
    names = [f"s{n}" for n in range(8)]
    outcomes = {
        name: {"fictive": [F if chance.random() < 0.3 + 0.08 * n else L for _ in range(120)]}
        for n, name in enumerate(names)
    }
    made = run(outcomes, [probe(n) for n in range(120)])
    found = contrasts(cases(made), names, "follow")
    assert {each.verdict for each in found} == {"differ", "tie"}
    shares = {name: arms["fictive"].count(F) / 120 for name, arms in outcomes.items()}
    groups = ranking(found, shares, best="high")
    for each in found:
        together = any({each.a, each.b} <= set(group) for group in groups)
        assert together == (each.verdict == "tie")
