"""A decision: the class, type and evidence that a comparison leads to, with a rationale in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trail_callbacks.evidence import Passage, quoted
from trail_callbacks.judges.judge import Judgement
from trail_callbacks.judges.local.comparison import Comparison, Departure
from trail_callbacks.judges.local.risk import probability
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["decide"]

_SHOWN = 6  # missing words that a rationale names


def decide(comparison: Comparison) -> Judgement:
    """Decides by what a check found, else by the risk and by what the passages hold.

    The confidence is the probability that the claim is on the side, supported or not, that the class puts it on.
    """
    settings, departure = comparison.settings, comparison.departure
    if departure is not None:
        judgement = _departs(comparison, departure)
    elif comparison.stating is not None:
        judgement = _supported(comparison, comparison.stating)
    else:
        judgement = _uncovered(comparison)
    if settings.model is None or not comparison.overlap.claim.english:  # the risk was fitted to English
        return judgement
    risk = probability(settings.model.log_odds(comparison.features), settings.calibration)
    if departure is not None:
        return replace(judgement, confidence=max(risk, 0.5))
    supported = judgement.support is SupportClass.SUPPORTED
    if not supported and risk < settings.supported_below and comparison.nearly_stated:
        judgement, supported = _supported(comparison, comparison.best), True
    return replace(judgement, confidence=max(1 - risk if supported else risk, 0.5))


def _departs(comparison: Comparison, departure: Departure) -> Judgement:
    finding = departure.finding
    compared = f"against {finding.evidence_words!r}" if finding.evidence_words else "is in no passage on the subject"
    return _judgement(
        comparison,
        finding.support,
        finding.error_type,
        f"{finding.error_type.value}: {finding.claim_words!r} {compared}.",
        comparison.passages(departure.passages),
        detail=finding.detail,
    )


def _supported(comparison: Comparison, passages: Sequence[int]) -> Judgement:
    overlap, everything = comparison.overlap, comparison.overlap.everything
    have = overlap.covered(passages)
    complete = "" if any(overlap.items[i].required for i in everything - have) else ", with every number and name"
    conflicts = comparison.conflicts(passages)
    other = "but another source says otherwise" if conflicts else "and nothing contradicts it"
    judgement = _judgement(
        comparison,
        SupportClass.SUPPORTED,
        None,
        f"The passages hold {overlap.share(have, everything):.0%} of its words{complete}, {other}.",
        comparison.passages(passages),
    )
    return replace(judgement, evidence=(*judgement.evidence, *conflicts))


def _uncovered(comparison: Comparison) -> Judgement:
    """No passage says otherwise, and none says enough."""
    overlap, everything = comparison.overlap, comparison.overlap.everything
    if not everything:
        rationale = "It has no word that could be compared."
        return _judgement(comparison, SupportClass.ABSENT, ErrorType.OTHER, rationale, ())
    have = overlap.covered(comparison.best)
    share = overlap.share(have, everything)
    missing = sorted((overlap.items[i] for i in everything - have), key=lambda item: item.span)
    words = ", ".join(repr(item.words) for item in missing[:_SHOWN])
    kinds = {item.kind for item in missing if item.required}
    if share >= comparison.settings.partial_at and not kinds and overlap.subject in have:
        return _judgement(
            comparison,
            SupportClass.PARTIALLY_SUPPORTED,
            ErrorType.OTHER,
            f"The passages hold most of it, but not {words or 'in one place'}.",
            comparison.passages(comparison.best),
            detail="minor addition",
        )
    error = ErrorType.OTHER
    if share >= comparison.settings.subject_at:  # the rest is known, so what is missing names the error
        error = ErrorType.NUMBER if "number" in kinds else ErrorType.ENTITY if "name" in kinds else error
    return _judgement(
        comparison, SupportClass.ABSENT, error, f"No passage holds {words}.", (), detail="fabricated addition"
    )


def _judgement(
    comparison: Comparison,
    support: SupportClass,
    error: ErrorType | None,
    rationale: str,
    passages: Sequence[Passage],
    *,
    detail: str | None = None,
) -> Judgement:
    if not comparison.overlap.claim.english:
        rationale += " The claim is not in English: only numbers, names and shared words were compared."
    contradicted = support is SupportClass.CONTRADICTED
    return Judgement(
        claim_id=comparison.question.claim.id,
        support=support,
        error_type=error,
        detail=detail,
        rationale=rationale,
        evidence=tuple(quoted(passage, "contradicts" if contradicted else "supports") for passage in passages),
    )
