"""Sources that an app declares by the names of its inputs, or by a function."""

from __future__ import annotations

from typing import TypedDict

import pytest
from langchain_core.documents import Document
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_trail import TrailCallbackHandler, trail
from langgraph.graph import START, StateGraph

from trail_callbacks.redaction import presets

from .calling import MODES, run

emails = presets("email")

KNOWN = "The museum opened in 1968. Entry costs 4 euros."
ANSWER = "The museum opened in 1968. Entry costs 5 euros."
ASKED = "When did the museum open?"


class State(TypedDict, total=False):
    query: str
    kb: str
    answer: str


def chain(model):
    return ChatPromptTemplate.from_messages([("system", "Say yes. {kb}"), ("user", "{query}")]) | model


def graph(model):
    app = StateGraph(State)
    app.add_node("load", lambda state: {"kb": KNOWN})
    app.add_node("write", lambda state: {"answer": model.invoke(f"{state['kb']} {state['query']}").text})
    return app.add_edge(START, "load").add_edge("load", "write").compile()


def checked(report):
    assert [str(verdict.support) for verdict in report.verdicts] == ["supported", "contradicted"]
    (source,) = (leaf for leaf in report.graph.leaves() if leaf.text == KNOWN)
    assert (source.kind, source.origin) == ("document", "given")
    assert {item.node_id for verdict in report.verdicts for item in verdict.evidence} == {source.id}
    return report.graph


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("made", [chain, graph])
@pytest.mark.parametrize("per_run", [False, True])
def test_a_text_under_a_declared_key_is_a_source(says, made, mode, per_run):
    handler = TrailCallbackHandler(evaluate="never", sources=() if per_run else {"kb"})
    config = {"callbacks": [handler]} | ({"metadata": {"trail_source_keys": ["kb"]}} if per_run else {})
    run(made(says(ANSWER)), {"query": ASKED, "kb": KNOWN}, config, mode)
    assert checked(handler.report()).question.text == ASKED
    assert handler.errors == []
    handler.close()


def test_what_a_model_wrote_is_no_source_under_a_declared_key(says):
    app = StateGraph(State)
    draft, write = says("Entry costs 5 euros on every day."), says("Entry costs 5 euros.")
    app.add_node("draft", lambda state: {"kb": draft.invoke(state["query"]).text})
    app.add_node("write", lambda state: {"answer": write.invoke(f"{state['kb']} {state['query']}").text})
    app.add_edge(START, "draft").add_edge("draft", "write")
    with trail(sources={"kb"}) as t:
        app.compile().invoke({"query": f"Entry costs 4 euros. {ASKED}"})
    assert {str(verdict.support) for verdict in t.report.verdicts} == {"absent"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "sources",
    [
        lambda given: [given["blob"].split("---")[0].strip()],
        lambda given: [Document(KNOWN, id="k", metadata={"source": given["query"] and "kb.txt"})],
        lambda given: KNOWN,
    ],
)
def test_a_function_of_the_inputs_declares_sources(says, sources, mode):
    handler = TrailCallbackHandler(evaluate="never", sources=sources)
    app = ChatPromptTemplate.from_template("{blob} {query}") | says(ANSWER)
    run(app, {"blob": f"{KNOWN}\n---\nAnswer kindly.", "query": ASKED}, {"callbacks": [handler]}, mode)
    report = handler.report()
    declared = [leaf for leaf in report.graph.leaves() if leaf.text == KNOWN]
    assert [(leaf.kind, leaf.origin) for leaf in declared] == [("document", "given")]
    assert [str(verdict.support) for verdict in report.verdicts] == ["supported", "contradicted"]
    assert handler.errors == []
    handler.close()


def test_a_source_that_no_prompt_shows_counts_if_it_is_declared(says):
    with trail(sources=lambda given: [KNOWN]) as t:
        says(ANSWER).invoke(ASKED)
    checked(t.report)


def test_declared_sources_and_their_metadata_are_redacted(says):
    document = Document("Ada (ada@example.org) built it.", id="ada@example.org", metadata={"source": "ada@example.org"})
    handler = TrailCallbackHandler(
        evaluate="inline", redact=emails, sources=lambda _: [document, "ada@example.org knows."]
    )
    (RunnableLambda(lambda x: x) | says("Ask ada@example.org.")).invoke(
        "Who, ada@example.org?", {"callbacks": [handler]}
    )
    assert handler.errors == []
    assert len([node for node in handler.graph().nodes if node.kind == "document"]) == 2
    assert "ada@example.org" not in handler.report().to_json()
