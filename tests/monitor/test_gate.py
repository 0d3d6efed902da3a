"""Decisions on releases."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trail_callbacks.errors import InputError
from trail_callbacks.monitor import Observation
from trail_callbacks.monitor.decision import Policy
from trail_callbacks.monitor.gate import decide
from trail_callbacks.monitor.sizing import at_most, sizes
from trail_callbacks.report.diagnosis import Figure

SEGMENTS = Policy(segment="kind")


def by_name(decision):
    return {each.name: each for each in decision.segments}


def test_a_candidate_that_is_as_good_passes(release):
    decision = decide(release(600), release(600))
    assert (decision.outcome, decision.segments[0].reasons) == ("passes", ())
    unsupported, contradictions = decision.segments[0].measures
    assert (unsupported.baseline, unsupported.candidate, unsupported.difference) == (0.02, 0.02, 0.0)
    assert unsupported.low < 0 < unsupported.high < 0.02
    assert contradictions.outcome == "passes"
    assert unsupported.more is None


def test_a_candidate_that_is_worse_is_called_so(release):
    decision = decide(release(600), release(600, 2))
    assert decision.outcome == "worse"
    assert "the share of unsupported claims rose by 8.0 points (p = " in decision.segments[0].reasons[0]


def test_few_answers_pass_nothing_even_if_all_are_good(release):
    decision = decide(release(40, 0), release(40, 0))
    assert decision.outcome == "not_enough_data"
    measure = decision.segments[0].measures[0]
    assert f"{measure.more[1]} more needed" in decision.segments[0].reasons[0]
    assert decide(release(40 + measure.more[0], 0), release(40 + measure.more[1], 0)).outcome == "passes"


def test_a_certain_rise_inside_the_margin_passes(release):
    decision = decide(release(20_000, 10), release(20_000, 8))
    measure = decision.segments[0].measures[0]
    assert measure.low > 0
    assert measure.adjusted < 0.05
    assert decision.outcome == "passes"


def test_one_run_says_nothing_and_nothing_is_not_a_number(release):
    decision = decide(release(1), release(1))
    assert decision.outcome == "not_enough_data"
    assert (
        "1 and 1 questions, at least 30 each: 29 (baseline) and 29 (candidate) more" in decision.segments[0].reasons[0]
    )
    assert "NaN" not in json.dumps(decision.as_data())


@pytest.mark.parametrize("swapped", [False, True])
def test_runs_of_different_judges_are_refused(release, swapped):
    arms = [release(50), release(50, judge="another")]
    with pytest.raises(InputError, match=r"'judge' and 'another'|'another' and 'judge'"):
        decide(*(arms[::-1] if swapped else arms))
    with pytest.raises(InputError, match="not judged by one judge"):
        decide(arms[0] + arms[1], arms[0] + arms[1])


@pytest.mark.parametrize("state", ["error", "unverified", "partial"])
def test_a_candidate_that_the_judge_failed_on_cannot_pass(release, answer, state):
    broken = [answer(f"x{n}", claims=0, state=state, left=3) for n in range(120)]
    decision = decide(release(600), release(600) + broken)
    assert decision.outcome == "not_enough_data"
    assert decision.segments[0].candidate.undecided == 120
    assert "16.7% of the candidate's answers open, allowed are 10.0%" in decision.segments[0].reasons[0]
    assert decision.segments[0].measures[0].questions == (600, 600)


def test_undecided_claims_beside_decided_ones_are_open_or_count_as_unsupported(release):
    vague = [replace(run, outcomes={**run.outcomes, "undecided": 5}, state="partial") for run in release(600)]
    found = decide(release(600), vague).segments[0]
    assert (found.outcome, found.candidate.open_share, found.candidate.claims) == ("not_enough_data", 0.5, 3000)
    strict = decide(release(600), vague, Policy(on_undecided="fail"))
    assert strict.outcome == "worse"
    assert (strict.segments[0].candidate.open_share, strict.segments[0].candidate.claims) == (0.0, 6000)
    assert decide(vague, vague, Policy(on_undecided="fail")).outcome == "passes"


def test_more_left_open_than_before_may_hide_a_rise(release, answer):
    broken = [answer(f"x{n}", claims=0, state="error", left=3) for n in range(60)]
    (reason,) = decide(release(600), release(600) + broken).segments[0].reasons
    assert "9.1% of the candidate's answers open and 0.0% of the baseline's, which may hide a rise" in reason


def test_a_release_without_runs_is_refused(release):
    with pytest.raises(InputError, match="the candidate has no run"):
        decide(release(50), [])


def test_an_app_that_declines_is_not_undecided(release, answer):
    declined = [answer(f"x{n}", claims=0, state="abstained") for n in range(200)]
    decision = decide(release(600), release(600) + declined)
    assert decision.outcome == "passes"
    assert (decision.segments[0].candidate.declined, decision.segments[0].candidate.open_share) == (200, 0.0)


def figured(runs, name, bad, by="judge"):
    """Runs with a figure that is bad in one of so many."""
    return [
        replace(run, figures={name: Figure(value=0.0 if n % bad == 0 else 1.0, n=3, decided_by=by)})
        for n, run in enumerate(runs)
    ]


@pytest.mark.parametrize("name", ["query_coverage", "selection", "citation_presence", "citation_recall"])
def test_what_breaks_before_and_after_the_answer_does_not_pass(release, name):
    old = figured(release(600), name, 20)
    assert decide(old, figured(release(600), name, 20)).outcome == "passes"
    assert decide(old, figured(release(600), name, 2)).outcome == "worse"
    assert decide(old, release(600)).outcome == "not_enough_data", "it was known, and is not any more"
    words = [figured(release(600), name, bad, "words") for bad in (20, 2)]
    assert decide(*words).outcome == "passes", "nobody decides by words"
    if name.startswith("citation"):
        assert decide(figured(old, name, 1), figured(release(600), name, 1)).outcome == "passes", "it never cites"


def test_a_policy_names_any_signal(release, answer):
    declined = [answer(f"x{n}", claims=0, state="abstained") for n in range(200)]
    assert decide(release(600), release(600) + declined, Policy(margins={"abstention": 0.03})).outcome == "worse"
    with pytest.raises(InputError, match="margins names 'mood', expected one of query_coverage"):
        Policy(margins={"mood": 0.1})


def test_what_a_gate_can_show_is_told_before(release):
    runs = [run for kind in "abcd" for run in release(300, 3, worst=1, kind=kind)]
    found = sizes(runs, SEGMENTS)
    assert {each.segment for each in found} == set("abcd")
    assert at_most(found) < 0.1 < at_most(sizes(runs)), "together they show more"
    claims = found[0]
    assert claims.paired < claims.needed
    decision = decide(release(claims.needed, 3, worst=1), release(claims.needed, 3, worst=1))
    assert decision.segments[0].measures[0].outcome == "passes"


def test_in_a_critical_segment_no_contradiction_more_is_allowed(release, answer):
    old, new = (release(1_000, 10, worst=5, kind="dose") for _ in range(2))
    critical = Policy(segment="kind", critical=frozenset({"dose"}))
    assert decide(old, new, critical).outcome == "passes"
    one_more = [*new[:-1], answer("last", 1, against=1, fields={"kind": "dose"})]
    assert decide(old, one_more, SEGMENTS).outcome == "passes"
    decision = decide(old, one_more, critical)
    assert decision.outcome == "worse"
    assert "critical segment: runs with a contradiction rose from 2.00% to 2.10%" in decision.segments[0].reasons[0]


def test_small_segments_are_merged_and_named(release):
    arm = [*release(600, kind="a"), *release(20, kind="b"), *release(9, kind="c"), *release(5)]
    found = by_name(decide(arm, arm, SEGMENTS))
    assert set(found) == {"a", "rest"}
    assert found["rest"].merged == ("(none)", "b", "c")
    assert found["rest"].baseline.answers == 34


def test_segments_that_do_not_occur_are_refused(release):
    arm = release(50, kind="dose")
    with pytest.raises(InputError, match="critical is 'dosis', and no run has that kind: there are 'dose'"):
        decide(arm, arm, Policy(segment="kind", critical=frozenset({"dosis"})))
    with pytest.raises(InputError, match="no run has a value of 'tenant': there are 'kind'"):
        decide(arm, arm, Policy(segment="tenant"))
    with pytest.raises(InputError, match="no run has a value of 'tenant': segments are metadata"):
        decide(release(50), release(50), Policy(segment="tenant"))


def test_the_same_questions_are_paired_and_say_more(release):
    old, new = release(200, 3, worst=1, keyed=True), release(200, 3, worst=1, keyed=True)
    paired, unpaired = decide(old, new), decide(old, [replace(run, key="") for run in new])
    assert (paired.paired, unpaired.paired, paired.matched) == (True, False, 1.0)
    assert (paired.outcome, unpaired.outcome) == ("passes", "not_enough_data")


def test_runs_without_a_partner_are_left_out_and_counted(release):
    old, new = release(300, keyed=True), release(300, keyed=True, offset=30)
    segment = decide(old, new).segments[0]
    assert (segment.unmatched, segment.measures[0].questions) == ((30, 30), (270, 270))


def test_a_few_common_questions_are_not_mixed_with_the_others(release):
    old, new = release(300, keyed=True), release(300, keyed=True, offset=200)
    decision = decide(old, new)
    assert (decision.paired, decision.matched) == (False, pytest.approx(1 / 3))
    assert decision.segments[0].measures[0].questions == (300, 300)


@pytest.mark.parametrize("offset", [0, 20])  # paired, and unpaired
def test_asking_the_same_again_adds_no_question(release, offset):
    old, new = release(40, keyed=True), release(40, 8, keyed=True, offset=offset)
    once, often = (decide(old * n, new * n).segments[0].measures[0] for n in (1, 25))
    assert often.questions == once.questions == (40, 40)
    assert (often.high - often.low) > 0.8 * (once.high - once.low)


RUNS = st.lists(
    st.builds(
        Observation,
        id=st.uuids().map(str),
        at=st.just(0.0),
        key=st.sampled_from(["", *map(str, range(40))]),
        judge=st.just("judge"),
        state=st.sampled_from(["assessed", "partial", "abstained", "error", "no_checkable_claims"]),
        outcomes=st.dictionaries(
            st.sampled_from(["supported", "contradicted", "absent", "undecided", "not_judged"]), st.integers(0, 30)
        ),
        fields=st.sampled_from([{}, {"kind": "a"}, {"kind": "b"}]),
        rate=st.floats(0.001, 1.0),
    ),
    min_size=1,
    max_size=80,
)


@settings(max_examples=40)
@given(RUNS, RUNS, st.sampled_from([None, "kind"]))
def test_whatever_runs_are_like_a_decision_is_made_of_numbers(old, new, segment):
    if segment and not any(run.fields for run in old + new):
        return
    decision = decide(old, new, Policy(segment=segment, minimum=10))
    json.dumps(decision.as_data(), allow_nan=False)
    for each in decision.segments:
        assert (each.outcome == "passes") == (not each.reasons)
        for measure in each.measures:
            if measure.difference is not None:
                assert -1 <= measure.low <= measure.difference <= measure.high <= 1
                assert 0 <= measure.p <= measure.adjusted <= 1
                assert measure.difference == pytest.approx(measure.candidate - measure.baseline, abs=1e-9)
