"""From the judgement on a claim to its verdict in the report."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.judge import Judge, Judgement
from trail_callbacks.report import Verdict
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass
from trail_callbacks.verify.audit import is_verbatim
from trail_callbacks.verify.findings import Origin

__all__ = ["not_checked", "placed", "unasked", "verdict_on"]


def unasked(claim: Claim) -> Judgement:
    """Returns the judgement on a claim that no evidence could confirm, or whose meaning is unclear."""
    rationale = "Not a statement that evidence could confirm."
    if claim.unresolved:
        rationale = f"Its meaning is unclear from the answer: {claim.unresolved}"
    return Judgement(claim_id=claim.id, support=SupportClass.UNEVALUATABLE, rationale=rationale)


def verdict_on(
    claim: Claim, judgement: Judgement, graph: ProvenanceGraph, judge: Judge, citable: Collection[str]
) -> Verdict:
    """Makes the verdict of a judgement; only evidence that is verbatim text of a node is kept.

    Args:
        claim: The claim.
        judgement: The judgement on it.
        graph: Where evidence is looked up.
        judge: The judge that was asked.
        citable: Ids of the nodes that may be cited.
    """
    verbatim = [item for item in judgement.evidence if item.node_id in citable and is_verbatim(item, graph)]
    # A question or a prompt may contain facts, but "Was it built in 1887?" contradicts nothing.
    evidence = tuple(i for i in verbatim if i.relation == "supports" or not graph.node(i.node_id).is_request)
    support, error_type, rationale = judgement.support, judgement.error_type, judgement.rationale
    if support is SupportClass.CONTRADICTED and len(evidence) < len(verbatim) and not _against(evidence):
        support, error_type, evidence = SupportClass.ABSENT, ErrorType.OTHER, ()
        rationale = f"Only the request itself contradicts it, no source does. {rationale}"
    return Verdict(
        claim_id=claim.id,
        support=support,
        error_type=error_type if support in UNSUPPORTED else None,
        second_type=judgement.second_type if support in UNSUPPORTED else None,
        detail=judgement.detail,
        rationale=rationale,
        evidence=evidence,
        confidence=judgement.confidence,
        judge=judgement.judge or judge.name,
        error=judgement.error,
    )


def _against(evidence: Iterable[Evidence]) -> bool:
    return any(item.relation == "contradicts" for item in evidence)


def not_checked(claim: Claim, judge: Judge, why: str) -> Verdict:
    """Makes the verdict on a claim that no judge was asked about."""
    return Verdict(
        claim_id=claim.id, support=SupportClass.UNEVALUATABLE, rationale=f"Not checked: {why}.", judge=judge.name
    )


def placed(verdict: Verdict, origin: Origin | None) -> Verdict:
    """Adds to a verdict where its claim was introduced, if that is known."""
    if origin is None:
        return verdict
    return replace(
        verdict,
        introduced_at=origin.introduced_at,
        carried_through=origin.carried_through,
        history=origin.history,
    )
