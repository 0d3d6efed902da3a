"""A guarded app with a memory remembers what its user read: no draft, no review, nothing that was withheld."""

import asyncio

import pytest
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables.history import RunnableWithMessageHistory
from langchain_trail import AnswerRejectedError, guarded

from trail_callbacks.guard import BLOCKED

pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainDeprecationWarning")  # histories are old

FACT = "The lighthouse of Genoa in Italy is 77 metres tall."
ASKED = "How high is the lighthouse of Genoa?"
AGAIN = "Once more, please: how high is it?"
GOOD = "The lighthouse of Genoa is 77 metres tall."
BAD = "The lighthouse of Genoa is 97 metres tall."
REVIEW = "<<<REVIEW"
WAYS = ["invoke", "ainvoke", "stream", "astream"]
POLICIES = [
    ({}, GOOD, GOOD),
    ({}, BAD, BLOCKED),
    ({"on_fail": "block"}, GOOD, BLOCKED),
    ({"on_fail": "annotate"}, GOOD, BAD),
    ({"exhausted": "annotate"}, BAD, BAD),
]


def text_of(output):
    if isinstance(output, dict):
        output = output["messages"][-1]
    return output if isinstance(output, str) else output.text


async def call(app, way, given, config):
    """The text that the user reads."""
    if way == "invoke":
        return text_of(await asyncio.to_thread(app.invoke, given, config))
    if way == "ainvoke":
        return text_of(await app.ainvoke(given, config))
    if way == "stream":
        chunks = await asyncio.to_thread(lambda: list(app.stream(given, config)))
    else:
        chunks = [chunk async for chunk in app.astream(given, config)]
    if isinstance(chunks[-1], dict):
        said = [m.text for c in chunks for u in c.values() if isinstance(u, dict) for m in u.get("messages", [])]
        return said[-1]
    return "".join(text_of(chunk) for chunk in chunks)


@pytest.fixture(params=["text", "messages"])
def history(request, says):
    """Makes a chain with a history of messages, and the history."""

    def make(better):
        kept = InMemoryChatMessageHistory()
        model = says((REVIEW, better), ("", BAD))
        if request.param == "messages":
            prompt = ChatPromptTemplate([("system", FACT), MessagesPlaceholder("given")])
            chain = (lambda given: {"given": given}) | prompt | model
            app = RunnableWithMessageHistory(chain, lambda session_id: kept)
            return app, kept, lambda text: [HumanMessage(text)]
        prompt = ChatPromptTemplate([("system", FACT + "{feedback}"), MessagesPlaceholder("history"), ("user", "{q}")])
        app = RunnableWithMessageHistory(
            prompt | model | StrOutputParser(),
            lambda session_id: kept,
            input_messages_key="q",
            history_messages_key="history",
        )
        return app, kept, lambda text: {"q": text, "feedback": ""}

    return make


SESSION = {"configurable": {"session_id": "s", "thread_id": "t"}}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("policy", "better", "end"), POLICIES)
async def test_a_history_of_messages(history, policy, better, end, way):
    app, kept, given = history(better)
    app = guarded(app, judge="local", no_evidence="fail", **policy)
    for question in (ASKED, AGAIN):
        assert (await call(app, way, given(question), SESSION)).strip() == end
    assert [message.text for message in kept.messages] == [ASKED, end, AGAIN, end]
    assert [isinstance(message, AIMessage) for message in kept.messages] == [False, True] * 2


@pytest.mark.parametrize("way", WAYS)
async def test_a_history_has_nothing_of_a_turn_that_raises(history, way):
    app, kept, given = history(BAD)
    with pytest.raises(AnswerRejectedError):
        await call(guarded(app, judge="local", on_fail="raise"), way, given(ASKED), SESSION)
    assert kept.messages == []


@pytest.fixture
def agent(says):
    """Makes an agent with a tool and a checkpointer, and the checkpointer."""
    pytest.importorskip("langchain")
    from langchain.agents import create_agent
    from langgraph.checkpoint.memory import InMemorySaver

    def make(better, **options):
        def tower(name: str) -> str:
            """Tells of a tower."""
            return FACT

        calls = AIMessage("", tool_calls=[{"name": "tower", "args": {"name": "lighthouse"}, "id": "c1"}])
        model = says((REVIEW, better), (FACT, BAD), ("", calls), tools=True)
        saver = InMemorySaver()
        return create_agent(model, [tower], checkpointer=saver, **options), saver

    return make


def everything(saver):
    """All that a checkpointer holds, in any checkpoint, as text."""
    found = [*saver.list(None)]
    assert found
    return repr(found)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("policy", "better", "end"), POLICIES)
