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

NOTED = "The ferry takes 53 minutes."


def _echoed():
    """A report on an answer of four claims: two that only the request supports, one of a tool, one that it echoed."""
    asked, rules, tool = "I am Ada. How long?", "The pier is closed on Mondays.", "Fare: 4 euros."
    note = f"Noted: {NOTED} {tool}"
    nodes = (
        Node(id="q1", kind="question", text=asked, step="user"),
        Node(id="i1", kind="instruction", text=rules, step="prompt"),
        Node(id="t1", kind="tool_result", text=note, step="note", model_spans=((7, 7 + len(NOTED)),)),
        Node(id="t2", kind="tool_result", text=NOTED, step="memory", origin="model", model_spans=((0, 5),)),
        Node(id="answer", kind="answer", text=f"I am Ada. {rules} {tool} {NOTED}", step="combine"),
    )
    graph = ProvenanceGraph(nodes=nodes, edges=tuple(Edge(source=n.id, target="answer") for n in nodes[:-1]))
    claims, verdicts = [], []
    for n, (words, node) in enumerate([("I am Ada.", "q1"), (rules, "i1"), (tool, "t1"), (NOTED, None)], 1):
        start = nodes[-1].text.index(words)
        claims.append(Claim(id=f"c{n}", text=words, quote=words, start=start, end=start + len(words)))
        if node is None:
            verdicts.append(Verdict(claim_id="c4", support=SupportClass.ABSENT, error_type=ErrorType.OTHER))
            continue
        at = graph.node(node).text.index(words)
        item = Evidence(node_id=node, start=at, end=at + len(words), quote=words, relation="supports")
        verdicts.append(Verdict(claim_id=f"c{n}", support=SupportClass.SUPPORTED, evidence=(item,)))
    return Report(state="assessed", graph=graph, claims=tuple(claims), verdicts=tuple(verdicts))


ECHOED = _echoed()
