"""What the model really reads, in LlamaIndex apps of all shapes, under each arm of a canary run."""

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.chat_engine import CondensePlusContextChatEngine, ContextChatEngine
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.node_parser import HierarchicalNodeParser, get_leaf_nodes
from llama_index.core.postprocessor import LLMRerank, SimilarityPostprocessor
from llama_index.core.query_engine import (
    RetrieverQueryEngine,
    SubQuestionQueryEngine,
)
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.response_synthesizers import ResponseMode
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.tools import QueryEngineTool, RetrieverTool
from llama_index_trail import CanaryRetriever, canary_app
from llama_index_trail.tracker import TRACKER

from trail_callbacks.canary import Answered, Ask, Strategy
from trail_callbacks.canary.serving.application import RealTextServedError
from trail_callbacks.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[1] / "canary"))
from small_twins import FERRY, MUSEUM, small

pytestmark = [  # agents ask pydantic for what is deprecated, chat memories leave databases open
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

TWIN = small()
WHALES = "Whales breathe air and dive for an hour."
QUESTION = "How long does the ferry take to cross the bay?"
ANSWERS = {"real": "It takes 40 minutes.", "fictive": "It takes 53 minutes."}
REAL_WORDS = ("40 minutes", "Lorne", "12.50", "Dogs")
FICTIVE_WORDS = ("53 minutes", "Garvane", "9.75")
SUB = '```json\n{"items": [{"sub_question": "How long is the crossing?", "tool_name": "guide"}]}\n```'


def reader(models):
    """A model that reads: what it says is what the prompt says."""
    return models.Rules(
        rules=[
            ("generate 2 search queries", "How long is the crossing?\nHow long does the ferry take?"),
            ("Some choices are given below", '[{"choice": 1, "reason": "it fits"}]'),
            ("A list of documents is shown below", "Doc: 1, Relevance: 9\nDoc: 2, Relevance: 7"),
            ("sub_question", SUB),
            ("rewrite the message to be a standalone question", "How long is the crossing?"),
            ("53 minutes", ANSWERS["fictive"]),
            ("40 minutes", ANSWERS["real"]),
            ("", "I do not know."),
        ]
    )


def nodes():
    return [
        TextNode(text=FERRY, id_="ferry", metadata={"file_name": "ferry.md"}),
        TextNode(text=MUSEUM, id_="museum", metadata={"file_name": "museum.html"}),
        TextNode(text=WHALES, id_="whales"),
    ]


def plain(models):
    return VectorStoreIndex(nodes(), embed_model=models.Words()).as_retriever(similarity_top_k=3)


def engine(retriever, llm, **more):
    return RetrieverQueryEngine.from_args(retriever, llm=llm, **more)


def tool(retriever, llm):
    return QueryEngineTool.from_defaults(engine(retriever, llm), name="guide", description="Tells about ferries.")


def by(mode):
    return lambda retriever, llm: engine(retriever, llm, response_mode=mode)


def sub_questions_async(retriever, llm):
    return SubQuestionQueryEngine.from_defaults(
        [tool(retriever, llm)], llm=llm, question_gen=LLMQuestionGenerator.from_defaults(llm=llm), use_async=True
    )


def reranked(retriever, llm):
    return engine(retriever, llm, node_postprocessors=[LLMRerank(llm=llm, top_n=2), SimilarityPostprocessor()])


def condensing_context(retriever, llm):
    return CondensePlusContextChatEngine.from_defaults(retriever, llm=llm)


def context(retriever, llm):
    return ContextChatEngine.from_defaults(retriever, llm=llm)


CHATS = [condensing_context, context]  # which are made for each question
APPS = [
    *(by(mode) for mode in (ResponseMode.COMPACT, ResponseMode.REFINE)),
    sub_questions_async, reranked, *CHATS,
]  # fmt: skip


def answer(app, arm):
    found = app(Ask(probe="p", question=QUESTION, arm=arm, strategy=Strategy("s")))

    async def awaited():
        return await found

    return found if isinstance(found, Answered) else asyncio.run(awaited())


def check(app, llm, arm):
    llm.asked.clear()
    found = answer(app, arm)
    read = "\n".join(llm.asked)
    assert any(word in read for word in REAL_WORDS) == (arm == "real")
    assert any(word in read for word in FICTIVE_WORDS) == (arm == "fictive")
    assert all("53 minutes" not in text or arm == "fictive" for text in found.passages)
    if arm != "empty":
        assert ANSWERS[arm] in found.text
        assert any("minutes" in passage for passage in found.passages)
    return found


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize(("make", "finished"), [(make, done) for make in APPS for done in {False, make not in CHATS}])
def test_the_model_reads_what_the_arm_allows(models, make, finished, mode):
    inner, llm = plain(models), reader(models)
    retriever = CanaryRetriever(inner, TWIN)
    app = canary_app(make(retriever, llm) if finished else lambda own, _: make(own, llm), retriever, mode=mode)
    before = {key: node.to_json() for key, node in inner._docstore.docs.items()}
    for arm in ("real", "fictive", "empty", "real"):
        check(app, llm, arm)
    assert {key: node.to_json() for key, node in inner._docstore.docs.items()} == before
    assert list(TRACKER.errors) == []


def hierarchy(models):
    """Small chunks of a document in an index, and the larger ones around them in a store beside it."""
    parser = HierarchicalNodeParser.from_defaults(chunk_sizes=[64, 16], chunk_overlap=0)
    made = parser.get_nodes_from_documents([Document(text=f"{FERRY} {WHALES}", id_="ferry.md")])
    store = StorageContext.from_defaults(docstore=SimpleDocumentStore())
    store.docstore.add_documents(made)
    index = VectorStoreIndex(get_leaf_nodes(made), storage_context=store, embed_model=models.Words())
    return index.as_retriever(similarity_top_k=6), store


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_parents_that_are_looked_up_afterwards_are_real_and_an_error(models, mode):
    leaves, store = hierarchy(models)
    llm = reader(models)

    def build(own, _):
        return engine(AutoMergingRetriever(own, store, simple_ratio_thresh=0.0), llm)

    app = canary_app(build, CanaryRetriever(leaves, TWIN), mode=mode)
    with pytest.raises(RealTextServedError, match="wrap every retriever"):
        answer(app, "fictive")
    assert ANSWERS["real"] in answer(app, "real").text


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_chat_engine_that_remembers_other_arms_is_an_error(models, mode):
    memory = ChatMemoryBuffer.from_defaults(token_limit=3000, tokenizer_fn=str.split)
    llm = reader(models)

    def build(own, _):
        return ContextChatEngine.from_defaults(own, llm=llm, memory=memory)

    app = canary_app(build, CanaryRetriever(plain(models), TWIN), mode=mode)
    assert answer(app, "real").text == ANSWERS["real"]
    for arm in ("fictive", "real"):
        with pytest.raises(InputError, match="shown what it was asked before"):
            answer(app, arm)


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize("kind", ["retriever", "workflow"])
def test_an_agent_asks_by_a_tool(models, kind, finished):
    llm = reader(models)
    retriever = CanaryRetriever(plain(models), TWIN)

    def build(own, arm):
        steps = [[("guide", {"input": QUESTION})], ANSWERS[arm]] * 2
        found = (
            tool(own, llm) if kind != "retriever" else RetrieverTool.from_defaults(own, name="guide", description="x")
        )
        agent = FunctionAgent(name="a", description="x", tools=[found], llm=models.Turns(steps=steps))
        return AgentWorkflow(agents=[agent]) if kind == "workflow" else agent

    for arm in ("fictive", "real"):
        app = build(retriever, arm) if finished else lambda own, _, arm=arm: build(own, arm)
        found = answer(canary_app(app, retriever, verify=True), arm)
        assert found.text == ANSWERS[arm]
        assert any((arm == "fictive" and "53 minutes" in each) or "40 minutes" in each for each in found.passages)
        told = "\n".join(node.text for node in found.report.graph.leaves())
        assert ("53 minutes" in told, "40 minutes" in told) == (arm == "fictive", arm == "real")


@pytest.mark.parametrize("make", [sub_questions_async, reranked])
def test_fifty_at_once_and_twenty_threads_never_mix(models, make):
    retriever = CanaryRetriever(plain(models), TWIN)
    app = canary_app(make(retriever, reader(models)), retriever)
    arms = ["real", "fictive"] * 25

    async def many():
        asks = [Ask(probe="p", question=QUESTION, arm=arm, strategy=Strategy("s")) for arm in arms]
        return await asyncio.gather(*map(app, asks))

    for arm, found in zip(arms, asyncio.run(many()), strict=True):
        assert ANSWERS[arm] in found.text
    app = canary_app(make(retriever, reader(models)), retriever, mode="sync")
    with ThreadPoolExecutor(20) as pool:
        for arm, found in zip(arms[:40], pool.map(lambda arm: answer(app, arm), arms[:40]), strict=True):
            assert ANSWERS[arm] in found.text
