"""Life in production: many runs at once, faults in every hook, payloads of every shape, memory that stays flat."""

import asyncio
import dataclasses
import gc
import operator
import threading
import tracemalloc
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import FakeListLLM
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnableParallel
from langchain_core.tools import tool
from langchain_trail import TrailCallbackHandler
from pydantic import BaseModel

from trail_callbacks import Retention

template = ChatPromptTemplate.from_template

# ---------------------------------------------------------------- everything at once on one handler


class Echo(BaseRetriever):
    """Finds a document about what is asked, and gives way to other tasks while it looks."""

    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(f"{query} stands in the register of the harbour")]

    async def _aget_relevant_documents(self, query, *, run_manager):
        await asyncio.sleep(0)
        return self._get_relevant_documents(query, run_manager=run_manager)


def register(says):
    """A retrieval chain with a parallel part; each of its texts bears the name of the ship that was asked for."""

    async def later(x):
        await asyncio.sleep(0)
        return f"{x['ship']}: {x['found'][0].page_content}"

    found = RunnableParallel(found=Echo(), ship=RunnableLambda(lambda q: q))
    shown = RunnableLambda(lambda x: f"{x['ship']}: {x['found'][0].page_content}", later)
    return found | shown | template("Repeat: {x}") | Repeat() | StrOutputParser()


class Repeat(RunnableLambda):
    """Says again what it reads, in the words of a model."""

    def __init__(self):
        super().__init__(lambda prompt: prompt.to_messages()[-1].text.removeprefix("Repeat: "))


def fleet():
    """A graph that sends a task for each part of a ship and joins what they bring."""
    pytest.importorskip("langgraph")
    from langgraph.graph import END, START, StateGraph
    from langgraph.types import Send

    class Fleet(TypedDict):
        ship: str
        parts: Annotated[list[str], operator.add]
        answer: str

    graph = StateGraph(Fleet)
    graph.add_node("part", lambda s: {"parts": [f"{s['ship']} has a sound {s['part']}"]})
    graph.add_node("join", lambda s: {"answer": "; ".join(sorted(s["parts"]))})
    parts = ("hull", "mast", "keel")
    graph.add_conditional_edges(
        START, lambda s: [Send("part", {"ship": s["ship"], "part": part}) for part in parts], ["part"]
    )
    graph.add_edge("part", "join").add_edge("join", END)
    return graph.compile()


def names(graph):
    return {word for node in graph.nodes for word in node.text.replace(":", " ").split() if word.startswith("ship-")}


class Traffic:
    """Calls of two apps in every way LangChain offers, all under one handler."""

    def __init__(self, says, handler):
        self.chain, self.graph, self.handler = register(says), fleet(), handler
        self.asked: dict[uuid.UUID, str] = {}
        self._lock = threading.Lock()

    def config(self, ship):
        run_id = uuid.uuid4()
        with self._lock:
            self.asked[run_id] = ship
        return {"callbacks": [self.handler], "run_id": run_id}

    async def task(self, i):
        ship, way = f"ship-a{i}", i % 5
        if way == 0:
            await self.chain.ainvoke(ship, self.config(ship))
        elif way == 1:
            async for _ in self.chain.astream(ship, self.config(ship)):
                await asyncio.sleep(0)
        elif way == 2:
            ships = [ship, f"{ship}b"]
            await self.chain.abatch(ships, [self.config(each) for each in ships])
        elif way == 3:
            await self.graph.ainvoke({"ship": ship, "parts": []}, self.config(ship))
        else:
            async for _ in self.chain.astream_events(ship, self.config(ship), version="v2"):
                pass

    def thread(self, i):
        for j in range(12):
            ship, way = f"ship-t{i}n{j}", (i + j) % 4
            if way == 0:
                self.chain.invoke(ship, self.config(ship))
            elif way == 1:
                list(self.chain.stream(ship, self.config(ship)))
            elif way == 2:
                ships = [ship, f"{ship}b", f"{ship}c"]
                self.chain.batch(ships, [self.config(each) for each in ships])
            else:
                modes = ["updates", "values"]
                list(self.graph.stream({"ship": ship, "parts": []}, self.config(ship), stream_mode=modes))


