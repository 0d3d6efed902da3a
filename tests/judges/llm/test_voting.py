"""Several readings of the same claims: what most of them say, and what is said where they differ."""

import pytest
from model_answers import SOURCES, claim, verdict

from trail_callbacks import VerifyOptions, check
from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.judge import Judgement, Question
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.judges.llm.voting import majority
from trail_callbacks.models.drive import Limits, drive
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.testing import ScriptedModel

S, C, A, U = SupportClass.SUPPORTED, SupportClass.CONTRADICTED, SupportClass.ABSENT, SupportClass.UNEVALUATABLE


def judgement(support, kind=None, **fields):
    kind = kind or (None if support in {S, U, None} else ErrorType.OTHER)
    return Judgement(claim_id="c1", support=support, error_type=kind, **fields)


@pytest.mark.parametrize(
    ("classes", "expected", "confidence"),
    [
        ((S, S, S), S, 1.0),
        ((S, A, S), S, 2 / 3),
        ((C, S, A), C, 2 / 3),  # both say that it is unsupported; the first gives the class
        ((A, C, C), C, 1.0),
        ((U, U, S), U, 2 / 3),
        ((S, A), None, None),
        ((S, U, A), None, None),
    ],
)
def test_the_side_is_voted_on_then_the_class(classes, expected, confidence):
    decided = majority([judgement(one) for one in classes])
    assert (decided.support, decided.confidence) == (expected, confidence)
    assert (decided.undecided is None) == (expected is not None)


def votes(*supports):
    """A model of which each reading of a claim says something else."""

    def reply(call):
        return {"verdicts": [verdict(1, supports[call.sample])]}

    return ScriptedModel(reply)


def test_readings_are_asked_at_the_same_time_and_counted():
    model = votes("supported", "absent", "supported")
    judge = LLMJudge(model, votes=3)
    assessment, usage = drive(judge.assess([Question(claim=claim(1), passages=SOURCES)]), model, Limits(concurrency=3))
    (decided,) = assessment.judgements
    assert (decided.support, decided.confidence) == (S, 2 / 3)
    assert decided.rationale.endswith("2 of 3 readings agree.")
    assert (usage.calls, sorted(call.sample for call in model.calls)) == (3, [0, 1, 2])
    assert len({call.messages for call in model.calls}) == 1


def test_a_cache_keeps_readings_apart_and_claims_are_found_once(tmp_path):
    def reply(call):
        if call.purpose == "claims":
            return {"claims": [{"quote": "It is blue.", "claim": "It is blue.", "checkable": True}], "abstained": False}
        return {"verdicts": [verdict(1, "supported" if call.sample else "absent")]}

    model = ScriptedModel(reply)
    options = VerifyOptions(cache=tmp_path, localize=False)
    for hits in (0, 4):
        report = check("It is blue.", ["It is blue."], judge=LLMJudge(model, votes=3), options=options)
        assert (report.verdicts[0].support, report.usage.cache_hits) == (S, hits)
    assert [call.purpose for call in model.calls] == ["claims", "verdicts", "verdicts", "verdicts"]
    assert report.judge.endswith("/3 votes")


def test_no_votes_are_a_mistake():
    with pytest.raises(JudgeError, match="votes is 0"):
        LLMJudge(ScriptedModel([]), votes=0)
