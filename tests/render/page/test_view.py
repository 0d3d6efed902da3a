"""The trail of a claim: the texts it rests on, and the ways between them."""

from page_reports import wide

from trail_callbacks import Edge, ErrorType, Evidence, ProvenanceGraph, SupportClass, Verdict
from trail_callbacks.render.page.view import Trails


def test_a_trail_is_the_shortest_way_and_ends_at_the_answer():
    report = wide(3)
    edges = (Edge(source="d0", target="d1"), Edge(source="d1", target="d2"), *report.graph.edges)
    graph = ProvenanceGraph(nodes=report.graph.nodes, edges=edges)
    trails = Trails(graph)
    supported = Verdict(
        claim_id="c1",
        support=SupportClass.SUPPORTED,
        evidence=(Evidence(node_id="d0", start=0, end=1, quote="T", relation="supports"),),
    )
    assert trails.paths(supported) == (("d0", "answer"),)
    assert [stop.node_id for stop in trails.stops(supported)] == ["d0", "answer"]
    entered = Verdict(
        claim_id="c1",
        support=SupportClass.CONTRADICTED,
        error_type=ErrorType.OTHER,
        evidence=supported.evidence,
        introduced_at="d2",
        carried_through=("answer",),
    )
    assert trails.paths(entered) == (("d2", "answer"), ("d0", "d1", "d2"))
    assert [(stop.node_id, stop.roles) for stop in trails.stops(entered)] == [
        ("d0", ("evidence",)),
        ("d1", ()),
        ("d2", ("introduced",)),
        ("answer", ("carried", "answer")),
    ]
    assert Trails(ProvenanceGraph(nodes=graph.nodes[:-1])).paths(entered) == ()
