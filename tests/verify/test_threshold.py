"""What of a report is compared with a threshold."""

from dataclasses import replace

import pytest

from trail_callbacks import Claim, ProvenanceGraph, Report, SupportClass, Verdict
from trail_callbacks.report.verdict import Scoring
from trail_callbacks.verify.threshold import counted_score, is_complete, refusal, unsettled

YES, NO, SKIP = SupportClass.SUPPORTED, SupportClass.ABSENT, SupportClass.UNEVALUATABLE
PART = SupportClass.PARTIALLY_SUPPORTED


def report(state, *outcomes, **more):
    """Outcomes are classes, None for undecided, and a text for the error of a judge that failed."""
    verdicts = tuple(
        Verdict(claim_id=f"c{n}", error=str(each))
        if isinstance(each, str) and not isinstance(each, SupportClass)
        else Verdict(claim_id=f"c{n}", support=each, undecided=None if each else "too vague")
        for n, each in enumerate(outcomes)
    )
    claims = tuple(
        Claim(id=each.claim_id, text="x", quote="x", start=0, end=1, checkable=each.support is not SKIP)
        for each in verdicts
    )
    return Report(state=state, graph=ProvenanceGraph(nodes=()), claims=claims, verdicts=verdicts, **more)


@pytest.mark.parametrize(
    ("judged", "passing", "failing"),
    [
        (report("assessed", YES, NO), 0.5, 0.5),
        (report("partial", YES, NO, None, None), 0.5, 0.75),
        (report("partial", YES, None), 0.0, 0.5),
        (report("partial", YES, "failed"), 0.0, 0.0),
        (report("partial", YES, None, "failed"), 0.0, 0.5),
        (report("partial", None, "failed"), None, 1.0),
        (report("unverified", None, None, SKIP), None, 1.0),
        (report("unverified", None, SKIP, scoring=Scoring(strict=True)), None, 1.0),
        (report("partial", PART, None, scoring=Scoring(severity=True)), 0.5, 0.75),
        (report("unverified", SKIP), None, None),
        (report("no_evidence", NO, None), None, None),
        (report("error", "failed"), None, None),
        (report("abstained"), None, None),
    ],
)
def test_what_is_compared(judged, passing, failing):
    assert counted_score(judged, "pass") == judged.hallucination_score == passing
    assert counted_score(judged, "fail") == failing


@pytest.mark.parametrize(
    ("judged", "complete"),
    [
        (report("assessed", YES), True),
        (report("abstained"), True),
        (report("no_checkable_claims"), True),
        (report("no_evidence", NO), True),
        (report("partial", YES, None), True),
        (report("partial", YES, None, "failed"), False),
        (report("partial", YES, None, claims_error="refused"), False),
        (report("partial", YES), False),
        (report("partial", YES, "failed"), False),
        (report("unverified", None, SKIP), True),
        (report("unverified", SKIP), False),
        (report("unverified"), False),
        (report("error"), False),
        (report("interrupted"), False),
    ],
)
def test_a_judge_that_abstains_did_not_fail(judged, complete):
    assert is_complete(judged) is complete


@pytest.mark.parametrize(
    ("state", "outcomes", "failing"),
    [("assessed", (YES, SKIP), 0.5), ("no_checkable_claims", (SKIP,), 1.0), ("abstained", (SKIP,), None)],
)
def test_a_statement_that_no_source_could_settle_counts_as_undecided(state, outcomes, failing):
    judged = report(state, *outcomes)
    judged = replace(judged, claims=tuple(replace(claim, checkable=True) for claim in judged.claims))
    assert counted_score(judged, "fail") == failing
    assert counted_score(judged, "pass") == judged.hallucination_score
    assert len(unsettled(judged)) == (failing is not None)


@pytest.mark.parametrize(
    ("judged", "kind"),
    [
        (report("assessed", YES), None),
        (report("assessed", YES, NO), "score"),
        (report("partial", YES, None), None),
        (report("unverified", None), "undecided"),
        (report("unverified", None, SKIP), "undecided"),
        (report("no_evidence", NO), "no_evidence"),
        (report("partial", YES, "failed"), "incomplete"),
        (report("error", "failed"), "incomplete"),
        (report("no_checkable_claims", SKIP), None),
    ],
)
def test_where_nothing_was_decided_nothing_passes(judged, kind):
    found = refusal(judged, 0.0)
    assert (found and found.kind) == kind
    assert (refusal(judged, 1.0) is None) == (kind in {None, "score"})


FALSE = "The lighthouse of Genoa is 97 metres tall."


@pytest.mark.parametrize(
    ("answer", "state", "states"),
    [
        (FALSE, "abstained", True),
        (f"I do not know. {FALSE}", "abstained", True),
        ("I do not know.", "abstained", False),
        ("Je ne sais pas.", "abstained", False),
        ("\u308f\u304b\u308a\u307e\u305b\u3093\u3002", "abstained", False),
        (FALSE, "assessed", False),
    ],
)
def test_what_its_judge_says_declines(answer, state, states):
    claim = Claim(id="c1", text=answer, quote=answer, start=0, end=len(answer))
    verdicts = (Verdict(claim_id="c1", support=SKIP if state == "abstained" else YES),)
    report = Report(
        state=state, graph=ProvenanceGraph.from_texts(answer, ["A source."]), claims=(claim,), verdicts=verdicts
    )
    found = refusal(report, 0.0)
    assert (found is not None and found.reason.endswith("declines, but it states something")) is states


def test_without_an_answer_nothing_is_stated():
    assert refusal(Report(state="abstained", graph=ProvenanceGraph(nodes=())), 0.0) is None
