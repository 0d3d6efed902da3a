"""A graph drawn for a notebook: every text, or steps where there are too many."""

from xml.etree import ElementTree as ET

from fragment_reader import Reader
from one_claim import ECHOED, NOTED

from trail_callbacks import Edge, Node, ProvenanceGraph
from trail_callbacks.render.columns import layout
from trail_callbacks.render.diagram import graph_to_html


def layered(*stages):
    """A graph of stages given as lists of (kind, step); every text went into all of the next stage."""
    nodes, edges, before = [], [], []
    for number, stage in enumerate(stages):
        here = [
            Node(id=f"n{number}.{n}", kind=kind, text=f"text {n}", step=step) for n, (kind, step) in enumerate(stage)
        ]
        edges += [Edge(source=a.id, target=b.id) for a in before for b in here]
        nodes += here
        before = here
    return ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges))


def test_a_small_graph_is_drawn_text_by_text():
    graph = layered([("question", "user")], [("document", "shelf")] * 3, [("answer", "combine")])
    drawn = layout(graph)
    assert [len(column.boxes) for column in drawn.columns] == [1, 3, 1]
    assert (len(drawn.links), drawn.hidden) == (6, 0)
    html = Reader(graph_to_html(graph))
    for words in ("stage 0", "user (n0.0)", "shelf (n1.2)", "combine (n2.0)", "5 texts, 6 links"):
        assert words in html.text
    assert "too many" not in html.text


def test_a_large_stage_is_drawn_by_step_and_the_rest_shares_a_box():
    steps = [("completion", f"step {n % 12}") for n in range(120)]
    graph = layered([("question", "user")], steps, [("answer", "combine"), *[("completion", "late")] * 20])
    drawn = layout(graph)
    assert [len(column.boxes) for column in drawn.columns] == [1, 8, 2]
    rest = drawn.columns[1].boxes[-1]
    assert (len(rest.nodes), rest.steps) == (50, 5)
    assert drawn.columns[2].boxes[0].nodes[0].kind == "answer"
    assert sum(link.count for link in drawn.links) == len(graph.edges)
    html = Reader(graph_to_html(graph))
    for words in ("completion \u00d7 10", "5 more steps", "late", "Drawn by step, in 11 boxes", "2,640 links"):
        assert words in html.text


def test_ten_thousand_texts_make_a_small_drawing():
    stage = [("completion", f"step {n}") for n in range(500)]
    nodes, edges = [], []
    for number in range(20):
        nodes += [
            Node(id=f"{number}.{n}", kind=kind, text="It is. " * 50, step=step) for n, (kind, step) in enumerate(stage)
        ]
        if number:
            edges += [Edge(source=f"{number - 1}.{n}", target=f"{number}.{(n * 7) % 500}") for n in range(500)]
            edges += [Edge(source=f"0.{n}", target=f"{number}.{n}", basis="scope") for n in range(500) if number > 1]
    graph = ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges))
    html = graph_to_html(graph)
    assert len(html) < 300_000
    drawn = layout(graph)
    assert drawn.hidden + sum(link.count for link in drawn.links) == len(edges)
    assert sum(len(box.nodes) for column in drawn.columns for box in column.boxes) == 10_000
    ET.fromstring(html)  # noqa: S314 - our own text


def test_a_box_and_its_tooltip_say_where_the_words_are_from():
    text = Reader(graph_to_html(ECHOED.graph)).text
    assert "instruction, the prompt's wording" in text
    assert "tool result, in part a model's" in text
    assert f"note (t1), from a tool, in part written by a model: Noted: {NOTED}" in text
    assert f"; written by a model: {NOTED}" in text
    assert f"memory (t2), written by a model: {NOTED}" in text
