"""Reports to show in a page: one that holds everything a page can say, one about a long text, one of many texts."""

import re

from trail_callbacks import Claim, Edge, ErrorType, Evidence, Node, ProvenanceGraph, Report, SupportClass, Verdict
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Layer

ANSWER = "The pier is old. Boats leave at nine. Entry is free."


SOURCE = "The pier was built in 1820. Boats leave at ten. \u05e9\u05dc\u05d5\u05dd"


def build(answer=ANSWER, source=SOURCE, *, why="nine is not ten", step="summarise", state="assessed", ids="c"):
    graph = ProvenanceGraph(
        nodes=(
            Node(id="q1", kind="question", text="When do boats leave?", step="user"),
            Node(id="d1", kind="document", text=source, step="shelf", attributes={"source": f"guide.md{why}"}),
            Node(id="m1", kind="completion", text=answer, step=step),
            Node(id="answer", kind="answer", text=answer, step="combine"),
        ),
        edges=(
            Edge(source="q1", target="m1", basis="scope"),
            Edge(source="d1", target="m1"),
            Edge(source="m1", target="answer"),
        ),
    )
    parts = re.findall(r"[^.]+\.?", answer) or [answer]
    claims, verdicts = [], []
    at = 0
    classes = list(SupportClass)
    for n, part in enumerate(parts):
        start = answer.index(part, at)
        at = start + len(part)
        claims.append(Claim(id=f"{ids}{n + 1}", text=part, quote=part, start=start, end=at))
        support = classes[n % len(classes)]
        bad = support in (SupportClass.CONTRADICTED, SupportClass.ABSENT, SupportClass.PARTIALLY_SUPPORTED)
        end = min(len(source), 27)
        evidence = (Evidence(node_id="d1", start=0, end=end, quote=source[:end], relation="supports"),) if end else ()
        verdicts.append(
            Verdict(
                claim_id=f"{ids}{n + 1}",
                support=support,
                error_type=ErrorType.NUMBER if bad else None,
                second_type=ErrorType.TEMPORAL if bad else None,
                detail=why if bad else None,
                rationale=why,
                evidence=evidence,
                confidence=0.87 if bad else None,
                introduced_at="m1" if bad else None,
                carried_through=("answer",) if bad else (),
                history=(Layer(nodes=("m1",), stated_by=("m1",), note=why),) if bad else (),
                judge=f"judge/{why}",
            )
        )
    return Report(
        state=state,
        graph=graph,
        claims=tuple(claims),
        verdicts=tuple(verdicts),
        usage=Usage(calls=3, prompt_tokens=12_345, completion_tokens=678, seconds=4.5, cache_hits=2),
        warnings=(f"a warning {why}",),
        judge=f"judge/{why}",
        run_id="run-1",
    )


REPORT = build()


def one(source, quote, answer="It is so."):
    graph = ProvenanceGraph.from_texts(answer, [Node(id="d1", kind="document", text=source, step="shelf")])
    start = source.index(quote)
    evidence = Evidence(node_id="d1", start=start, end=start + len(quote), quote=quote, relation="contradicts")
    verdict = Verdict(
        claim_id="c1", support=SupportClass.CONTRADICTED, error_type=ErrorType.OTHER, evidence=(evidence,)
    )
    claim = Claim(id="c1", text=answer, quote=answer, start=0, end=len(answer))
    return Report(state="assessed", graph=graph, claims=(claim,), verdicts=(verdict,))


def wide(count):
    nodes = [Node(id=f"d{n}", kind="document", text=f"Text {n}. " * 40, step="shelf") for n in range(count)]
    nodes.append(Node(id="answer", kind="answer", text="It is so."))
    edges = [Edge(source=node.id, target="answer") for node in nodes[:-1]]
    evidence = Evidence(node_id=f"d{count - 1}", start=0, end=5, quote="Text ", relation="supports")
    return Report(
        state="assessed",
        graph=ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges)),
        claims=(Claim(id="c1", text="It is so.", quote="It is so.", start=0, end=9),),
        verdicts=(Verdict(claim_id="c1", support=SupportClass.SUPPORTED, evidence=(evidence,)),),
    )
