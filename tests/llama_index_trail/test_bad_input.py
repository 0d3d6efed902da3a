"""What apps do to us: nothing said, nothing found, objects nobody can copy, models and tools that raise."""

import asyncio
import gc
import logging
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.callbacks import CallbackManager, LlamaDebugHandler
from llama_index.core.llms import CompletionResponse
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.tools import FunctionTool
from llama_index_trail import instrument, status, trail
from llama_index_trail.tracker import TRACKER

from trail_callbacks import Retention

pytestmark = [  # LlamaIndex's own, as in the tests of lineage
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

KILN = "The kiln at Tegelen fires four thousand tiles in a night."
HOW = "How many tiles does the kiln fire?"
TILES = "The kiln fires four thousand tiles in a night."


class Uncopied:
    """Cannot be copied, compared, printed or made into JSON, and holds a lock."""

    def __init__(self):
        self.lock = threading.Lock()

    def __repr__(self):
        raise RuntimeError("do not print me")

    __deepcopy__ = __eq__ = __reduce__ = __hash__ = __str__ = __repr__


@pytest.mark.parametrize("mode", ["sync", "async", "stream", "astream"])
def test_an_empty_answer_is_no_fault(ask, answer, mode):
    engine = ask([KILN], [""] if "stream" in mode else "", streaming="stream" in mode)
    with trail() as t:
        assert answer(engine, HOW, mode) in ("", "Empty Response")  # LlamaIndex's words for no answer
    assert t.errors == []
    assert t.report.state in ("abstained", "no_checkable_claims", "error")
    assert t.report.hallucination_score is None
    assert status().open_runs == 0


@pytest.mark.parametrize("kind", ["query", "context", "condense_plus_context"])
def test_where_nothing_was_retrieved_the_report_says_so(shelf, models, kind):
    llm, index = models.Rules(rules=[]), shelf()
    with trail() as t:
        if kind == "query":
            index.as_query_engine(llm=llm).query(HOW)
        else:
            index.as_chat_engine(chat_mode=kind, llm=llm).chat(HOW)
    assert (t.report.state, t.report.warnings[0].partition(":")[0]) == ("abstained", "nothing was retrieved")
    assert "CompactAndRefine" not in t.graph.answer.step or kind == "query"


@pytest.mark.parametrize("mode", ["sync", "stream"])
def test_what_a_provider_sends_along_is_neither_copied_nor_touched(models, shelf, answer, mode):
    sent = []

    class Along(models.Rules):
        def complete(self, prompt, formatted=False, **kwargs):
            sent.append(Uncopied())
            return CompletionResponse(text=TILES, raw=sent[-1], additional_kwargs={"odd": sent[-1]})

        def stream_complete(self, prompt, formatted=False, **kwargs):
            sent.append(Uncopied())
            yield CompletionResponse(text=TILES, delta=TILES, raw=sent[-1])

    node = TextNode(text=KILN, metadata={"page": 4, "odd": ["nested", {"list": 1}]})
    engine = shelf(node).as_query_engine(llm=Along(rules=[]), streaming=mode == "stream")
    with trail() as t:
        assert answer(engine, HOW, mode) == TILES
        assert t.report.state == "assessed"
    assert t.errors == []
    assert t.graph.answer.text == TILES
    dead = [weakref.ref(each) for each in sent]
    sent.clear()
    gc.collect()
    assert [ref() for ref in dead] == [None] * len(dead), "raw objects are not kept"


@pytest.mark.parametrize(
    "value", [b"\x00\xff", None, 3.5, {"a": [1, {"b": "four thousand tiles"}]}, ["x", "y"], {1, 2}]
)
def test_tools_may_return_anything(models, value):
    def kiln(place: str) -> object:
        """The kiln."""
        return value

    agent = FunctionAgent(
        tools=[FunctionTool.from_defaults(kiln)],
        llm=models.Turns(steps=[[("kiln", {"place": "Tegelen"})], "So it is."]),
    )

    async def main():
        return str(await agent.run(HOW))

    with trail(evaluate="never") as t:
        assert asyncio.run(main()) == "So it is."
    assert t.errors == []
    results = [node for node in t.graph.nodes if node.kind == "tool_result"]
    assert [node.text for node in results] == [str(value)]
    assert any(edge.source == results[0].id and edge.target == "answer" for edge in t.graph.edges)


def test_other_handlers_and_managers_are_neither_used_nor_disturbed(ask, caplog):
    debug = LlamaDebugHandler(print_trace_on_end=False)
    engine = ask([KILN], TILES)
    engine.callback_manager = engine.retriever.callback_manager = CallbackManager([debug])
    with caplog.at_level(logging.WARNING), trail() as t:
        response = engine.query(HOW)
    assert debug.get_event_pairs(), "theirs has heard the query too"
    assert response.metadata["trail"] == t.report.summary()
    assert not caplog.records


class Fresh(BaseRetriever):
    """Brings new nodes each time and knows which are alive."""

    def __init__(self):
        super().__init__()
        self.alive = []

    def _retrieve(self, query_bundle):
        hits = [NodeWithScore(node=TextNode(text=f"{KILN} {query_bundle.query_str}"), score=1.0)]
        self.alive += [weakref.ref(hits[0]), weakref.ref(hits[0].node)]
        return hits


def test_nothing_outlives_queries_that_fail_stream_and_are_left(models):
    retriever, streams = Fresh(), []

    class Failing(models.Rules):
        def stream_complete(self, prompt, formatted=False, **kwargs):
            yield CompletionResponse(text="Four ", delta="Four ")
            if "fail" in prompt:
                raise ConnectionError("no")  # a new one: an exception that is raised again keeps all frames alive
            yield CompletionResponse(text=TILES, delta="thousand.")

    llm = Failing(rules=[])
    engine = RetrieverQueryEngine.from_args(retriever, llm=llm, streaming=True)
    recording = instrument(keep=Retention(runs=256))

    def one(n):
        with suppress(ConnectionError):
            response = engine.query(f"fail {n}" if n % 10 == 0 else f"{HOW} {n}")
            streams.append(weakref.ref(response.response_gen))
            if n % 3:
                for _ in response.response_gen:
                    if n % 3 == 2:
                        break

    with ThreadPoolExecutor(4) as pool:  # threads without a context, too
        list(pool.map(one, range(200)))
    assert recording.flush(30)
    deadline = time.monotonic() + 20
    while any(ref() is not None for ref in [*retriever.alive, *streams]) and time.monotonic() < deadline:
        gc.collect()  # the worker may be on its last lines still
        time.sleep(0.01)
    assert not [ref() for ref in [*retriever.alive, *streams] if ref() is not None]
    assert status().open_runs == 0
    assert TRACKER._spans == {}
    assert status().errors == ()