async def test_the_checkpoints_of_a_graph(agent, policy, better, end, way):
    graph, saver = agent(better)
    app = guarded(graph, judge="local", **policy)
    for turn, question in enumerate((ASKED, AGAIN), 1):
        assert await call(app, way, {"messages": [("user", question)]}, SESSION) == end
        state = graph.get_state(SESSION)
        answers = [m.text for m in state.values["messages"] if m.type == "ai" and not m.tool_calls]
        assert answers == [end] * turn
        assert [m.text for m in state.values["messages"] if m.type == "human"] == [ASKED, AGAIN][:turn]
        assert state.next == ()
    held = everything(saver)
    assert REVIEW not in held
    assert (BAD in held) is (end == BAD)
    assert len([*graph.get_state_history(SESSION)]) > 4  # each step of each turn


@pytest.mark.parametrize("way", WAYS)
async def test_a_graph_has_no_checkpoint_of_a_turn_that_raises(agent, way):
    graph, saver = agent(BAD)
    with pytest.raises(AnswerRejectedError):
        await call(guarded(graph, judge="local", on_fail="raise"), way, {"messages": [("user", ASKED)]}, SESSION)
    assert [*saver.list(None)] == []


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
@pytest.mark.parametrize("better", [GOOD, BAD])
async def test_middleware_of_an_agent_with_a_checkpointer(agent, better, way):
    from langchain_trail import TrailGuard

    graph, saver = agent(better, middleware=[TrailGuard(judge="local")])
    end = GOOD if better == GOOD else BLOCKED
    for question in (ASKED, AGAIN):
        assert await call(graph, way, {"messages": [("user", question)]}, SESSION) == end
    held = everything(saver)
    assert BAD not in held
    assert REVIEW not in held


async def test_a_graph_that_asks_its_user_goes_on_from_where_it_stopped(says):
    pytest.importorskip("langgraph")
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import Command, interrupt

    model = says((REVIEW, GOOD), ("", BAD))

    class State(MessagesState):
        consent: str
        unchanged: str

    def consent(state):
        return {"consent": interrupt("May I look it up?")}

    def answer(state):
        return {"messages": [model.invoke([("system", FACT), *state["messages"]])]}

    builder = StateGraph(State)
    builder.add_node("ask", consent)
    builder.add_node("answer", answer)
    builder.add_edge(START, "ask")
    builder.add_edge("ask", "answer")
    graph = builder.compile(checkpointer=InMemorySaver())
    graph.update_state(SESSION, {"unchanged": "kept"}, as_node="answer")
    app = guarded(graph, judge="local", on_fail="block")
    out = await app.ainvoke({"messages": [("user", ASKED)]}, SESSION)
    assert out["__interrupt__"][0].value == "May I look it up?"
    assert graph.get_state(SESSION).next == ("ask",)
    out = app.invoke(Command(resume="yes"), SESSION)
    assert [m.text for m in out["messages"]] == [ASKED, BLOCKED]
    state = graph.get_state(SESSION)
    assert (state.values["consent"], state.values["unchanged"]) == ("yes", "kept")
    assert [m.text for m in state.values["messages"]] == [ASKED, BLOCKED]
    assert BAD not in everything(graph.checkpointer)


@pytest.mark.parametrize("every", [1, 100])
@pytest.mark.parametrize(("better", "end"), [(GOOD, GOOD), (BAD, BLOCKED)])
async def test_channels_that_are_kept_as_differences(says, better, end, every):
    pytest.importorskip("langgraph.channels.delta")
    from typing import Annotated, TypedDict

    from langgraph.channels.delta import DeltaChannel
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import START, StateGraph
    from langgraph.graph.message import _messages_delta_reducer

    class State(TypedDict):
        messages: Annotated[list, DeltaChannel(_messages_delta_reducer, snapshot_frequency=every)]

    model = says((REVIEW, better), ("", BAD))
    builder = StateGraph(State)
    builder.add_node("say", lambda state: {"messages": [model.invoke([("system", FACT), *state["messages"]])]})
    builder.add_edge(START, "say")
    graph = builder.compile(checkpointer=InMemorySaver())
    app = guarded(graph, judge="local")
    for turn, question in enumerate((ASKED, AGAIN), 1):
        out = await app.ainvoke({"messages": [HumanMessage(question)]}, SESSION)
        assert out["messages"][-1].text == end
        kept = graph.get_state(SESSION).values["messages"]
        assert [m.text for m in kept] == [ASKED, end, AGAIN, end][: 2 * turn]
    assert BAD not in everything(graph.checkpointer)
