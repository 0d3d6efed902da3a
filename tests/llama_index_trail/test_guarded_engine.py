"""`GuardedQueryEngine`: an engine of which only supported answers come out."""

import asyncio
import gc
import json
import re
import weakref

import pytest
from llama_index.core import QueryBundle, Settings
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import PydanticResponse, Response, StreamingResponse
from llama_index.core.chat_engine import CondenseQuestionChatEngine
from llama_index.core.indices.query.query_transform.base import HyDEQueryTransform
from llama_index.core.query_engine import (
    CitationQueryEngine,
    RetrieverQueryEngine,
    RouterQueryEngine,
    SubQuestionQueryEngine,
    TransformQueryEngine,
)
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.retrievers import BaseRetriever, RecursiveRetriever
from llama_index.core.schema import IndexNode, NodeWithScore, TextNode
from llama_index.core.selectors import LLMSingleSelector
from llama_index.core.tools import QueryEngineTool
from llama_index_trail import (
    AnswerRejectedError,
    GuardedQueryEngine,
    TrailEvaluator,
    as_model,
    instrument,
    report_for,
    status,
    trail,
)
from llama_index_trail.results import _origins
from pydantic import BaseModel

from trail_callbacks.errors import InputError
from trail_callbacks.guard import BLOCKED

FACT = "The lighthouse of Genoa is 77 metres tall and was rebuilt in 1543."
OTHER = "Marseille has an old port."
ASKED = "How high is the lighthouse of Genoa?"
GOOD = "The lighthouse of Genoa is 77 metres tall."
BAD = "The lighthouse of Genoa was designed by Quixodoro Vexx."
LEAKED = "Quixodoro"
REVIEW = "<<<REVIEW"
RETRIED = [(REVIEW, GOOD), ("", BAD)]
HOPELESS = [("", BAD)]


@pytest.fixture
def engine(ask):
    """An engine whose model says the bad thing until it is told."""

    def make(rules=RETRIED, **options):
        return ask([FACT, OTHER], rules, **options)

    return make


def llm_of(engine):
    return engine._response_synthesizer._llm


class Counting(BaseRetriever):
    """Counts what it is asked."""

    def __init__(self, *texts):
        super().__init__()
        named = {"file_name": "towers.md"}
        self.nodes = [NodeWithScore(node=TextNode(text=text, metadata=named), score=1.0) for text in texts]
        self.asked = []

    def _retrieve(self, query_bundle):
        self.asked.append(query_bundle.query_str)
        return list(self.nodes)


async def everything(guarded):
    """The response and its text, asked in both ways; streams read."""
    out = []
    for response in (await asyncio.to_thread(guarded.query, ASKED), await guarded.aquery(ASKED)):
        if hasattr(response, "async_response_gen"):
            text = "".join([token async for token in response.async_response_gen()])
        elif hasattr(response, "response_gen"):
            text = "".join(response.response_gen)
        else:
            text = str(response)
        out.append((response, text))
    return out


@pytest.mark.parametrize("recording", [False, True])
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(
    ("policy", "rules", "end"),
    [
        ({}, RETRIED, GOOD),
        ({}, HOPELESS, BLOCKED),
        ({"exhausted": "annotate"}, HOPELESS, BAD),
        ({"on_fail": "block"}, RETRIED, BLOCKED),
        ({"on_fail": "annotate"}, RETRIED, BAD),
        ({"on_fail": "annotate", "stream": "buffer"}, RETRIED, BAD),
        ({"max_retries": 0, "message": "No."}, RETRIED, "No."),
    ],
)
async def test_every_policy_in_every_way_to_ask(engine, policy, rules, end, streaming, recording):  # noqa: PLR0917 - pytest names them
    plain = engine(rules, streaming=streaming)
    if recording:
        instrument(evaluate="never")
    kinds = {type(plain.query(ASKED)), type(await plain.aquery(ASKED))}
    seen = []
    for response, text in await everything(GuardedQueryEngine(plain, judge="local", **policy, on_report=seen.append)):
        assert text == end
        assert type(response) in kinds
        assert response.metadata["trail"]["passed"] is (end == GOOD)
        assert response.metadata["trail"]["blocked"] is (end not in {GOOD, BAD})
        assert [node.node.text for node in response.source_nodes] == [FACT, OTHER]
        assert json.loads(json.dumps(response.metadata))["trail"]["state"] == "assessed"
        if text not in {GOOD, BAD}:
            assert LEAKED not in repr(response)
    for report in seen:
        assert {leaf.text for leaf in report.graph.leaves() if leaf.kind == "document"} == {FACT, OTHER}
        assert not any(REVIEW in node.text for node in report.graph.nodes)


