"""LlamaIndex apps of all shapes asked under each arm of a canary run, and what their models really read."""

import asyncio
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.chat_engine import CondensePlusContextChatEngine, ContextChatEngine
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.node_parser import HierarchicalNodeParser, get_leaf_nodes
from llama_index.core.postprocessor import LLMRerank, SimilarityPostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine, SubQuestionQueryEngine
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.response_synthesizers import ResponseMode
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.tools import QueryEngineTool, RetrieverTool
from llama_index_trail import CanaryRetriever, canary_app
from llama_index_trail.tracker import TRACKER

from trail_callbacks.canary import ArmUnavailableError, Ask, Strategy
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
WORDS = {"real": ("40 minutes", "Lorne", "12.50", "Dogs"), "fictive": ("53 minutes", "Garvane", "9.75")}
SUB = '```json\n{"items": [{"sub_question": "How long is the crossing?", "tool_name": "guide"}]}\n```'


@pytest.fixture
def llm(models):
    """A model that reads: what it says is what the prompt says."""
    return models.Rules(
        rules=[
            ("Some choices are given below", '[{"choice": 1, "reason": "it fits"}]'),
            ("A list of documents is shown below", "Doc: 1, Relevance: 9\nDoc: 2, Relevance: 7"),
            ("sub_question", SUB),
            ("rewrite the message to be a standalone question", "How long is the crossing?"),
            ("53 minutes", ANSWERS["fictive"]),
            ("40 minutes", ANSWERS["real"]),
            ("", "I do not know."),
        ]
    )


@pytest.fixture
def retriever(models):
    nodes = [
        TextNode(text=FERRY, id_="ferry", metadata={"file_name": "ferry.md"}),
        TextNode(text=MUSEUM, id_="museum", metadata={"file_name": "museum.html"}),
        TextNode(text=WHALES, id_="whales"),
    ]
    index = VectorStoreIndex(nodes, embed_model=models.Words())
    return CanaryRetriever(index.as_retriever(similarity_top_k=3), TWIN)


def engine(retriever, llm, **more):
    return RetrieverQueryEngine.from_args(retriever, llm=llm, **more)


def streaming(retriever, llm):
    return engine(retriever, llm, streaming=True)


def refining(retriever, llm):
    return engine(retriever, llm, response_mode=ResponseMode.REFINE)


def tool(retriever, llm):
    return QueryEngineTool.from_defaults(engine(retriever, llm), name="guide", description="Tells about ferries.")


def sub_questions(retriever, llm):
    return SubQuestionQueryEngine.from_defaults(
        [tool(retriever, llm)], llm=llm, question_gen=LLMQuestionGenerator.from_defaults(llm=llm), use_async=True
    )


def reranked(retriever, llm):
    return engine(retriever, llm, node_postprocessors=[LLMRerank(llm=llm, top_n=2), SimilarityPostprocessor()])


def condensing(retriever, llm):
    return CondensePlusContextChatEngine.from_defaults(retriever, llm=llm)


def chatting(retriever, llm):
    return ContextChatEngine.from_defaults(retriever, llm=llm)


CHATS = [condensing, chatting]  # which are made for each question
APPS = [engine, streaming, refining, sub_questions, reranked, *CHATS]


def ask(arm, strategy="s"):
    return Ask(probe="p", question=QUESTION, arm=arm, strategy=Strategy(strategy))


def answer(app, asked):
    return asyncio.run(app(asked))


@pytest.mark.parametrize(("make", "finished"), [(make, done) for make in APPS for done in {False, make not in CHATS}])
def test_the_model_reads_what_the_arm_allows(retriever, llm, make, finished):
    built = []

    def build(own, _):
        built.append(own.arm)
        return make(own, llm)

    app = canary_app(make(retriever, llm) if finished else build, retriever, model=llm)
    before = {key: node.to_json() for key, node in retriever.retriever._docstore.docs.items()}
    for arm in ("real", "fictive", "empty", "real"):
        llm.asked.clear()
        found = answer(app, ask(arm))
        read = "\n".join(llm.asked)
        for one, words in WORDS.items():
            assert any(word in read for word in words) == (one == arm)
        assert all("53 minutes" not in text or arm == "fictive" for text in found.passages)
        if arm != "empty":
            assert ANSWERS[arm] in found.text
            assert any("minutes" in passage for passage in found.passages)
        assert found.usage.calls == len(llm.asked)
    alone = answer(app, ask("closed_book"))
    assert (alone.text, alone.passages, alone.usage.calls) == ("I do not know.", None, 1)
    assert len(built) == (0 if finished else 4 if make in CHATS else 3)
    assert {key: node.to_json() for key, node in retriever.retriever._docstore.docs.items()} == before
    assert list(TRACKER.errors) == []


