"""Whether each cited source supports the very claim it is cited for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trail_callbacks.capture.source_labels import SOURCE_LABELS
from trail_callbacks.claims import Citation, CitationStatus, Claim
from trail_callbacks.evidence import Passage, candidates, whole
from trail_callbacks.evidence.attach import Cited, attach
from trail_callbacks.evidence.library import Region
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Judge, Judgement, Question, matched, reads_whole
from trail_callbacks.models.call import Pipeline
from trail_callbacks.models.tokens import count
from trail_callbacks.report import Verdict
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.sources import request

__all__ = ["CitedClaims", "cited"]

_RANKED = 2_000  # passages among which those of a cited part are looked for; ranking more is quadratic

_STATUS: dict[SupportClass | None, CitationStatus] = {
    SupportClass.SUPPORTED: "supported",
    SupportClass.PARTIALLY_SUPPORTED: "partially_supported",
    SupportClass.CONTRADICTED: "not_supported",
    SupportClass.ABSENT: "not_supported",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedClaims:
    """Claims with their citations, and what a reader should know of them."""

    claims: tuple[Claim, ...]
    warnings: tuple[str, ...] = ()


def cited(
    graph: ProvenanceGraph, claims: Sequence[Claim], verdicts: Sequence[Verdict], judge: Judge, options: VerifyOptions
) -> Pipeline[CitedClaims]:
    """Finds the citations of an answer and says of each whether its source supports the claim.

    The evidence of the verdict settles most. Only where a claim is supported, but by another source than the one it
    cites, the judge reads the cited source by itself; all such citations are asked about together.

    Args:
        graph: The graph of the answer.
        claims: The claims of the answer.
        verdicts: One for each, in the same order.
        judge: The judge.
        options: Settings.
    """
    answer, leaves = graph.answer.text if graph.answer else "", graph.leaves()
    judged = dict(zip((claim.id for claim in claims), verdicts, strict=True))
    found = attach([claim for claim in claims if claim.checkable], answer, leaves, _shown(graph))
    unsettled = [one for one in found if _settled(one, judged[one.claim_id]) is None]
    asked = yield from _asked(graph, unsettled, {claim.id: claim for claim in claims}, judge, options)
    status = {id(one): _of(judgement) for one, judgement in zip(unsettled, asked, strict=True)}
    by_claim: dict[str, list[Citation]] = defaultdict(list)
    for one in found:
        citation = Citation(
            start=one.mark.start,
            end=one.mark.end,
            target=one.mark.target,
            sources=tuple(dict.fromkeys(region.node_id for region in one.regions)),
            status=status.get(id(one)) or _settled(one, judged[one.claim_id]) or "undecided",
        )
        by_claim[one.claim_id].append(citation)
    return CitedClaims(
        claims=tuple(replace(claim, citations=tuple(by_claim[claim.id])) for claim in claims),
        warnings=_warnings(by_claim, answer),
    )


def _shown(graph: ProvenanceGraph) -> dict[str, tuple[Region, ...]]:
    """The numbers under which the model that wrote the answer was shown its sources.

    Only what capture wrote counts: a document may bring metadata of that name along, and a saved graph anything.
    """
    answer = graph.answer
    inputs = graph.inputs(answer.id) if answer else ()
    writers = [
        node for node in (answer, *reversed(inputs)) if node is not None and node.kind in {"answer", "completion"}
    ]
    labels: Any = next(filter(None, (node.attributes.get(SOURCE_LABELS) for node in writers)), {})
    known = {node.id for node in graph.leaves()}
    shown: dict[str, tuple[Region, ...]] = {}
    for number, parts in labels.items() if isinstance(labels, Mapping) else ():
        regions = [_region(part) for part in parts] if isinstance(parts, list | tuple) else []
        shown[str(number)] = tuple(region for region in regions if region is not None and region.node_id in known)
    return shown


def _region(part: Any) -> Region | None:
    match part:
        case [str(node_id), int(start), int(end)]:
            return Region(node_id, start, end)
    return None


def _settled(one: Cited, verdict: Verdict) -> CitationStatus | None:
    """What the verdict on the claim says of a citation already; None where the cited source must be read by itself."""
    if not one.regions:
        return "unknown_source"
    if verdict.support not in _STATUS:
        return "undecided"
    if verdict.support not in {SupportClass.SUPPORTED, SupportClass.PARTIALLY_SUPPORTED}:
        return "not_supported"
    for item in verdict.evidence:
        if item.relation == "supports" and any(_within(item.node_id, item.start, r) for r in one.regions):
            return _STATUS[verdict.support]
    return None


def _asked(
    graph: ProvenanceGraph,
    unsettled: Sequence[Cited],
    claims: Mapping[str, Claim],
    judge: Judge,
    options: VerifyOptions,
) -> Pipeline[Sequence[Judgement]]:
    nodes = {leaf.id: leaf for leaf in graph.leaves()}
    citing: dict[tuple[Region, ...], dict[str, Claim]] = defaultdict(dict)  # what is cited is read once for all
    for one in unsettled:
        citing[one.regions][one.claim_id] = claims[one.claim_id]
    shown: dict[tuple[Region, ...], Mapping[str, tuple[Passage, ...]]] = {}
    for regions, those in citing.items():
        all_of_it = _whole(regions, nodes, options) if reads_whole(judge) else ()
        shown[regions] = (
            dict.fromkeys(those, all_of_it) if all_of_it else _nearest(list(those.values()), regions, nodes, options)
        )
    places: dict[tuple[str, tuple[Region, ...]], int] = {}  # a claim that cites one source many times is judged once
    for one in unsettled:
        places.setdefault((one.claim_id, one.regions), len(places))
    questions = [
        Question(claim=claims[claim_id], passages=shown[regions][claim_id], asked=request(graph))
        for claim_id, regions in places
    ]
    if not questions:
        return ()
    assessment = yield from judge.assess(questions)
    judgements = matched(questions, assessment.judgements)
    return [judgements[places[one.claim_id, one.regions]] for one in unsettled]


def _whole(regions: Sequence[Region], nodes: Mapping[str, Node], options: VerifyOptions) -> tuple[Passage, ...]:
    """All that is cited, if it fits into one reading; else nothing."""
    if sum(count(nodes[region.node_id].text[region.start : region.end]) for region in regions) > options.read_tokens:
        return ()
    return tuple(passage for passage in whole(_cited(regions, nodes)) if _inside(passage, regions))


def _nearest(
    claims: Sequence[Claim], regions: Sequence[Region], nodes: Mapping[str, Node], options: VerifyOptions
) -> dict[str, tuple[Passage, ...]]:
    mine = _cited(regions, nodes)
    parts = any(region.end - region.start < len(nodes[region.node_id].text) for region in regions)
    limit = sum(len(node.text) for node in mine) if parts else options.passages  # what is not cited is left out below
    ranked = candidates(claims, mine, max(min(limit, _RANKED), 1))
    return {
        claim_id: tuple(passage for passage in those if _inside(passage, regions))[: options.passages]
        for claim_id, those in ranked.items()
    }


def _cited(regions: Sequence[Region], nodes: Mapping[str, Node]) -> list[Node]:
    return [nodes[id_] for id_ in dict.fromkeys(region.node_id for region in regions)]


def _inside(passage: Passage, regions: Sequence[Region]) -> bool:
    return any(_within(passage.node_id, passage.start, region) for region in regions)


def _within(node_id: str, start: int, region: Region) -> bool:
    return node_id == region.node_id and region.start <= start < region.end


def _of(judgement: Judgement) -> CitationStatus:
    return _STATUS.get(judgement.support, "undecided")


def _warnings(by_claim: Mapping[str, Sequence[Citation]], answer: str) -> tuple[str, ...]:
    """One sentence for citations that do not hold, one for those that name nothing the app had."""
    wording = {
        "not_supported": "cited for a claim that the cited source does not support",
        "unknown_source": "cited, but no source of that name reached the answer",
    }
    warnings = []
    for status, words in wording.items():
        named = [
            f"{answer[citation.start : citation.end].strip()} ({claim_id})"
            for claim_id, citations in by_claim.items()
            for citation in citations
            if citation.status == status
        ]
        if named:
            warnings.append(f"{words}: {', '.join(named)}")
    return tuple(warnings)