@pytest.mark.parametrize("policy", [{"on_fail": "raise"}, {"exhausted": "raise"}])
async def test_to_raise(engine, policy):
    guarded = GuardedQueryEngine(engine(HOPELESS), judge="local", **policy)
    with pytest.raises(AnswerRejectedError) as caught:
        guarded.query(ASKED)
    assert caught.value.report.hallucination_score == 1.0
    assert LEAKED not in str(caught.value)
    with pytest.raises(AnswerRejectedError):
        await guarded.aquery(ASKED)


@pytest.mark.parametrize("response_mode", ["compact", "refine", "tree_summarize", "simple_summarize"])
def test_a_retry_writes_from_the_same_nodes_and_searches_once(models, response_mode):
    retriever = Counting(FACT, OTHER)
    plain = RetrieverQueryEngine.from_args(retriever, llm=models.Rules(rules=RETRIED), response_mode=response_mode)
    response = GuardedQueryEngine(plain, judge="local").query(ASKED)
    assert str(response) == GOOD
    assert retriever.asked == [ASKED]
    first, second = (next(p for p in llm_of(plain).asked if (REVIEW in p) is told) for told in (False, True))
    assert FACT in first
    assert FACT in second
    assert ASKED in second
    assert "A source (towers.md) says" in second


def test_citations_are_not_numbered_twice(shelf, models):
    plain = CitationQueryEngine.from_args(shelf(FACT, OTHER), llm=models.Rules(rules=RETRIED), similarity_top_k=2)
    response = GuardedQueryEngine(plain, judge="local").query(ASKED)
    assert str(response) == GOOD
    assert llm_of(plain).asked[-1].count("Source 1:") == llm_of(plain).asked[0].count("Source 1:")


def test_a_transformed_query_is_retrieved_for_once(models):
    retriever = Counting(FACT)
    rules = [("Please write a passage", "A hypothetical passage."), *RETRIED]
    inner = RetrieverQueryEngine.from_args(retriever, llm=models.Rules(rules=rules))
    plain = TransformQueryEngine(inner, HyDEQueryTransform(llm=models.Rules(rules=rules)))
    assert str(GuardedQueryEngine(plain, judge="local").query(ASKED)) == GOOD
    assert len(retriever.asked) == 1


class Own(BaseQueryEngine):
    """An engine of the app's author: says the good thing once it is told, from a node that it has."""

    def __init__(self, *texts):
        super().__init__(None)
        self.nodes = [NodeWithScore(node=TextNode(text=text)) for text in texts]
        self.seen = []

    def _get_prompt_modules(self):
        return {}

    def _query(self, query_bundle):
        self.seen.append(query_bundle)
        return Response(GOOD if REVIEW in query_bundle.query_str else BAD, list(self.nodes))

    async def _aquery(self, query_bundle):
        return self._query(query_bundle)


def test_any_other_engine_is_asked_anew_and_embeds_the_question_alone():
    own = Own(FACT)
    assert str(GuardedQueryEngine(own, judge="local").query(ASKED)) == GOOD
    first, second = own.seen
    assert first.query_str == ASKED
    assert second.query_str.startswith(f"{ASKED}\n\n{REVIEW}")
    assert second.embedding_strs == [ASKED]


