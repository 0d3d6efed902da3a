"""The report on the message: at once as pending, then in place, and nowhere else."""

import asyncio
import copy
import dataclasses
import json
import pickle
import threading
import uuid
from functools import partial, reduce
from operator import add

import pytest
from langchain_core.load import dumps, loads
from langchain_core.messages import AIMessage, HumanMessage, message_to_dict, messages_from_dict
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_trail import TrailCallbackHandler, guarded, traced
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph

TRUE = "Titan was discovered by Christiaan Huygens in 1655."
FALSE = "Titan was discovered by Christiaan Huygens in 1855."
SOURCE = "Saturn's moon Titan was discovered by Christiaan Huygens in 1655."
ASK = {"context": SOURCE}
template = ChatPromptTemplate.from_template("Who found Titan? {context}")


class Gate:
    """Holds every verification back until it is opened."""

    def __init__(self):
        self._open = threading.Event()

    def __call__(self, graph_text):
        self._open.wait(30)
        return graph_text

    def open(self):
        self._open.set()


@pytest.fixture
def gate():
    held = Gate()
    yield held
    held.open()


@pytest.fixture
def slow(gate):
    """A handler whose verifications wait until `slow.gate` is opened; `redact` is applied on the worker."""
    handler = TrailCallbackHandler(redact=gate)
    handler.gate = gate
    yield handler
    gate.open()
    handler.close()
    assert handler.errors == []


@pytest.fixture
def quick():
    handler = TrailCallbackHandler()
    yield handler
    handler.close()
    assert handler.errors == []


def shown(message):
    return message.response_metadata["trail"]


def graph_of(model, **settings):
    graph = StateGraph(MessagesState)
    graph.add_node("say", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_edge(START, "say")
    graph.add_edge("say", END)
    return graph.compile(**settings)


def read(app, given, config, way):
    """Calls an app in one way; returns what it returned, or all chunks of its stream."""
    if way == "invoke":
        return app.invoke(given, config)
    if way == "ainvoke":
        return asyncio.run(app.ainvoke(given, config))
    if way == "batch":
        return app.batch([given], [config])[0]
    if way == "stream":
        return reduce(add, app.stream(given, config))

    async def consume():
        return [chunk async for chunk in app.astream(given, config)]

    return reduce(add, asyncio.run(consume()))


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "batch", "stream", "astream"])
@pytest.mark.parametrize("shape", ["chain", "model"])
def test_a_message_shows_its_report_at_first_as_pending_and_then_in_place(slow, says, way, shape):
    app, given = (template | says(FALSE), ASK) if shape == "chain" else (says(FALSE), SOURCE)
    run_id = uuid.uuid4()
    message = read(app, given, {"callbacks": [slow], "run_id": run_id}, way)
    summary = shown(message)
    assert summary == {"state": "pending", "run_id": str(run_id)}
    slow.gate.open()
    report = slow.report(run_id)
    assert report.state != "pending"
    assert shown(message) is summary
    assert type(summary) is dict
    assert summary == report.summary()
    assert summary["run_id"] == str(run_id)


@pytest.mark.parametrize("mode", ["values", "updates", "messages"])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_graph_s_last_message_shows_it_in_every_stream_mode(quick, says, mode, asynchronous):
    app, config = graph_of(says(FALSE)), {"callbacks": [quick]}

    async def consume():
        return [each async for each in app.astream({"messages": [("user", SOURCE)]}, config, stream_mode=mode)]

    if asynchronous:
        chunks = asyncio.run(consume())
    else:
        chunks = list(app.stream({"messages": [("user", SOURCE)]}, config, stream_mode=mode))
    if mode == "messages":
        message = reduce(add, [chunk for chunk, _ in chunks])
    else:
        message = (chunks[-1]["say"] if mode == "updates" else chunks[-1])["messages"][-1]
    quick.flush()
    assert shown(message) == quick.report().summary()
    assert shown(message)["claims"] == 1
    assert message.text == FALSE


