"""The step at which something was introduced is named as the user named it."""

from __future__ import annotations

from typing import Any, TypedDict

import pytest
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langgraph.graph import START, StateGraph

from .calling import MODES, run

INVENTED = "The ferry takes 53 minutes and sails at noon from pier seven."
ASKED = (
    "A ticket for the ferry costs 9 euros. The ferry takes 40 minutes and sails at noon from pier seven. Is that so?"
)


class State(TypedDict, total=False):
    question: str
    draft: str
    answer: Any


def by_a_node(write):
    graph = StateGraph(State)
    graph.add_node("write", lambda s: {"draft": write.invoke(s["question"]).text})
    graph.add_node("add times", lambda s: {"answer": f"{s['draft']} {INVENTED}"})
    return graph.add_edge(START, "write").add_edge("write", "add times").compile()


def by_a_subgraph(write):
    graph = StateGraph(State)
    graph.add_node("child", by_a_node(write))
    return graph.add_edge(START, "child").compile()


def by_a_function(write):
    def tell(text):
        return f"{text} {INVENTED}"

    return ChatPromptTemplate.from_template("{question}") | write | StrOutputParser() | tell


ADD = RunnableLambda(lambda text: f"{text} {INVENTED}")  # LangChain knows no name for it


def by_nameless_code_in_a_named_chain(write):
    return (ChatPromptTemplate.from_template("{question}") | write | StrOutputParser() | ADD).with_config(
        run_name="summarise"
    )


def by_a_fallback_in_a_named_chain(write):
    written = ChatPromptTemplate.from_template("{question}") | write | StrOutputParser()
    return (written | ADD.with_fallbacks([ADD])).with_config(run_name="summarise")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("made", "name"),
    [
        (by_a_node, "add times"),
        (by_a_subgraph, "add times"),
        (by_a_function, "tell"),
        (by_nameless_code_in_a_named_chain, "summarise"),
        (by_a_fallback_in_a_named_chain, "summarise"),
    ],
)
def test_code_that_writes_the_answer_is_the_step_of_the_answer(handler, says, made, name, mode):
    app, given, config = (
        made(says("A ticket for the ferry costs 12 euros.")),
        {"question": ASKED},
        {"callbacks": [handler]},
    )
    run(app, given, config, mode)
    answer = handler.graph().answer
    assert INVENTED in answer.text
    assert answer.step == name
    named = {handler.graph().node(v.introduced_at).step for v in handler.report().verdicts if v.introduced_at}
    assert name in named
    assert not {step for step in named if step.startswith(("Runnable", "LangGraph"))}
