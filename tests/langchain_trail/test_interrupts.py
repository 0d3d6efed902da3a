"""Graphs that stop to ask their user something, and go on with the reply."""

from __future__ import annotations

from typing import TypedDict

import pytest
from langchain_trail import TrailCallbackHandler
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from trail_callbacks import Report

from .calling import MODES, run

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
