"""What a graph looks like in a terminal."""

from one_claim import ECHOED, NOTED, REPORT

from trail_callbacks import Edge, Node, ProvenanceGraph
from trail_callbacks.render.terminal import graph_to_text


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


def test_each_source_says_where_its_words_are_from():
    lines = graph_to_text(ECHOED.graph, 120).splitlines()
    assert "  question user (q1)" in lines
    assert "  instruction prompt (i1), the prompt's wording" in lines
    assert "  tool result note (t1), from a tool, in part written by a model" in lines
    assert f'    written by a model: "{NOTED}"' in lines
    at = lines.index("  tool result memory (t2), written by a model")
    assert lines[at + 1 : at + 3] == [f'    "{NOTED}"', "stage 1"]
