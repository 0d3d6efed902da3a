"""Where the text is that bears on a claim: in the prompt, in what was cut or dropped, in an earlier turn, nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trail_callbacks.claims import Claim
from trail_callbacks.diagnosis.reach import Reach
from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import Node
from trail_callbacks.judges.judge import Judge, Judgement
from trail_callbacks.models.call import Pipeline
from trail_callbacks.report import Report, Verdict
from trail_callbacks.report.diagnosis import ClaimFinding, Where
from trail_callbacks.taxonomy import UNSUPPORTED, SupportClass
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.outcome import audit

_UNREAD: frozenset[Where] = frozenset({"cut", "dropped", "reference"})


def place_claims(
    report: Report, reach: Reach, reference: Sequence[Node], judge: Judge, options: VerifyOptions
) -> Pipeline[tuple[tuple[ClaimFinding, ...], tuple[str, ...]]]:
    """Places the claims of an answer.

    Claims whose evidence is known are placed by it. The others are checked, in one batch, against the texts that the
    model did not read: what was retrieved and dropped, the sources of earlier turns, and the caller's reference.

    Args:
        report: The verification.
        reach: How far passages got.
        reference: What the caller knows to be true.
        judge: The judge.
        options: Settings of the verification.

    Returns:
        A finding for each claim that is not simply supported by the prompt, in the order of the answer, and warnings.
    """
    placed: dict[str, ClaimFinding] = {}
    open_: list[Claim] = []
    for claim in report.claims:
        verdict = report.verdict(claim.id)
        if not claim.checkable or verdict.support is SupportClass.UNEVALUATABLE:
            continue
        finding = _by_evidence(verdict, reach)
        if finding is not None:
            placed[claim.id] = finding
        if verdict.support is None or (
            verdict.support in UNSUPPORTED and (finding is None or finding.where != "prompt")
        ):
            open_.append(claim)
    unread = [*(reach.unread if reach.packs else ()), *reach.earlier, *reference]
    warnings: tuple[str, ...] = ()
    if open_ and unread:
        findings = yield from audit(report.graph, open_, unread, judge, replace(options, localize=False))
        warnings = findings.warnings
        for claim in open_:
            judgement = findings.judged.get(claim.id)
            if judgement is not None and (found := _elsewhere(judgement, reach, reference)) is not None:
                placed[claim.id] = found
    for claim in open_:
        support = report.verdict(claim.id).support
        placed.setdefault(claim.id, ClaimFinding(claim_id=claim.id, where="unknown" if support is None else "nowhere"))
    order = [claim.id for claim in report.claims]
    kept = (placed[id_] for id_ in order if id_ in placed)
    return tuple(each for each in kept if not _plain(each, report)), warnings


def _plain(finding: ClaimFinding, report: Report) -> bool:
    return finding.where == "prompt" and report.verdict(finding.claim_id).support is SupportClass.SUPPORTED


def _by_evidence(verdict: Verdict, reach: Reach) -> ClaimFinding | None:
    """Places a claim by the evidence of its verdict; None if it has none that decides."""
    decided = tuple(item for item in verdict.evidence if item.decides)
    if verdict.support is None or not decided:
        return None
    wanted = "contradicts" if verdict.support is SupportClass.CONTRADICTED else "supports"
    telling = tuple(item for item in decided if item.relation == wanted) or decided
    where = _where(telling, reach)
    return ClaimFinding(
        claim_id=verdict.claim_id,
        where=where,
        relation="contradicts" if telling[0].relation == "contradicts" else "supports",
        evidence=telling,
        by_memory=verdict.support is SupportClass.SUPPORTED and where in _UNREAD,
    )


def _where(evidence: Sequence[Evidence], reach: Reach) -> Where:
    """As `Reach.where`; a source that no retriever brought reached the answer by being upstream of it."""
    if any(item.node_id not in reach.candidates and not reach.is_earlier(item.node_id) for item in evidence):
        return "prompt"
    return reach.where(evidence)


def _elsewhere(judgement: Judgement, reach: Reach, reference: Sequence[Node]) -> ClaimFinding | None:
    """Places a claim by what the texts say that the model did not read; None if they say nothing about it."""
    if judgement.support not in {SupportClass.SUPPORTED, SupportClass.CONTRADICTED}:
        return None
    supports = judgement.support is SupportClass.SUPPORTED
    telling = tuple(item for item in judgement.evidence if item.decides and (item.relation == "supports") == supports)
    if not telling:
        return None
    known = {node.id for node in reference}
    inside = [item for item in telling if item.node_id not in known]
    where: Where = reach.where(inside) if inside else "reference"
    return ClaimFinding(
        claim_id=judgement.claim_id,
        where=where,
        relation="supports" if supports else "contradicts",
        evidence=tuple(inside),
        by_memory=supports and where in _UNREAD,
    )
