"""Forward compatibility: reading what is readable of a report that a newer release wrote or that lacks parts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from trail_callbacks.errors import ReportError

T = TypeVar("T")

_REMOVED: dict[str, Any] = {}  # placeholder for a removed item, so that indices stay valid during a round of repairs
_ROUNDS = 8  # a repair may uncover another error
_CLAIM, _VERDICT = "a claim", "a verdict"
_SCORED = (_CLAIM, _VERDICT, "the claims", "the verdicts")
_DERIVED = frozenset(
    {"version", "hallucination_score", "interval", "class_counts", "error_counts", "undecided", "uncovered"}
)
_UNREADABLE = "this release cannot read the verdict"
_DEFAULTS: Mapping[str, Any] = {"state": "error", "graph": {"nodes": []}, "claims": [], "verdicts": []}
_DISPENSABLE = frozenset({"usage", "warnings", "scoring", "judge", "run_id", "claims_error", "coverage", "diagnosis"})


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
        ReportError: If there is neither a graph nor a claim, or the rest cannot be repaired.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - takes longer to import than all of this package

    if not stored.get("graph") and not stored.get("claims"):
        raise ReportError("not a report: it has neither a graph nor claims")
    kept: dict[str, Any] = json.loads(json.dumps({name: stored[name] for name in fields if name in stored}))
    lost = Counter(f"the field {name!r}" for name in stored if name not in fields and name not in _DERIVED)
    for name, default in _DEFAULTS.items():
        if not isinstance(kept.get(name), type(default)):
            kept[name] = default
            lost[f"the {name}"] += 1
    for _ in range(_ROUNDS):
        _make_consistent(kept, lost)
        if kept["state"] == "assessed" and any(lost[what] for what in _SCORED):
            kept["state"] = "partial"
        try:
            return validate(kept), [what if n == 1 else f"{what} ({n} times)" for what, n in lost.items() if n]
        except ValidationError as error:
            problems = error.errors(include_url=False)
        for loc in sorted({problem["loc"][:4] for problem in problems}, key=repr, reverse=True):
            _repair(kept, loc, lost)
        for holder, key in (("claims", ""), ("graph", "nodes"), ("graph", "edges")):
            items = kept[holder].get(key) if key else kept[holder]
            if isinstance(items, list):
                items[:] = [item for item in items if item is not _REMOVED]
    first = problems[0]
    raise ReportError(f"not a report: {first['msg']} (at {'.'.join(map(str, first['loc']))})")


def _repair(kept: dict[str, Any], loc: tuple[Any, ...], lost: Counter[str]) -> None:
    """Replaces the faulty part; list items keep their position, because further errors refer to items by position."""
    match loc:
        case ("state", *_):
            lost[f"the state {kept['state']!r}, read as 'error'"] += 1
            kept["state"] = "error"
        case (str(name), *_) if name in _DISPENSABLE:
            if kept.pop(name, None) is not None:
                lost[f"the field {name!r}"] += 1
        case ("claims", int(place), *_):
            lost[_CLAIM] += kept["claims"][place] is not _REMOVED
            kept["claims"][place] = _REMOVED
        case ("verdicts", int(place), *rest):
            kept["verdicts"][place] = _repaired(kept["verdicts"][place], rest, lost)
        case ("graph", "nodes", int(place), "kind") if (
            kind := _text(kept["graph"]["nodes"][place], "kind")
        ) is not None:
            lost[f"the kind {kind!r} of a node, read as 'completion'"] += 1
            kept["graph"]["nodes"][place]["kind"] = "completion"
        case ("graph", "nodes" | "edges" as name, int(place), *_):
            lost["a node" if name == "nodes" else "an edge"] += kept["graph"][name][place] is not _REMOVED
            kept["graph"][name][place] = _REMOVED
        case ("graph", *_):
            kept["graph"] = {"nodes": []}
            lost["the graph"] += 1


def _repaired(verdict: dict[str, Any], loc: list[Any], lost: Counter[str]) -> dict[str, Any]:
    match loc:
        case ("evidence" | "history" | "second_type" | "detail" | "confidence" as name, *_):
            if name in verdict:
                lost[f"the {name.replace('_', ' ')} of a verdict"] += 1
            return {key: value for key, value in verdict.items() if key != name}
        case ("error_type", *_):
            unknown = verdict.get("error_type")
            lost[f"the error type {unknown!r}, read as 'other'"] += 1
            return {**verdict, "error_type": "other", "detail": verdict.get("detail") or str(unknown)}
    lost[_VERDICT] += verdict.get("error") != _UNREADABLE
    return {"claim_id": verdict["claim_id"], "error": _UNREADABLE}


def _make_consistent(kept: dict[str, Any], lost: Counter[str]) -> None:
    """One verdict for each claim, in the same order; no edge, evidence, citation or path to a missing node."""
    claims = [each for each in kept["claims"] if _text(each, "id") is not None]
    lost[_CLAIM] += len(kept["claims"]) - len(claims)
    by_claim = {_text(each, "claim_id"): each for each in kept["verdicts"]}
    lost[_VERDICT] += sum(claim["id"] not in by_claim for claim in claims)
    kept["claims"] = claims
    kept["verdicts"] = [
        by_claim.get(claim["id"]) or {"claim_id": claim["id"], "error": _UNREADABLE} for claim in claims
    ]
    known = {_text(node, "id") for node in _items(kept["graph"], "nodes")} - {None}
    if "edges" in kept["graph"]:
        edges = _items(kept["graph"], "edges")
        kept["graph"]["edges"] = [e for e in edges if {_text(e, "source"), _text(e, "target")} <= known]
    for claim in claims:
        for citation in _items(claim, "citations"):
            if isinstance(citation, dict) and "sources" in citation:
                named = _items(citation, "sources")
                found = [each for each in named if isinstance(each, str) and each in known]
                lost["a source of a citation"] += len(named) - len(found)
                citation["sources"] = found
    for verdict in kept["verdicts"]:
        if "evidence" in verdict:
            found = [item for item in _items(verdict, "evidence") if _text(item, "node_id") in known]
            lost["a piece of evidence"] += len(_items(verdict, "evidence")) - len(found)
            verdict["evidence"] = found
        if _text(verdict, "introduced_at") not in known and verdict.pop("introduced_at", None) is not None:
            lost["where a claim was introduced"] += 1
        if "carried_through" in verdict:
            through = _items(verdict, "carried_through")
            found = [each for each in through if isinstance(each, str) and each in known]
            lost["a node that repeats a claim"] += len(through) - len(found)
            verdict["carried_through"] = found
        layers = [layer for layer in _items(verdict, "history") if isinstance(layer, dict)]
        walked = {repr(each) for layer in layers for key in ("nodes", "stated_by") for each in _items(layer, key)}
        said = [each for layer in layers for key in ("selected", "summaries") for each in _items(layer, key)]
        walked |= {repr(each["node_id"]) for each in said if isinstance(each, dict) and "node_id" in each}
        if walked - {repr(each) for each in known}:
            lost["the history of a verdict"] += 1
            del verdict["history"]


def _text(item: Any, key: str) -> str | None:
    value = item.get(key) if isinstance(item, dict) else None
    return value if isinstance(value, str) else None


def _items(holder: dict[str, Any], key: str) -> list[Any]:
    value = holder.get(key)
    return value if isinstance(value, list) else []
