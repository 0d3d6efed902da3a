"""The step at which something was introduced is named as the user named it."""

from __future__ import annotations

import asyncio
from typing import Any, TypedDict

import pytest
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langgraph.func import entrypoint
from langgraph.graph import START, StateGraph

INVENTED = "The ferry takes 53 minutes and sails at noon from pier seven."


class State(TypedDict, total=False):
    question: str
    draft: str
    answer: Any


def by_a_node(write):
    graph = StateGraph(State)
    graph.add_node("write", lambda s: {"draft": write.invoke(s["question"]).text})
    graph.add_node("add times", lambda s: {"answer": f"{s['draft']} {INVENTED}"})
    return graph.add_edge(START, "write").add_edge("write", "add times").compile()


def by_a_chain_in_a_node(write):
    graph = StateGraph(State)
    chain = ChatPromptTemplate.from_template("{question}") | write
    graph.add_node("add times", chain | (lambda reply: {"answer": {"one": reply.text, "two": INVENTED}}))
    return graph.add_edge(START, "add times").compile()


def by_a_subgraph(write):
    graph = StateGraph(State)
    graph.add_node("child", by_a_node(write))
    return graph.add_edge(START, "child").compile()


def by_a_flow(write):
    @entrypoint()
    def flow(given):
        return f"{write.invoke(given['question']).text} {INVENTED}"

    return flow


def by_a_function(write):
    def tell(text):
        return f"{text} {INVENTED}"

    return ChatPromptTemplate.from_template("{question}") | write | StrOutputParser() | tell


@pytest.mark.parametrize("mode", ["invoke", "stream", "async"])
@pytest.mark.parametrize(
    ("made", "name"),
    [
        (by_a_node, "add times"),
        (by_a_chain_in_a_node, "add times"),
        (by_a_subgraph, "add times"),
        (by_a_flow, "flow"),
        (by_a_function, "tell"),
    ],
)
def test_code_that_writes_the_answer_is_the_step_of_the_answer(handler, says, made, name, mode):
    app, given, config = made(says("Ships are nice.")), {"question": "How long is it?"}, {"callbacks": [handler]}
    if mode == "async":
        asyncio.run(app.ainvoke(given, config))
    elif mode == "stream":
        list(app.stream(given, config))
    else:
        app.invoke(given, config)
    answer = handler.graph().answer
    assert INVENTED in answer.text
    assert answer.step == name
