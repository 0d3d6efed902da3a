"""Which text reached which in LangGraph's graphs and agents, in every way of calling them."""

from __future__ import annotations

import json
import operator
from typing import Annotated, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langchain_trail import TrailCallbackHandler
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from trail_callbacks import Report

from .calling import MODES, run


@tool
def catalogue(name: str) -> str:
    """Look a body up in the catalogue of moons."""
    return "Titan: diameter 5150 km, discovered 1655, second largest moon."


def test_an_agent_s_answer_rests_on_the_tool_result_and_the_call_that_fetched_it(drive, says, link):
    call = AIMessage("", tool_calls=[{"name": "catalogue", "args": {"name": "Saturn\u2019s largest"}, "id": "c1"}])
    model = says(("diameter 5150", "Titan measures 5150 km."), call, tools=True)
    agent = create_agent(model, [catalogue], system_prompt="Use the catalogue of moons for every number you give.")
    graph = drive(agent, {"messages": [("user", "How wide is Saturn's largest moon?")]})
    assert graph.answer.text == "Titan measures 5150 km."
    assert link(graph, "diameter 5150 km", "Titan measures") == "firm"
    assert link(graph, 'catalogue({"name": "Saturn\u2019s largest"})', "diameter 5150 km") == "firm"
    assert link(graph, "How wide is", "catalogue({") == "firm"
    assert "tool_result" in {leaf.kind for leaf in graph.leaves()}
    assert graph.question.text == "How wide is Saturn's largest moon?"


class Draft(TypedDict):
    topic: str
    draft: str
    edited: str
    verdict: str


@pytest.mark.parametrize(
    "edit", [str.upper, lambda t: t[:30], lambda t: json.dumps([t]), lambda t: t.replace(" ", "  ")]
)
def test_a_graph_node_that_rewrites_text_passes_its_origin_on(drive, says, link, edit):
    write, judge = says("Titan hides its surface under orange haze."), says("Accepted without changes.")
    graph = StateGraph(Draft)
    graph.add_node("write", lambda s: {"draft": write.invoke("Write on " + s["topic"]).text})
    graph.add_node("edit", lambda s: {"edited": edit(s["draft"])})
    graph.add_node("judge", lambda s: {"verdict": judge.invoke("Judge: " + s["edited"]).text})
    graph.add_edge(START, "write").add_edge("write", "edit").add_edge("edit", "judge").add_edge("judge", END)
    found = drive(graph.compile(), {"topic": "the atmosphere of a distant moon"})
    assert found.answer.text == "Accepted without changes."
    assert link(found, "under orange haze", "Accepted") == "firm"
    assert link(found, "atmosphere of a distant moon", "under orange haze") == "firm"


def test_commands_and_subgraphs_write_channels_too(drive, says, link):
    class Inner(TypedDict):
        draft: str
        edited: str

    edit = says("Edited: Huygens saw Titan first.")
    inner = StateGraph(Inner)
    inner.add_node("edit", lambda s: {"edited": edit.invoke("Edit: " + s["draft"]).text})
    inner.add_edge(START, "edit").add_edge("edit", END)
    write, judge = says("Huygens was the first to see Titan."), says("Well told.")

    def first(state):
        return Command(update={"draft": write.invoke("Tell of " + state["topic"]).text}, goto="polish")

    graph = StateGraph(Draft)
    graph.add_node("first", first, destinations=("polish",))
    graph.add_node("polish", inner.compile())
    graph.add_node("judge", lambda s: {"verdict": judge.invoke("Judge: " + s["edited"]).text})
    graph.add_edge(START, "first").add_edge("polish", "judge").add_edge("judge", END)
    found = drive(graph.compile(), {"topic": "the discovery of moons"})
    assert (
        link(found, "first to see Titan", "Edited: Huygens") == link(found, "Edited: Huygens", "Well told.") == "firm"
    )
    assert link(found, "discovery of moons", "first to see Titan") == "firm"


def test_a_second_turn_knows_the_first_from_the_checkpoint(handler, says, link):
    model = says(("And who", "Huygens did."), "It was found in 1655.", tools=True)
    agent = create_agent(model, [], checkpointer=InMemorySaver())
    config = {"callbacks": [handler], "configurable": {"thread_id": "one"}}
    for turn in ("When was Titan found?", "And who found it?"):
        agent.invoke({"messages": [("user", turn)]}, config)
    graph = handler.graph()
    assert (graph.question.text, graph.answer.text) == ("And who found it?", "Huygens did.")
    assert link(graph, "found in 1655", "Huygens did.") == "firm"


class Asked(TypedDict):
    topic: str
    draft: str
    approved: str


def asking_graph(says, **options):
    write = says("A draft about rings.")
    graph = StateGraph(Asked)
    graph.add_node("write", lambda s: {"draft": write.invoke("Write on " + s["topic"]).text})
    graph.add_node("ask", lambda s: {"approved": f"{interrupt('Is it good?')}: {s['draft']}"})
    graph.add_edge(START, "write").add_edge("write", "ask")
    return graph.compile(checkpointer=InMemorySaver(), **options)


_RECEIVES_INTERRUPTS = TrailCallbackHandler(evaluate="never").receives_interrupts