def test_what_it_is_made_of_is_checked(models, retriever, llm):
    def build(own, _):
        return engine(own, llm)

    with pytest.raises(ArmUnavailableError, match="model="):
        answer(canary_app(build, retriever), ask("closed_book"))
    app = canary_app(build, retriever, model=lambda strategy: models.Rules(rules=[("", strategy.name)]))
    assert answer(app, ask("closed_book", "big")).text == "big"
    with pytest.raises(InputError, match="expected a CanaryRetriever"):
        canary_app(build, retriever.retriever)
    with pytest.raises(InputError, match="pass a function that makes one"):
        canary_app(chatting(retriever, llm), retriever)


def test_reports_are_of_the_arm(retriever, llm):
    app = canary_app(lambda own, _: engine(own, llm), retriever, verify=True)
    for arm, text in ANSWERS.items():
        report = answer(app, ask(arm)).report
        assert report.graph.answer.text == text
        assert any(WORDS[arm][0] in each.quote for verdict in report.verdicts for each in verdict.evidence)


class Threaded(BaseRetriever):
    """Retrieves in a thread of its own, without the context."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def _retrieve(self, query_bundle):
        found = []
        thread = threading.Thread(target=lambda: found.extend(self.inner.retrieve(query_bundle)))
        thread.start()
        thread.join()
        return found


def test_a_retriever_in_a_thread_without_context_is_found_out(retriever, llm):
    with pytest.raises(RealTextServedError):
        answer(canary_app(engine(Threaded(retriever), llm), retriever), ask("fictive"))
    found = answer(canary_app(lambda own, _: engine(Threaded(own), llm), retriever), ask("fictive"))
    assert found.text == ANSWERS["fictive"]
    assert found.passages is None


def test_parents_that_are_looked_up_afterwards_are_real_and_an_error(models, llm):
    parser = HierarchicalNodeParser.from_defaults(chunk_sizes=[64, 16], chunk_overlap=0)
    made = parser.get_nodes_from_documents([Document(text=f"{FERRY} {WHALES}", id_="ferry.md")])
    store = StorageContext.from_defaults(docstore=SimpleDocumentStore())
    store.docstore.add_documents(made)
    leaves = VectorStoreIndex(get_leaf_nodes(made), storage_context=store, embed_model=models.Words())

    def build(own, _):
        return engine(AutoMergingRetriever(own, store, simple_ratio_thresh=0.0), llm)

    app = canary_app(build, CanaryRetriever(leaves.as_retriever(similarity_top_k=6), TWIN))
    with pytest.raises(RealTextServedError, match="wrap every retriever"):
        answer(app, ask("fictive"))
    assert ANSWERS["real"] in answer(app, ask("real")).text


def test_a_chat_engine_that_remembers_other_arms_is_an_error(retriever, llm):
    memory = ChatMemoryBuffer.from_defaults(token_limit=3000, tokenizer_fn=str.split)

    def build(own, _):
        return ContextChatEngine.from_defaults(own, llm=llm, memory=memory)

    app = canary_app(build, retriever)
    assert answer(app, ask("real")).text == ANSWERS["real"]
    for arm in ("fictive", "real"):
        with pytest.raises(InputError, match="shown what it was asked before"):
            answer(app, ask(arm))


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize("kind", ["retriever", "workflow"])
def test_an_agent_asks_by_a_tool(models, retriever, llm, kind, finished):
    def build(own, arm):
        steps = [[("guide", {"input": QUESTION})], ANSWERS[arm]] * 2
        is_workflow = kind == "workflow"
        found = tool(own, llm) if is_workflow else RetrieverTool.from_defaults(own, name="guide", description="x")
        agent = FunctionAgent(name="a", description="x", tools=[found], llm=models.Turns(steps=steps))
        return AgentWorkflow(agents=[agent]) if is_workflow else agent

    for arm in ("fictive", "real"):
        app = build(retriever, arm) if finished else lambda own, _, arm=arm: build(own, arm)
        found = answer(canary_app(app, retriever, verify=True), ask(arm))
        assert found.text == ANSWERS[arm]
        assert any(WORDS[arm][0] in each for each in found.passages)
        told = "\n".join(node.text for node in found.report.graph.leaves())
        assert ("53 minutes" in told, "40 minutes" in told) == (arm == "fictive", arm == "real")


def test_fifty_at_once_and_twenty_threads_never_mix(retriever, llm):
    arms = ["real", "fictive"] * 25

    async def many():
        app = canary_app(reranked(retriever, llm), retriever)
        return await asyncio.gather(*(app(ask(arm)) for arm in arms))

    for arm, found in zip(arms, asyncio.run(many()), strict=True):
        assert ANSWERS[arm] in found.text
    app = canary_app(sub_questions(retriever, llm), retriever)
    with ThreadPoolExecutor(20) as pool:
        for arm, found in zip(arms[:40], pool.map(lambda arm: answer(app, ask(arm)), arms[:40]), strict=True):
            assert ANSWERS[arm] in found.text
