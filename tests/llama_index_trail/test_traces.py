"""Every field of a trace, as LlamaIndex apps fill it."""

import asyncio
import math
import time
from contextlib import nullcontext

import llama_index_trail
import numpy as np
import pytest
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.instrumentation.dispatcher import instrument_tags
from llama_index.core.llms import ChatMessage, ChatResponse, CompletionResponse, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode
from llama_index.core.workflow import StartEvent, StopEvent, Workflow, step
from llama_index_trail import instrument, trail
from llama_index_trail.records import usage_of

from trail_callbacks import verify
from trail_callbacks.trace import Trace

QUESTION = "When did the bridge open?"
ANSWER = "It opened in 1968."
PASSAGES = (
    "The bridge opened in 1968 and was painted red.",
    "Some lorries use the lower deck of the bridge.",
    "Ferries stopped in 1970 because nobody used them any more.",
    "The toll is two crowns for each car that crosses.",
)


class Says(CustomLLM):
    """A model that always gives the same answer, with the tokens of an OpenAI server."""

    answer: str = ANSWER
    fails: bool = False
    window: int = 3900

    @property
    def metadata(self):
        return LLMMetadata(context_window=self.window, num_output=32, model_name="says")

    @llm_completion_callback()
    def complete(self, prompt, formatted=False, **kwargs):
        if self.fails:
            raise OSError("down")
        return CompletionResponse(text=self.answer, raw={"usage": {"prompt_tokens": 7, "completion_tokens": 3}})

    @llm_completion_callback()
    def stream_complete(self, prompt, formatted=False, **kwargs):
        yield CompletionResponse(text=self.answer, delta=self.answer)


class Shelf(BaseRetriever):
    """Brings what it was given."""

    def __init__(self, found):
        self.found = found
        super().__init__()

    def _retrieve(self, query_bundle):
        return [NodeWithScore(node=each.node.model_copy(deep=True), score=each.score) for each in self.found]


class Rerank(BaseNodePostprocessor):
    """Keeps two, in another order, with new scores."""

    def _postprocess_nodes(self, nodes, query_bundle=None):
        for place, node in enumerate(nodes):
            node.score = (0.1, 0.2, 0.9, 0.3)[place]
        return [nodes[2], nodes[0]]


def nodes(*scores, **metadata):
    made = [
        TextNode(
            text=text, id_=f"id-{i}", metadata=metadata, excluded_llm_metadata_keys=list(metadata),
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"file-{i}")},
        )
        for i, text in enumerate(PASSAGES)
    ]  # fmt: skip
    return [NodeWithScore(node=node, score=scores[i] if i < len(scores) else None) for i, node in enumerate(made)]


def engine(found=None, *, processors=(), model=None, mode="simple_summarize", retriever=None, **options):
    llm = model or Says()
    return RetrieverQueryEngine.from_args(
        retriever or Shelf(nodes(0.9, 0.8, 0.7, 0.6) if found is None else found),
        llm=llm, node_postprocessors=list(processors),
        response_synthesizer=get_response_synthesizer(llm=llm, response_mode=mode, **options),
    )  # fmt: skip


def run(app, **settings):
    with trail(evaluate="never", **settings) as t:
        app.query(QUESTION)
    trace = t.trace
    assert t.errors == []
    assert Trace.from_json(trace.to_json()) == trace
    assert Trace.from_json(trace.to_json()).graph == t.graph
    return trace


def test_whose_run_it_was_is_read_from_tags_and_from_what_holds_for_the_block():
    said = {"request_id": "q1", "user_id": "u1", "query_class": "date", "page": 2}
    before = time.time()
    for_all = {"tenant_id": "acme", "user_id": "nobody", "tags": ("beta",)}
    with trail(evaluate="never", context=for_all) as t, instrument_tags({**said, "tags": ["eu"]}):
        engine().query(QUESTION)
    found = t.trace.context
    assert (found.request, found.user, found.tenant, found.query_class) == ("q1", "u1", "acme", "date")
    assert (found.session, dict(found.metadata), found.tags) == (None, {"page": 2}, ("eu", "beta"))
    assert before <= found.started < found.ended <= time.time()


class Flow(Workflow):
    """Asks an engine; the step learns itself whose request it is, if it is told of a request."""

    @step
    async def ask(self, ev: StartEvent) -> StopEvent:
        with instrument_tags({"request_id": ev.of, "user_id": "u1"}) if ev.get("of") else nullcontext():
            return StopEvent(result=str(await engine().aquery(QUESTION)))


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")  # LlamaIndex's own
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("app", ["agent", "workflow", "step"])
def test_an_agent_or_a_workflow_is_the_run_of_whom_the_tags_around_or_inside_it_name(models, app):
    async def work():
        with nullcontext() if app == "step" else instrument_tags({"request_id": "q1", "user_id": "u1"}):
            if app == "agent":
                return await FunctionAgent(tools=[], llm=models.Turns(steps=["In 1846."])).run(QUESTION)
            return await Flow().run(of="q1" if app == "step" else None)

    with trail(evaluate="never") as t:
        asyncio.run(work())
    found = t.trace.context
    assert (found.request, found.user, dict(found.metadata)) == ("q1", "u1", {})


def test_versions_come_from_settings_tags_and_documents():
    given = {"app": "1.0", "index": "old", "retriever": "r1"}
    with (
        trail(evaluate="never", context={"versions": given}) as t,
        instrument_tags({"retriever_version": "r2", "prompt_version": "p"}),
    ):
        engine(nodes(index_version="b7", chunker_version="512")).query(QUESTION)
    found = t.trace.versions
    assert (found.app, found.retriever, found.index, found.chunker, found.prompt) == ("1.0", "r2", "b7", "512", "p")


