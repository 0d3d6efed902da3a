"""Whether each cited source supports the very claim it is cited for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from trail_callbacks.capture.lineage import SOURCE_LABELS
from trail_callbacks.claims import Citation, CitationStatus, Claim
from trail_callbacks.evidence import CANDIDATES, Passage, candidates, whole
from trail_callbacks.evidence.library import Cited, CitedPart, Library, attach
from trail_callbacks.evidence.marks import marks
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Judge, Question, matched, reads_whole
from trail_callbacks.models.call import Pipeline
from trail_callbacks.models.tokens import count
from trail_callbacks.report import Verdict
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.sources import request

_MAY_CITE = re.compile(  # what every citation mark has
    r"\[|\u3010|https?://|<sup|\([^()\n]{0,80}\d|\((?i:source|quelle|fuente)|[.,;:!?\"')][\u00b9\u00b2\u00b3\u2070-\u2079]"
)
_RANKED = 2_000  # passages among which those of a cited part are looked for; ranking more is quadratic
_STATUS: dict[SupportClass | None, CitationStatus] = {
    SupportClass.SUPPORTED: "supported",
    SupportClass.PARTIALLY_SUPPORTED: "partially_supported",
    SupportClass.CONTRADICTED: "not_supported",
    SupportClass.ABSENT: "not_supported",
}
_WARNINGS = {
    "not_supported": "cited for a claim that the cited source does not support",
    "unknown_source": "cited, but no source of that name reached the answer",
}
_Parts = tuple[CitedPart, ...]


def cited(
    graph: ProvenanceGraph, claims: Sequence[Claim], verdicts: Sequence[Verdict], judge: Judge, options: VerifyOptions
) -> Pipeline[tuple[tuple[Claim, ...], list[str]]]:
    """Finds the citations of an answer and says of each whether its source supports the claim.

    The evidence of the verdict settles most. Only where a claim is supported, but by another source than the one it
    cites, the judge reads the cited source by itself; all such citations are asked about together.
    """
    answer = graph.answer.text if graph.answer else ""
    if not _MAY_CITE.search(answer):
        return tuple(claims), []
    judged = dict(zip((claim.id for claim in claims), verdicts, strict=True))
    found = attach([claim for claim in claims if claim.checkable], answer, graph.leaves(), _shown(graph))
    settled = [_settled(one, judged[one.claim_id]) for one in found]
    unsettled = [one for one, status in zip(found, settled, strict=True) if status is None]
    asked = yield from _asked(graph, unsettled, {claim.id: claim for claim in claims}, judge, options)
    by_claim: dict[str, list[Citation]] = defaultdict(list)
    for one, status in zip(found, settled, strict=True):
        citation = Citation(
            start=one.mark.start,
            end=one.mark.end,
            target=one.mark.target,
            sources=tuple(dict.fromkeys(part.node_id for part in one.parts)),
            status=status or asked[one.claim_id, one.parts],
        )
        by_claim[one.claim_id].append(citation)
    warnings = []
    for kind, words in _WARNINGS.items():
        named = [
            f"{answer[each.start : each.end].strip()} ({claim_id})"
            for claim_id, citations in by_claim.items()
            for each in citations
            if each.status == kind
        ]
        warnings += [f"{words}: {', '.join(named)}"] if named else []
    return tuple(replace(claim, citations=tuple(by_claim[claim.id])) for claim in claims), warnings


def naming(graph: ProvenanceGraph) -> frozenset[str]:
    """Returns the marks of a graph's answer that name a source of it; any other bracket is a part of a statement."""
    answer = graph.answer.text if graph.answer else ""
    if not _MAY_CITE.search(answer):
        return frozenset()
    library = Library(graph.leaves(), answer, _shown(graph))
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for mark in marks(answer):
        known = bool(library.find(mark)) or library.may_be(mark, answer)
        found[known and mark.bracketed].add(answer[mark.start : mark.end])
    return frozenset(found[True] - found[False])


def without_marks(claim: Claim, named: Collection[str]) -> Claim:
    """Returns a claim whose text leaves out the marks in its quote that name a source."""
    text = claim.text
    for mark in named:
        if mark in claim.quote:
            text = re.sub(rf"\s*{re.escape(' '.join(mark.split()))}", "", text)
    return replace(claim, text=text) if text.strip() else claim


