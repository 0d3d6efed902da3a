"""Intervals of a share and of a difference of two shares, and how many independent trials make them narrow enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from math import sqrt
from statistics import NormalDist

from trail_callbacks.errors import InputError

Z = 1.96
"""Standard normal quantile of 95 % intervals."""

_NORMAL = NormalDist()
_MOST = 10_000_000  # trials that anybody could ask for


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


def least(enough: Callable[[int], bool]) -> int | None:
    """The least number from which something is true; None if that is more than anybody could ask for."""
    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
        if high > _MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def needed_for_bound(bound: float, *, design: float = 1.0, confidence: float = 0.95) -> int:
    """Number of probes without any leak from which the upper Wilson limit of the leak rate is below a bound.

    Args:
        bound: The rate, over 0.0 and below 1.0.
        design: Design effect: how many times the variance is that of independent probes, 1.0 or more.
        confidence: Of the two-sided interval, over 0.0 and below 1.0.

    Raises:
        InputError: If a value is outside its range.
    """
    _checked("bound", bound, 0.0, 1.0)
    _checked("confidence", confidence, 0.0, 1.0)
    z = Z if confidence == 0.95 else _NORMAL.inv_cdf((1 + confidence) / 2)  # noqa: PLR2004 - as everywhere
    found = least(lambda n: wilson(0.0, n / design, z)[1] < bound)
    if found is None:
        raise InputError(f"that would take more than {_MOST:,} probes: ask for less")
    return found


def needed_for_difference(
    points: float, discordant: float = 0.2, *, comparisons: int = 1, power: float = 0.8, design: float = 1.0
) -> int:
    """Number of probes with which McNemar's test tells two strategies apart (Connor, Biometrics 43:207-211, 1987).

    Args:
        points: The difference of the rates, over 0.0 and up to 1.0: 0.1 for ten points.
        discordant: Share of probes on which the two differ, at least `points`.
        comparisons: Number of pairs that are compared; the level is divided by it, as Holm's first step does.
        power: Wanted probability that the difference is found.
        design: See `needed_for_bound`.

    Raises:
        InputError: If a value is outside its range.
    """
    if not 0.0 < points <= discordant <= 1.0:
        raise InputError(
            f"points is {points!r} and discordant {discordant!r}, expected 0.0 < points <= discordant <= 1.0"
        )
    _checked("power", power, 0.0, 1.0)
    if comparisons < 1:
        raise InputError(f"comparisons is {comparisons!r}, expected 1 or more")
    level, wanted = _NORMAL.inv_cdf(1 - 0.05 / (2 * comparisons)), _NORMAL.inv_cdf(power)
    spread = math.sqrt(max(0.0, discordant - points * points))
    return math.ceil(design * ((level * math.sqrt(discordant) + wanted * spread) / points) ** 2)


def _checked(name: str, value: float, low: float, high: float) -> None:
    if not low < value < high:
        raise InputError(f"{name} is {value!r}, expected over {low} and below {high}")
