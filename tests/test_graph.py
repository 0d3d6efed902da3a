from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trail_callbacks import Edge, Node, ProvenanceGraph
from trail_callbacks.errors import GraphError

KINDS = ["question", "instruction", "document", "tool_result", "completion"]


@st.composite
def graphs(draw):
    size = draw(st.integers(1, 12))
    nodes = [Node(id=f"n{i}", kind=draw(st.sampled_from(KINDS)), text=draw(st.text())) for i in range(size)]
    pairs = [(i, j) for j in range(size) for i in range(j)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    edges = [Edge(source=f"n{i}", target=f"n{j}", coverage=draw(st.floats(0, 1))) for i, j in chosen]
    if draw(st.booleans()):
        nodes.append(Node(id="answer", kind="answer", text="so it is"))
        edges.append(Edge(source=f"n{size - 1}", target="answer", basis="scope"))
    return ProvenanceGraph(nodes=tuple(draw(st.permutations(nodes))), edges=tuple(edges))


@given(graphs())
def test_json_round_trip(graph):
    assert ProvenanceGraph.from_json(graph.to_json()) == graph


@given(graphs())
def test_stages_grow_along_edges_and_upstream_agrees_with_paths(graph):
    for edge in graph.edges:
        assert graph.node(edge.source).stage < graph.node(edge.target).stage
    for node in graph.nodes:
        upstream = {other.id for other in graph.upstream(node.id)}
        assert upstream == {other.id for other in graph.nodes if other.id != node.id and graph.path(other.id, node.id)}
        assert {leaf.id for leaf in graph.leaves(node.id)} <= upstream
        for first, second in zip(path := graph.path(node.id, node.id), path[1:], strict=False):
            assert first in graph.inputs(second.id)


def test_a_document_stays_a_leaf_although_a_query_led_to_it():
    graph = ProvenanceGraph(
        nodes=(
            Node(id="q", kind="question", text="?"), Node(id="d", kind="document", text="fact"),
            Node(id="m", kind="completion", text="said"), Node(id="answer", kind="answer", text="so"),
        ),
        edges=(Edge(source="q", target="d"), Edge(source="d", target="m"), Edge(source="m", target="answer")),
    )  # fmt: skip
    assert [leaf.id for leaf in graph.leaves()] == ["q", "d"]
    assert [node.id for node in graph.path("q", "answer")] == ["q", "d", "m", "answer"]
    assert graph.path("answer", "q") == ()
    assert [node.stage for node in graph.nodes] == [0, 1, 2, 3]


class Bare:
    """What LangChain's and LlamaIndex's documents have in common with nothing else."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def read_as(source, n=1):
    return ProvenanceGraph.from_texts("answer", [source]).nodes[n - 1]


def test_documents_of_frameworks_are_sources_as_they_are():
    day = date(2026, 1, 2)
    document = Bare(page_content="It opened.", metadata={"source": "a.md", "day": day, "page": 3}, id="doc-7")
    assert read_as(document) == Node(
        id="doc-7", kind="document", text="It opened.", step="source", stage=0, origin="given",
        attributes={"source": "a.md", "day": "2026-01-02", "page": 3},
    )  # fmt: skip
    text_node = Bare(get_content=lambda: "It closed.", node_id="n-1", metadata={"file_name": "b.md"})
    scored = Bare(get_content=lambda: "It closed.", node=text_node, score=0.5)
    assert read_as(text_node).attributes == {"file_name": "b.md"}
    assert (read_as(scored).id, read_as(scored).attributes) == ("n-1", {"file_name": "b.md", "score": 0.5})
    alone = ProvenanceGraph.from_texts("answer", document)
    assert [node.id for node in alone.nodes] == ["doc-7", "answer"]
    ProvenanceGraph.from_json(alone.to_json())


def test_ids_of_documents_that_are_taken_or_missing_are_numbered():
    same = Bare(page_content="One.", metadata={}, id="d")
    sources = [same, same, Bare(page_content="Two.", metadata={}, id=None), Bare(page_content="3", id="answer"), "4"]
    sources.append(Node(id="x", kind="tool_result", text="5"))
    sources.insert(0, Bare(page_content="0", id="x"))
    graph = ProvenanceGraph.from_texts("answer", sources, question="why")
    assert [node.id for node in graph.nodes] == [
        "question", "source-1", "d", "source-3", "source-4", "source-5", "source-6", "x", "answer",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "wrong", [{"page_content": "x"}, 7, Bare(page_content=7), Bare(get_content=lambda: None), None]
)
def test_anything_else_is_a_clear_error(wrong):
    with pytest.raises(GraphError, match=f"text is {type(wrong).__name__}, expected str"):
        ProvenanceGraph.from_texts("answer", [wrong])


A, B = Node(id="a", kind="document", text=""), Node(id="b", kind="completion", text="")


@pytest.mark.parametrize(
    ("nodes", "edges", "says"),
    [
        ((A, A), (), "two nodes have the id 'a'"),
        ((Node(id="a", kind="document", text=None),), (), "text is NoneType"),
        ((A, B), (Edge(source="a", target="c"),), "no node has the id 'c'"),
        ((A, B), (Edge(source="a", target="b"), Edge(source="b", target="a")), "cycle"),
        ((A,), (Edge(source="a", target="a"),), "cycle"),
        ((A, B), (Edge(source="a", target="b"), Edge(source="a", target="b")), "given twice"),
        ((A, B), (Edge(source="a", target="b", coverage=1.5),), "not in 0..1"),
        ((A, B), (Edge(source="a", target="b", coverage=float("nan")),), "not in 0..1"),
        ((Node(id="x", kind="answer", text=""), Node(id="y", kind="answer", text="")), (), "one answer"),
    ],
)
def test_a_graph_that_breaks_the_rules_says_how(nodes, edges, says):
    with pytest.raises(GraphError, match=says):
        ProvenanceGraph(nodes=nodes, edges=edges)
