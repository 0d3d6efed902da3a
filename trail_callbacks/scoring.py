"""How classes become one score: a share of unsupported claims, with an interval.

The arithmetic, with a claim's class as the only input:

    hallucination_score = (contradicted + absent + partially_supported) / (all - unevaluatable)

Claims whose judge failed are left out of both sides. Worked example: of six claims three are supported, one is
contradicted, one absent and one a greeting; the score is (1 + 1 + 0) / (6 - 1) = 0.4.

>>> S = SupportClass
>>> score([S.SUPPORTED] * 3 + [S.CONTRADICTED, S.ABSENT, S.UNEVALUATABLE])
0.4
>>> score([S.UNEVALUATABLE]) is None
True
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from trail_callbacks.taxonomy import SupportClass

__all__ = ["Scoring", "score", "wilson"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """How classes become a score.

    Attributes:
        strict: Count unevaluatable claims as unsupported, as HalluMeasure's introduction does.
        severity: Weigh partially supported claims 0.5 instead of 1.
        gate: Any contradiction makes the score 1.0.
    """

    strict: bool = False
    severity: bool = False
    gate: bool = False


def score(classes: Sequence[SupportClass], scoring: Scoring | None = None) -> float | None:
    """Computes the hallucination score, 0.0 (all supported) to 1.0; None if nothing was checkable."""
    scoring = scoring or Scoring()
    counts = Counter(classes)
    of = len(classes) - (0 if scoring.strict else counts[SupportClass.UNEVALUATABLE])
    if of == 0:
        return None
    if scoring.gate and counts[SupportClass.CONTRADICTED]:
        return 1.0
    bad = float(counts[SupportClass.CONTRADICTED] + counts[SupportClass.ABSENT])
    bad += counts[SupportClass.PARTIALLY_SUPPORTED] * (0.5 if scoring.severity else 1.0)
    bad += counts[SupportClass.UNEVALUATABLE] if scoring.strict else 0
    return bad / of


def wilson(share: float, n: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's score interval for a share of n trials (Wilson 1927), 95 % by default; n must be positive."""
    centre = share + z * z / (2 * n)
    spread = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, (centre - spread) / (1 + z * z / n)), min(1.0, (centre + spread) / (1 + z * z / n))
