"""`trail_node()`: the verification as a node of a graph."""

import asyncio
from dataclasses import dataclass, field
from operator import add
from typing import Annotated, Any, TypedDict

import pytest

pytest.importorskip("langgraph", reason="needs the dev dependencies: make test")

from langchain_core.documents import Document
from langchain_trail import TrailCallbackHandler, trail_node
from langgraph.graph import END, START, MessagesState, StateGraph
from pydantic import BaseModel

from trail_callbacks.errors import InputError
from trail_callbacks.judges.llm.judge import LLMJudge
from trail_callbacks.testing import ScriptedModel

FACT = "The lighthouse of Genoa is 77 metres tall. The lighthouse of Genoa was rebuilt in 1543."
ASKED = "How high is the lighthouse of Genoa?"
GOOD = "The lighthouse of Genoa is 77 metres tall."
BAD = "The lighthouse of Genoa is 99 metres tall."


class Talk(MessagesState):
    trail: dict[str, Any]


class Rag(TypedDict, total=False):
    question: str
    documents: list[Document]
    context: str
    notes: Annotated[list[str], add]
    answer: str
    trail: dict[str, Any]


def graph(schema, node, **steps):
    """A graph of some steps in a row, the node at its end."""
    made = StateGraph(schema)
    names = [*steps, "verify"]
    for name, step in steps.items():
        made.add_node(name, step)
    made.add_node("verify", node)
    for before, after in zip([START, *names], [*names, END], strict=True):
        made.add_edge(before, after)
    return made.compile()


def run(app, given, config, asynchronous):
    return asyncio.run(app.ainvoke(given, config)) if asynchronous else app.invoke(given, config)


@pytest.mark.parametrize("asynchronous", [False, True], ids=["invoke", "ainvoke"])
@pytest.mark.parametrize("listening", [True, False], ids=["handler", "no handler"])
@pytest.mark.parametrize(("said", "state"), [(GOOD, "assessed"), (BAD, "no_evidence")])
def test_messages(says, said, state, listening, asynchronous):
    app = graph(Talk, trail_node(judge="local"), say=lambda state: {"messages": [says(said).invoke(state["messages"])]})
    handler = TrailCallbackHandler(evaluate="never")
    given = {"messages": [("user", ASKED), ("ai", "Let me see."), ("user", f"{FACT} {ASKED}")]}
    config = {"callbacks": [handler]} if listening else None
    out = run(app, given, config, asynchronous)
    assert out["trail"]["state"] == state  # what a user says is no source against which something could be wrong
    assert len(out["messages"]) == 4
    assert out["messages"][-1].text == said
    assert out["messages"][-1].response_metadata["trail"] == out["trail"]
    assert handler.errors == []


@pytest.mark.parametrize("asynchronous", [False, True], ids=["invoke", "ainvoke"])
@pytest.mark.parametrize("listening", [True, False], ids=["handler", "no handler"])
@pytest.mark.parametrize(("said", "score"), [(GOOD, 0.0), (BAD, 1.0)])
def test_a_state_with_documents_and_an_answer(says, shelf, said, score, listening, asynchronous):  # noqa: PLR0917
    app = graph(
        Rag,
        trail_node(judge="local"),
        find=lambda state: {"documents": shelf(FACT).invoke(state["question"])},
        say=lambda state: {"answer": says(said).invoke(f"{state['documents'][0].page_content} {ASKED}").text},
    )
    config = {"callbacks": [TrailCallbackHandler(evaluate="never")]} if listening else None
    out = run(app, {"question": ASKED}, config, asynchronous)
    assert out["trail"]["hallucination_score"] == score
    assert out["answer"] == said


def test_without_a_handler_only_what_is_named_is_evidence():
    reports = []
    given = {"question": ASKED, "context": FACT, "notes": [BAD], "answer": BAD}
    assert (
        graph(Rag, trail_node(judge="local", on_report=reports.append)).invoke(given)["trail"]["hallucination_score"]
        == 1.0
    )
    (report,) = reports
    assert [(n.kind, n.text) for n in report.graph.nodes] == [
        ("question", ASKED),
        ("document", FACT),
        ("answer", BAD),
    ]
    named = graph(Rag, trail_node(judge="local", sources="notes", answer="answer"))
    assert named.invoke(given)["trail"]["hallucination_score"] == 0.0


@dataclass
class Plain:
    question: str = ""
    context: str = FACT
    answer: str = BAD
    verdict: dict = field(default_factory=dict)


class Model(BaseModel):
    question: str = ""
    context: str = FACT
    answer: str = BAD
    verdict: dict = {}


@pytest.mark.parametrize("schema", [Plain, Model])
def test_other_kinds_of_state_and_another_key(schema):
    out = graph(schema, trail_node(judge="local", key="verdict")).invoke({"question": ASKED})
    assert out["verdict"]["hallucination_score"] == 1.0


def test_nothing_to_verify_and_a_judge_that_fails_are_said_not_raised():
    assert graph(Rag, trail_node(judge="local")).invoke({"question": ASKED})["trail"]["state"] == "no_checkable_claims"
    down = LLMJudge(ScriptedModel([RuntimeError("the judge is down")]))
    out = graph(Rag, trail_node(down)).invoke({"context": FACT, "answer": BAD})
    assert out["trail"]["state"] == "error"
    with pytest.raises(InputError, match="key is empty"):
        trail_node(judge="local", key="")


def test_a_graph_can_go_back_until_the_answer_holds(says):
    model = says((BAD, GOOD), ("", BAD))
    app = StateGraph(Rag)
    app.add_node("say", lambda s: {"answer": model.invoke(f"{s['context']} Before: {s.get('answer')}").text})
    app.add_node("verify", trail_node(judge="local"))
    app.add_edge(START, "say")
    app.add_edge("say", "verify")
    app.add_conditional_edges("verify", lambda s: "say" if s["trail"]["hallucination_score"] else END)
    out = app.compile().invoke({"question": ASKED, "context": FACT}, {"recursion_limit": 8})
    assert out["answer"] == GOOD
