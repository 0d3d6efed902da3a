"""How many probes a run needs, and what so many can show."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.statistics.rate import Rate, cluster, design, quantile, rate
from trail_callbacks.errors import InputError
from trail_callbacks.report.scoring import wilson

__all__ = ["needed", "needed_for_bound", "needed_for_difference", "planned", "precision"]

_NORMAL = NormalDist()
_MOST = 10_000_000


def planned(probes: Sequence[Probe]) -> str:
    """Says what probes can show if all of them are scored, for a person: before a run."""
    hits = [(cluster(each), False) for each in probes]
    return precision(rate(hits, design([hits])))


def precision(found: Rate) -> str:
    """Says what as many probes as those of a rate can show, for a person."""
    if not found.n:
        return "no probe was scored: nothing can be said"
    alone = found.effective > found.n - 0.5
    independent, z = (found.n, 1.96) if alone else (found.effective, quantile(found.documents))
    low, high = wilson(0.5, independent, z)
    none = wilson(0.0, independent, z)[1]
    worth = "" if alone else f" (worth {independent:,.0f} independent ones)"
    step = _resolved(independent)
    apart = (
        "two strategies that answer one probe in five differently are told apart if their rates are "
        f"{100 * step:.0f} points or more apart (80 % power)"
        if step
        else "two strategies can hardly be told apart"
    )
    return (
        f"{found.n:,} probe{'' if found.n == 1 else 's'}{worth}: without a single leak, the leak rate would be below "
        f"{_above(none)} %; a rate near 50 % is known to within \u00b1{50 * (high - low):.1f} points; {apart}"
    )


def _above(share: float) -> str:
    """A percentage, rounded up: a bound must hold."""
    return f"{math.ceil(1000 * share) / 10:.1f}"


def needed(half_width: float, share: float = 0.5, *, design: float = 1.0, confidence: float = 0.95) -> int:
    """Number of probes with which the Wilson interval of a rate reaches no further than this on average of both sides.

    Args:
        half_width: Half the width of the interval, over 0.0 and below 0.5.
        share: The rate that is expected, 0.0 to 1.0; 0.5 needs the most.
        design: Design effect: how many times the variance is that of independent probes, 1.0 or more.
        confidence: Over 0.0 and below 1.0.

    Raises:
        InputError: If a value is outside its range.
    """
    _checked("half_width", half_width, 0.0, 0.5)
    z = _z(confidence)
    if not 0.0 <= share <= 1.0:
        raise InputError(f"share is {share!r}, expected 0.0 to 1.0")

    def enough(n: int) -> bool:
        low, high = wilson(share, n / design, z)
        return (high - low) / 2 <= half_width

    return _least(enough)


def needed_for_bound(bound: float, *, design: float = 1.0, confidence: float = 0.95) -> int:
    """Number of probes without any leak from which the upper Wilson limit of the leak rate is below a bound.

    Args:
        bound: The rate, over 0.0 and below 1.0.
        design: See `needed`.
        confidence: Of the two-sided interval, over 0.0 and below 1.0.

    Raises:
        InputError: If a value is outside its range.
    """
    _checked("bound", bound, 0.0, 1.0)
    z = _z(confidence)
    return _least(lambda n: wilson(0.0, n / design, z)[1] < bound)


def needed_for_difference(
    points: float, discordant: float = 0.2, *, comparisons: int = 1, power: float = 0.8, design: float = 1.0
) -> int:
    """Number of probes with which McNemar's test tells two strategies apart (Connor, Biometrics 43:207-211, 1987).

    Args:
        points: The difference of the rates, over 0.0 and up to 1.0: 0.1 for ten points.
        discordant: Share of probes on which the two differ, at least `points`.
        comparisons: Number of pairs that are compared; the level is divided by it, as Holm's first step does.
        power: Wanted probability that the difference is found.
        design: See `needed`.

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


def _resolved(n: float, discordant: float = 0.2) -> float | None:
    """The least difference, in whole points, that n probes show; None if they cannot show any."""
    steps = (each / 100 for each in range(1, int(100 * discordant) + 1))
    return next((each for each in steps if needed_for_difference(each, discordant) <= n), None)


def _least(enough: Callable[[int], bool]) -> int:
    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
        if high > _MOST:
            raise InputError(f"that would take more than {_MOST:,} probes: ask for less")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _z(confidence: float) -> float:
    _checked("confidence", confidence, 0.0, 1.0)
    return 1.96 if confidence == 0.95 else _NORMAL.inv_cdf((1 + confidence) / 2)  # noqa: PLR2004 - as everywhere


def _checked(name: str, value: float, low: float, high: float) -> None:
    if not low < value < high:
        raise InputError(f"{name} is {value!r}, expected over {low} and below {high}")
