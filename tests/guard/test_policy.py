"""Decisions on drafts, and what is said about the outcome."""

import pickle
from dataclasses import replace

import pytest

from trail_callbacks import Claim, ProvenanceGraph, Report, SupportClass, Verdict, check
from trail_callbacks.errors import AnswerRejectedError
from trail_callbacks.guard import GuardOutcome, GuardSettings, decide, reject
from trail_callbacks.guard.stripping import stripped
from trail_callbacks.models.call import Usage

FACT = "The lighthouse of Genoa is 77 metres tall. The lighthouse of Genoa was rebuilt in 1543."
BAD = "The lighthouse of Genoa is 99 metres tall."


def report(state="assessed", *supports):
    claims = tuple(
        Claim(id=f"c{i}", text="x", quote="x", start=0, end=1, checkable=each is not SupportClass.UNEVALUATABLE)
        for i, each in enumerate(supports)
    )
    verdicts = tuple(Verdict(claim_id=c.id, support=s) for c, s in zip(claims, supports, strict=True))
    return Report(state=state, graph=ProvenanceGraph(nodes=()), claims=claims, verdicts=verdicts)


YES, NO = SupportClass.SUPPORTED, SupportClass.ABSENT


@pytest.mark.parametrize(
    ("settings", "judged", "rejected", "action"),
    [
        ({}, report("assessed", YES, NO), 1, "retry"),
        ({}, report("assessed", YES, NO), 2, "block"),
        ({"max_score": 0.5}, report("assessed", YES, NO), 0, "pass"),
        ({"max_retries": 0, "exhausted": "raise"}, report("assessed", NO), 0, "raise"),
        ({"no_evidence": "pass"}, report("no_evidence", NO), 0, "pass"),
        ({"on_error": "open"}, report("partial", NO), 0, "retry"),
    ],
)
def test_what_the_documented_table_does_not_show(settings, judged, rejected, action):
    assert decide(GuardSettings(judge="local", **settings), judged, rejected) == action


def left_out(state, *supports):
    """A report with a statement besides that the judge left out."""
    known = report(state, *supports)
    claim = Claim(id="u1", text="Said.", quote="said", start=0, end=4, uncovered=True)
    verdict = Verdict(claim_id="u1", undecided="not covered")
    return replace(known, claims=(*known.claims, claim), verdicts=(*known.verdicts, verdict))


def unsettled(state, *supports):
    """A report with a statement besides of which the judge says that no source could settle it."""
    known = report(state, *supports)
    claim = Claim(id="u1", text="It is fine.", quote="it is fine", start=0, end=10)
    verdict = Verdict(claim_id="u1", support=SupportClass.UNEVALUATABLE, rationale="Praise.")
    return replace(known, claims=(*known.claims, claim), verdicts=(*known.verdicts, verdict))


@pytest.mark.parametrize("judged", [unsettled("assessed", YES), unsettled("no_checkable_claims")])
def test_a_statement_that_no_source_could_settle_is_undecided_to_those_who_want_all_checked(judged):
    assert decide(GuardSettings(judge="local"), judged, 0) == "pass"
    assert decide(GuardSettings(judge="local", on_undecided="fail"), judged, 0) == "retry"
    said = GuardOutcome(draft="x", action="pass", report=judged).summary()["undecided_claims"]
    assert said == [{"claim": "It is fine.", "quote": "it is fine", "reason": "Praise."}]


def undecided(state, *supports, failed=False, **more):
    """A report with two undecided claims besides, and one on which the judge failed if wanted."""
    known = report(state, *supports)
    extra = [Verdict(claim_id=f"u{n}", undecided="too vague") for n in range(2)]
    extra += [Verdict(claim_id="f", error="unreachable")] if failed else []
    claims = (*known.claims, *(Claim(id=v.claim_id, text="Said.", quote="said", start=0, end=4) for v in extra))
    return replace(known, claims=claims, verdicts=(*known.verdicts, *extra), **more)


OPEN, FAILS = "annotate", "retry"  # what `on_error="open"`, and the default of `on_fail`, do with an answer


def test_what_could_not_be_checked_is_named_beside_the_answer_and_not_when_it_is_withheld():
    judged = undecided("partial", YES)
    shown = GuardOutcome(draft="", action="pass", report=judged).summary()
    assert shown["passed"] is True
    assert shown["undecided"] == 2
    assert shown["undecided_claims"] == [{"claim": "Said.", "quote": "said", "reason": "too vague"}] * 2
    withheld = GuardOutcome(draft="", action="block", report=judged).summary()
    assert withheld["undecided"] == 2
    assert "said" not in repr(withheld)
    with pytest.raises(AnswerRejectedError, match="2 of 2 claims could not be decided"):
        reject(GuardOutcome(draft="", action="raise", report=undecided("unverified")))


def test_summaries_of_withheld_answers_repeat_nothing_of_them():
    judged = check(BAD, [FACT])
    for action, open_ in (("annotate", True), ("pass", True), ("block", False), ("raise", False)):
        summary = GuardOutcome(draft=BAD, action=action, report=judged, attempts=3, usage=Usage(calls=2)).summary()
        assert (BAD in repr(summary)) is open_
        assert summary["attempts"] == 3
        assert summary["usage"] == {"calls": 2, "prompt_tokens": 0, "completion_tokens": 0}
    assert GuardOutcome(draft="", action="skip").summary() == {}


def test_the_error_says_why_without_the_answer_and_survives_a_process_border():
    with pytest.raises(AnswerRejectedError, match=r"score is 1\.00, attempt 2") as caught:
        reject(GuardOutcome(draft=BAD, action="raise", report=check(BAD, [FACT]), attempts=2))
    copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own
    assert (str(copy), copy.attempts, copy.report) == (str(caught.value), 2, caught.value.report)
    assert "99" not in str(copy)


def test_the_summary_of_a_stripped_answer_names_what_went_and_what_stays_unchecked(by_colour):
    old, red, blue = (f"The lighthouse is {word}." for word in ("old", "red", "blue"))
    answer = f"{old} {red} {blue}"
    judged = check(answer, ["The lighthouse is old."], judge=by_colour)
    remaining = stripped(judged, [answer], "pass", 0.25, self_contained=False)
    outcome = GuardOutcome(draft=answer, action="strip", report=judged, remaining=remaining)
    assert (outcome.instead("No."), outcome.withheld, outcome.taken) == (f"{old} {blue}", True, [red])
    summary = outcome.summary()
    assert (summary["passed"], summary["blocked"], summary["hallucination_score"]) == (False, False, 0.5)
    assert [(part["text"], part["claims"][0]["outcome"]) for part in summary.pop("removed")] == [(red, "contradicted")]
    assert [each["quote"] for each in summary["undecided_claims"]] == [blue]
    assert red not in repr(summary)


def test_what_the_judge_left_out_saves_no_answer_that_fails():
    assert decide(GuardSettings(judge="local", on_error="open"), left_out("partial", YES, NO), 0) == "retry"
    with pytest.raises(AnswerRejectedError, match="left out 1 of its statements"):
        reject(GuardOutcome(draft="x", action="raise", report=left_out("partial", YES)))