def test_fifty_tasks_and_eight_threads_on_one_handler_never_mix(says, quiet):
    handler = TrailCallbackHandler(evaluate="never", keep=Retention(runs=2_000))
    traffic = Traffic(says, handler)

    async def tasks():
        await asyncio.gather(*(traffic.task(i) for i in range(50)))

    with ThreadPoolExecutor(9) as pool:
        for done in [pool.submit(traffic.thread, i) for i in range(8)] + [pool.submit(lambda: asyncio.run(tasks()))]:
            done.result()
    assert len(traffic.asked) > 150
    for run_id, ship in traffic.asked.items():
        assert names(handler.graph(run_id)) == {ship}
    assert handler.session.recorder.unfinished == 0
    assert len(handler.session.recorder._by_run) == 0
    assert handler.errors == []


# ---------------------------------------------------------------- faults in every hook

HOOKS = [f"on_{each}" for each in ("chain_start", "chat_model_start", "tool_start", "retriever_start", "chain_end")]
HOOKS.append("on_chain_error")  # the ends and errors of all kinds of runs are one hook


@tool
def weigh(x: str) -> str:
    """Weigh."""
    return f"{x} weighs nine tons"


def busy(says, shelf):
    """An app in which every hook is heard, those of errors too; what fails is caught."""

    broken = RunnableLambda(lambda x: 1 / 0)
    return RunnableParallel(
        chat=template("Say {x}") | says("It is said.") | StrOutputParser(),
        text=template("Count {x}") | FakeListLLM(responses=["one two three"]),
        tool=RunnableLambda(lambda x: {"x": x["x"]}) | weigh,
        found=RunnableLambda(lambda x: x["x"])
        | shelf("A passage about ships.")
        | (lambda found: found[0].page_content),
        broken=broken.with_fallbacks([RunnableLambda(lambda _: "replaced")]),
    )


class FaultError(Exception):
    pass


class Faulty(TrailCallbackHandler):
    """Fails inside one hook, at one of its two steps: reading the payload, or keeping the record."""

    def fail_in(self, hook, where, monkeypatch):
        local, self.hits = threading.local(), 0
        real_hook = getattr(self, hook)

        def marked(*args, **kwargs):
            local.inside = True
            try:
                return real_hook(*args, **kwargs)
            finally:
                local.inside = False

        def faulty(real):
            def call(*args, **kwargs):
                if getattr(local, "inside", False):
                    self.hits += 1
                    raise FaultError(hook)
                return real(*args, **kwargs)

            return call

        monkeypatch.setattr(self, hook, marked)
        if where == "reading":
            import langchain_trail.hooks as module

            monkeypatch.setattr(module, "snapshot", faulty(module.snapshot))
        else:
            monkeypatch.setattr(self, "_begin", faulty(self._begin))
            monkeypatch.setattr(self, "_finish", faulty(self._finish))


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(("way", "where"), [("invoke", "reading"), ("ainvoke", "keeping"), ("stream", "reading")])
@pytest.mark.parametrize("hook", HOOKS)
def test_a_fault_in_any_hook_changes_nothing_for_the_app(request, monkeypatch, hook, way, where):
    says, shelf = request.getfixturevalue("says"), request.getfixturevalue("shelf")

    def call(callbacks):
        app, config = busy(says, shelf), {"callbacks": callbacks}
        if way == "invoke":
            return app.invoke({"x": "ship"}, config)
        if way == "ainvoke":
            return asyncio.run(app.ainvoke({"x": "ship"}, config))
        return {k: v for chunk in app.stream({"x": "ship"}, config) for k, v in chunk.items() if k != "chat"}

    expected = call([])
    handler = Faulty(evaluate="never")
    handler.fail_in(hook, where, monkeypatch)
    assert call([handler]) == expected
    assert handler.hits > 0, "the app does not reach this hook"
    assert {str(error) for error in handler.errors} == {hook}
    with suppress(Exception):  # a lost start loses its run
        handler.graph().to_json()
    if where == "reading":
        assert handler.session.recorder.unfinished == 0, "the tree is whole, only a payload is missing"
        assert list(handler.session.recorder._closed) == [handler.session.recorder.latest]


# ---------------------------------------------------------------- payloads of every shape


@dataclasses.dataclass
class Box:
    label: str
    inside: Any = None


class Crate(BaseModel):
    label: str
    inside: Any = None


class Hostile(dict):
    def __iter__(self):
        raise FaultError("no reading")

    keys = items = values = copy = __iter__


class Unprintable:
    def __str__(self):
        raise FaultError("no printing")

    __repr__ = __str__

    def __eq__(self, other):
        raise FaultError("no comparing")

    __hash__ = None


