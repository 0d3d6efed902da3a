"""Maps over several inputs, whose results a later step puts together."""

from __future__ import annotations

import asyncio
import operator
from typing import Annotated, TypedDict

import pytest
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

SAME = "Both say that tides rise twice a day."
MERGED = "All in all, two tides a day."


class State(TypedDict, total=False):
    topics: list[str]
    topic: str
    parts: Annotated[list[str], operator.add]
    answer: str


def mapping_graph(writer, merger):
    graph = StateGraph(State)
    graph.add_node("summarise", lambda state: {"parts": [writer.invoke("Summarise: " + state["topic"]).text]})
    graph.add_node("merge", lambda state: {"answer": merger.invoke("Merge:\n" + "\n".join(state["parts"])).text})
    graph.add_conditional_edges(START, lambda s: [Send("summarise", {"topic": each}) for each in s["topics"]])
    return graph.add_edge("summarise", "merge").add_edge("merge", END).compile()


def mapping_chain(writer, merger):
    one = ChatPromptTemplate.from_template("Summarise: {topic}") | writer | StrOutputParser()
    return (
        RunnableLambda(lambda given: [{"topic": each} for each in given["topics"]])
        | one.map()
        | RunnableLambda(lambda parts: {"parts": "\n".join(parts)})
        | ChatPromptTemplate.from_template("Merge: {parts}")
        | merger
        | StrOutputParser()
    )


def run(app, given, config, mode):
    if mode == "async":
        asyncio.run(app.ainvoke(given, config))
    elif mode == "stream":
        list(app.stream(given, config))
    else:
        app.invoke(given, config)


@pytest.mark.parametrize("mode", ["invoke", "stream", "async"])
@pytest.mark.parametrize("made", [mapping_graph, mapping_chain])
@pytest.mark.parametrize("times", [2, 3])
def test_equal_results_of_a_map_all_go_into_the_step_that_merges_them(handler, says, made, mode, times):
    topics = ["a report on the north sea", "a report on the south sea", "a report on the red sea"][:times]
    run(made(says(SAME), says(MERGED)), {"topics": topics}, {"callbacks": [handler]}, mode)
    graph = handler.graph()
    assert graph.answer.text == MERGED
    written = {node.id for node in graph.nodes if node.text == SAME}
    assert len(written) == times
    assert {node.id for node in graph.inputs(graph.answer.id)} >= written
    assert {topic for topic in topics if any(topic in node.text for node in graph.leaves())} == set(topics)
