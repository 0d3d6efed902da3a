"""Reports for tests: claims of an answer with what was judged of each."""

from __future__ import annotations

from dataclasses import replace

from trail_callbacks import Claim, Edge, ErrorType, Evidence, Node, ProvenanceGraph, Report, SupportClass, Verdict
from trail_callbacks.taxonomy import UNSUPPORTED
from trail_callbacks.text import encodable

YES, NO, SOME = SupportClass.SUPPORTED, SupportClass.CONTRADICTED, SupportClass.PARTIALLY_SUPPORTED
ABSENT, ODD = SupportClass.ABSENT, SupportClass.UNEVALUATABLE


def verdict(claim_id, support, **fields):
    """A verdict: of a class, with an error type where it has to have one; another one, renamed; or None, a failure."""
    if isinstance(support, Verdict):
        return replace(support, claim_id=claim_id, **fields)
    given = {"error_type": ErrorType.OTHER} if support in UNSUPPORTED else {}
    given |= {"error": "the judge fell silent"} if support is None and not fields.get("undecided") else {}
    return Verdict(claim_id=claim_id, support=support, **{**given, **fields})


def report(*found, answer=None, graph=None, sources=("A source.",), question=None, ids="c", **more):
    """A report on claims, each given by its words in the answer, its class or verdict, and perhaps fields of this."""
    if answer is None:
        answer = graph.answer.text if graph else " ".join(words for words, *_ in found)
    claims, verdicts, at, whole = [], [], 0, encodable(answer)
    for n, (words, support, *fields) in enumerate(found, 1):
        start = whole.find(encodable(words), at)
        start = whole.index(encodable(words)) if start < 0 else start
        at = start + len(words)
        claims.append(Claim(id=f"{ids}{n}", text=words, quote=words, start=start, end=at))
        verdicts.append(verdict(f"{ids}{n}", support, **(fields[0] if fields else {})))
    graph = graph or ProvenanceGraph.from_texts(answer, list(sources), question)
    settings = {"state": "assessed", "judge": "test/1", **more}
    return Report(graph=graph, claims=tuple(claims), verdicts=tuple(verdicts), **settings)


def quoted(of, words, relation="supports"):
    """Evidence: words of a node."""
    start = of.text.index(words)
    return Evidence(node_id=of.id, start=start, end=start + len(words), quote=words, relation=relation)


def graph_of(nodes, *edges):
    """A graph of nodes and edges, these as ends and basis."""
    ends = [Edge(source=a, target=b, basis=basis[0] if basis else "declared") for a, b, *basis in edges]
    return ProvenanceGraph(nodes=tuple(nodes), edges=tuple(ends))


def node(id_, kind, words, step=None, **more):
    """A node."""
    return Node(id=id_, kind=kind, text=words, step=step, **more)