def _shown(graph: ProvenanceGraph) -> dict[str, _Parts]:
    """The numbers under which the model that wrote the answer was shown its sources.

    Only what capture wrote counts: a document may bring metadata of that name along, and a saved graph anything.
    """
    answer = graph.answer
    writers = [answer, *reversed(graph.inputs(answer.id))] if answer else []
    written = [node.attributes.get(SOURCE_LABELS) for node in writers if node.kind in {"answer", "completion"}]
    labels: Any = next(filter(None, written), {})
    known = {node.id for node in graph.leaves()}
    shown: dict[str, _Parts] = {}
    for number, parts in labels.items() if isinstance(labels, Mapping) else ():
        found = [_part(part) for part in parts] if isinstance(parts, list | tuple) else []
        shown[str(number)] = tuple(part for part in found if part is not None and part.node_id in known)
    return shown


def _part(part: Any) -> CitedPart | None:
    match part:
        case [str(node_id), int(start), int(end)]:
            return CitedPart(node_id, start, end)
    return None


def _settled(one: Cited, verdict: Verdict) -> CitationStatus | None:
    """What the verdict on the claim says of a citation already; None where the cited source must be read by itself."""
    if not one.parts:
        return "unknown_source"
    if verdict.support not in {SupportClass.SUPPORTED, SupportClass.PARTIALLY_SUPPORTED}:
        return _STATUS.get(verdict.support, "undecided")
    supporting = [item for item in verdict.evidence if item.relation == "supports"]
    return _STATUS[verdict.support] if any(_within(i.node_id, i.start, one.parts) for i in supporting) else None


def _asked(
    graph: ProvenanceGraph,
    unsettled: Sequence[Cited],
    claims: Mapping[str, Claim],
    judge: Judge,
    options: VerifyOptions,
) -> Pipeline[dict[tuple[str, _Parts], CitationStatus]]:
    """What the judge says of citations, by claim and cited parts: these are read once for all claims."""
    nodes = {leaf.id: leaf for leaf in graph.leaves()}
    places = list(dict.fromkeys((one.claim_id, one.parts) for one in unsettled))
    if not places:
        return {}
    citing: dict[_Parts, list[Claim]] = defaultdict(list)
    for claim_id, parts in places:
        citing[parts].append(claims[claim_id])
    limit = options.read_tokens if reads_whole(judge) else 0
    shown = {parts: _shown_of(parts, those, nodes, limit) for parts, those in citing.items()}
    asked = request(graph)
    questions = [Question(claim=claims[id_], passages=shown[parts][id_], asked=asked) for id_, parts in places]
    assessment = yield from judge.assess(questions)
    judged = [_STATUS.get(each.support, "undecided") for each in matched(questions, assessment.judgements)]
    return dict(zip(places, judged, strict=True))


def _shown_of(
    parts: _Parts, claims: Sequence[Claim], nodes: Mapping[str, Node], limit: int
) -> dict[str, tuple[Passage, ...]]:
    """All that is cited if it fits into one reading, else what of it is nearest to each claim."""
    mine = [nodes[id_] for id_ in dict.fromkeys(part.node_id for part in parts)]
    if sum(count(nodes[part.node_id].text[part.start : part.end]) for part in parts) <= limit:
        all_of_it = tuple(p for p in whole(mine) if _within(p.node_id, p.start, parts))
        if all_of_it:
            return {claim.id: all_of_it for claim in claims}
    in_part = any(part.end - part.start < len(nodes[part.node_id].text) for part in parts)
    most = sum(len(node.text) for node in mine) if in_part else CANDIDATES  # what is not cited is left out below
    ranked = candidates(claims, mine, max(min(most, _RANKED), 1))
    return {
        claim_id: tuple(p for p in those if _within(p.node_id, p.start, parts))[:CANDIDATES]
        for claim_id, those in ranked.items()
    }


def _within(node_id: str, start: int, parts: _Parts) -> bool:
    return any(node_id == part.node_id and part.start <= start < part.end for part in parts)
