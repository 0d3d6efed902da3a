"""Intervals of a share and of a difference of two shares."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

__all__ = ["Z", "difference", "joined", "quantile", "wilson"]

Z = 1.96
"""Standard normal quantile of 95 % intervals."""


def wilson(share: float, n: float, z: float = Z) -> tuple[float, float]:
    """Wilson's score interval for a share of n trials (Wilson 1927), 95 % by default; n must be positive."""
    centre = share + z * z / (2 * n)
    spread = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = (centre - spread) / (1 + z * z / n), (centre + spread) / (1 + z * z / n)
    return max(0.0, min(share, low)), min(1.0, max(share, high))


def difference(old: Sequence[float], new: Sequence[float], paired: int = 0, z: float = Z) -> tuple[float, float]:
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


def quantile(clusters: int, z: float = Z) -> float:
    """The quantile of Student's t that takes the place of a normal one where variances are of so many clusters.

    The expansion of Fisher and Cornish (Technometrics 2:209-225, 1960) to the third order, within 0.3 % from five
    clusters on.
    """
    free = clusters - 1
    return (
        z
        + (z**3 + z) / (4 * free)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * free**3)
    )


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