def test_inline_it_is_complete_when_the_call_returns(says):
    handler = TrailCallbackHandler(evaluate="inline")
    assert shown((template | says(FALSE)).invoke(ASK, {"callbacks": [handler]}))["state"] == "assessed"

    async def call():
        return await (template | says(FALSE)).ainvoke(ASK, {"callbacks": [handler]})

    assert shown(asyncio.run(call()))["state"] == "assessed"
    handler.close()


@pytest.mark.parametrize("settings", [{"evaluate": "never"}, {"sample_rate": 0.0}, {"attach": False}])
def test_where_no_report_is_due_or_wanted_nothing_is_attached(says, settings):
    handler = TrailCallbackHandler(**settings)
    for way in ("invoke", "stream"):
        message = read(template | says(TRUE), ASK, {"callbacks": [handler]}, way)
        assert "trail" not in message.response_metadata
    handler.close()
    assert handler.errors == []


def test_messages_that_the_app_had_before_are_not_touched(quick, says):
    before = AIMessage("Titan is a moon.")
    config = {"callbacks": [quick]}
    RunnablePassthrough().invoke(before, config)
    RunnableLambda(lambda messages: messages[-1]).invoke([HumanMessage("?"), before], config)
    silent = StateGraph(MessagesState)
    silent.add_node("rest", lambda state: {})
    silent.add_edge(START, "rest")
    silent.compile().invoke({"messages": [HumanMessage("?"), before]}, config)
    assert before.response_metadata == {}

    saver = InMemorySaver()
    thread = {"callbacks": [quick], "configurable": {"thread_id": "1"}}
    graph_of(says(TRUE), checkpointer=saver).invoke({"messages": [("user", SOURCE)]}, thread)
    silent = silent.compile(checkpointer=saver).invoke({"messages": []}, thread)
    assert silent["messages"][-1].text == TRUE
    assert "trail" not in silent["messages"][-1].response_metadata, "it was restored, not written in this run"


def test_only_the_answer_s_last_chunk_keeps_it(slow, says):
    """A model before it streams too; what it wrote shows nothing, however it was added up."""
    graph = StateGraph(MessagesState)
    plan, say = says("First the moons."), says(FALSE)
    graph.add_node("plan", lambda state: {"messages": [plan.invoke(state["messages"])]})
    graph.add_node("say", lambda state: {"messages": [say.invoke([state["messages"][0]])]})
    graph.add_edge(START, "plan")
    graph.add_edge("plan", "say")
    seen = list(
        graph.compile().stream(
            {"messages": [("user", SOURCE)]}, {"callbacks": [slow]}, stream_mode=["messages", "values"]
        )
    )
    chunks = [payload[0] for mode, payload in seen if mode == "messages"]
    planned = [chunk for chunk in chunks if chunk.id == chunks[0].id]
    *_, last = chunks
    assert all("trail" not in chunk.response_metadata for chunk in planned)
    assert [chunk for chunk in chunks if "trail" in chunk.response_metadata] == [last]
    _, plan_message, answer = seen[-1][1]["messages"]
    assert "trail" not in plan_message.response_metadata
    assert shown(answer) is shown(last)
    slow.gate.open()
    slow.flush()
    assert shown(last) == slow.report().summary()


def test_a_guard_s_decision_stays(quick, says):
    app = guarded(template | says(FALSE), "local", stream="pass", on_fail="annotate")
    for message in (reduce(add, app.stream(ASK, {"callbacks": [quick]})), app.invoke(ASK, {"callbacks": [quick]})):
        assert "passed" in shown(message)
        assert shown(message)["state"] == "assessed"
    quick.flush()


