"""What a graph looks like in a terminal."""

from one_claim import ECHOED, NOTED, REPORT

from trail_callbacks import Edge, Node, ProvenanceGraph
from trail_callbacks.render.provenance import graph_to_text


def test_a_graph_goes_stage_by_stage():
    assert graph_to_text(REPORT.graph, 80).splitlines() == [
        "stage 0",
        "  question user (q1)",
        '    "Which?"',
        "  document fleet.md (d1), given by the app",
        '    "Some boats may be visited on Sundays. The rest may not."',
        "stage 1",
        "  completion summarise (m2)",
        "    from q1, d1?",
        '    "All boats may be visited."',
        "stage 2",
        "  answer combine (answer)",
        "    from m2",
        '    "All boats may be visited."',
        "? only known to have been in reach",
    ]


def test_a_large_report_stays_readable():
    nodes = [Node(id=f"d{n}", kind="document", text="It is.", step="shelf") for n in range(500)]
    edges = [Edge(source=node.id, target="answer") for node in nodes]
    graph = ProvenanceGraph(
        nodes=(*nodes, Node(id="answer", kind="answer", text="It is." * 10_000)), edges=tuple(edges)
    )
    text = graph_to_text(graph, 80)
    assert "and 488 more at this stage" in text
    assert "and 492 more" in text
    assert len(text.splitlines()) < 60


def test_a_long_way_shows_its_ends_and_always_the_answer():
    nodes = [Node(id=f"n{n}", kind="completion", text=f"thought {n}") for n in range(5_000)]
    edges = [Edge(source=f"n{n}", target=f"n{n + 1}") for n in range(4_999)]
    nodes.append(Node(id="answer", kind="answer", text="So it is."))
    text = graph_to_text(ProvenanceGraph(nodes=tuple(nodes), edges=(*edges, Edge(source="n2000", target="answer"))), 80)
    assert "stages 8 to 4991: 4,985 texts, not shown" in text
    assert '"So it is."' in text
    assert '"thought 7"' in text
    assert '"thought 8"' not in text
    assert '"thought 4992"' in text
    assert len(text.splitlines()) < 80


def test_the_answer_is_shown_however_many_stand_beside_it():
    nodes = [Node(id=f"n{n}", kind="completion", text="It is.") for n in range(100)]
    nodes.append(Node(id="answer", kind="answer", text="So it is."))
    assert '"So it is."' in graph_to_text(ProvenanceGraph(nodes=tuple(nodes)), 80)


def test_each_source_says_where_its_words_are_from():
    lines = graph_to_text(ECHOED.graph, 120).splitlines()
    assert "  question user (q1)" in lines
    assert "  instruction prompt (i1), the prompt's wording" in lines
    assert "  tool result note (t1), from a tool, in part written by a model" in lines
    assert f'    written by a model: "{NOTED}"' in lines
    at = lines.index("  tool result memory (t2), written by a model")
    assert lines[at + 1 : at + 3] == [f'    "{NOTED}"', "stage 1"]


def test_a_text_of_many_echoes_lists_a_few():
    text = "It is so. " * 9
    node = Node(id="t", kind="tool_result", text=text, model_spans=tuple((i * 10, i * 10 + 9) for i in range(9)))
    shown = graph_to_text(ProvenanceGraph(nodes=(node,)), 80)
    assert shown.count('written by a model: "It is so."') == 3
    assert "and 6 more parts written by a model" in shown
