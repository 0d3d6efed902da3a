"""A report on a small run, with the ids of whatever tool."""

from trail_callbacks import Claim, Edge, ErrorType, Evidence, Node, ProvenanceGraph, Report, SupportClass, Verdict

TRACE, SPAN, STEP = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "00f067aa0ba902b7"


def run_report(run_id, answering, summarising):
    """A summary that gets one thing wrong, an answer that repeats it, and a claim that could not be decided."""
    source, wrong, open_ = "The tower was finished in 1874.", "The tower was finished in 1847.", "It is pretty."
    graph = ProvenanceGraph(
        nodes=(
            Node(id="d1", kind="document", text=source, step="shelf"),
            Node(id="m1", kind="completion", text=wrong, step="summarise", run_id=summarising),
            Node(id="answer", kind="answer", text=f"{wrong} {open_}", step="combine", run_id=answering),
        ),
        edges=(Edge(source="d1", target="m1"), Edge(source="m1", target="answer")),
    )
    claims = tuple(
        Claim(id=id_, text=words, quote=words, start=start, end=start + len(words))
        for id_, words, start in (("c1", wrong, 0), ("c2", open_, len(wrong) + 1))
    )
    against = Evidence(node_id="d1", start=0, end=len(source), quote=source, relation="contradicts")
    verdicts = (
        Verdict(claim_id="c1", support=SupportClass.CONTRADICTED, error_type=ErrorType.NUMBER, rationale="1847, not 1874",
                evidence=(against,), introduced_at="m1", carried_through=("answer",), judge="local/3"),
        Verdict(claim_id="c2", undecided="a matter of taste", judge="local/3"),
    )  # fmt: skip
    return Report(state="partial", graph=graph, claims=claims, verdicts=verdicts, judge="local/3", run_id=run_id)
