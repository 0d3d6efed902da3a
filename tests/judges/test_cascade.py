from inspect import getattr_static

import pytest

from trail_callbacks.claims import Claim
from trail_callbacks.errors import JudgeError
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.cascade import CascadeJudge, is_sure
from trail_callbacks.judges.judge import Assessment, Extraction, Judge, Judgement, Question
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.judges.tracer import Tracer
from trail_callbacks.models.drive import drive
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.testing import ScriptedModel


def question(id_, text, *passages, checkable=True):
    claim = Claim(id=id_, text=text, quote=text, start=0, end=len(text), checkable=checkable)
    return Question(
        claim=claim,
        passages=tuple(
            Passage(id=f"s{i}", node_id="doc", start=0, end=len(p), text=p) for i, p in enumerate(passages, 1)
        ),
    )


class Local:
    """Says the same about every claim."""

    name = "local/test"
    model = None

    def __init__(self, **judgement):
        self.judgement = judgement

    def extract(self, answer, question):
        yield from ()
        return Extraction(claims=())

    def assess(self, questions, purpose="verdicts"):
        yield from ()
        return Assessment(judgements=tuple(Judgement(claim_id=q.claim.id, **self.judgement) for q in questions))


def supported(call):
    """Answers as a good judge would for the claims of these tests."""
    text = call.messages[1].content
    return {
        "verdicts": [
            {"claim": c, "supporting": ["s1"], "support": "supported"} for c in ("c1", "c2", "c3") if f"[{c}]" in text
        ]
    }


def test_the_model_is_only_asked_about_what_local_is_unsure_of():
    model = ScriptedModel(supported)
    judge = CascadeJudge(Local(support=SupportClass.SUPPORTED), model)
    assert isinstance(judge, Judge)
    questions = [
        question("c1", "The tower has 61 floors.", "The  tower has 61 floors"),
        question("c2", "The tower is tall.", "The tower has 61 floors."),
        question("c3", "Hello!", checkable=False),
    ]
    assessment, usage = drive(judge.assess(questions), judge.model)
    judgements = assessment.judgements
    assert [j.claim_id for j in judgements] == ["c1", "c2", "c3"]
    assert [j.judge for j in judgements] == ["local/test", LLMJudge(model).name, "local/test"]
    assert usage.calls == 1
    prompt = model.calls[0].messages[1].content
    assert "[c2]" in prompt
    assert "[c1]" not in prompt
    assert "[c3]" not in prompt


def test_no_model_call_when_local_is_sure_of_all():
    judge = CascadeJudge(
        Local(support=SupportClass.ABSENT, error_type=ErrorType.OTHER, confidence=0.99), ScriptedModel([])
    )
    assessment, usage = drive(judge.assess([question("c1", "A b c.", "D e f.")]), judge.model)
    judgements = assessment.judgements
    assert judgements[0].support is SupportClass.ABSENT
    assert usage.calls == 0


@pytest.mark.parametrize(
    ("claim", "passage", "sure"),
    [
        ("The tower has 61 floors.", "the tower has 61 floors", True),
        ("The tower has 61 floors.", "It is false that the tower has 61 floors.", False),
        ("It fell by 5%.", "It fell by -5%.", False),
        ("It costs $5.", "It costs €5.", False),
        ("The tower has 61 floors.", "The tower has 16 floors.", False),
    ],
)
def test_sure_means_word_for_word_the_whole_sentence(claim, passage, sure):
    assert is_sure(question("c1", claim, passage), Judgement(claim_id="c1", support=SupportClass.SUPPORTED)) is sure


def test_a_local_failure_is_never_sure():
    asked = question("c1", "A.", "A.")
    assert not is_sure(asked, Judgement(claim_id="c1", error="broken"))
    assert not is_sure(asked, Judgement(claim_id="c1", support=SupportClass.ABSENT, confidence=0.5))


def test_a_failing_model_leaves_an_error_not_the_local_guess():
    judge = CascadeJudge(Local(support=SupportClass.ABSENT, error_type=ErrorType.OTHER), ScriptedModel([]))
    assessment, _ = drive(judge.assess([question("c1", "A b c.", "D e f.")]), judge.model)
    judgements = assessment.judgements
    assert judgements[0].support is None
    assert judgements[0].error.startswith("failed: the script has no further reply")
    assert judgements[0].judge.startswith("llm/scripted/")


def test_claims_are_found_by_the_model():
    # a reply as a good judge would give it, written by hand
    model = ScriptedModel(
        {"claims": [{"claims": [{"quote": "It has 61 floors", "claim": "The tower has 61 floors."}]}]}
    )
    judge = CascadeJudge(Local(), model)
    extraction, usage = drive(judge.extract("It has 61 floors.", "The tower?"), judge.model)
    assert [claim.text for claim in extraction.claims] == ["The tower has 61 floors."]
    assert usage.calls == 1


def test_a_cascade_without_a_model_is_refused():
    with pytest.raises(JudgeError, match="openai/gpt-5-mini"):
        CascadeJudge(Local(), Local())
    with pytest.raises(JudgeError, match="judge='openai/gpt-5-mini'"):
        CascadeJudge("openai/gpt-5-mini")


def test_a_judge_that_leaves_claims_out_fails_only_on_those():
    class Forgetful(Local):
        model = ScriptedModel([])

        def assess(self, questions, purpose="verdicts"):
            assessment = yield from super().assess(questions, purpose)
            return Assessment(judgements=assessment.judgements[1:])

    questions = [question("c1", "A b c.", "D e f."), question("c2", "G h i.", "J k l.")]
    local = Local(support=SupportClass.ABSENT, error_type=ErrorType.OTHER)
    judge = CascadeJudge(local, Forgetful(support=SupportClass.CONTRADICTED, error_type=ErrorType.OTHER))
    first, second = drive(judge.assess(questions), None)[0].judgements
    assert (first.claim_id, first.error) == ("c1", "the judge gave no verdict")
    assert (second.claim_id, second.support) == ("c2", SupportClass.CONTRADICTED)


def test_it_takes_claims_apart_if_the_judge_behind_it_can():
    assert isinstance(CascadeJudge(judge=LLMJudge(ScriptedModel([]))), Tracer)
    plain = Local()
    plain.model = ScriptedModel([])
    assert not isinstance(CascadeJudge(judge=plain), Tracer)
    static = [getattr_static(CascadeJudge(judge=LLMJudge(ScriptedModel([]))), name) for name in ("decompose", "select")]
    assert all(map(callable, static))  # where Python 3.12 looks
