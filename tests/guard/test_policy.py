"""Decisions on drafts, and what is said about the outcome."""

import pickle

import pytest

from trail_callbacks import Claim, ProvenanceGraph, Report, SupportClass, Verdict, check
from trail_callbacks.errors import AnswerRejectedError
from trail_callbacks.guard import GuardSettings, Outcome, decide, reject
from trail_callbacks.models.call import Usage

FACT = "The lighthouse of Genoa was rebuilt in 1543 and is 77 metres tall."
BAD = "The lighthouse of Genoa is 99 metres tall."


def report(state="assessed", *supports):
    claims = tuple(Claim(id=f"c{i}", text="x", quote="x", start=0, end=1) for i in range(len(supports)))
    verdicts = tuple(Verdict(claim_id=c.id, support=s) for c, s in zip(claims, supports, strict=True))
    return Report(state=state, graph=ProvenanceGraph(nodes=()), claims=claims, verdicts=verdicts)


YES, NO = SupportClass.SUPPORTED, SupportClass.ABSENT


@pytest.mark.parametrize(
    ("settings", "judged", "rejected", "action"),
    [
        ({}, report("assessed", YES), 0, "pass"),
        ({}, report("assessed", YES, NO), 0, "retry"),
        ({}, report("assessed", YES, NO), 1, "retry"),
        ({}, report("assessed", YES, NO), 2, "block"),
        ({"max_score": 0.5}, report("assessed", YES, NO), 0, "pass"),
        ({"max_retries": 0, "exhausted": "raise"}, report("assessed", NO), 0, "raise"),
        ({"on_fail": "annotate"}, report("assessed", NO), 0, "annotate"),
        ({}, report("abstained"), 0, "pass"),
        ({}, report("no_checkable_claims"), 0, "pass"),
        ({}, report("unverified"), 0, "annotate"),
        ({"on_error": "closed"}, report("unverified"), 0, "block"),
        ({"on_error": "closed", "on_fail": "raise"}, report("unverified"), 0, "raise"),
        ({}, report("no_evidence", NO), 0, "retry"),
        ({"no_evidence": "pass"}, report("no_evidence", NO), 0, "pass"),
        ({}, report("error"), 0, "annotate"),
        ({"on_error": "closed"}, report("error"), 0, "block"),
        ({"on_error": "closed", "on_fail": "raise"}, report("error"), 0, "raise"),
        ({}, report("partial", YES), 0, "annotate"),
        ({"on_error": "closed"}, report("partial", YES), 0, "block"),
        ({"on_error": "open"}, report("partial", NO), 0, "retry"),
    ],
)
def test_decisions(settings, judged, rejected, action):
    assert decide(GuardSettings(**settings), judged, rejected) == action


def test_summaries_of_withheld_answers_repeat_nothing_of_them():
    judged = check(BAD, [FACT])
    for action, open_ in (("annotate", True), ("pass", True), ("block", False), ("raise", False)):
        summary = Outcome(draft=BAD, action=action, report=judged, attempts=3, usage=Usage(calls=2)).summary()
        assert (BAD in repr(summary)) is open_
        assert summary["attempts"] == 3
        assert summary["usage"] == {"calls": 2, "prompt_tokens": 0, "completion_tokens": 0}
    assert Outcome(draft="", action="skip").summary() == {}


def test_the_error_says_why_without_the_answer_and_survives_a_process_border():
    with pytest.raises(AnswerRejectedError, match=r"score is 1\.00, attempt 2") as caught:
        reject(Outcome(draft=BAD, action="raise", report=check(BAD, [FACT]), attempts=2))
    copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own
    assert (str(copy), copy.attempts, copy.report) == (str(caught.value), 2, caught.value.report)
    assert "99" not in str(copy)
