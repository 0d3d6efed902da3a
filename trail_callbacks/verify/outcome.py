"""What a report says: the verdict on each claim, and its state and warnings as a whole."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Extraction, Judge, Judgement
from trail_callbacks.report import Report, State, Verdict
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass
from trail_callbacks.verify.audit import is_verbatim
from trail_callbacks.verify.backtrace import Introduction

__all__ = ["final_state", "lacking", "left_out", "not_checked", "placed", "unasked", "verdict_on", "warnings_on"]


def unasked(claim: Claim) -> Judgement:
    """Returns the judgement on a claim that no evidence could confirm."""
    return Judgement(
        claim_id=claim.id,
        support=SupportClass.UNEVALUATABLE,
        rationale="Not a statement that evidence could confirm.",
    )


def verdict_on(
    claim: Claim, judgement: Judgement, graph: ProvenanceGraph, judge: Judge, citable: Collection[str]
) -> Verdict:
    """Makes the verdict of a judgement; only evidence that is verbatim text of a node is kept.

    Where nothing was decided, no passage speaks for or against the claim, whatever the judge calls it.

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
    error, undecided = judgement.error, None
    if error is None and judgement.undecided is not None:
        support, undecided = None, judgement.undecided.strip() or "the judge abstained and gave no reason"
    elif error is None and support is None:
        error = "the judge gave no verdict"
    if support is None:
        evidence = tuple(replace(i, relation="nearest") for i in evidence if not graph.node(i.node_id).is_request)
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
        confidence=judgement.confidence if support is not None else None,
        judge=judgement.judge or judge.name,
        undecided=undecided,
        error=error,
    )


def _against(evidence: Iterable[Evidence]) -> bool:
    return any(item.relation == "contradicts" for item in evidence)


def not_checked(claim: Claim, judge: Judge, why: str) -> Verdict:
    """Makes the verdict on a claim that no judge was asked about."""
    return Verdict(
        claim_id=claim.id, support=SupportClass.UNEVALUATABLE, rationale=f"Not checked: {why}.", judge=judge.name
    )


def left_out(claim: Claim, judge: Judge) -> Verdict:
    """Makes the verdict on a statement that is in no claim of the judge."""
    return Verdict(
        claim_id=claim.id, undecided="not covered: these words are in no claim of the judge", judge=judge.name
    )


def placed(verdict: Verdict, introduction: Introduction | None) -> Verdict:
    """Adds to a verdict where its claim was introduced, if that is known."""
    if introduction is None:
        return verdict
    return replace(
        verdict,
        introduced_at=introduction.introduced_at,
        carried_through=introduction.carried_through,
        history=introduction.history,
    )


_SILENT = {SupportClass.ABSENT, SupportClass.UNEVALUATABLE, "undecided"}
"""Outcomes that a claim may have without anything to check it against."""


def final_state(
    extraction: Extraction, verdicts: Sequence[Verdict], leaves: Sequence[Node], *, code: bool = False
) -> State:
    """Returns the state of a report on an answer that was read.

    Args:
        extraction: The claims.
        verdicts: One per claim.
        leaves: The evidence upstream of the answer.
        code: Whether the answer has code, which is not checked.
    """
    judged = [verdict for verdict in verdicts if verdict.error is None]
    asked = {claim.id for claim in extraction.claims if not claim.uncovered}
    if asked and all(verdict.error is not None for verdict in verdicts if verdict.claim_id in asked):
        return "error"
    outcomes = {verdict.outcome for verdict in judged}
    complete = not extraction.error and len(judged) == len(verdicts)
    if outcomes <= {SupportClass.UNEVALUATABLE} and len(judged) == len(verdicts):
        inconclusive = any(verdict.history for verdict in judged)  # a walk that ended so did check its claim
        if extraction.error or inconclusive:
            return "partial"
        return "unverified" if code and not verdicts else "no_checkable_claims"
    if all(leaf.is_request for leaf in leaves) and outcomes <= _SILENT:
        return "no_evidence"
    if outcomes <= {"undecided", SupportClass.UNEVALUATABLE}:
        return "unverified" if complete else "partial"
    return "assessed" if complete and "undecided" not in outcomes else "partial"


def lacking(report: Report, lost: Sequence[str]) -> Report:
    """Returns the report on a run of which the recording lacks texts: only a part of it was checked.

    Args:
        report: The report.
        lost: What is missing, a sentence each.
    """
    if not lost:
        return report
    state: State = "partial" if report.state == "assessed" else report.state
    warnings = dict.fromkeys([*lost, *report.warnings])
    return replace(report, state=state, warnings=tuple(warnings))


def warnings_on(
    graph: ProvenanceGraph, extraction: Extraction, verdicts: Sequence[Verdict], leaves: Sequence[Node], code: int = 0
) -> list[str]:
    """Returns the warnings of a report; see `final_state` for the arguments, `code` is a number of lines."""
    warnings = []
    if extraction.error:
        warnings.append(f"some claims are missing: {extraction.error}")
    uncovered = [claim.id for claim in extraction.claims if claim.uncovered]
    warnings += _unread(uncovered, code)
    warnings += _without_class([verdict for verdict in verdicts if verdict.claim_id not in uncovered])
    beside = graph.answer.attributes.get("beside") if graph.answer else None
    if beside:
        warnings.append(f"the app also returned other model outputs, which were not verified: {', '.join(beside)}")
    if not leaves:
        warnings.append("no source reached the answer: there is nothing to check it against")
    unsourced = [
        verdict.claim_id
        for verdict in verdicts
        if verdict.support is SupportClass.SUPPORTED
        and (decisive := [item for item in verdict.evidence if item.decides])
        and all(graph.node(item.node_id).is_request for item in decisive)
    ]
    if unsourced:
        warnings.append(f"supported only by the question or instructions, not by a source: {', '.join(unsourced)}")
    bare = [
        verdict.claim_id
        for verdict in verdicts
        if verdict.support is SupportClass.SUPPORTED and not any(item.decides for item in verdict.evidence)
    ]
    if bare:
        warnings.append(f"judged supported without a verbatim passage from a source: {', '.join(bare)}")
    disputed = [verdict.claim_id for verdict in verdicts if verdict.conflicting]
    if disputed:
        warnings.append(f"the sources disagree on {', '.join(disputed)}: see the evidence for and against")
    lost = [v.claim_id for v in verdicts if v.support in UNSUPPORTED and v.history and v.introduced_at is None]
    if lost:
        warnings.append(f"could not determine where {', '.join(lost)} was introduced")
    weak = {edge.target for edge in graph.edges if edge.basis == "scope"}
    if weak:
        warnings.append(
            f"for {len(weak)} of {len(graph.nodes)} texts no callback showed what they were made from: "
            "their inputs are only known to have been in reach"
        )
    return warnings


def _unread(uncovered: Sequence[str], code: int) -> Iterator[str]:
    if uncovered:
        yield f"the judge left out parts of the answer, which were not checked: {', '.join(uncovered)}"
    if code:
        yield f"not checked: {code} line{'' if code == 1 else 's'} of code or formulas"


def _without_class(verdicts: Sequence[Verdict]) -> Iterator[str]:
    undecided = [verdict.claim_id for verdict in verdicts if verdict.outcome == "undecided"]
    if undecided:
        count = f"{len(undecided)} of {len(verdicts)} claims"
        yield f"{count} could not be decided and are not in the score: {', '.join(undecided)}"
    failed = [verdict for verdict in verdicts if verdict.error]
    if failed:
        yield f"{len(failed)} of {len(verdicts)} claims were not judged: {failed[0].error}"
