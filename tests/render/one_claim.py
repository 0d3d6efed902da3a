"""A report with one claim, and text that would do more than be read."""

from trail_callbacks import Claim, Edge, ErrorType, Evidence, Node, ProvenanceGraph, Report, SupportClass, Verdict

HOSTILE = (
    "\x1b[2J\x1b]0;pwned\x07 [bold red]x[/] <script>alert(1)</script> \u202eevil\u2066 \x9b31m \r\n \x00 & \"' :smile:"
)


def build(
    answer, source="Some boats may be visited on Sundays. The rest may not.", *, quote=None, why="", step="summarise"
):
    quote = source if quote is None else quote
    start = source.index(quote)
    graph = ProvenanceGraph(
        nodes=(
            Node(id="q1", kind="question", text="Which?", step="user"),
            Node(id="d1", kind="document", text=source, step="shelf", attributes={"source": "fleet.md"}),
            Node(id="m2", kind="completion", text=answer, step=step),
            Node(id="answer", kind="answer", text=answer, step="combine"),
        ),
        edges=(
            Edge(source="q1", target="m2"),
            Edge(source="d1", target="m2", basis="scope"),
            Edge(source="m2", target="answer"),
        ),
    )
    verdict = Verdict(
        claim_id="c1",
        support=SupportClass.CONTRADICTED,
        error_type=ErrorType.FALSE_CONCATENATION,
        rationale=why,
        evidence=(Evidence(node_id="d1", start=start, end=start + len(quote), quote=quote, relation="contradicts"),),
        introduced_at="m2",
        carried_through=("answer",),
        judge="test",
    )
    claim = Claim(id="c1", text=answer, quote=answer, start=0, end=len(answer))
    return Report(state="assessed", graph=graph, claims=(claim,), verdicts=(verdict,), judge="test")


REPORT = build("All boats may be visited.", quote="Some boats may be visited on Sundays.", why="all against some")
