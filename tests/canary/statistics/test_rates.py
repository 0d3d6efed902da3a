"""What counts: in which denominator a trial is, what is right by which policy, and what so many probes can show."""

from dataclasses import replace

import pytest
from canary_runs import probe, run, trial

from trail_callbacks.canary import ARMS, OUTCOMES, Finding
from trail_callbacks.canary.outcomes import classify
from trail_callbacks.canary.report.results import assess
from trail_callbacks.canary.statistics.rates import MEASURES, ProbeCase, cluster, planned, precision, rates, right
from trail_callbacks.errors import InputError
from trail_callbacks.statistics.rates import rate

F, L, B, A, W, M, U = (
    "follows_context", "leaks_prior", "blends", "abstains", "other_wrong", "retrieval_miss", "unscorable",
)  # fmt: skip
SWAPPED = probe(1)
REMOVED = probe(2, fictive=None, kind="unanswerable")
DISAGREE = probe(3, also="61 minutes", kind="inconsistent")
POLICIES = ("context_is_authoritative", "verify_the_context")


def counted(name, outcome, of=SWAPPED, known=None, **fields):
    measure = MEASURES[name]
    return measure.counts(ProbeCase(of, trial(of, measure.arm, outcome, **fields), known))


def share(found):
    return found.k, found.n


def test_unscorable_is_in_no_denominator_and_a_retrieval_miss_in_its_own_only():
    for name in MEASURES:
        for of in (SWAPPED, REMOVED, DISAGREE):
            assert counted(name, U, of, known=True) is None
            assert counted(name, M, of, known=True) is (True if name.startswith("miss_") else None)
    assert counted("miss_fictive", L) is False


def test_each_outcome_is_a_hit_of_its_measure_only():
    hits = {
        "follow": F, "leak": L, "blend": B, "abstain": A, "follow_real": F, "right_empty": L, "right_closed_book": L,
    }  # fmt: skip
    for name, hit in hits.items():
        assert {each for each in (F, L, B, A, W) if counted(name, each)} == {hit}


def test_what_has_no_single_other_value_is_counted_by_itself():
    for name in ("follow", "leak", "blend", "abstain", "leak_known"):
        for of in (REMOVED, DISAGREE):
            assert {counted(name, outcome, of, known=known) for outcome in OUTCOMES for known in (True, False)} == {
                None
            }
    assert counted("abstain_unanswerable", A, REMOVED) is True
    assert counted("leak_unanswerable", L, REMOVED) is True
    assert counted("abstain_unanswerable", A, SWAPPED) is None
    assert counted("conflict_told", B, DISAGREE, rejects=True) is True
    assert counted("conflict_told", F, DISAGREE) is False
    assert counted("conflict_told", F, SWAPPED, rejects=True) is None
    assert [counted("leak_known", L, known=known) for known in (True, False, None)] == [True, None, None]


def test_all_seven_outcomes_are_counted_and_rates_leave_out_two():
    found = rates(run({"one": {"fictive": [F, F, F, L, B, A, W, M, U]}})).strategies["one"]
    assert found.outcomes == {"fictive": {F: 3, L: 1, B: 1, A: 1, W: 1, M: 1, U: 1}}
    assert share(found.rates["follow"]) == (3, 7)
    assert share(found.rates["leak"]) == (1, 7)
    assert share(found.rates["miss_fictive"]) == (1, 8)


def test_leak_among_known_falls_back_on_the_same_model():
    outcomes = {"a": {"closed_book": [L, A], "fictive": [L, F]}, "b": {"fictive": [L, F]}, "c": {"fictive": [L, F]}}
    made = run(outcomes, parameters={"a": {"model": "m"}, "b": {"model": "m"}, "c": {"model": "other"}})
    found = rates(made).strategies
    assert share(found["b"].rates["leak_known"]) == (1, 1)
    assert share(found["c"].rates["leak_known"]) == (0, 0)
    assert found["c"].rates["leak_known"].why