def test_nothing_found_is_no_claim(ask):
    seen = []
    response = GuardedQueryEngine(ask([], HOPELESS), judge="local", on_report=seen.append).query(ASKED)
    assert str(response) == "Empty Response"
    assert seen == []


async def test_live_tokens_come_at_once_and_the_summary_after_the_last(engine):
    seen = []
    guarded = GuardedQueryEngine(
        engine(HOPELESS, streaming=True), judge="local", on_fail="annotate", on_report=seen.append
    )
    response = guarded.query(ASKED)
    tokens = response.response_gen
    next(tokens)
    assert seen == []
    assert "trail" not in response.metadata
    list(tokens)
    assert response.metadata["trail"]["hallucination_score"] == 1.0
    assert report_for(response) is seen[0]
    response = await guarded.aquery(ASKED)
    async for _ in response.response_gen:
        break
    await response.response_gen.aclose()
    assert "trail" not in response.metadata, "nobody judges what nobody read"
    assert len(seen) == 1
    with pytest.raises(InputError):
        GuardedQueryEngine(engine(), judge="local", stream="pass")


def test_structured_answers(shelf, models):
    class Tower(BaseModel):
        name: str
        architect: str

    bad = json.dumps({"name": "lighthouse of Genoa", "architect": "Quixodoro Vexx"})
    llm = models.Rules(rules=[("", bad)])
    plain = shelf(FACT).as_query_engine(llm=llm.as_structured_llm(Tower), output_cls=None)
    assert isinstance(plain.query(ASKED), PydanticResponse)
    shown = GuardedQueryEngine(plain, judge="local", on_fail="annotate").query(ASKED)
    assert shown.response == Tower(name="lighthouse of Genoa", architect="Quixodoro Vexx")
    assert shown.metadata["trail"]["passed"] is False
    withheld = GuardedQueryEngine(plain, judge="local", on_fail="block").query(ASKED)
    assert str(withheld) == BLOCKED
    assert LEAKED not in repr(withheld)
    assert withheld.metadata["trail"]["blocked"] is True
    assert [node.node.text for node in withheld.source_nodes] == [FACT]


class Growing(BaseModel):
    """What a structured stream repeats as it grows."""

    name: str
    said: str | None = None


class Streams(Own):
    """Streams an object that grows."""

    def _query(self, query_bundle):
        told = REVIEW in query_bundle.query_str
        last = Growing(name="lighthouse of Genoa", said=GOOD if told else BAD)
        return StreamingResponse(iter([Growing(name="light"), last]), list(self.nodes))


@pytest.mark.parametrize(("rules", "end"), [({}, GOOD), ({"on_fail": "annotate"}, BAD)])
def test_streams_of_objects(rules, end):
    response = GuardedQueryEngine(Streams(FACT), judge="local", **rules).query(ASKED)
    chunks = list(response.response_gen)
    assert len(chunks) == 2
    assert chunks[-1].said == end
    assert response.metadata["trail"]["passed"] is (end == GOOD)


@pytest.mark.parametrize("recorded", [False, True])
def test_an_abandoned_live_stream_leaves_nothing_open(engine, recorded):
    if recorded:
        instrument(evaluate="never")
    response = GuardedQueryEngine(engine(HOPELESS, streaming=True), judge="local", on_fail="annotate").query(ASKED)
    del response
    gc.collect()
    assert status().open_runs == 0


def test_nothing_is_kept_alive(engine):
    guarded, kept = GuardedQueryEngine(engine(), judge="local"), []
    before = len(_origins)  # what other tests hold
    for _ in range(30):
        response = guarded.query(ASKED)
        kept += [weakref.ref(response)]
        del response
    gc.collect()
    assert [ref for ref in kept if ref() is not None] == []
    assert len(_origins) <= before
    assert status().open_runs == 0


