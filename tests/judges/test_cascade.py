import asyncio
import json
import re

import pytest
from pydantic import BaseModel

from trail_callbacks import check
from trail_callbacks.claims import Claim, split
from trail_callbacks.errors import InputError, JudgeError
from trail_callbacks.evidence import Evidence, Passage
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


class Scoring(Local):
    """Gives each claim the score that stands in it, and a class by a threshold of its own; an abstaining judge."""

    abstains = True

    def __init__(self, name="scoring/test", **judgement):
        super().__init__(**judgement)
        self.name = name

    def extract(self, answer, question):
        yield from ()
        return Extraction(claims=split(answer, question))

    def assess(self, questions, purpose="verdicts"):
        yield from ()
        found = [re.search(r"0\.\d+", question.claim.text) for question in questions]
        scored = [
            Judgement(claim_id=q.claim.id, score=float(score[0]) if score else None, **self.judgement)
            for q, score in zip(questions, found, strict=True)
        ]
        return Assessment(judgements=tuple(scored))


ABSENT = {"support": SupportClass.ABSENT, "error_type": ErrorType.NUMBER}
CONTRADICTED = {"support": SupportClass.CONTRADICTED, "error_type": ErrorType.NUMBER}
SUPPORTED = {"support": SupportClass.SUPPORTED}


@pytest.mark.parametrize("said", [SUPPORTED, CONTRADICTED, {"undecided": "near the threshold"}], ids=str)
def test_scores_outside_the_band_decide_and_inside_it_the_second_judge_does(said):
    near = Evidence(node_id="doc", start=0, end=1, quote="x", relation="nearest")
    second = Local(**ABSENT)
    judge = CascadeJudge(Scoring(**said, evidence=(near,)), second, band=(0.2, 0.7))
    assert judge.name == "cascade/scoring/test[0.2,0.7]+local/test"
    scores = ["0.1", "0.2", "0.21", "0.69", "0.7", "0.9"]
    questions = [question(f"c{n}", f"It is {score}.", "x") for n, score in enumerate(scores)]
    judgements = drive(judge.assess(questions), None)[0].judgements
    low, high = [judgements[n] for n in (0, 1)], [judgements[n] for n in (4, 5)]
    assert {each.support for each in low} == {said.get("support") if said is CONTRADICTED else SupportClass.ABSENT}
    assert {each.support for each in high} == {SupportClass.SUPPORTED}
    assert [each.judge for each in judgements] == ["scoring/test"] * 2 + ["local/test"] * 2 + ["scoring/test"] * 2
    for each in [*low, *high]:
        assert (each.undecided, each.error) == (None, None)
        assert (each.error_type is None) == (each in high)


def test_a_score_that_is_no_number_flags_nothing():
    judge = CascadeJudge(Local(**SUPPORTED, score=float("nan")), Local(**SUPPORTED), band=(0.2, 0.7))
    assert drive(judge.assess([question("c1", "It is so.", "x")]), None)[0].judgements[0].support == "supported"


def test_without_a_score_the_first_judge_is_believed_as_without_a_band():
    questions = [question("c1", "It is so.", "x")]
    for said, decider in ((SUPPORTED, "scoring/test"), ({"undecided": "no English"}, "local/test")):
        judge = CascadeJudge(Scoring(**said), Local(**ABSENT), band=(0.2, 0.7))
        assert drive(judge.assess(questions), None)[0].judgements[0].judge == decider
    scored = [question("c1", "It is 0.9.", "x")]  # who states a claim is another question than what supports it
    assert drive(judge.assess(scored, "localize"), None)[0].judgements[0].judge == "local/test"


@pytest.mark.parametrize("band", [(0.7, 0.2), (0.2,), (0.1, 1.2), "ab", (float("nan"), 0.5)])
def test_a_band_that_is_none_is_refused(band):
    with pytest.raises(InputError, match="the lower one first"):
        CascadeJudge(Local(), Local(), band=band)


def written(tmp_path, *stages, **more):
    path = tmp_path / "cascade.json"
    path.write_text(json.dumps({"format": "trail-cascade", "version": 1, "stages": stages, **more}))
    return path


def test_a_file_builds_a_cascade_whose_claims_the_first_judge_finds(tmp_path):
    model = ScriptedModel(supported)
    path = written(tmp_path, {"judge": "local"}, {"judge": "own", "band": [0.2, 0.7]}, {"judge": "large"})
    judges = {"local": LocalJudge(), "own": Scoring(**SUPPORTED), "large": LLMJudge(model)}
    judge = CascadeJudge.from_file(path, judges.__getitem__)
    large = judges["large"].name
    assert judge.name == f"cascade/{LocalJudge().name}+cascade/scoring/test[0.2,0.7]+{large}"
    report = check("The share was 0.9 of all. The rest was 0.1 of it.", ["Nobody knows."], judge=judge)
    assert [verdict.support for verdict in report.verdicts] == ["supported", "absent"]
    assert model.calls == []
    report = check("The share was 0.5 of all. The rest was 0.1 of it.", ["Nobody knows."], judge=judge)
    assert [verdict.judge for verdict in report.verdicts] == [large, "scoring/test"]
    assert len(model.calls) == 1


def test_a_string_names_the_file_and_of_one_stage_the_file_is_its_judge(tmp_path):
    path = written(tmp_path, {"judge": "local"}, measured={"answers": 60})
    report = check("The tower has 16 floors.", [TOWER], judge=f"cascade:{path}")
    assert (report.judge, report.verdicts[0].support) == (LocalJudge().name, "contradicted")


@pytest.mark.parametrize(
    ("stages", "more", "said"),
    [
        ([{"judge": "local"}], {"version": 2}, "version 2, and this release reads 1"),
        ([{"judge": "local"}], {"format": "trail-bench"}, "is no cascade"),
        ([{"judge": "local"}, {"judge": "encoder:/no/such/folder"}], {}, r"stage 2 \(encoder:/no/such/folder\): "),
        ([{"judge": "local", "band": [0.7, 0.2]}, {"judge": "local"}], {}, r"stage 1 \(local\): the band is"),
        ([{"judge": "local", "band": [0.2, 0.7]}], {}, "the last one has no band"),
        ([{"judge": "local"}, {"judge": "cascade:cascade.json"}], {}, "stage 2: expected an object with a judge"),
        ([], {}, "expected a list of stages"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_the_stage(tmp_path, stages, more, said):
    path = written(tmp_path, *stages, **more)
    with pytest.raises((InputError, JudgeError), match=f"^{re.escape(str(path))}.*{said}"):
        CascadeJudge.from_file(path)
