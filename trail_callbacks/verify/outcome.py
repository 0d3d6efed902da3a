"""What a report says: the verdict on each claim, and its state and warnings as a whole."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from trail_callbacks.claims import Claim, abstains, split, structured
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import Node, ProvenanceGraph
from trail_callbacks.judges.judge import Extraction, Judge, Judgement
from trail_callbacks.report import Report, State, Verdict
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass
from trail_callbacks.text import forms
from trail_callbacks.verify.audit import is_verbatim
from trail_callbacks.verify.trace import Introduction

__all__ = ["final_state", "lacking", "not_checked", "placed", "unasked", "verdict_on", "warnings_on"]


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


_SEVERAL = 4  # words; a text of fewer without a number need not state anything


_SILENT = {SupportClass.ABSENT, SupportClass.UNEVALUATABLE, "undecided"}
"""Outcomes that a claim may have without anything to check it against."""


def final_state(answer: str, extraction: Extraction, verdicts: Sequence[Verdict], leaves: Sequence[Node]) -> State:
    """Returns the state of a report on an answer that was read.

    Args:
        answer: Its text.
        extraction: The claims.
        verdicts: One per claim.
        leaves: The evidence upstream of the answer.
    """
    judged = [verdict for verdict in verdicts if verdict.error is None]
    if verdicts and not judged:
        return "error"
    outcomes = {verdict.outcome for verdict in judged}
    complete = not extraction.error and len(judged) == len(verdicts)
    if outcomes <= {SupportClass.UNEVALUATABLE} and len(judged) == len(verdicts):
        inconclusive = any(verdict.history for verdict in judged)  # a walk that ended so did check its claim
        if extraction.error or inconclusive:
            return "partial"
        return "unverified" if _unverified(answer, extraction) else "no_checkable_claims"
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


def _unverified(answer: str, extraction: Extraction) -> bool:
    """Whether an answer without a checkable claim states something; a greeting or a question does not."""
    if extraction.claims:
        return any(claim.unresolved for claim in extraction.claims)
    if structured(answer) is not None:  # the values that it lacks are no statements
        return False
    read = split(answer)
    said = forms(answer)
    several = len(said) >= _SEVERAL or any(form.isdigit() for form in said)
    return several and (not read or any(claim.checkable for claim in read)) and not abstains(answer)


def warnings_on(
    graph: ProvenanceGraph, extraction: Extraction, verdicts: Sequence[Verdict], leaves: Sequence[Node]
) -> list[str]:
    """Returns the warnings of a report; see `final_state` for the arguments."""
    warnings = []
    if extraction.error:
        warnings.append(f"some claims are missing: {extraction.error}")
    warnings += _without_class(verdicts)
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


def _without_class(verdicts: Sequence[Verdict]) -> Iterator[str]:
    undecided = [verdict.claim_id for verdict in verdicts if verdict.outcome == "undecided"]
    if undecided:
        count = f"{len(undecided)} of {len(verdicts)} claims"
        yield f"{count} could not be decided and are not in the score: {', '.join(undecided)}"
    failed = [verdict for verdict in verdicts if verdict.error]
    if failed:
        yield f"{len(failed)} of {len(verdicts)} claims were not judged: {failed[0].error}"
