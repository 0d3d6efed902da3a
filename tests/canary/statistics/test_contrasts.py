from canary_runs import probe, run

from trail_callbacks.canary.statistics.comparing import contrasts, ranking
from trail_callbacks.canary.statistics.rates import cases

F, L, U = "follows_context", "leaks_prior", "unscorable"


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
