"""Graphs whose runs are torn apart: who wrote the state that they resume with. Generated ones are in `tests/origins`."""

from __future__ import annotations

import asyncio
from typing import Any, TypedDict

import pytest
from langchain_core.documents import Document
from langchain_trail import TrailCallbackHandler, guarded, trail, trail_node
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from trail_callbacks import Report

SOURCE = "The Vexx pump draws 9 watts in normal operation."
WRONG = "The Vexx pump draws 19 watts in normal operation."
ASKED = {"question": "How many watts does the pump draw?"}
CONFIG: Any = {"configurable": {"thread_id": "t1"}}


class State(TypedDict, total=False):
    question: str
    docs: list
    notes: str
    answer: str
    trail: dict


@pytest.fixture
def app(says):
    def made(**settings):
        model = says(("Take notes", WRONG), ("Write", WRONG))
        graph = StateGraph(State)
        graph.add_node("search", lambda s: {"docs": [Document(SOURCE, metadata={"source": "pumps.md"})]})
        graph.add_node("take", lambda s: {"notes": model.invoke(f"Take notes: {s['docs'][0].page_content}").text})
        graph.add_node("write", lambda s: {"answer": model.invoke(f"Write it up: {s['notes']}").text})
        graph.add_node("verify", trail_node("local"))
        graph.add_edge(START, "search").add_edge("search", "take").add_edge("take", "write").add_edge("write", "verify")
        graph.add_edge("verify", END)
        return graph.compile(checkpointer=InMemorySaver(), **{"interrupt_before": ["write"], **settings})

    return made


def with_(handler):
    return {**CONFIG, "callbacks": [handler]}


def said(report: Report):
    entries = [v.introduced_at and report.graph.node(v.introduced_at).step for v in report.verdicts]
    return report.state, [verdict.outcome for verdict in report.verdicts], entries


def test_what_another_worker_wrote_is_found_in_the_store_and_without_one_it_is_no_evidence(app, tmp_path):
    graph, known = app(), TrailCallbackHandler(store=tmp_path / "a.db")
    graph.invoke(ASKED, with_(known))
    assert known.report().state == "interrupted"
    worker, stranger = TrailCallbackHandler(store=tmp_path / "a.db"), TrailCallbackHandler()
    graph.invoke(None, {**CONFIG, "callbacks": [worker, stranger]})
    assert said(worker.report()) == ("assessed", ["contradicted"], ["take"])
    assert worker.graph().question.text == ASKED["question"]
    report = stranger.report()
    assert said(report) == ("no_evidence", ["undecided"], ["state"])
    assert [node.origin for node in report.graph.nodes if node.text == WRONG and node.kind != "answer"] == ["unknown"]
    assert "state that was there before the run (notes)" in report.warnings[0]
    worker.close()


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_the_graph_s_own_history_names_the_step_but_not_what_wrote_in_it(app, mode):
    graph, handler = app(), TrailCallbackHandler()
    graph.invoke(ASKED, CONFIG)
    if mode == "sync":
        handler.read_history(graph, CONFIG)
    else:
        asyncio.run(handler.aread_history(graph, CONFIG))
    graph.invoke(None, with_(handler))
    assert said(handler.report()) == ("partial", ["contradicted"], ["take"])
    handler.read_history(object(), CONFIG)
    handler.read_history(graph, {})
    assert [type(error) for error in handler.errors] == [AttributeError, KeyError]


def test_a_store_that_is_damaged_while_a_worker_resumes_is_an_error_of_ours_and_no_evidence(app, tmp_path):
    graph, handler = app(), TrailCallbackHandler(store=tmp_path / "a.db")
    graph.invoke(ASKED, CONFIG)
    (tmp_path / "a.db").write_bytes(b"no database" * 1000)
    assert graph.invoke(None, with_(handler))["answer"] == WRONG
    assert said(handler.report()) == ("no_evidence", ["undecided"], ["state"])
    assert any("cannot be read" in str(error) for error in handler.errors)


