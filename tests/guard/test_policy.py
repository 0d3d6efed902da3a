"""Decisions on drafts, and what is said about the outcome."""

import pickle
from dataclasses import fields, replace
from typing import get_type_hints

import pytest

from trail_callbacks import Claim, ProvenanceGraph, Report, SupportClass, Verdict, check
from trail_callbacks.errors import AnswerRejectedError, InputError, JudgeError
from trail_callbacks.guard import GuardKeywords, GuardOutcome, GuardSettings, decide, reject
from trail_callbacks.guard.stripping import stripped
from trail_callbacks.models.call import Budget, Usage

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


OPTIONAL = {"Instructor": object, "AsyncInstructor": object, "Store": object}  # of extras, for `judge` and `store`


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"max_score": 1.1}, "max_score is 1.1, expected 0.0 to 1.0"),
        ({"max_score": float("nan")}, "max_score is nan, expected 0.0 to 1.0"),
        ({"max_retries": -1}, "max_retries is -1, expected 0 or more"),
        ({"on_fail": "shrug"}, "on_fail is 'shrug', expected one of retry, strip, block, annotate, raise"),
        ({"exhausted": "retry"}, "exhausted is 'retry', expected one of block, annotate, raise"),
        ({"on_error": "maybe"}, "on_error is 'maybe', expected one of open, closed"),
        ({"no_evidence": "block"}, "no_evidence is 'block', expected one of pass, fail"),
        ({"on_undecided": "retry"}, "on_undecided is 'retry', expected one of pass, fail"),
        ({"concurrency": 0}, "concurrency is 0, expected 1 or more"),
        ({"timeout": 0}, "timeout is 0, expected seconds above 0, or None for no limit"),
        ({"timeout": float("nan")}, "timeout is nan, expected seconds above 0, or None for no limit"),
        ({"budget": Budget(tokens_per_minute=9)}, "budget has a rate"),
        ({"budget": Budget(seconds=9)}, "budget.seconds is set, but the time of a guard is its timeout"),
        ({"stream": "sentences"}, "stream is 'sentences', expected one of buffer, pass"),
        ({"stream": "pass"}, "on_fail='retry' could not take it back"),
    ],
)
def test_a_wrong_value_is_named_with_its_range(wrong, message):
    with pytest.raises(InputError) as caught:
        GuardSettings(judge="local", **wrong)
    assert message in str(caught.value)


@pytest.mark.parametrize("given", [{}, {"judge": None}])
def test_without_a_judge_the_error_names_the_choices(given):
    with pytest.raises(JudgeError) as caught:
        GuardSettings(**given)
    assert all(each in str(caught.value) for each in ("openai/gpt-5-mini", "as_model(", 'judge="local"'))


def test_the_keywords_are_settings_with_the_same_types():
    types, keywords = get_type_hints(GuardSettings, localns=OPTIONAL), get_type_hints(GuardKeywords, localns=OPTIONAL)
    assert {name: types[name] for name in keywords} == keywords
    assert {field.name for field in fields(GuardSettings)} - set(keywords) == {"judge", "stream"}  # named by each guard


@pytest.mark.parametrize(
    ("settings", "hidden"),
    [
        ({}, True),
        ({"on_fail": "block", "stream": "buffer"}, True),
        ({"on_fail": "annotate"}, False),
        ({"on_fail": "annotate", "stream": "pass"}, False),
        ({"on_fail": "annotate", "stream": "buffer"}, True),
    ],
)
def test_drafts_are_hidden_unless_they_are_let_through_anyway(settings, hidden):
    assert GuardSettings(judge="local", **settings).hides_drafts is hidden
