import asyncio
import inspect
import json
from dataclasses import replace

import pytest

from trail_callbacks import LLMJudge, LocalJudge, ProvenanceGraph, verify
from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence, Passage
from trail_callbacks.judges.cached import CachedJudge, cached
from trail_callbacks.judges.cascade import CascadeJudge
from trail_callbacks.judges.judge import Assessment, Extraction, Judge, Judgement, Question
from trail_callbacks.judges.tracer import Tracer
from trail_callbacks.models.adrive import adrive
from trail_callbacks.models.call import Reply, Usage
from trail_callbacks.models.drive import drive
from trail_callbacks.models.store import Store
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.testing import ScriptedModel

TEXTS = ("The bridge opened in 1887.", "It is 200 m long. Nobody measured it twice.")


def passages(texts=TEXTS, prefix="s", node="doc", start=0):
    return tuple(
        Passage(id=f"{prefix}{n}", node_id=f"{node}{n}", start=start, end=start + len(text), text=text)
        for n, text in enumerate(texts, 1)
    )


def question(text="The bridge opened in 1887.", id_="c1", shown=None, **claim):
    made = Claim(id=id_, text=text, quote=text, start=0, end=len(text), **claim)
    return Question(claim=made, passages=passages() if shown is None else shown)


class Scripted:
    """A judge whose answers are counted: it points at words of the second passage, from within."""

    def __init__(self, name="llm/m/1", model=None, answer=None):
        self.name = name
        self.model = model or ScriptedModel([])
        self.answer = answer or self.say
        self.asked = []

    def say(self, question):
        second = question.passages[1]
        found = Evidence(
            node_id=second.node_id, start=second.start + 6, end=second.start + 11, quote="200 m", relation="contradicts"
        )
        return Judgement(
            claim_id=question.claim.id,
            support=SupportClass.CONTRADICTED,
            error_type=ErrorType.NUMBER,
            detail="other number",
            rationale=f"{second.id} denies {question.claim.id}, {question.passages[0].id} does not",
            evidence=(found,),
            faults=("It is longer.",),
            confidence=0.75,
        )

    def extract(self, answer, question):
        yield from ()
        self.asked.append(answer)
        claim = Claim(id="c1", text=answer, quote=answer, start=0, end=len(answer), unresolved="who?")
        return Extraction(claims=(claim,), warnings=("1 of 2 quotes were dropped",))

    def assess(self, questions, purpose="verdicts"):
        yield from ()
        self.asked += [question.claim.text for question in questions]
        return Assessment(judgements=tuple(map(self.answer, questions)), warnings=("careful",))


def _adrive(*args):
    return asyncio.run(adrive(*args))


@pytest.fixture(params=[drive, _adrive], ids=["drive", "adrive"])
def run(request):
    return lambda pipeline, model=None: request.param(pipeline, model)[0]


def ask(judge, *questions, purpose="verdicts"):
    return drive(judge.assess(questions, purpose), judge.model)[0]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def test_what_was_judged_is_not_asked_again_whatever_the_ids(store, run):
    judge = Scripted()
    first = run(CachedJudge(judge, store).assess([question()]))
    assert (first.cache_hits, first.warnings) == (0, ("careful",))
    assert first.judgements == (judge.say(question()),)
    moved = question(id_="c7", shown=passages(prefix="p", node="chunk-", start=40))
    second = run(CachedJudge(Scripted(), store).assess([moved]))
    assert (second.cache_hits, second.warnings) == (1, ())
    assert second.judgements == (judge.say(moved),)
    assert second.judgements[0].rationale == "p2 denies c7, p1 does not"
    assert len(judge.asked) == 1


