"""A graph whose nodes all read a large state: what is kept of it, and the time it takes to build, have a bound."""

import gc
import math
import random
import time
import tracemalloc
from typing import TypedDict

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langchain_trail import TrailCallbackHandler
from langgraph.graph import END, START, StateGraph

from trail_callbacks import ProvenanceGraph, verify

NODES = 30
KEPT, AT_MOST = (
    8,
    80,
)  # times the characters of the state: what capture and graph keep, and what building takes meanwhile


class State(TypedDict, total=False):
    question: str
    documents: object
    corpus: object
    answer: str


def app(nodes=NODES):
    graph = StateGraph(State)
    before = START
    for i in range(nodes):
        graph.add_node(f"n{i}", lambda state, i=i: {"answer": f"The ferry takes {i} minutes."})
        graph.add_edge(before, f"n{i}")
        before = f"n{i}"
    graph.add_edge(before, END)
    return graph.compile()


def text(size, seed):
    rng = random.Random(seed)  # noqa: S311 - words, not keys
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(2_000)]
    said = (" ".join(rng.choices(words, k=12)) + ". " for _ in range(size // 30))
    return "".join(said)[:size]


WORDS = text(400_000, 0).replace(".", "").split()


OTHER = 1_000_000  # a seed of other texts


def short(seed):
    return " ".join(random.Random(seed).choices(WORDS, k=12)) + "."  # noqa: S311 - words, not keys


SHAPES = {
    "one text": lambda size: text(size, 1),
    "a few texts": lambda size: {f"part {i}": text(size // 8, i) for i in range(8)},
    "many passages": lambda size: [text(2_000, i) for i in range(size // 2_000)],
    "records": lambda size: [{"name": short(i)[:40], "count": i} for i in range(size // 45)],
}


def built(shape, size):
    """Bytes kept and bytes at most for each character of the state, and the graph."""
    handler, given = TrailCallbackHandler(evaluate="never"), {"question": "When?", "corpus": SHAPES[shape](size)}
    gc.collect()
    tracemalloc.start()
    try:
        app().invoke(given, {"callbacks": [handler]})
        graph = handler.graph()
        gc.collect()
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert handler.errors == []
    return kept / size, most / size, graph


@pytest.mark.parametrize("shape", ["one text", "a few texts", "many passages"])
def test_texts_of_a_state_are_kept_once_however_many_nodes_read_it(shape):
    built(shape, 20_000)  # loads what is loaded at first use
    kept, most, graph = built(shape, 200_000)
    assert kept < KEPT
    assert most < AT_MOST
    assert graph.answer.text == f"The ferry takes {NODES - 1} minutes."


def seconds(run, size):
    """Time to build the graph of a run, and the graph."""
    handler = run(size)
    began = time.process_time()
    graph = handler.graph()
    return time.process_time() - began, graph


def read_by_nodes(corpus, nodes=NODES):
    def run(size):
        handler = TrailCallbackHandler(evaluate="never")
        app(nodes).invoke({"question": "When?", "corpus": corpus(size)}, {"callbacks": [handler]})
        return handler

    return run


@pytest.mark.parametrize("shape", SHAPES)
def test_time_grows_with_the_state(shape, collected):
    run = read_by_nodes(SHAPES[shape])
    seconds(run, 10_000)
    small, large = min(seconds(run, 20_000)[0] for _ in range(2)), seconds(run, 160_000)[0]
    assert large < 8 * 3 * max(small, 0.02)  # a square would take 64 times as long


CORPORA = {
    "short texts": lambda n: [short(i) for i in range(n)],
    "lines": lambda n: [f"{short(i)}\n" for i in range(n)],
    "one text again and again": lambda n: ["The boat leaves at nine."] * n,
    "one word again and again": lambda n: ["boat"] * n,
    "documents": lambda n: [Document(short(i), id=str(i)) for i in range(n)],
    "documents of one text": lambda n: [Document("The boat leaves at nine.", id=str(i)) for i in range(n)],
    "documents of one id": lambda n: [Document(short(i), id="1") for i in range(n)],
    "documents without an id": lambda n: [Document(short(i), metadata={"source": "a"}) for i in range(n)],
    "messages": lambda n: [AIMessage(short(i), id=str(i)) for i in range(n)],
    "messages of one text": lambda n: [AIMessage("The boat leaves at nine.") for i in range(n)],
}


def by_steps(*steps):
    """A chain of plain functions that each get and return a list; the last returns the answer."""

    def run(n):
        handler, chain = TrailCallbackHandler(evaluate="never"), RunnableLambda(lambda given: given)
        for step in steps:
            chain |= RunnableLambda(step)
        chain.invoke([short(i) for i in range(n)], {"callbacks": [handler]})
        return handler

    return run


def in_graph(node):
    """A graph of a node that writes or reads many texts, and one that answers."""

    def run(size):
        graph = StateGraph(State)
        graph.add_node("first", lambda state: node(state, size))
        graph.add_node("last", lambda state: {"answer": state.get("answer") or f"It is so: {state['corpus'][0]}"})
        graph.add_edge(START, "first")
        graph.add_edge("first", "last")
        handler = TrailCallbackHandler(evaluate="never")
        given = {"question": "When?", "corpus": [short(i) for i in range(size)]}
        graph.compile().invoke(given, {"callbacks": [handler]})
        return handler

    return run


RUNS = {
    **{name: read_by_nodes(corpus, nodes=5) for name, corpus in CORPORA.items()},
    "turned": by_steps(lambda given: given[::-1], lambda given: given[0]),
    "cut": by_steps(lambda given: [each[:30] for each in given], lambda given: given[0]),
    "rewritten": by_steps(lambda given: [short(OTHER + i) for i in range(len(given))], lambda given: given[0]),
    "rewritten and returned": by_steps(lambda given: [short(OTHER + i) for i in range(len(given))]),
    "written by a node": in_graph(lambda state, n: {"corpus": [short(OTHER + i) for i in range(n)]}),
    "an answer of many texts": in_graph(lambda state, n: {"answer": [short(OTHER + i) for i in range(n)]}),
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", RUNS)
def test_time_grows_with_the_number_of_texts(name, collected):
    run, step = RUNS[name], 4
    seconds(run, 60)
    small, large = min(seconds(run, 500)[0] for _ in range(2)), seconds(run, 500 * step)[0]
    if large > 2 * step * max(small, 0.02):  # noise, or so many that another way is taken from here on
        small, large = large, seconds(run, 500 * step * step)[0]
    assert math.log(large / max(small, 0.02), step) < 1.5  # a square has 2


@pytest.mark.parametrize("ending", ["", "\n"])
def test_memory_does_not_grow_with_what_is_read_again(ending):
    """What is kept of a text is kept once, not for each node that reads it: also where it is read without its margins."""

    def most(nodes):
        handler = TrailCallbackHandler(evaluate="never")
        corpus = [text(10_000, i) + ending for i in range(20)]
        app(nodes).invoke({"question": "When?", "corpus": corpus}, {"callbacks": [handler]})
        gc.collect()
        tracemalloc.start()
        try:
            handler.graph()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    most(2)
    assert most(32) - most(2) < 10 * 200_000  # thirty nodes more


def test_each_of_many_texts_that_a_node_wrote_is_known_again():
    def node(state, n):
        return {"corpus": [f"Vessel{i} carries cargo{i} from harbour{i} to quay{i}." for i in range(n)]}

    graph = in_graph(node)(200).graph()
    assert graph.answer.text.startswith("It is so: Vessel0 carries")
    texts = [each.text for each in graph.upstream("answer") if each.text.startswith("Vessel")]
    assert texts == ["Vessel0 carries cargo0 from harbour0 to quay0."]  # and not the last ones that were written


def assert_incomplete(report, what):
    assert report.state in {"partial", "unverified"}  # never "assessed"
    assert what in report.warnings[0]


def test_a_state_of_too_many_texts_is_cut_and_the_report_says_so():
    state = {"question": "When?", "corpus": [f"Boat {i} leaves at nine." for i in range(11_000)]}
    handler = TrailCallbackHandler(evaluate="never", judge="local")
    app(nodes=1).invoke(state, {"callbacks": [handler]})
    graph = handler.graph()
    assert graph.answer.text == "The ferry takes 0 minutes."
    (error,) = handler.errors  # once, not for each payload
    assert "more texts than the 10,000 that are recorded" in str(error)
    lost = "was given or returned more texts than the 10,00"
    assert_incomplete(handler.report(), lost)
    assert_incomplete(verify(handler.trace(), "local"), lost)
    assert_incomplete(verify(ProvenanceGraph.from_json(graph.to_json()), "local"), lost)


def test_texts_nested_too_deeply_are_said_to_be_missing():
    deep = "The boat leaves at nine."
    for _ in range(20):
        deep = [deep]
    handler = TrailCallbackHandler(evaluate="never", judge="local")
    app(nodes=1).invoke(
        {"question": "When?", "documents": "The ferry takes 0 minutes.", "corpus": deep}, {"callbacks": [handler]}
    )
    assert_incomplete(handler.report(), "more texts than")


def test_a_graph_without_some_of_its_links_gives_no_clean_score():
    graph = RUNS["an answer of many texts"](600).graph()
    assert "too many texts to follow each of them" in graph.answer.attributes["lost"][0]
    assert_incomplete(verify(graph, "local"), "too many texts to follow each of them")


def test_a_graph_of_fewer_texts_has_all_of_them():
    graph = RUNS["an answer of many texts"](100).graph()
    assert "lost" not in graph.answer.attributes
