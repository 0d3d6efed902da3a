"""How many independent trials it takes to show something."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

from trail_callbacks.errors import InputError
from trail_callbacks.statistics.intervals import Z, wilson

__all__ = ["least", "needed_for_bound", "needed_for_difference"]

_NORMAL = NormalDist()
_MOST = 10_000_000  # that anybody could ask for


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
