"""A graph whose nodes all read a large state: what is kept of it, and the time it takes to build, have a bound."""

import gc
import random
import time
import tracemalloc
from typing import TypedDict

import pytest
from langchain_trail import TrailCallbackHandler
from langgraph.graph import END, START, StateGraph

NODES = 30
KEPT, AT_MOST = (
    8,
    80,
)  # times the characters of the state: what capture and graph keep, and what building takes meanwhile


class State(TypedDict, total=False):
    question: str
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


SHAPES = {
    "one text": lambda size: text(size, 1),
    "a few texts": lambda size: {f"part {i}": text(size // 8, i) for i in range(8)},
    "many passages": lambda size: [text(2_000, i) for i in range(size // 2_000)],
    "records": lambda size: [{"name": text(40, i), "count": i} for i in range(size // 45)],
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


@pytest.mark.parametrize("shape", SHAPES)
def test_time_grows_with_the_state(shape):
    def seconds(size):
        handler = TrailCallbackHandler(evaluate="never")
        app().invoke({"question": "When?", "corpus": SHAPES[shape](size)}, {"callbacks": [handler]})
        began = time.process_time()
        handler.graph()
        return time.process_time() - began

    seconds(10_000)
    small, large = min(seconds(20_000) for _ in range(2)), seconds(160_000)
    assert large < 8 * 3 * max(small, 0.02)  # a square would take 64 times as long


def test_a_state_of_too_many_texts_is_cut_and_that_is_said():
    state = {"question": "When?", "corpus": [f"Boat {i}" for i in range(11_000)]}
    handler = TrailCallbackHandler(evaluate="never")
    app(nodes=1).invoke(state, {"callbacks": [handler]})
    graph = handler.graph()
    assert graph.answer.text == "The ferry takes 0 minutes."
    (error,) = handler.errors  # once, not for each payload
    assert "10,000 texts or more: those beyond are not recorded" in str(error)