def odd_payloads():
    import numpy as np

    cycle: dict[str, Any] = {"label": "a cycle of crates"}
    cycle["self"] = [cycle]
    return {
        "lock": {"label": "beside a lock", "x": threading.Lock()},
        "array": {"label": "beside an array", "x": np.arange(4_000).reshape(2, -1), "y": np.float32("nan")},
        "cycle": cycle,
        "bytes": {"label": "beside bytes", "x": b"\xff" * 5_000_000},
        "text": "long text " * 20_000,
        "model": Crate(label="a model", inside=Crate(label="in a model")),
        "dataclass": Box("a dataclass", Box("in a dataclass", threading.RLock())),
        "hostile": Hostile(label="x"),
        "unprintable": {"label": "beside what cannot be printed", "x": Unprintable()},
        "surrogates": "half a pair \ud800 of surrogates",
        "numbers": {1: float("inf"), None: float("nan"), (1, 2): "a tuple for a key"},
        "exception": ValueError("an exception as a payload"),
        "generator": (i for i in range(3)),
        "type": Crate,
        "none": None,
    }


def hear(handler, hook, payload):
    """Lets one hook hear a payload, with the other half of its run around it."""
    root, run = uuid.uuid4(), uuid.uuid4()
    inside = {"run_id": run, "parent_run_id": root}
    message = AIMessage("said", additional_kwargs={"x": payload}, response_metadata={"y": payload})
    said = LLMResult(generations=[[ChatGeneration(message=message)]], llm_output={"z": payload})
    starts = {
        "on_chain_start": lambda: handler.on_chain_start(
            payload, payload, metadata={"m": payload}, tags=["t"], **inside
        ),
        "on_chat_model_start": lambda: handler.on_chat_model_start(payload, [[HumanMessage("m"), payload]], **inside),
        "on_tool_start": lambda: handler.on_tool_start(payload, "text", inputs=payload, **inside),
        "on_retriever_start": lambda: handler.on_retriever_start(payload, payload, **inside),
    }
    error = ValueError(payload) if isinstance(payload, str | int) else payload
    ends = {
        "on_chat_model_start": lambda: handler.on_llm_end(said, **inside),
        "on_chain_end": lambda: handler.on_chain_end(payload, inputs=payload, **inside),
        "on_chain_error": lambda: handler.on_chain_error(error, inputs=payload, **inside),
    }
    handler.on_chain_start(None, "the question of this run", run_id=root)
    starts.get(hook, lambda: handler.on_chain_start(None, "a step", **inside))()
    ends.get(hook, lambda: handler.on_chain_end("a result", **inside))()
    handler.on_chain_end({"answer": "the end of this run"}, run_id=root)
    assert set(starts) | set(ends) == set(HOOKS)
    return root


@pytest.mark.parametrize("hook", HOOKS)
def test_any_payload_in_any_hook_is_recorded_and_saved(hook):
    handler = TrailCallbackHandler(evaluate="never")
    for kind, payload in odd_payloads().items():
        graph = handler.graph(hear(handler, hook, payload))
        assert graph.answer.text == "the end of this run", kind
        assert type(graph).from_json(graph.to_json()) == graph, kind
        assert handler.session.recorder.unfinished == 0, kind


# ---------------------------------------------------------------- answers from a cache, hidden payloads


def test_a_cached_answer_is_marked(handler, says):
    from langchain_core.caches import InMemoryCache

    app = template("{x}") | says("Written once.", cache=InMemoryCache())
    marks = []
    for _ in range(2):
        app.invoke({"x": "?"}, {"callbacks": [handler]})
        marks.append(handler.graph().answer.attributes.get("cached", False))
    assert marks == [False, True]


# ---------------------------------------------------------------- memory


def test_memory_stays_flat_over_many_runs(says, monkeypatch):
    monkeypatch.setattr("trail_callbacks.capture.recorder._UNFINISHED", 8)
    handler = TrailCallbackHandler(evaluate="never", keep=Retention(runs=8))
    app = register(says)

    def some(n):
        for i in range(n):
            app.invoke(f"ship-{i}", {"callbacks": [handler]})
            handler.on_chain_start(None, {"never": "ended"}, run_id=uuid.uuid4(), parent_run_id=uuid.uuid4())
        gc.collect()

    some(60)  # caches of LangChain and of Python fill up
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        some(150)
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 1_000_000, "a kept run is about 20 KB: 150 of them would be 3 MB"