# -- in its place inside other parts -----------------------------------------------------------------------------


def test_in_a_tool(engine):
    tool = QueryEngineTool.from_defaults(
        GuardedQueryEngine(engine(), judge="local"), name="towers", description="towers"
    )
    output = tool.call(ASKED)
    assert output.content == GOOD
    assert output.raw_output.metadata["trail"]["attempts"] == 2


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the chat's memory leaves a database open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("way", ["chat", "stream_chat"])
def test_in_a_chat_engine(engine, models, way):
    llm = models.Rules(rules=[("", ASKED)])
    chat = CondenseQuestionChatEngine.from_defaults(query_engine=GuardedQueryEngine(engine(), judge="local"), llm=llm)
    if way == "chat":
        response = chat.chat(ASKED)
        assert str(response) == GOOD
        assert response.sources[0].raw_output.metadata["trail"]["attempts"] == 2
    else:
        chat = CondenseQuestionChatEngine.from_defaults(
            query_engine=GuardedQueryEngine(engine(streaming=True), judge="local"), llm=llm
        )
        assert "".join(chat.stream_chat(ASKED).response_gen) == GOOD


async def test_for_the_parts_of_a_question_at_once(ask, models):
    """As engines of sub-questions, in a running loop: what they withhold is what the outer one reads."""
    asked = json.dumps([{"sub_question": f"How {n}?", "tool_name": "towers"} for n in ("high", "old")])
    llm = models.Rules(rules=[("sub_question", f"```json\n{asked}\n```"), (BLOCKED, "Nothing is known."), ("", BAD)])
    Settings.llm = llm
    tool = QueryEngineTool.from_defaults(
        GuardedQueryEngine(ask([FACT], HOPELESS), judge="local"), name="towers", description="towers"
    )
    outer = SubQuestionQueryEngine.from_defaults(
        query_engine_tools=[tool],
        llm=llm,
        question_gen=LLMQuestionGenerator.from_defaults(llm=llm),
        response_synthesizer=get_response_synthesizer(llm=llm),
        use_async=True,
        verbose=False,
    )
    assert str(await outer.aquery(ASKED)) == "Nothing is known."
    assert not any(LEAKED in prompt for prompt in llm.asked)


@pytest.mark.parametrize("streaming", [False, True])
async def test_no_verdict_reaches_a_prompt(engine, models, streaming):
    """An engine that a retriever asks: its metadata becomes that of a node, and so text in a prompt."""
    guarded = GuardedQueryEngine(engine(HOPELESS, streaming=streaming), judge="local", on_fail="annotate")
    outer = models.Rules(rules=[("", GOOD)])

    class Pointing(BaseRetriever):
        def _retrieve(self, query_bundle):
            return [NodeWithScore(node=IndexNode(text="towers", index_id="towers", obj=guarded), score=1.0)]

    plain = RetrieverQueryEngine.from_args(Pointing(), llm=outer)
    plain.query(ASKED)
    await plain.aquery(ASKED)
    recursive = RecursiveRetriever("root", {"root": Pointing()}, query_engine_dict={"towers": guarded})
    RetrieverQueryEngine.from_args(recursive, llm=outer).query(ASKED)
    assert any(BAD in prompt for prompt in outer.asked)
    for word in ("hallucination_score", "trail", "passed", "absent"):
        assert not any(word in prompt for prompt in outer.asked)


def test_writing_from_nodes_is_guarded_too(engine):
    guarded = GuardedQueryEngine(engine(), judge="local")
    nodes = guarded.retrieve(QueryBundle(ASKED))
    assert str(guarded.synthesize(QueryBundle(ASKED), nodes)) == GOOD
    assert str(asyncio.run(guarded.asynthesize(QueryBundle(ASKED), nodes))) == GOOD


def test_it_shows_what_the_engine_inside_has(engine):
    plain = engine()
    guarded = GuardedQueryEngine(plain, judge="local")
    assert guarded.retriever is plain.retriever
    assert any("text_qa_template" in name for name in guarded.get_prompts())
    with pytest.raises(AttributeError):
        _ = guarded.nothing_like_it


