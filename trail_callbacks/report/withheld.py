"""A report without texts: what remains when an app may not keep what it read and wrote."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeAlias

from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.report.report import WITHOUT_TEXTS, Report

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

_TEXTS = {
    "claims.quote": FILLER,
    "claims.path": "",
    "claims.citations.target": NOT_KEPT,
    "verdicts.detail": None,
    "verdicts.rationale": NOT_KEPT,
    "verdicts.evidence.quote": FILLER,
    "verdicts.history.note": NOT_KEPT,
    "verdicts.history.statement": NOT_KEPT,
    "verdicts.history.selected.quote": FILLER,
    "verdicts.history.summaries.text": NOT_KEPT,
    "verdicts.undecided": NOT_KEPT,
    "verdicts.error": NOT_KEPT,
    "claims_error": NOT_KEPT,
    "diagnosis.first_break.reasons": NOT_KEPT,
    "diagnosis.breaks.reasons": NOT_KEPT,
    "diagnosis.reasons": NOT_KEPT,
    "diagnosis.coverage.missing": NOT_KEPT,
    "diagnosis.facets.facet.text": FILLER,
    "diagnosis.claims.evidence.quote": FILLER,
    "diagnosis.retrievals.query": FILLER,
    "diagnosis.retrievals.note": NOT_KEPT,
    "diagnosis.stages.lost": FILLER,
    "diagnosis.warnings": NOT_KEPT,
}
"""The texts in a report beside those of its nodes, and what stands in their place. What questions, queries, passages,
claims and judges say goes; signatures, stages, figures and places stay."""

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
    bare: Report = _withheld("", replace(report, graph=ProvenanceGraph(nodes=(), edges=())))
    claims = zip(report.claims, bare.claims, strict=True)
    return replace(
        bare,
        graph=ProvenanceGraph(nodes=nodes, edges=graph.edges),
        claims=tuple(replace(each, text=f"[not kept: {hashed(claim.text)}]") for claim, each in claims),
        warnings=tuple(dict.fromkeys((WITHOUT_TEXTS, *_warnings(report.warnings)))),
    )


def _withheld(path: str, value: Any) -> Any:
    """A part of a report without the texts that `_TEXTS` names; what it does not name stays."""
    if isinstance(value, tuple):
        return tuple(_withheld(path, each) for each in value)
    if isinstance(value, str) and path in _TEXTS:
        kept = _TEXTS[path]
        return kept * len(value) if kept == FILLER else kept if value else value
    if is_dataclass(value) and not isinstance(value, type):
        names = (each.name for each in fields(value) if each.init)
        parts = {name: _withheld(f"{path}.{name}" if path else name, getattr(value, name)) for name in names}
        return replace(value, **parts)
    return value


def _node(node: Node, ids: frozenset[str], hashed: _Hash) -> Node:
    details: dict[str, Any] = _detail(node.attributes, ids, hashed)
    return replace(node, text=FILLER * len(node.text), attributes={**details, HASH: hashed(node.text)})


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