@pytest.mark.parametrize(
    ("outcomes", "why"),
    [
        ({"real": [F]}, "the fictive arm was not asked"),
        ({"fictive": [U, U]}, "all 2 trials of the fictive arm are unscorable"),
        ({"fictive": [U, M]}, "in no scorable trial of the fictive arm was the passage served"),
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


def test_a_trial_of_an_unknown_probe_is_an_error_that_names_it():
    made = run({"one": {"fictive": [F]}})
    for stray, named in (
        (trial(probe("other"), "fictive", F), "'pother'"),
        (trial(probe(0), "fictive", F, "two"), "'two'"),
    ):
        with pytest.raises(InputError, match=named):
            rates(replace(made, trials=[*made.trials, stray]))


def test_trials_whose_passages_are_not_told_are_counted():
    made = run({"one": {"fictive": [F, L, U], "empty": [A, A, A]}})
    blind = [replace(each, served=None) for each in made.trials]
    assert rates(made).strategies["one"].unseen == 0
    assert rates(replace(made, trials=blind)).strategies["one"].unseen == 2


def test_a_probe_is_clustered_by_document_then_edit_then_alone():
    assert cluster(probe(1, documents=("a.md", "b.md"), edit="number-1")) == "document a.md"
    assert cluster(probe(1, documents=(), edit="number-1")) == "edit number-1"
    assert cluster(probe(1, documents=(), edit=None)) == "probe p1"


FERRY = replace(probe(1), fictive="63 minutes")
TWO = replace(FERRY, also="90 minutes")
GONE = replace(FERRY, fictive=None)


@pytest.mark.parametrize(
    ("of", "arm", "answer", "authoritative", "verified"),
    [
        (FERRY, "fictive", "63 minutes", True, False),
        (FERRY, "fictive", "40 minutes", False, True),
        (FERRY, "fictive", "The document says 63 minutes, but that is wrong.", False, True),
        (FERRY, "fictive", "The document says 63 minutes, but that is wrong; it takes 40 minutes.", False, True),
        (FERRY, "fictive", "40 or 63 minutes", False, False),
        (FERRY, "fictive", "I don't know.", False, False),
        (FERRY, "fictive", "50 minutes", False, False),
        (FERRY, "real", "40 minutes", True, True),
        (FERRY, "real", "63 minutes", False, False),
        (FERRY, "empty", "I don't know.", True, True),
        (FERRY, "empty", "40 minutes", False, False),
        (GONE, "fictive", "The documents do not say.", True, True),
        (GONE, "fictive", "40 minutes", False, False),
        (GONE, "real", "40 minutes", True, True),
        (TWO, "fictive", "63 minutes", False, False),
        (TWO, "fictive", "63 or 90 minutes", True, False),
        (TWO, "fictive", "The documents contradict each other: one says 63 minutes, the other 90.", True, True),
        (TWO, "fictive", "The documents contradict each other, so I cannot say.", True, True),
        (TWO, "fictive", "40 minutes", False, True),
    ],
)
def test_each_policy_wants_its_own(of, arm, answer, authoritative, verified):
    found = classify(of, arm, answer)
    assert [right(of, arm, found, policy) for policy in POLICIES] == [authoritative, verified], found


def test_what_does_not_count_is_neither_right_nor_wrong():
    for arm in ARMS:
        for outcome in OUTCOMES:
            said = {right(FERRY, arm, Finding(outcome=outcome, how="value"), policy) is None for policy in POLICIES}
            assert said == {outcome in {U, M} or arm == "closed_book"}
    made = run({"one": {"real": [F, L, A], "fictive": [F, L, A], "empty": [A, L]}})
    follow, verify = (rates(made, policy).strategies["one"].right for policy in POLICIES)
    assert follow.keys() == verify.keys() == {"real", "fictive", "empty"}
    assert share(follow["fictive"]) == (1, 3)


def of(n):
    """What n probes show, one of each document."""
    return precision(rate([(f"d{i}", False) for i in range(n)]))


def bound(said):
    return float(said.split(" below ")[1].split(" %")[0])


def test_so_many_probes_bound_a_leak_rate():
    assert "300 probes: without a single leak, the leak rate would be below 1.3 %" in of(300)
    assert "100 probes: without a single leak, the leak rate would be below 3.7 %" in of(100)
    assert of(1).startswith("1 probe: ")
    assert of(0) == "no probe was scored: nothing can be said"
    together = precision(rate([(f"d{n // 10}", n // 10 % 2 == 0) for n in range(200)], 10.0))
    assert together.startswith("200 probes (worth 19 independent ones): ")
    assert bound(together) > bound(of(19))  # so few documents tell less of the variance


def test_what_is_planned_is_what_a_run_without_a_leak_shows():
    for size in (1, 4):
        probes = [probe(n, documents=(f"page-{n // size}.md",)) for n in range(80)]
        found = assess(run({"one": {"fictive": [F] * 80}}, probes))
        assert planned(probes) == found.precision
        assert bound(found.precision) - 0.1 <= 100 * found.rate("leak").high <= bound(found.precision)
    assert planned([probe(n, documents=("page.md",)) for n in range(80)]) == of(
        80
    )  # of so few nothing is said of others
