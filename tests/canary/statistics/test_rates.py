from dataclasses import replace

import pytest
from canary_runs import probe, run, trial

from trail_callbacks.canary.statistics.rates import cluster, rates
from trail_callbacks.errors import InputError

F, L, B, A, W, M, U = (
    "follows_context", "leaks_prior", "blends", "abstains", "other_wrong", "retrieval_miss", "unscorable",
)  # fmt: skip


def share(found):
    return found.k, found.n


def test_all_seven_outcomes_are_counted_and_rates_leave_out_two():
    found = rates(run({"one": {"fictive": [F, F, F, L, B, A, W, M, U]}})).strategies["one"]
    assert found.outcomes == {"fictive": {F: 3, L: 1, B: 1, A: 1, W: 1, M: 1, U: 1}}
    assert share(found.rates["follow"]) == (3, 7)
    assert share(found.rates["leak"]) == (1, 7)
    assert share(found.rates["miss_fictive"]) == (1, 8)


def test_leak_among_known_falls_back_on_the_same_model():
    outcomes = {
        "a": {"closed_book": [L, A], "fictive": [L, F]},
        "b": {"fictive": [L, F]},
        "c": {"fictive": [L, F]},
    }
    made = run(outcomes, parameters={"a": {"model": "m"}, "b": {"model": "m"}, "c": {"model": "other"}})
    found = rates(made).strategies
    assert share(found["b"].rates["leak_known"]) == (1, 1)
    assert share(found["c"].rates["leak_known"]) == (0, 0)
    assert found["c"].rates["leak_known"].why


@pytest.mark.parametrize(
    ("outcomes", "why"),
    [
        ({}, "the fictive arm was not asked"),
        ({"fictive": [U, U]}, "all 2 trials of the fictive arm are unscorable"),
        ({"fictive": [U, M]}, "in no scorable trial of the fictive arm was the passage served"),
        ({"real": [F]}, "the fictive arm was not asked"),
    ],
)
def test_nothing_in_the_denominator_is_no_share_with_the_reason(outcomes, why):
    found = rates(run({"one": outcomes})).strategies["one"].rates["follow"]
    assert (found.value, found.why) == (None, why)


def test_splits_follow_the_order_of_kinds_and_sizes():
    probes = [
        probe(1, kind="name", size="large", subject="Fähren"),
        probe(2, kind="number", size="small", subject="渡し船"),
        probe(3, kind=None, size=None),
        probe(4, kind="number", size="medium", subject="Fähren"),
    ]
    found = rates(run({"one": {"fictive": [F, L, F, F]}}, probes)).splits
    shares = {name: {each.value: share(each.rates["follow"]) for each in found[name]} for name in found}
    assert list(shares["kind"].items()) == [("number", (1, 2)), ("name", (1, 1)), ("not said", (1, 1))]
    assert list(shares["size"]) == ["small", "medium", "large", "not said"]
    assert shares["subject"] == {"Fähren": (2, 2), "渡し船": (0, 1), "not said": (1, 1)}
    assert shares["model"] == {"not said": (3, 4)}


def test_what_is_right_depends_on_the_policy_and_never_mixes():
    made = run({"one": {"real": [F, L, A], "fictive": [F, L, A], "empty": [A, L]}})
    follow, verify = (
        rates(made, policy).strategies["one"].right for policy in ("context_is_authoritative", "verify_the_context")
    )
    assert share(follow["fictive"])[0] == 1
    assert share(follow["real"]) == share(verify["real"])
    assert follow.keys() == verify.keys() == {"real", "fictive", "empty"}


def test_a_trial_of_an_unknown_probe_is_an_error_that_names_it():
    made = run({"one": {"fictive": [F]}})
    stray = trial(probe("other"), "fictive", F)
    with pytest.raises(InputError, match="'pother'"):
        rates(replace(made, trials=[*made.trials, stray]))
    with pytest.raises(InputError, match="'two'"):
        rates(replace(made, trials=[trial(made.probes["p0"], "fictive", F, "two")]))


def test_trials_whose_passages_are_not_told_are_counted():
    made = run({"one": {"fictive": [F, L, U], "empty": [A, A, A]}})
    blind = [replace(each, served=None) for each in made.trials]
    assert rates(made).strategies["one"].unseen == 0
    assert rates(replace(made, trials=blind)).strategies["one"].unseen == 2


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"documents": ("a.md", "b.md"), "edit": "number-1"}, "document a.md"),
        ({"documents": (), "edit": "number-1"}, "edit number-1"),
        ({"documents": (), "edit": None}, "probe p1"),
    ],
)
def test_a_probe_is_clustered_by_document_then_edit_then_alone(fields, expected):
    assert cluster(probe(1, **fields)) == expected
