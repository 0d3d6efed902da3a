"""Maps over several inputs, whose results a later step puts together."""

from __future__ import annotations

import operator
from typing import Annotated, TypedDict

import pytest
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from .calling import MODES, run

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


@pytest.mark.parametrize("mode", MODES)
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


FERRIES = [
    "The Elbe ferry was built in 1998 in Hamburg and carries 120 cars.",
    "The Skye ferry was built in 1971 in Glasgow and carries 36 cars.",
    "The Oslo ferry was built in 1985 in Bergen and carries 80 cars.",
]
WRONG = [
    (["1998", "1973", "1985"], "The Skye ferry was built in 1973.", "1973"),
    (
        ["Elbe: built 1998.", "Skye: built 1973.", "Oslo: 80 cars."],
        "The Skye ferry was built in 1973.",
        "Skye: built 1973.",
    ),
    (
        ["120 cars go.", "63 cars go.", "80 cars go."],
        "The Skye ferry was built in 1971 in Glasgow and carries 63 cars.",
        "63",
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("made", [mapping_graph, mapping_chain])
@pytest.mark.parametrize(("parts", "merged", "wrong"), WRONG)
def test_an_error_of_a_map_step_is_not_reported_at_the_step_that_merges(
    handler, says, *, made, parts, merged, wrong, mode
):
    writer = says(*((ferry.split(" was")[0], part) for ferry, part in zip(FERRIES, parts, strict=True)))
    run(made(writer, says(merged)), {"topics": FERRIES}, {"callbacks": [handler]}, mode)
    report = handler.report()
    (verdict,) = (verdict for verdict in report.verdicts if str(verdict.support) != "supported")
    introduced = report.graph.node(verdict.introduced_at)
    assert introduced.kind == "completion"
    assert wrong in introduced.text
