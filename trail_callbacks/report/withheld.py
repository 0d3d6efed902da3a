"""A report without texts: what remains when an app may not keep what it read and wrote."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.report.diagnosis import Diagnosis
from trail_callbacks.report.report import WITHOUT_TEXTS, Report
from trail_callbacks.report.verdict import Layer, Selected, Verdict

__all__ = ["FILLER", "HASH", "NOT_KEPT", "text_hash", "without_texts"]

FILLER = "\u00b7"
"""Stands for each character of a text, so that offsets stay what they are."""

HASH = "text_hash"
"""Attribute of a node: the `text_hash` of its text."""

NOT_KEPT = "[not kept]"

_OWN = secrets.token_bytes(32)  # of this process, and of those forked from it
_NUMBER = 1_000_000  # a larger one may be a telephone number
_SETTINGS = frozenset({"model", "provider", "finish_reason", "kind"})  # details with few values, which are no texts
_FEW = re.compile(r"[\w./:@-]{1,80}")
_IDS = re.compile(r"[a-z]{1,6}\d{0,9}(?:, [a-z]{1,6}\d{0,9})*")
_PLAIN = re.compile(
    r"texts were not kept.*|no source reached the answer: there is nothing to check it against"
    r"|the run gave no answer: there is nothing to verify|the answer is empty"
    r"|no recorded step wrote the answer: .*|the run was interrupted and waits .*"
    r"|for \d+ of \d+ texts no callback showed what they were made from: .*"
    r"|could not determine where [c\d, ]+ was introduced"
    r"|the sources disagree on [c\d, ]+: see the evidence for and against"
)
_COUNTED = re.compile(r"\d+ of \d+ claims (?:were not judged|could not be decided and are not in the score)")
_OF_CLAIMS = (
    "supported only by the question or instructions, not by a source",
    "judged supported without a verbatim passage from a source",
    "the app also returned other model outputs, which were not verified",
)

_Hash: TypeAlias = Callable[[str], str]


def text_hash(text: str, key: bytes | None = None) -> str:
    """Returns the HMAC-SHA256 of a text, 64 hexadecimal digits: it shows whoever has text and key that this was it.

    A hash without a key would not hide a short text: one could try them all.

    Args:
        text: The text.
        key: As `CaptureSettings.text_key`; None is that of this process.
    """
    return hmac.new(key or _OWN, text.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def without_texts(report: Report, key: bytes | None = None) -> Report:
    """Returns a report without any text of the app, and without what a judge wrote about it.

    Classes, error types, scores, offsets, ids, names of steps, counts and times stay. A text becomes a filler of its
    length, and its node has its hash as an attribute. Details of nodes are kept if they are numbers, truth values or
    settings; others become hashes. Of warnings the fixed part stays.

    Args:
        report: The report.
        key: Of the hashes, see `text_hash`.
    """

    def hashed(text: str) -> str:
        return text_hash(text, key)

    graph = report.graph
    ids = frozenset(node.id for node in graph.nodes)
    nodes = tuple(_node(node, ids, hashed) for node in graph.nodes)
    return replace(
        report,
        graph=ProvenanceGraph(nodes=nodes, edges=graph.edges),
        claims=tuple(_claim(claim, hashed) for claim in report.claims),
        verdicts=tuple(map(_verdict, report.verdicts)),
        warnings=tuple(dict.fromkeys((WITHOUT_TEXTS, *_warnings(report.warnings)))),
        claims_error=_withheld(report.claims_error),
        diagnosis=_diagnosis(report.diagnosis) if report.diagnosis else None,
    )


def _diagnosis(found: Diagnosis) -> Diagnosis:
    """Signature, stages, figures and places stay; what questions, queries, passages and claims say does not."""
    breaks = tuple(replace(each, reasons=tuple(NOT_KEPT for _ in each.reasons)) for each in found.breaks)
    return replace(
        found,
        first_break=breaks[0] if found.first_break and breaks else None,
        breaks=breaks,
        reasons=tuple(NOT_KEPT for _ in found.reasons),
        coverage=replace(found.coverage, missing=_withheld(found.coverage.missing) or ""),
        facets=tuple(replace(each, facet=replace(each.facet, text=_filler(each.facet.text))) for each in found.facets),
        claims=tuple(replace(each, evidence=tuple(map(_quoted, each.evidence))) for each in found.claims),
        retrievals=tuple(replace(each, query=_filler(each.query), note=NOT_KEPT) for each in found.retrievals),
        stages=tuple(replace(each, lost=tuple(map(_filler, each.lost))) for each in found.stages),
        warnings=tuple(NOT_KEPT for _ in found.warnings),
    )


def _filler(text: str) -> str:
    return FILLER * len(text)


def _withheld(text: str | None) -> str | None:
    return NOT_KEPT if text else text


def _node(node: Node, ids: frozenset[str], hashed: _Hash) -> Node:
    details: dict[str, Any] = _detail(node.attributes, ids, hashed)
    return replace(node, text=_filler(node.text), attributes={**details, HASH: hashed(node.text)})


def _key(key: str, hashed: _Hash) -> str:
    return key if key.isidentifier() or key.isdigit() else hashed(key)


def _detail(value: Any, ids: frozenset[str], hashed: _Hash, *, setting: bool = False) -> Any:
    if isinstance(value, Mapping):
        return {
            _key(str(key), hashed): _detail(each, ids, hashed, setting=key in _SETTINGS) for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [_detail(each, ids, hashed) for each in value]
    if isinstance(value, int) and abs(value) >= _NUMBER:
        return hashed(str(value))
    if not isinstance(value, str) or value in ids or (setting and _FEW.fullmatch(value)):
        return value
    return hashed(value)


def _claim(claim: Claim, hashed: _Hash) -> Claim:
    return replace(
        claim,
        text=f"[not kept: {hashed(claim.text)}]",
        quote=_filler(claim.quote),
        citations=tuple(replace(each, target=NOT_KEPT) for each in claim.citations),
        path="",
    )


def _verdict(verdict: Verdict) -> Verdict:
    return replace(
        verdict,
        detail=None,
        rationale=NOT_KEPT if verdict.rationale else "",
        evidence=tuple(map(_quoted, verdict.evidence)),
        history=tuple(map(_layer, verdict.history)),
        undecided=_withheld(verdict.undecided),
        error=_withheld(verdict.error),
    )


def _quoted(evidence: Evidence) -> Evidence:
    return replace(evidence, quote=_filler(evidence.quote))


def _layer(layer: Layer) -> Layer:
    return replace(
        layer,
        note=NOT_KEPT if layer.note else "",
        statement=NOT_KEPT if layer.statement else "",
        selected=tuple(map(_selected, layer.selected)),
        summaries=tuple(replace(each, text=NOT_KEPT) for each in layer.summaries),
    )


def _selected(selected: Selected) -> Selected:
    return replace(selected, quote=_filler(selected.quote))


def _warnings(warnings: Iterable[str]) -> Iterator[str]:
    """The warnings, as far as they are known to quote nothing."""
    for warning in warnings:
        head, _, rest = warning.partition(": ")
        if _PLAIN.fullmatch(warning):
            yield warning
        elif head in _OF_CLAIMS or _COUNTED.fullmatch(head):
            yield warning if _IDS.fullmatch(rest) else f"{head}: {NOT_KEPT}"
        else:
            yield f"a warning that may quote a text was {NOT_KEPT[1:-1]}"
