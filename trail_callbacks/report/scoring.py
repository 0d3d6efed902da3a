"""The hallucination score: the share of unsupported claims.

It depends on nothing but the class of each claim:

    hallucination_score = (contradicted + absent + partially_supported) / (all - unevaluatable)

Claims whose judge failed or abstained are left out of both sides. Worked example: of six claims three are supported,
one is contradicted, one absent and one a greeting; the score is (1 + 1 + 0) / (6 - 1) = 0.4.

>>> S = SupportClass
>>> score([S.SUPPORTED] * 3 + [S.CONTRADICTED, S.ABSENT, S.UNEVALUATABLE])
0.4
>>> score([S.UNEVALUATABLE]) is None
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trail_callbacks.claims import Claim
from trail_callbacks.signatures import refuses_unknown
from trail_callbacks.taxonomy import UNSUPPORTED, SupportClass


@refuses_unknown
@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """Options of the score.

    Attributes:
        strict: Count unevaluatable claims as unsupported, as HalluMeasure's introduction does.
        severity: Weight partially supported claims 0.5 instead of 1.
        gate: Any contradiction sets the score to 1.0.
    """

    strict: bool = False
    severity: bool = False
    gate: bool = False


def score(classes: Sequence[SupportClass], scoring: Scoring | None = None) -> float | None:
    """Computes the hallucination score, 0.0 (all supported) to 1.0; None if nothing was checkable."""
    scoring = scoring or Scoring()
    weights = [value for support in classes if (value := weight(support, scoring)) is not None]
    if not weights:
        return None
    if scoring.gate and SupportClass.CONTRADICTED in classes:
        return 1.0
    return sum(weights) / len(weights)


def weight(support: SupportClass | None, scoring: Scoring) -> float | None:
    """The weight of one claim: 0.0, 0.5 or 1.0; None if it is not counted or was not judged (`support` is None)."""
    if support is SupportClass.UNEVALUATABLE:
        return 1.0 if scoring.strict else None
    if support is SupportClass.PARTIALLY_SUPPORTED and scoring.severity:
        return 0.5
    return None if support is None else float(support in UNSUPPORTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationFigures:
    """Counts and shares of the citations of one answer.

    After ALCE (Gao et al., EMNLP 2023), a claim in place of a sentence. Shares are 0.0 to 1.0, or None where there is
    nothing to divide by.

    Attributes:
        claims: Checkable claims.
        cited: Those that name at least one source.
        coverage: `cited / claims`.
        recall: Share of the claims that a source they cite supports.
        citations: Citations in all; one of several claims counts for each.
        decided: Those whose support was judged, or whose source is unknown.
        precision: Share of the decided citations whose source supports the claim.
        unknown: Citations of a source that did not reach the answer.
    """

    claims: int
    cited: int
    coverage: float | None
    recall: float | None
    citations: int
    decided: int
    precision: float | None
    unknown: int


def citation_figures(claims: Sequence[Claim]) -> CitationFigures | None:
    """Computes the figures; None for an answer that cites nothing."""
    checkable = [claim for claim in claims if claim.checkable]
    citing = [claim for claim in checkable if claim.citations]
    if not citing:
        return None
    statuses = [citation.status for claim in citing for citation in claim.citations]
    decided = [status for status in statuses if status != "undecided"]
    backed = sum(any(citation.status == "supported" for citation in claim.citations) for claim in citing)
    return CitationFigures(
        claims=len(checkable),
        cited=len(citing),
        coverage=len(citing) / len(checkable),
        recall=backed / len(checkable),
        citations=len(statuses),
        decided=len(decided),
        precision=decided.count("supported") / len(decided) if decided else None,
        unknown=statuses.count("unknown_source"),
    )