def test_only_the_new_claim_of_an_answer_is_asked(store, run):
    judge = Scripted()
    cache = CachedJudge(judge, store)
    seven = [question(f"Claim {n}.", f"c{n}") for n in range(7)]
    run(cache.assess(seven))
    asked = [*seven[:3], question("New.", "new"), *seven[3:]]
    again = run(cache.assess(asked))
    assert [judgement.claim_id for judgement in again.judgements] == [q.claim.id for q in asked]
    assert again.cache_hits == 7
    assert judge.asked[7:] == ["New."]


base = question()
p1, p2 = base.passages
OTHERS = {
    "claim": replace(base, claim=replace(base.claim, text="The bridge opened in 1888.")),
    "unresolved": replace(base, claim=replace(base.claim, unresolved="which bridge?")),
    "passage": replace(base, passages=(replace(p1, text="The bridge opened in 1886."), p2)),
    "order of passages": replace(base, passages=(p2, p1)),
    "fewer passages": replace(base, passages=(p2, p2)),
    "text before": replace(base, passages=(replace(p1, before="Not true:"), p2)),
    "text after": replace(base, passages=(p1, replace(p2, after="Or so."))),
    "address": replace(base, passages=(p1, replace(p2, address="row 3"))),
    "passages of one node": replace(base, passages=(p1, replace(p2, node_id=p1.node_id))),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_another_question_is_asked(store, other):
    judge = Scripted()
    cache = CachedJudge(judge, store)
    assert ask(cache, base).cache_hits == 0
    assert ask(cache, other).cache_hits == 0
    assert (ask(cache, base).cache_hits, ask(cache, other).cache_hits) == (1, 1)
    assert len(judge.asked) == 2


class Tuned(ScriptedModel):
    def __init__(self, **parameters):
        super().__init__([])
        self.parameters = parameters


@pytest.mark.parametrize(
    "other",
    [
        Scripted(name="llm/m/2"),
        Scripted(model=Tuned(temperature=1)),
        Scripted(model=Tuned(temperature=0, seed=1)),
        Scripted(model=Tuned(temperature=0, base_url="http://127.0.0.1:1/v1")),
        Scripted(model=ScriptedModel([])),
    ],
    ids=["prompts or model", "temperature", "seed", "endpoint", "parameters unknown"],
)
def test_another_judge_is_asked(store, other):
    ask(CachedJudge(Scripted(model=Tuned(temperature=0)), store), base)
    assert ask(CachedJudge(other, store), base).cache_hits == 0
    assert ask(CachedJudge(Scripted(model=Tuned(temperature=0)), store), base).cache_hits == 1


def test_claims_a_call_may_change_an_answer(store):
    assert LLMJudge(ScriptedModel([])).parameters != LLMJudge(ScriptedModel([]), claims_per_call=1).parameters


def test_each_purpose_is_asked_for_itself(store):
    cache = CachedJudge(Scripted(), store)
    assert [ask(cache, base, purpose=p).cache_hits for p in ("verdicts", "localize", "answerable")] == [0, 0, 0]
    assert [ask(cache, base, purpose=p).cache_hits for p in ("verdicts", "localize", "answerable")] == [1, 1, 1]


def test_failures_are_not_kept(store):
    judge = Scripted(answer=lambda q: Judgement(claim_id=q.claim.id, error="busy: later"))
    cache = CachedJudge(judge, store)
    for _ in range(2):
        assert ask(cache, base).judgements[0].error == "busy: later"
    assert len(judge.asked) == 2


@pytest.mark.parametrize(
    "settled", [question(checkable=False), question(shown=())], ids=["not checkable", "no passages"]
)
def test_what_needs_no_model_is_not_kept(store, tmp_path, settled):
    judge = Scripted(answer=lambda q: Judgement(claim_id=q.claim.id, support=SupportClass.UNEVALUATABLE))
    ask(CachedJudge(judge, store), settled)
    assert not list(tmp_path.rglob("*.json"))


def test_evidence_from_elsewhere_is_passed_on_but_not_kept(store):
    stray = Evidence(node_id="elsewhere", start=0, end=1, quote="x", relation="supports")
    judge = Scripted(answer=lambda q: Judgement(claim_id=q.claim.id, support=SupportClass.SUPPORTED, evidence=(stray,)))
    for _ in range(2):
        assert ask(CachedJudge(judge, store), base).judgements[0].evidence == (stray,)
    assert len(judge.asked) == 2


def test_what_a_judge_leaves_out_is_an_error_and_is_not_kept(store):
    class Careless(Scripted):
        def assess(self, questions, purpose="verdicts"):
            yield from ()
            return Assessment(judgements=(self.say(questions[-1]),))

    cache = CachedJudge(Careless(), store)
    two = [base, question("Another.", "c2")]
    first, second = ask(cache, *two).judgements
    assert (first.claim_id, first.error) == ("c1", "the judge gave no verdict")
    assert (second.claim_id, second.error) == ("c2", None)
    again = ask(cache, *two)
    assert again.cache_hits == 1
    assert [j.claim_id for j in again.judgements] == ["c1", "c2"]


def test_answers_in_another_order_are_kept_under_their_own_questions(store):
    class Backwards(Scripted):
        def assess(self, questions, purpose="verdicts"):
            yield from ()
            return Assessment(judgements=tuple(self.say(q) for q in reversed(questions)))

    two = [base, question("Another.", "c2")]
    plain = ask(Scripted(), *two).judgements
    assert ask(CachedJudge(Backwards(), store), *two).judgements == plain
    assert ask(CachedJudge(Backwards(), store), *two).judgements == plain


def corrupt(tmp_path, change):
    """Writes an entry anew, with a right seal: as a foreign or older program would."""
    (path,) = tmp_path.rglob("*.json")
    value = json.loads(path.read_bytes().split(b"\n", 1)[1])
    Store(tmp_path).put(path.parent.name + path.stem, change(value))


def fields(**changed):
    return lambda value: {**value, "fields": {**value["fields"], **changed}}


FOREIGN = {
    "null": lambda value: None,
    "a list": lambda value: [1, 2],
    "empty": lambda value: {},
    "no evidence key": lambda value: {"fields": value["fields"], "ids": value["ids"]},
    "class that does not exist": fields(support="probably"),
    "no class": fields(support=None),
    "type that does not exist": fields(error_type="typo"),
    "type missing": fields(error_type=None),
    "type of a supported claim": fields(support="supported"),
    "second type that does not exist": fields(second_type="typo"),
    "rationale no text": fields(rationale=[]),
    "faults no list": fields(faults=7),
    "confidence over one": fields(confidence=1.5),
    "confidence NaN": fields(confidence=float("nan")),
    "passage that does not exist": lambda value: {**value, "evidence": [[2, 0, 5, "supports"]]},
    "passage before the first": lambda value: {**value, "evidence": [[-1, 0, 5, "supports"]]},
    "span past the passage": lambda value: {**value, "evidence": [[1, 0, 500, "supports"]]},
    "span before the passage": lambda value: {**value, "evidence": [[1, -3, 5, "supports"]]},
    "empty span": lambda value: {**value, "evidence": [[1, 5, 5, "supports"]]},
    "span of text": lambda value: {**value, "evidence": [[1, "0", "5", "supports"]]},
    "relation that does not exist": lambda value: {**value, "evidence": [[1, 0, 5, "mentions"]]},
    "pointer too short": lambda value: {**value, "evidence": [[1, 0]]},
    "evidence no list": lambda value: {**value, "evidence": 3},
    "ids of another question": lambda value: {**value, "ids": ["c1"]},
    "ids no text": lambda value: {**value, "ids": [[], {}, 3]},
}


@pytest.mark.parametrize("change", FOREIGN.values(), ids=FOREIGN)
def test_what_does_not_fit_is_asked_again_and_replaced(store, tmp_path, change):
    judge = Scripted()
    cache = CachedJudge(judge, store)
    ask(cache, base)
    corrupt(tmp_path, change)
    assert ask(cache, base).judgements == (judge.say(base),)
    assert len(judge.asked) == 2
    assert ask(cache, base).cache_hits == 1


def test_claims_are_kept_with_all_their_fields(store, run):
    judge = Scripted()
    first = run(CachedJudge(judge, store).extract("It is 200 m long.", "How long?"))
    second = run(CachedJudge(judge, store).extract("It is 200 m long.", "How long?"))
    assert (first.cache_hits, second.cache_hits) == (0, 1)
    assert replace(second, cache_hits=0) == first
    assert len(judge.asked) == 1


@pytest.mark.parametrize("other", [("It is 201 m long.", "How long?"), ("It is 200 m long.", None)])
def test_another_answer_or_question_is_read_anew(store, other):
    cache = CachedJudge(Scripted(), store)
    drive(cache.extract("It is 200 m long.", "How long?"), None)
    assert drive(cache.extract(*other), None)[0].cache_hits == 0


def claim(**changed):
    return lambda value: {**value, "claims": [{**value["claims"][0], **changed}]}


BAD_CLAIMS = {
    "null": lambda value: None,
    "empty": lambda value: {},
    "claims no list": lambda value: {**value, "claims": 3},
    "other words": claim(quote="It is 300 m long."),
    "other place": claim(start=1),
    "place before the text": claim(start=-17),
    "no statement": claim(text="  "),
    "other id": claim(id="c2"),
    "two of one id": lambda value: {**value, "claims": value["claims"] * 2},
    "field missing": lambda value: {**value, "claims": [{"id": "c1"}]},
}


@pytest.mark.parametrize("change", BAD_CLAIMS.values(), ids=BAD_CLAIMS)
def test_claims_that_do_not_fit_are_read_anew(store, tmp_path, change):
    judge = Scripted()
    cache = CachedJudge(judge, store)
    first = drive(cache.extract("It is 200 m long.", None), None)[0]
    corrupt(tmp_path, change)
    assert drive(cache.extract("It is 200 m long.", None), None)[0] == first
    assert len(judge.asked) == 2


def test_a_failed_extraction_is_not_kept(store):
    class Failing(Scripted):
        def extract(self, answer, question):
            yield from ()
            self.asked.append(answer)
            return Extraction(claims=(), error="unreachable: nobody there")

    judge = Failing()
    for _ in range(2):
        assert drive(CachedJudge(judge, store).extract("x", None), None)[0].error
    assert len(judge.asked) == 2


def test_a_folder_that_breaks_is_a_warning_and_said_once(tmp_path):
    folder = tmp_path / "cache"
    cache = CachedJudge(Scripted(), Store(folder))
    folder.rmdir()
    folder.write_text("a file now")
    first, second = ask(cache, base), ask(cache, base)
    assert first.warnings == ("careful", "what the model said could not be kept in the cache: Not a directory")
    assert second.warnings == ("careful",)
    assert (first.judgements, second.cache_hits) == (second.judgements, 0)


def test_nothing_is_kept_of_a_judge_without_a_model(store):
    local = LocalJudge()
    assert cached(local, store) is local


def test_of_a_cascade_the_model_is_cached_and_local_decides_anew(store):
    class Local(Scripted):
        name = "local/t"
        model = None

        def __init__(self):
            self.asked = []

        def assess(self, questions, purpose="verdicts"):
            yield from ()
            self.asked += questions
            said = SupportClass.SUPPORTED
            return Assessment(judgements=tuple(Judgement(claim_id=q.claim.id, support=said) for q in questions))

    local, judge = Local(), Scripted()
    cascade = CascadeJudge(local, judge, sure=lambda q, said: q.claim.id == "sure")
    cache = cached(cascade, store)
    assert isinstance(cache, CascadeJudge)
    assert (cache.name, cache.model) == (cascade.name, judge.model)
    questions = [question(id_="sure"), question("It is 200 m long.", "c2")]
    first, second = ask(cache, *questions), ask(cache, *questions)
    assert second.judgements == first.judgements
    assert [j.judge for j in second.judgements] == ["local/t", judge.name]
    assert (first.cache_hits, second.cache_hits) == (0, 1)
    assert (len(local.asked), len(judge.asked)) == (4, 1)


def test_what_else_a_judge_can_do_it_still_can(store):
    class More(Scripted):
        temper = "calm"

        def decompose(self, claims):
            yield from ()
            return tuple((claim.text,) for claim in claims)

        def select(self, searches):
            yield from ()
            return ()

    plain, more = CachedJudge(Scripted(), store), CachedJudge(More(), store)
    assert isinstance(plain, Judge)
    assert isinstance(more, Judge)
    assert isinstance(more, Tracer)
    assert not isinstance(plain, Tracer)
    assert inspect.getattr_static(more, "decompose")  # as `isinstance` looks since Python 3.12
    assert drive(more.decompose([base.claim]), None)[0] == ((base.claim.text,),)
    assert (more.temper, more.name) == ("calm", "llm/m/1")
    with pytest.raises(AttributeError, match="decompose"):
        plain.decompose([])


def model(reply="supported"):
    def answer(call):
        if call.purpose == "claims":
            text = "The bridge opened in 1887."
            return {"claims": [{"quote": text, "claim": text, "checkable": True}], "abstained": False}
        return {"verdicts": [{"claim": "c1", "supporting": ["s1"], "comparison": "[s1] says so", "support": reply}]}

    return ScriptedModel(answer)


def test_a_whole_verification_costs_nothing_the_second_time(store):
    first, second = model(), model()
    reports = [
        verify(
            ProvenanceGraph.from_texts("The bridge opened in 1887.", [*sources], "When?"),
            cached(LLMJudge(asked), store),
        )
        for asked, sources in ((first, [TEXTS[0]]), (second, [TEXTS[0]]))
    ]
    assert [len(first.calls), len(second.calls)] == [2, 0]
    assert reports[0].verdicts == reports[1].verdicts
    assert reports[1].usage.calls == 0
    assert reports[1].usage.cache_hits == 2


def test_no_key_is_written(tmp_path, store):
    pytest.importorskip("instructor")
    from trail_callbacks.models.instructor import InstructorModel

    secret = "sk-proj-0123456789abcdefSECRET"
    asked = InstructorModel(
        "openai/m",
        base_url=f"http://user:{secret}@127.0.0.1:9/v1",
        api_key=secret,
        temperature=0,
        extra_headers={"Authorization": secret},
    )
    assert secret not in json.dumps(asked.parameters)
    assert asked.parameters["temperature"] == 0
    assert "127.0.0.1:9" in asked.parameters["base_url"]
    ask(CachedJudge(Scripted(model=asked), store), base)
    for path in tmp_path.rglob("*.json"):
        assert secret not in path.read_text()


def test_clients_that_hide_their_model_share_nothing():
    instructor = pytest.importorskip("instructor")
    import openai

    from trail_callbacks.models.instructor import InstructorModel

    def client(name):
        return instructor.from_openai(openai.OpenAI(api_key="x", base_url="http://127.0.0.1:9/v1"), model=name)

    hidden = [InstructorModel(client=client(name)) for name in ("small", "large")]
    assert hidden[0].name == hidden[1].name
    assert hidden[0].parameters != hidden[1].parameters
    named = [InstructorModel("small", client=client("small"), seed=seed) for seed in (1, 1, 2)]
    assert named[0].parameters == named[1].parameters != named[2].parameters


def test_usage_of_the_cache_is_no_call(store):
    broken = ScriptedModel(lambda call: Reply(error="unreachable: down", usage=Usage(calls=1)))
    judge = cached(LLMJudge(broken), store)
    ask(judge, base)
    assert len(broken.calls) == 1
    ask(judge, base)
    assert len(broken.calls) == 2