@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param(
            {"interrupt_before": ["ask"]},
            marks=pytest.mark.skipif(not _RECEIVES_INTERRUPTS, reason="this langgraph does not tell callbacks"),
        ),
    ],
)
def test_an_interrupted_graph_is_paused_and_has_no_answer_yet(handler, says, quiet, options):
    app, config = asking_graph(says, **options), {"callbacks": [handler], "configurable": {"thread_id": "1"}}
    app.invoke({"topic": "Saturn", "draft": "", "approved": ""}, config)
    first = handler.session.recorder.latest
    assert handler.graph().answer is None
    assert "A draft about rings." in [node.text for node in handler.graph().nodes if node.kind == "completion"]
    statuses = {e.status for e in handler.session.recorder.events(first) if e.event == "failed"}
    assert statuses == {"paused"}
    if options:
        app.invoke(None, config)
    app.invoke(Command(resume="yes"), config)
    assert handler.session.recorder.latest != first
    assert handler.graph().answer.text == "yes: A draft about rings."


def test_a_supervisor_hands_over_and_only_what_was_read_counts(drive, says, link):
    class Team(TypedDict):
        messages: Annotated[list, operator.add]
        private: str

    plan = says("Ask the astronomer about the haze.")
    astronomer = says(("haze", "Methane makes the haze of Titan."))
    geologist = says("The ground is ice as hard as rock.")
    reply = says(("Methane", "It is methane."))

    def supervisor(state):
        said = plan.invoke("Who should answer? " + state["messages"][0].text)
        return Command(update={"messages": [said]}, goto=["astronomer", "geologist"])

    graph = StateGraph(Team)
    graph.add_node("supervisor", supervisor, destinations=("astronomer", "geologist"))
    graph.add_node("astronomer", lambda s: {"messages": [astronomer.invoke(s["messages"])]})
    graph.add_node("geologist", lambda s: {"private": geologist.invoke(s["messages"][:1]).text})
    graph.add_node("reply", lambda s: {"messages": [reply.invoke([s["messages"][0], s["messages"][-1]])]})
    graph.add_edge(START, "supervisor").add_edge(["astronomer", "geologist"], "reply").add_edge("reply", END)
    found = drive(graph.compile(), {"messages": [HumanMessage("Why is Titan orange?")], "private": ""})
    assert found.answer.text == "It is methane."
    assert link(found, "Methane makes the haze", "It is methane.") == "firm"
    assert link(found, "Ask the astronomer", "Methane makes the haze") == "firm"
    assert link(found, "hard as rock", "It is methane.") is None
    assert link(found, "Ask the astronomer", "hard as rock") is None


ASKED = "When did the museum open?"
REPLY = "The one by the pier. The Harbour Museum opened in 1968."
ANSWER = "The Harbour Museum opened in 1968."


class Plain(TypedDict, total=False):
    question: str
    place: str
    answer: str


def messages_app(model):
    def answer(state):
        place = interrupt("Which museum do you mean?")
        return {"messages": [model.invoke([*state["messages"], ("user", f"They say: {place}")])]}

    graph = StateGraph(MessagesState)
    graph.add_node("answer", answer)
    return graph.add_edge(START, "answer").add_edge("answer", END).compile(checkpointer=InMemorySaver())


def plain_app(model):
    graph = StateGraph(Plain)
    graph.add_node("clarify", lambda state: {"place": interrupt("Which museum do you mean?")})
    graph.add_node(
        "write", lambda state: {"answer": model.invoke(f"Asked: {state['question']} They say: {state['place']}").text}
    )
    graph.add_edge(START, "clarify").add_edge("clarify", "write").add_edge("write", END)
    return graph.compile(checkpointer=InMemorySaver())


APPS = [(messages_app, {"messages": [("user", ASKED)]}), (plain_app, {"question": ASKED})]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("made", "given"), APPS)
def test_a_reply_is_a_text_of_the_user_and_not_the_question(handler, says, made, given, mode):
    app, config = made(says(ANSWER)), {"callbacks": [handler], "configurable": {"thread_id": "1"}}
    run(app, given, config, mode)
    assert handler.report().state == "interrupted"
    run(app, Command(resume=REPLY), config, mode)
    report = handler.report()
    assert report.graph.question.text == ASKED
    (reply,) = (node for node in report.graph.nodes if node.text == REPLY)
    assert (reply.kind, reply.origin, reply.step) == ("document", "user", "user")
    assert {reply.id, report.graph.question.id} <= {leaf.id for leaf in report.graph.leaves()}
    assert report.state == "assessed"
    assert [str(verdict.support) for verdict in report.verdicts] == ["supported"]
    assert report.verdicts[0].evidence[0].node_id == reply.id
    assert any("not by a source" in warning for warning in report.warnings)


def test_a_handler_that_did_not_see_the_first_part_takes_the_last_user_message_for_the_question(handler, says):
    app, config = messages_app(says(ANSWER)), {"configurable": {"thread_id": "1"}}
    app.invoke({"messages": [("user", "Hello there."), ("assistant", "Yes?"), ("user", ASKED)]}, config)
    app.invoke(Command(resume=REPLY), {**config, "callbacks": [handler]})
    assert handler.graph().question.text == ASKED


@pytest.mark.parametrize("evaluate", ["background", "inline"])
def test_an_interrupted_run_is_reported_as_such(says, evaluate):
    handler = TrailCallbackHandler(evaluate=evaluate)
    app, config = plain_app(says(ANSWER)), {"callbacks": [handler], "configurable": {"thread_id": "1"}}
    app.invoke({"question": ASKED}, config)
    report = handler.report()
    assert (report.state, report.hallucination_score, report.graph.answer) == ("interrupted", None, None)
    assert "interrupted" in str(report)
    assert "interrupted" in report.to_html()
    assert Report.from_json(report.to_json()) == report
    assert Report.from_json(report.to_json(), lenient=True) == report
    assert handler.errors == []
    handler.close()