@pytest.mark.parametrize("mode", ["values", "messages"])
def test_an_agent_s_answer_shows_it_and_its_tool_calls_do_not(quick, says, mode):
    from langchain.agents import create_agent
    from langchain_core.tools import tool

    @tool
    def look(what: str) -> str:
        """Looks something up."""
        return SOURCE

    call = AIMessage("", tool_calls=[{"name": "look", "args": {"what": "Titan"}, "id": "c1"}])
    agent = create_agent(says((SOURCE, FALSE), call, tools=True), [look])
    outer = StateGraph(MessagesState)  # the agent is a subgraph
    outer.add_node("agent", agent)
    outer.add_edge(START, "agent")
    seen = list(
        outer.compile().stream(
            {"messages": [("user", "Who found Titan?")]},
            {"callbacks": [quick]},
            stream_mode=["values", "messages"],
            subgraphs=True,
        )
    )
    quick.flush()
    if mode == "messages":
        chunks = [payload[0] for _, kind, payload in seen if kind == "messages"]
        assert [chunk.response_metadata.get("trail") for chunk in chunks[:-1]] == [None] * (len(chunks) - 1)
        last = chunks[-1]
    else:
        messages = [payload for _, kind, payload in seen if kind == "values"][-1]["messages"]
        assert ["trail" in message.response_metadata for message in messages] == [False, False, False, True]
        last = messages[-1]
    assert shown(last) == quick.report().summary()
    assert shown(last)["class_counts"] == {"contradicted": 1}


ASKED = "The lighthouse of Genoa is 77 metres tall. It was rebuilt in the year 1543. How high is it?"
BAD = "The lighthouse of Genoa is 97 metres tall."


def sent(value):
    return loads(dumps(value), allowed_objects="messages")


@pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainBetaWarning")  # `loads` is new
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(
    "wrap",
    [
        traced,
        partial(guarded, judge="local", on_fail="annotate", stream="buffer"),
        partial(guarded, judge="local", on_fail="block"),
    ],
)
def test_a_message_with_a_summary_is_data(says, wrap, streaming):
    app = wrap(says(BAD))
    if streaming:
        stream = app.stream(ASKED)
        message = reduce(add, list(stream))
        getattr(stream, "result", None)  # of traced(): waits for the report
    else:
        message = app.invoke(ASKED)
        message = getattr(message, "output", message)
    summary = message.response_metadata["trail"]
    assert summary["state"] == "assessed"
    assert json.loads(json.dumps(summary)) == summary
    assert json.loads(message.model_dump_json())["response_metadata"]["trail"] == summary
    for same in (
        copy.deepcopy(message),
        pickle.loads(pickle.dumps(message)),  # noqa: S301 - our own bytes
        message.model_copy(deep=True),
        type(message).model_validate(message.model_dump()),
        sent(message),
        messages_from_dict([message_to_dict(message)])[0],
    ):
        assert same.response_metadata["trail"] == summary
        assert same.text == message.text


def test_a_result_is_data(says):
    result = traced(says(BAD)).invoke(ASKED)
    for same in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):  # noqa: S301 - our own bytes
        assert same.output == result.output
        assert same.report.summary() == result.report.summary()
    assert dataclasses.asdict(result)["report"]["state"] == "assessed"


def test_a_state_with_a_summary_goes_through_a_checkpoint(says):
    pytest.importorskip("langchain", minversion="1.2.9")
    from langchain.agents import create_agent
    from langchain_trail import TrailGuard
    from langgraph.checkpoint.memory import InMemorySaver

    config = {"configurable": {"thread_id": "t"}}
    agent = create_agent(
        says(BAD), [], middleware=[TrailGuard(judge="local", on_fail="annotate")], checkpointer=InMemorySaver()
    )
    out = agent.invoke({"messages": [("user", ASKED)]}, config)
    kept = agent.get_state(config).values
    assert kept["trail"] == out["trail"]
    assert kept["messages"][-1].response_metadata["trail"] == out["trail"]
    assert json.loads(json.dumps(kept["trail"])) == kept["trail"]
