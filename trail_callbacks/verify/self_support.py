"""Unsupported claims that stand only in what a model wrote: the verdict says so, and a warning names the text.

A model's words come back as a tool's result, a document, a value of the state or an instruction. They are not evidence,
so the claim is unsupported; a reader who finds it there must learn why that does not count. Where nobody saw who wrote
the text, it may as well be a source: the claim is undecided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise

from trail_callbacks.claims import Claim
from trail_callbacks.graph import EVIDENCE_KINDS, EVIDENCE_ORIGINS, UNSEEN, Node, ProvenanceGraph
from trail_callbacks.report import Verdict
from trail_callbacks.taxonomy import UNSUPPORTED, SupportClass
from trail_callbacks.text import forms, sentences

_LEAST = 3  # words of a claim that are not found by chance
_MOST = 0.8  # share of the words of a claim, in their order, with which a sentence states it
_QUOTE = 100  # characters of a text that a warning quotes
_TEXTS = 5  # warnings; more would hide the others


def self_supported(
    graph: ProvenanceGraph, claims: Sequence[Claim], verdicts: Sequence[Verdict]
) -> tuple[list[Verdict], list[str]]:
    """Finds unsupported and undecided claims that only texts or parts by a model state, word for word or nearly so."""
    unsupported = [verdict.support in UNSUPPORTED or verdict.undecided is not None for verdict in verdicts]
    upstream = graph.upstream(graph.answer.id) if graph.answer is not None and any(unsupported) else ()
    sources = [node for node in upstream if node.kind in EVIDENCE_KINDS or _is_of_before(node)]
    written = [_Part(node, start, end) for node in sources for start, end in _written(node)]
    evidence = [_Part(node, start, end) for node in sources if node.is_evidence for start, end in _rest(node)]
    marked = list(verdicts)
    by_text: dict[str, tuple[Node, str, list[str]]] = {}
    for n, (claim, verdict) in enumerate(zip(claims, verdicts, strict=True)):
        quotes = [(part.node, quote) for part in written if unsupported[n] and (quote := part.quote(claim))]
        entry = graph.node(verdict.introduced_at) if unsupported[n] and verdict.introduced_at else None
        known = entry is not None and entry.attributes.get(UNSEEN, "") == entry.step  # a history names the step
        if entry is not None and entry.origin == "unknown" and not known and not quotes:
            quotes = [(entry, claim.quote)]
        if not quotes or any(part.quote(claim) for part in evidence):
            continue
        surely = any(node.origin != "unknown" and not _is_of_before(node) for node, _ in quotes)
        note = f"Only a text that a model {'wrote' if surely else 'may have written'} states it ({quotes[0][0].id})."
        if verdict.undecided is not None:
            marked[n] = replace(verdict, undecided=f"{note} {verdict.undecided}".rstrip())
        elif not surely and verdict.support is not SupportClass.CONTRADICTED:
            marked[n] = replace(
                verdict, support=None, error_type=None, second_type=None, confidence=None, evidence=(), undecided=note
            )
        else:
            marked[n] = replace(verdict, rationale=f"{note} {verdict.rationale}".rstrip())
        for node, quote in quotes:
            by_text.setdefault(node.id, (node, quote, []))[2].append(claim.id)
    return marked, list(_warnings(list(by_text.values())))


def _is_of_before(node: Node) -> bool:
    """True for a model's message of which nobody saw what it rests on."""
    return node.origin == "model" and node.kind == "completion" and UNSEEN in node.attributes


def _warnings(texts: Sequence[tuple[Node, str, list[str]]]) -> Iterator[str]:
    for node, quote, ids in texts[:_TEXTS]:
        who, hint = "wrote", ""
        if node.origin == "unknown":
            who, hint = "may have written", ". If it is a source, name its input in sources="
        where = f"{node.id} (step {node.step})" if node.step else node.id
        short = quote if len(quote) <= _QUOTE else f"{quote[:_QUOTE].rstrip()} ..."
        yield f"stated only in what a model {who}, which is not evidence: {', '.join(ids)} in {where}: {short!r}{hint}"
    if len(texts) > _TEXTS:
        yield f"{len(texts) - _TEXTS} more texts that a model wrote state unsupported claims; they are not evidence"


def _written(node: Node) -> Iterable[tuple[int, int]]:
    """What a model wrote, or may have written, of a text."""
    return node.model_spans if node.origin in EVIDENCE_ORIGINS else [(0, len(node.text))]


def _rest(node: Node) -> Iterator[tuple[int, int]]:
    """What nobody says a model wrote of a text."""
    borders = [(0, 0), *node.model_spans, (len(node.text), len(node.text))]
    yield from ((end, start) for (_, end), (start, _) in pairwise(borders) if end < start)


class _Part:
    """A part of a text, searched for claims."""

    def __init__(self, node: Node, start: int, end: int) -> None:
        self.node, self._text = node, node.text[start:end]

    @cached_property
    def _words(self) -> str:
        return f" {' '.join(forms(self._text))} "

    @cached_property
    def _sentences(self) -> list[tuple[str, tuple[str, ...], frozenset[str]]]:
        found = ((sentence.text, forms(sentence.text)) for sentence in sentences(self._text))
        return [(text, said, frozenset(said)) for text, said in found]

    def quote(self, claim: Claim) -> str:
        """The words that state a claim, or nothing."""
        wanted = forms(claim.quote)
        if len(wanted) < _LEAST:
            return ""
        if f" {' '.join(wanted)} " in self._words:
            return " ".join(claim.quote.split())
        distinct = frozenset(wanted)
        numbers = {form for form in distinct if any(map(str.isdigit, form))}
        for text, said, have in self._sentences:
            near = len(distinct & have) >= _MOST * len(distinct) and numbers <= have
            if near and _in_order(wanted, said) >= _MOST * len(wanted):
                return " ".join(text.split())
        return ""


def _in_order(wanted: Sequence[str], said: Sequence[str]) -> int:
    """The number of words of a claim that a sentence has in the same order."""
    blocks = SequenceMatcher(None, wanted, said, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks)
