"""Forward compatibility: reading what is readable of a report that a newer release wrote or that lacks parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

from trail_callbacks.claims import Claim
from trail_callbacks.errors import GraphError, ReportError
from trail_callbacks.graph import Edge, Node, ProvenanceGraph
from trail_callbacks.report.verdict import Verdict

T = TypeVar("T")

_DERIVED = frozenset(
    {"version", "hallucination_score", "interval", "class_counts", "error_counts", "undecided", "uncovered"}
)
_UNREADABLE = "this release cannot read the verdict"
_NEEDED: Mapping[str, Any] = {"state": "error", "graph": {}, "claims": [], "verdicts": []}
_CAUTIOUS: Mapping[str, Mapping[str, str | None]] = {
    "a node": {"kind": "completion"},
    "a verdict": {
        "error_type": "other",
        **dict.fromkeys(("second_type", "detail", "confidence", "evidence", "history"), None),
    },
    "the report": {
        "state": "error",
        **dict.fromkeys(
            ("usage", "warnings", "scoring", "judge", "run_id", "claims_error", "coverage", "diagnosis"), None
        ),
    },
}
"""What is read in place of a field that is not readable, None for nothing; without the others a part is lost."""


def salvage(
    stored: Mapping[str, Any], fields: Sequence[str], validate: Callable[[dict[str, Any]], T]
) -> tuple[T, list[str]]:
    """Reads the readable parts of a report.

    What cannot be read is replaced by the most cautious value: a verdict by a failed one, the kind of a node by one
    that is never evidence, an unknown state by `error`. No score is computed from what was left out.

    Args:
        stored: A report as JSON.
        fields: The fields that this release knows.
        validate: Builds the report; raises pydantic's `ValidationError`.

    Returns:
        The report, `partial` if claims or verdicts are missing, and descriptions of what was left out or replaced.

    Raises:
        ReportError: If there is neither a graph nor a claim, or the rest cannot be read.
    """
    if not stored.get("graph") and not stored.get("claims"):
        raise ReportError("not a report: it has neither a graph nor claims")
    lost = Counter(f"the field {name!r}" for name in stored if name not in fields and name not in _DERIVED)
    kept: dict[str, Any] = {name: stored[name] for name in fields if name in stored}
    for name, default in _NEEDED.items():
        if not isinstance(kept.get(name), type(default)):
            kept[name] = default
            lost[f"the {name}"] += 1
    kept["graph"] = graph = _graph(kept["graph"], lost)
    known = {node.id for node in graph.nodes}
    kept["claims"] = [_cited(each, known, lost) for each in _all(Claim, kept["claims"], "a claim", lost)]
    by_claim = {str(each.get("claim_id")): each for each in kept["verdicts"] if isinstance(each, dict)}
    kept["verdicts"] = [_verdict(by_claim.get(each.id), each.id, known, lost) for each in kept["claims"]]
    if kept["state"] == "assessed" and any(lost[x] for x in ("a claim", "a verdict", "the claims", "the verdicts")):
        kept["state"] = "partial"
    report = _read(validate, kept, "the report", lost)
    if report is None:
        raise ReportError("not a report: its parts do not fit together")
    return report, [what if n == 1 else f"{what} ({n} times)" for what, n in lost.items() if n]


def _graph(stored: Mapping[str, Any], lost: Counter[str]) -> ProvenanceGraph:
    nodes = _all(Node, stored.get("nodes"), "a node", lost)
    known = {node.id for node in nodes}
    edges = [each for each in _all(Edge, stored.get("edges"), "an edge", lost) if {each.source, each.target} <= known]
    try:
        return ProvenanceGraph(nodes=tuple(nodes), edges=tuple(edges))
    except GraphError:
        lost["the graph"] += 1
        return ProvenanceGraph(nodes=())


def _cited(claim: Claim, known: set[str], lost: Counter[str]) -> Claim:
    citations = tuple(each for each in claim.citations if known.issuperset(each.sources))
    lost["a citation"] += len(claim.citations) - len(citations)
    return replace(claim, citations=citations)


def _verdict(stored: Any, claim_id: str, known: set[str], lost: Counter[str]) -> Verdict:
    found: Verdict | None = _read(_reader(Verdict), stored, "a verdict", lost)
    if found is None:
        return Verdict(claim_id=claim_id, error=_UNREADABLE)
    evidence = tuple(each for each in found.evidence if each.node_id in known)
    carried = tuple(each for each in found.carried_through if each in known)
    entry = found.introduced_at if found.introduced_at in known else None
    history = found.history if all(layer.names <= known for layer in found.history) else ()
    lost["a piece of evidence"] += len(found.evidence) - len(evidence)
    lost["a node that repeats a claim"] += len(found.carried_through) - len(carried)
    lost["where a claim was introduced"] += entry != found.introduced_at
    lost["the history of a verdict"] += history != found.history
    return replace(found, evidence=evidence, carried_through=carried, introduced_at=entry, history=history)


def _all(kind: Any, stored: Any, what: str, lost: Counter[str]) -> list[Any]:
    """The readable ones of some parts."""
    read = [_read(_reader(kind), each, what, lost) for each in (stored if isinstance(stored, list) else ())]
    return [each for each in read if each is not None]


def _read(validate: Callable[[Any], T], stored: Any, what: str, lost: Counter[str]) -> T | None:
    """Reads a part, with a cautious value for a field that is not readable; None if that is not enough."""
    from pydantic import ValidationError  # noqa: PLC0415 - takes longer to import than all of this package

    part, cautious = stored, _CAUTIOUS.get(what, {})
    for _ in range(2):
        try:
            return validate(part)
        except ValidationError as error:
            fields = {str(each["loc"][0]) if each["loc"] else "" for each in error.errors(include_url=False)}
        if not fields <= cautious.keys():
            break
        for field in fields:
            instead = cautious[field]
            lost[f"the {field} of {what}" + (f", {part.get(field)!r}, read as {instead!r}" if instead else "")] += 1
        kept = {field: value for field, value in part.items() if field not in fields}
        part = kept | {field: cautious[field] for field in fields if cautious[field]}
    lost[what] += 1
    return None


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - as above

    reader: TypeAdapter[Any] = TypeAdapter(kind)
    return reader.validate_python
