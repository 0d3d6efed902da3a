"""The provenance graph as GraphML, for Gephi, yEd, igraph and networkx. Needs networkx: the extra `export`."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from trail_callbacks.errors import MissingExtraError
from trail_callbacks.render.labels import named
from trail_callbacks.report import Report

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["to_graphml", "to_networkx"]

_ROLES = ("introduces", "carries", "evidence_for", "nearest_to")

# What XML 1.0 does not allow, not even as a reference, and the carriage return, which readers turn into a line feed.
_NO_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_networkx(report: Report) -> nx.DiGraph[str]:
    """Converts a report's provenance graph to a networkx graph; edges lead from inputs to outputs.

    Nodes are keyed by their ids and have `kind`, `origin`, `model_spans` (pairs of offsets, as JSON), `step`, `stage`,
    `run_id`, `text`, `label` (a readable name), `attributes` (as JSON), and as `introduces`, `carries`, `evidence_for`
    and `nearest_to` the space-separated ids of the claims that were introduced there, are repeated there, have their
    evidence there, or are undecided and have the nearest passages there. Edges have `basis`, `coverage` (0.0 to 1.0)
    and `ambiguous`. The graph has `state`, `judge`, `undecided` and `uncovered` (ids of claims) and, if there are
    such, `hallucination_score` and `coverage`.

    Raises:
        MissingExtraError: If networkx is not installed.
    """
    try:
        import networkx as nx  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("GraphML", "export") from error

    found: nx.DiGraph[str] = nx.DiGraph(
        state=report.state,
        judge=report.judge,
        undecided=" ".join(claim.id for claim in report.undecided),
        uncovered=" ".join(claim.id for claim in report.uncovered),
    )
    if report.coverage is not None:
        found.graph["coverage"] = report.coverage
    if report.hallucination_score is not None:
        found.graph["hallucination_score"] = report.hallucination_score
    roles = _roles(report)
    for node in report.graph.nodes:
        details: dict[str, Any] = {
            "label": named(node.id, report.graph),
            "kind": node.kind,
            "origin": node.origin or "unknown",
            "model_spans": json.dumps(node.model_spans),
            "step": node.step or "",
            "stage": node.stage or 0,
            "run_id": node.run_id or "",
            "text": node.text,
            "attributes": json.dumps(dict(node.attributes), ensure_ascii=False, default=str),
        }
        found.add_node(node.id, **details, **{role: " ".join(ids) for role, ids in roles[node.id].items()})
    for edge in report.graph.edges:
        found.add_edge(
            edge.source, edge.target, basis=edge.basis, coverage=float(edge.coverage), ambiguous=edge.ambiguous
        )
    return found


def to_graphml(report: Report) -> str:
    """Writes the provenance graph of a report as GraphML, to be stored as UTF-8; `networkx.read_graphml` reads it.

    Attributes are those of `to_networkx`, typed. GraphML does not allow spaces in ids, so nodes are `n0`, `n1`, ... in
    order and keep their own id as `node_id`. Each character that XML 1.0 does not allow, and each carriage return,
    becomes U+FFFD, so that offsets stay valid.

    Raises:
        MissingExtraError: If networkx is not installed.
    """
    plain = to_networkx(report)
    import networkx as nx  # noqa: PLC0415 - an extra, imported above

    written: nx.DiGraph[str] = nx.DiGraph(**_legal(plain.graph))
    keys = {id_: f"n{i}" for i, id_ in enumerate(plain)}
    for id_, details in plain.nodes(data=True):
        written.add_node(keys[id_], node_id=_legal(id_), **_legal(details))
    for source, target, details in plain.edges(data=True):
        written.add_edge(keys[source], keys[target], **_legal(details))
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + "\n".join(nx.generate_graphml(written)) + "\n"


def _roles(report: Report) -> dict[str, dict[str, list[str]]]:
    """By node: the claims introduced there, repeated there, with evidence or nearest passages; each claim once."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: {role: [] for role in _ROLES})
    for verdict in report.verdicts:
        if verdict.introduced_at is not None:
            found[verdict.introduced_at]["introduces"].append(verdict.claim_id)
        for id_ in dict.fromkeys(verdict.carried_through):
            found[id_]["carries"].append(verdict.claim_id)
        for id_, decides in dict.fromkeys((item.node_id, item.decides) for item in verdict.evidence):
            found[id_]["evidence_for" if decides else "nearest_to"].append(verdict.claim_id)
    return found


def _legal(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _legal(part) for key, part in value.items()}
    return _NO_XML.sub("\ufffd", value) if isinstance(value, str) else value
