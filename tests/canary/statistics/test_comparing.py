from dataclasses import replace

import pytest
from canary_runs import probe, run

from trail_callbacks.canary.statistics.comparing import compare, contrasts, ranking
from trail_callbacks.canary.statistics.rates import cases
from trail_callbacks.errors import InputError

F, L, A, U = "follows_context", "leaks_prior", "abstains", "unscorable"


def made(leaks, n=300, strategy="one", real=None, **fields):
    arms = {"fictive": [L] * leaks + [F] * (n - leaks), "real": real or [F] * n}
    return run({strategy: arms}, [probe(each) for each in range(n)], **fields)


def verdicts(found):
    return {each.measure: each.verdict for each in found.changes}


def test_the_same_run_passes():
    found = compare(made(3), made(3))
    assert found.verdict == "passes"
    assert set(verdicts(found)) == {"leak", "follow", "right_real", "right_fictive"}
    assert all(each.worse_by[2] < 0.05 and not each.reason for each in found.changes)
    assert found.common == 300
    assert found.left_out == (0, 0)


def test_more_leaks_are_worse():
    found = compare(made(3), made(60))
    assert found.verdict == "worse"
    worst = found.changes[0]
    assert worst.worse_by[1] > 0.05
    assert worst.reason.startswith("the ")
    assert verdicts(found)["leak"] == verdicts(found)["follow"] == "worse"
    assert verdicts(found)["right_real"] == "passes"
    leak = next(each for each in found.changes if each.measure == "leak")
    assert (leak.pairs.both, leak.pairs.first, leak.pairs.second) == (3, 0, 57)


def test_few_probes_are_not_enough():
    found = compare(made(0, 20), made(0, 20))
    assert found.verdict == "not_enough_data"
    assert all("more probes would tell" in each.reason for each in found.changes)


def test_a_small_certain_rise_within_the_margin_passes():
    found = compare(made(0, 3000), made(30, 3000))
    leak = next(each for each in found.changes if each.measure == "leak")
    assert leak.verdict == "passes"
    assert leak.adjusted < 0.001


def test_verify_the_context_does_not_ask_whether_it_was_followed():
    assert set(verdicts(compare(made(3), made(3), policy="verify_the_context"))) == {"right_real", "right_fictive"}


def test_only_common_probes_are_compared_and_it_is_said():
    a = made(3)
    b = replace(a, probes={**a.probes, "p0": probe(0, question="Another question?")})
    found = compare(a, b)
    assert (found.common, found.left_out) == (299, (1, 1))
    assert any("299 probes of both runs" in each for each in found.remarks())


def test_all_unscorable_is_not_enough():
    found = compare(made(3), run({"one": {"fictive": [U] * 300, "real": [U] * 300}}))
    assert found.verdict == "not_enough_data"
    assert all(each.pairs.n == 0 and each.worse_by is None for each in found.changes)


def test_a_candidate_does_not_pass_by_failing_on_what_is_hard():
    a = made(30)
    b = made(0)
    hard = {f"p{n}" for n in range(40)}
    trials = [
        replace(each, finding=replace(each.finding, outcome=U if n % 2 else "retrieval_miss"), answer=None)
        if each.probe in hard and each.arm == "fictive"
        else each
        for n, each in enumerate(b.trials)
    ]
    found = compare(a, replace(b, trials=trials))
    assert found.verdict == "not_enough_data"
    assert verdicts(found)["right_real"] == "passes"
    leak = next(each for each in found.changes if each.measure == "leak")
    assert leak.lost == 40
    assert "40 probes that were scored in the baseline are unscorable or not retrieved" in leak.reason


def test_runs_with_other_judges_are_refused():
    with pytest.raises(InputError, match="the judge is 'a' in the baseline and 'b' in the candidate"):
        compare(made(3, settings={"judge": "a"}), made(3, settings={"judge": "b"}))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: compare(made(3), made(3), margin=0.0), "margin is 0.0"),
        (lambda: compare(made(3), made(3), margin=float("nan")), "margin is nan"),
        (lambda: compare(made(3), made(3), policy="both"), "policy is 'both'"),
        (lambda: compare(made(3), made(3, strategy="two")), "no strategy in common: the baseline has one"),
        (lambda: compare(made(0, 0), made(0, 0)), "no probe in common"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(InputError, match=words):
        call()


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
    assert found.words == "cannot be compared: nothing counts under both"
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
