import asyncio

import pytest
from pydantic import BaseModel

from trail_callbacks.claims import Claim
from trail_callbacks.errors import JudgeError
from trail_callbacks.evidence import Passage
from trail_callbacks.judges.cascade import CascadeJudge, is_sure
from trail_callbacks.judges.judge import Assessment, Extraction, Judge, Judgement, Question, abstains
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.judges.local.judge import LocalJudge
from trail_callbacks.models.call import Call, Message
from trail_callbacks.models.drive import adrive, drive
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


@pytest.mark.parametrize(
    ("claim", "passage", "sure"),
    [
        ("The tower has 61 floors.", "the tower has 61 floors", True),
        ("The tower has 61 floors.", "It is false that the tower has 61 floors.", False),
        ("It costs $5.", "It costs €5.", False),
    ],
)
def test_sure_means_word_for_word_the_whole_sentence(claim, passage, sure):
    assert is_sure(question("c1", claim, passage), Judgement(claim_id="c1", support=SupportClass.SUPPORTED)) is sure


class Abstaining(Local):
    abstains = True


TOWER = "The tower has 61 floors."
CLAIMS = {"c1": TOWER, "c2": "The tower has 16 floors.", "c3": "Many people admire the view."}


@pytest.mark.parametrize("abstaining", [True, False])
def test_what_an_abstaining_judge_decides_stands_and_only_the_rest_is_asked_again(abstaining):
    second = Local(support=SupportClass.SUPPORTED)
    second.name = "second/test"
    first = LocalJudge() if abstaining else Unsure()
    questions = [question(id_, text, TOWER) for id_, text in CLAIMS.items()]
    judgements = drive(CascadeJudge(first, second).assess(questions), None)[0].judgements
    deciders = [judgement.judge for judgement in judgements]
    assert deciders == [first.name, first.name if abstaining else second.name, second.name]
    assert [str(j.support) for j in judgements] == [
        "supported",
        "contradicted" if abstaining else "supported",
        "supported",
    ]


class Unsure:
    """Says what `LocalJudge` says, as a judge that does not abstain."""

    name, model = "unsure/test", None

    def extract(self, answer, question):
        return LocalJudge().extract(answer, question)

    def assess(self, questions, purpose="verdicts"):
        return LocalJudge().assess(questions, purpose)


def test_a_cascade_abstains_if_the_judge_that_decides_in_doubt_does():
    decisive, abstaining = Local(), Abstaining()
    assert abstains(CascadeJudge(decisive, abstaining))
    assert not abstains(CascadeJudge(abstaining, decisive))
    assert not abstains(decisive)


def test_a_failing_model_leaves_an_error_not_the_local_guess():
    judge = CascadeJudge(Local(support=SupportClass.ABSENT, error_type=ErrorType.OTHER), ScriptedModel([]))
    assessment, _ = drive(judge.assess([question("c1", "A b c.", "D e f.")]), judge.model)
    judgements = assessment.judgements
    assert judgements[0].support is None
    assert judgements[0].error.startswith("failed: the script has no further reply")
    assert judgements[0].judge.startswith("llm/scripted/")


def test_a_cascade_without_a_second_judge_is_refused():
    with pytest.raises(JudgeError, match=r'CascadeJudge\(LocalJudge\(\), "openai/gpt-5-mini"\)'):
        CascadeJudge(Local())
    with pytest.raises(JudgeError, match=r"CascadeJudge\(LocalJudge\(\), 'openai/gpt-5'\)"):
        CascadeJudge("openai/gpt-5")


class Asking(Local):
    """Asks its model how many claims there are, and supports them if the reply comes from that model."""

    def __init__(self, name, support):
        super().__init__(support=support)
        self.name, self.model = name, ScriptedModel(lambda call: {"claims": [name]}, name=name)

    def assess(self, questions, purpose="verdicts"):
        replies = yield [Call(messages=(Message("user", self.name),), schema=Names, purpose=purpose)]
        assert replies[0].value.claims == [self.name]
        return (yield from super().assess(questions, purpose))


class Names(BaseModel):
    claims: list[str]


@pytest.mark.parametrize("run", [drive, lambda *args: asyncio.run(adrive(*args))], ids=["threads", "asyncio"])
def test_each_of_two_judges_asks_its_own_model(run):
    first, second = Asking("small", None), Asking("large", SupportClass.SUPPORTED)
    first.judgement = {"undecided": "too hard"}
    judge = CascadeJudge(first, second)
    assessment, usage = run(judge.assess([question("c1", "A b c.", "D e f.")]), judge.model)
    assert assessment.judgements[0].judge == "large"
    assert usage.calls == 2
    assert [[call.messages[0].content for call in each.model.calls] for each in (first, second)] == [
        ["small"],
        ["large"],
    ]
