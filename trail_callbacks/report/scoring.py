"""The hallucination score: the share of unsupported claims, with an interval.

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
from math import sqrt

from trail_callbacks.taxonomy import UNSUPPORTED, SupportClass

__all__ = ["Scoring", "difference", "holm", "joined", "score", "weight", "wilson"]


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


def wilson(share: float, n: float, z: float = 1.96) -> tuple[float, float]:
    """Wilson's score interval for a share of n trials (Wilson 1927), 95 % by default; n must be positive."""
    centre = share + z * z / (2 * n)
    spread = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = (centre - spread) / (1 + z * z / n), (centre + spread) / (1 + z * z / n)
    return max(0.0, min(share, low)), min(1.0, max(share, high))


def difference(old: Sequence[float], new: Sequence[float], paired: int = 0, z: float = 1.96) -> tuple[float, float]:
    """Interval of `mean(new) - mean(old)` for two shares that may have some items in common; 95 % by default.

    The Wilson limits of both shares are combined as in `joined`. Without pairs their correlation r is 0 and this is
    method 10 for independent shares (Newcombe, Statistics in Medicine 17:873-890, 1998); if all are pairs, r is the phi
    coefficient with his continuity correction, and this is method 10 for paired shares (Newcombe, Statistics in
    Medicine 17:2635-2650, 1998). In between, phi is scaled to the part that is paired,
    r = phi * paired / sqrt(n_old * n_new), which is the correlation of two shares from partially overlapping samples
    (Derrick et al., Journal of Applied Quantitative Methods 10(3), 2015).

    Args:
        old: Weights of the old items, 0.0 to 1.0; at least one.
        new: Weights of the new items, likewise.
        paired: Number of items at the start of `old` and of `new` that are the same, in the same order.
        z: Standard normal quantile.
    """
    before, after = sum(old) / len(old), sum(new) / len(new)
    r = _phi(old[:paired], new[:paired]) * paired / sqrt(len(old) * len(new))
    return joined(before, wilson(before, len(old), z), after, wilson(after, len(new), z), r)


def joined(
    old: float, old_limits: tuple[float, float], new: float, new_limits: tuple[float, float], correlation: float = 0.0
) -> tuple[float, float]:
    """Interval of `new - old` from the limits of each: Newcombe's hybrid score interval.

    With shares p, their limits l and u, their correlation r and their difference d, it is

        d - sqrt((p_new - l_new)^2 - 2 r (p_new - l_new) (u_old - p_old) + (u_old - p_old)^2)   and, above,
        d + sqrt((u_new - p_new)^2 - 2 r (u_new - p_new) (p_old - l_old) + (p_old - l_old)^2).

    Zou and Donner (Statistics in Medicine 27:1693-1702, 2008) show that limits may be combined like this for any two
    correlated estimates.
    """

    def reach(one: float, other: float) -> float:
        return sqrt(max(0.0, one * one - 2 * correlation * one * other + other * other))

    (low_old, high_old), (low_new, high_new), change = old_limits, new_limits, new - old
    down, up = reach(new - low_new, high_old - old), reach(high_new - new, old - low_old)
    return max(-1.0, change - down), min(1.0, change + up)


def holm(probabilities: Sequence[float]) -> list[float]:
    """Holm's correction: probabilities that keep the error over all of them together, in the order given."""
    adjusted, largest = [0.0] * len(probabilities), 0.0
    for rank, n in enumerate(sorted(range(len(probabilities)), key=probabilities.__getitem__)):
        largest = max(largest, min(1.0, (len(probabilities) - rank) * probabilities[n]))
        adjusted[n] = largest
    return adjusted


def _phi(old: Sequence[float], new: Sequence[float]) -> float:
    """Phi coefficient of pairs, with continuity correction if positive; 0 if one side is constant."""
    n = len(old)
    spread = sqrt(_product(old, old) * _product(new, new))
    if not spread:
        return 0.0
    together = _product(old, new)  # of a fourfold table this is ad - bc
    return (max(together - n / 2, 0.0) if together > 0 else together) / spread


def _product(a: Sequence[float], b: Sequence[float]) -> float:
    """n^2 times the covariance."""
    return len(a) * sum(x * y for x, y in zip(a, b, strict=True)) - sum(a) * sum(b)