# -- recordings --------------------------------------------------------------------------------------------------


def test_the_apps_recording_sees_the_whole_run_and_keeps_the_decision(engine):
    recording = instrument()
    response = GuardedQueryEngine(engine(), judge="local").query(ASKED)
    assert response.metadata["trail"]["attempts"] == 2
    graph = recording.graph
    assert graph.answer.text == GOOD
    assert {node.text for node in graph.nodes if node.kind == "document"} == {FACT, OTHER}
    assert {node.text for node in graph.leaves() if node.kind == "document"} == {FACT, OTHER}
    assert not any(LEAKED in leaf.text for leaf in graph.leaves())


def test_the_judge_sees_what_the_recording_is_allowed_to_see(engine):
    instrument(evaluate="never", redact=lambda text: text.replace("Genoa", "[city]"))
    seen = []
    assert str(GuardedQueryEngine(engine(), judge="local", on_report=seen.append).query(ASKED)) == GOOD
    assert [report.hallucination_score for report in seen] == [1.0, 0.0]
    assert not any("Genoa" in node.text for report in seen for node in report.graph.nodes)


@pytest.mark.parametrize("recording", [False, True])
def test_a_judge_that_uses_the_apps_model_is_part_of_no_recording(engine, models, recording):
    judge_llm = models.Rules(rules=[("", '{"claims": []}')])
    plain = engine(HOPELESS)
    with trail(evaluate="never") as t:
        GuardedQueryEngine(plain, judge=as_model(judge_llm), on_fail="annotate").query(ASKED)
        if recording:
            TrailEvaluator(as_model(judge_llm)).evaluate(ASKED, BAD, [FACT])
    assert judge_llm.asked
    assert not any('{"claims"' in node.text for node in t.graph.nodes)
    assert len(t.reports) == 0
    assert t.graph.answer.text == BAD


def test_a_report_is_found_by_the_response_unless_it_was_withheld(engine):
    response = GuardedQueryEngine(engine(), judge="local").query(ASKED)
    assert report_for(response).hallucination_score == 0.0
    with pytest.raises(InputError):
        report_for(GuardedQueryEngine(engine(), judge="local", on_fail="block").query(ASKED))


# -- faults ------------------------------------------------------------------------------------------------------


def test_it_takes_query_engines_only():
    with pytest.raises(InputError, match="takes a query engine"):
        GuardedQueryEngine("engine", judge="local")


def test_in_a_router(engine, models):
    tool = QueryEngineTool.from_defaults(
        GuardedQueryEngine(engine(HOPELESS), judge="local"), name="towers", description="towers"
    )
    chooser = models.Rules(rules=[("", '[{"choice": 1, "reason": "towers"}]')])
    router = RouterQueryEngine(LLMSingleSelector.from_defaults(llm=chooser), [tool], llm=chooser)
    instrument()
    response = router.query(ASKED)
    assert str(response) == BLOCKED
    assert response.metadata["trail"]["blocked"] is True


async def test_thirty_at_once_do_not_mix(shelf, models):
    def one(k):
        fact = f"Tower number {k} is {100 + k} metres tall."
        rules = [(REVIEW, f"Tower number {k} is {100 + k} metres tall."), ("", f"Tower number {k} was built by Vexx.")]
        return GuardedQueryEngine(shelf(fact).as_query_engine(llm=models.Rules(rules=rules)), judge="local")

    found = await asyncio.gather(*(one(k).aquery(f"How tall is tower number {k}?") for k in range(30)))
    for k, response in enumerate(found):
        assert str(response) == f"Tower number {k} is {100 + k} metres tall."
        graph = report_for(response).graph
        assert all(set(re.findall(r"[Tt]ower number (\d+)", node.text)) <= {str(k)} for node in graph.nodes)