def test_a_resumed_run_passes_no_guard_and_no_node_on_words_that_nobody_saw_written(app):
    graph = app()
    graph.invoke(ASKED, CONFIG)
    assert graph.invoke(None, with_(TrailCallbackHandler(evaluate="never")))["trail"]["state"] == "no_evidence"
    graph = app()
    graph.invoke(ASKED, CONFIG)
    out = guarded(graph, judge="local", on_fail="block").invoke(None, CONFIG)
    assert out["answer"] != WRONG
    assert out["trail"]["blocked"]


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_block_notices_a_graph_that_waits_though_its_root_ends_normally(app, mode):
    graph = app()
    with trail() as t:
        graph.invoke(ASKED, CONFIG) if mode == "sync" else asyncio.run(graph.ainvoke(ASKED, CONFIG))
    assert t.report.state == "interrupted"


def test_the_answer_of_an_earlier_turn_is_not_that_of_one_that_gave_none(says):
    graph = StateGraph(State)
    model = says(("", WRONG))
    graph.add_node("route", lambda s: {"notes": "Nothing new was said here."})
    graph.add_node("write", lambda s: {"answer": model.invoke("Write.").text})
    graph.add_conditional_edges("route", lambda s: END if s.get("answer") else "write").add_edge(START, "route")
    app, handler = graph.add_edge("write", END).compile(checkpointer=InMemorySaver()), TrailCallbackHandler()
    app.invoke(ASKED, with_(handler))
    app.invoke({"question": "And in summer?"}, with_(handler))
    assert WRONG not in str(handler.graph().answer)


def test_a_function_gets_what_its_tasks_returned_before_from_nobody_we_saw(says):
    model = says(("Take notes", WRONG), ("Write", WRONG))

    @task
    def take(page):
        return model.invoke(f"Take notes: {page}").text

    @entrypoint(checkpointer=InMemorySaver())
    def flow(question):
        notes = take(SOURCE).result()
        interrupt("Go on?")
        return model.invoke(f"Write it up: {notes}").text

    known, stranger = TrailCallbackHandler(), TrailCallbackHandler()
    flow.invoke(ASKED["question"], with_(known))
    flow.invoke(Command(resume="yes"), {**CONFIG, "callbacks": [known, stranger]})
    assert said(known.report()) == ("assessed", ["contradicted"], ["take"])
    assert stranger.report().state in {"no_evidence", "unverified"}


def test_an_answer_that_was_written_before_it_was_approved_is_judged_with_the_steps_that_wrote_it(app):
    graph, known = app(interrupt_before=["verify"]), TrailCallbackHandler()
    graph.invoke(ASKED, with_(known))
    stranger = TrailCallbackHandler()
    graph.invoke(None, {**CONFIG, "callbacks": [known, stranger]})
    assert said(known.report()) == ("assessed", ["contradicted"], ["take"])
    assert stranger.report().state in {"no_evidence", "unverified"}


def test_a_run_is_not_joined_with_one_of_another_graph_that_uses_its_thread(app, says):
    handler, model = TrailCallbackHandler(), says(("", "Tickets cost 12 euros at the gate."))
    app().invoke(ASKED, with_(handler))  # waits, and is not resumed
    other = StateGraph(State)
    other.add_node("load", lambda s: {"docs": [Document("Tickets cost 12 euros.", metadata={"source": "fares.md"})]})
    other.add_node("reply", lambda s: {"answer": model.invoke(f"Answer: {s['docs'][0].page_content}").text})
    other.add_edge(START, "load").add_edge("load", "reply").add_edge("reply", END)
    graph = other.compile(checkpointer=InMemorySaver(), interrupt_before=["reply"])
    graph.invoke({"question": "What does a ticket cost?"}, CONFIG)
    graph.invoke(None, with_(handler))
    texts = [node.text for node in handler.graph().nodes]
    assert not {SOURCE, WRONG, ASKED["question"]} & set(texts)