def test_the_session_is_that_of_the_memory():
    index = VectorStoreIndex([TextNode(text=text) for text in PASSAGES], embed_model=Flat())
    memory = ChatMemoryBuffer.from_defaults(llm=Says(), chat_store_key="thread-9")
    with trail(evaluate="never") as t:
        asyncio.run(index.as_chat_engine(llm=Says(), chat_mode="context", memory=memory).achat(QUESTION))
    assert t.trace.context.session == "thread-9"
    with trail(evaluate="never") as t:
        chat = index.as_chat_engine(llm=Says(), chat_mode="context", memory=ChatMemoryBuffer.from_defaults(llm=Says()))
        asyncio.run(chat.achat(QUESTION))
    assert t.trace.context.session is None


class Flat(BaseEmbedding):
    """All texts are equally near."""

    def _get_text_embedding(self, text):
        return [1.0, 0.0]

    _get_query_embedding = _get_text_embedding

    async def _aget_query_embedding(self, query):
        return [1.0, 0.0]


def test_a_retrieval_has_its_query_and_candidates_with_score_and_document():
    trace = run(engine(nodes(np.float32(0.5), -2, math.nan, math.inf)))
    (found,) = trace.retrievals
    assert (found.step, found.query, found.raw_query, found.rewritten) == ("Shelf", QUESTION, QUESTION, False)
    assert [each.id for each in found.candidates] == ["id-0", "id-1", "id-2", "id-3"]
    assert [each.document_id for each in found.candidates] == ["file-0", "file-1", "file-2", "file-3"]
    assert [each.score for each in found.candidates] == [0.5, -2.0, None, None]
    assert [each.rank for each in found.candidates] == [1, 2, 3, 4]
    assert found.seconds >= 0.0
    assert any(warning.startswith("2 candidates have a score") for warning in trace.warnings)


def test_the_document_that_a_splitter_cut_is_known():
    cut = SentenceSplitter(chunk_size=64, chunk_overlap=0)([Document(text=" ".join(PASSAGES), id_="chapter-3")])
    (found,) = run(engine([NodeWithScore(node=each, score=1.0) for each in cut])).retrievals
    assert {each.document_id for each in found.candidates} == {"chapter-3"}


def test_a_postprocessor_that_reranks_in_place_has_ranks_and_scores():
    trace = run(engine(processors=[Rerank()]))
    (step,) = trace.rerankings
    assert step.step == "Rerank"
    ranks = [(each.rank_in, each.rank_out, each.score) for each in step.ranked]
    assert ranks == [(1, 2, 0.1), (2, None, None), (3, 1, 0.9), (4, None, None)]
    assert [each.score for each in trace.retrievals[0].candidates] == [0.9, 0.8, 0.7, 0.6]
    assert [piece.dropped for piece in trace.packings[0].pieces] == [None, "reranker", None, "reranker"]
    assert [piece.order for piece in trace.packings[0].pieces] == [2, None, 1, None]


def test_calls_have_model_tokens_time_and_the_one_that_answered():
    trace = run(engine(mode="refine"))
    assert [call.answers for call in trace.calls] == [False, False, False, True]
    assert {(call.model, call.prompt_tokens, call.completion_tokens) for call in trace.calls} == {(None, 7, 3)}
    assert all(call.seconds >= 0.0 and call.started >= trace.context.started for call in trace.calls)
    assert [[piece.order for piece in packing.pieces].count(1) for packing in trace.packings] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    "response",
    [
        ChatResponse(message=ChatMessage("x"), raw={"usage": {"input_tokens": 5, "output_tokens": 2}}),
        ChatResponse(message=ChatMessage("x"), additional_kwargs={"prompt_tokens": 5, "completion_tokens": 2}),
        ChatResponse(
            message=ChatMessage("x"), raw={"usage_metadata": {"prompt_token_count": 5, "candidates_token_count": 2}}
        ),
        ChatResponse(message=ChatMessage("x"), raw={"prompt_eval_count": 5, "eval_count": 2}),
    ],
    ids=["anthropic", "kwargs", "gemini", "ollama"],
)
def test_tokens_are_read_as_providers_name_them(response):
    assert usage_of(response) == {"prompt_tokens": 5, "completion_tokens": 2}


def test_coroutines_and_streams_have_the_same_trace():
    with trail(evaluate="never") as t:
        asyncio.run(engine().aquery(QUESTION))
        whole = t.trace
        for _ in engine(streaming=True).query(QUESTION).response_gen:
            pass
        streamed = t.trace
    for trace in (whole, streamed):
        assert (len(trace.retrievals), len(trace.calls)) == (1, 1)
        assert [piece.order for piece in trace.packings[0].pieces] == [1, 2, 3, 4]
    assert whole.id != streamed.id
    assert t.trace_of(whole.id) == whole


def test_what_instrument_records_has_traces_that_can_be_verified_again():
    handle = instrument()
    response = engine().query(QUESTION)
    report = handle.report
    llama_index_trail.uninstrument()
    assert response.metadata["trail"]["state"] == report.state
    trace = handle.trace_of(report.trace_id)
    assert handle.trace == trace
    again = verify(Trace.from_json(trace.to_json()))
    assert (again.verdicts, again.trace_id) == (report.verdicts, report.trace_id)


def test_an_app_that_fails_has_a_trace_with_the_error():
    with trail(evaluate="never") as t, pytest.raises(OSError, match="down"):
        engine(model=Says(fails=True)).query(QUESTION)
    assert (t.trace.calls[0].error, t.trace.answer) == ("OSError: down", None)
    assert [piece.order for piece in t.trace.packings[0].pieces] == [1, 2, 3, 4]
    assert any(warning.startswith("the run failed (OSError: down)") for warning in t.trace.warnings)
