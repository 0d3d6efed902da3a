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

from trail_callbacks.taxonomy import UNSUPPORTED, SupportClass

__all__ = ["Scoring", "score", "weight"]


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
