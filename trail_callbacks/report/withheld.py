"""A report without texts: what remains when an app may not keep what it read and wrote."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeAlias

from trail_callbacks.claims import Claim
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

TEXTS: Mapping[str, Sequence[str]] = {
    "Break": ("reasons",),
    "Citation": ("target",),
    "Claim": ("text", "quote", "path"),
    "Coverage": ("missing",),
    "Diagnosis": ("reasons", "warnings"),
    "Evidence": ("quote",),
    "Facet": ("text",),
    "IndexSearch": ("query", "queries", "text", "why"),
    "Layer": ("note", "statement"),
    "Report": ("claims_error",),
    "RetrievalFinding": ("query", "note"),
    "Selected": ("quote",),
    "Stage": ("lost",),
    "Summary": ("text",),
    "Verdict": ("detail", "rationale", "undecided", "error"),
}
"""The texts in a report beside its warnings and those of its nodes: what questions, passages, claims and judges say."""

_FILLED = frozenset({("Facet", "text"), ("RetrievalFinding", "query"), ("Stage", "lost")})  # and quotes

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

    def changed(owner: Any, field: str, text: str) -> str | None:
        if field == "quote" or (type(owner).__name__, field) in _FILLED:
            return FILLER * len(text)
        if isinstance(owner, Claim):
            return f"[not kept: {hashed(text)}]" if field == "text" else ""
        return None if field == "detail" else text and NOT_KEPT

    graph = report.graph
    ids = frozenset(node.id for node in graph.nodes)
    nodes = tuple(_node(node, ids, hashed) for node in graph.nodes)
    bare: Report = with_texts(report, changed)
    warnings = tuple(dict.fromkeys((WITHOUT_TEXTS, *_warnings(report.warnings))))
    return replace(bare, graph=ProvenanceGraph(nodes=nodes, edges=graph.edges), warnings=warnings)


def with_texts(value: Any, change: Callable[[Any, str, str], Any], texts: Mapping[str, Sequence[str]] = TEXTS) -> Any:
    """Returns a value with each text changed that it or a part of it holds; a graph stays as it is.

    Args:
        value: A dataclass, or a tuple of them.
        change: Returns what stands in place of a text, from the part that holds it, the field's name, and the text.
        texts: Names of the fields that hold texts, by the class of the part.
    """
    if isinstance(value, tuple):
        return tuple(with_texts(each, change, texts) for each in value)
    if isinstance(value, ProvenanceGraph) or not is_dataclass(value) or isinstance(value, type):
        return value
    parts = {}
    for each in fields(value):
        held = getattr(value, each.name)
        if not each.init or held is None:
            continue
        if each.name not in texts.get(type(value).__name__, ()):
            parts[each.name] = with_texts(held, change, texts)
        elif isinstance(held, tuple):
            parts[each.name] = tuple(change(value, each.name, text) for text in held)
        else:
            parts[each.name] = change(value, each.name, held)
    return replace(value, **parts)


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
