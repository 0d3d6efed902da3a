"""What so many probes can show, for a person."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.statistics.rates import cluster
from trail_callbacks.statistics.intervals import Z, needed_for_bound, needed_for_difference, quantile, wilson
from trail_callbacks.statistics.rates import Rate, design, rate

__all__ = ["needed_for_bound", "needed_for_difference", "planned", "precision"]

_DISCORDANT = 0.2


def planned(probes: Sequence[Probe]) -> str:
    """Says what probes can show if all of them are scored: before a run."""
    hits = [(cluster(each), False) for each in probes]
    return precision(rate(hits, design([hits])))


def precision(found: Rate) -> str:
    """Says what as many probes as those of a rate can show."""
    if not found.n:
        return "no probe was scored: nothing can be said"
    alone = found.effective > found.n - 0.5
    n, z = (float(found.n), Z) if alone else (found.effective, quantile(found.documents))
    low, high = wilson(0.5, n, z)
    none = math.ceil(1000 * wilson(0.0, n, z)[1]) / 10  # rounded up: a bound must hold
    worth = "" if alone else f" (worth {n:,.0f} independent ones)"
    steps = range(1, int(100 * _DISCORDANT) + 1)
    step = next((each for each in steps if needed_for_difference(each / 100, _DISCORDANT) <= n), None)
    apart = (
        "two strategies that answer one probe in five differently are told apart if their rates are "
        f"{step} points or more apart (80 % power)"
        if step
        else "two strategies can hardly be told apart"
    )
    return (
        f"{found.n:,} probe{'' if found.n == 1 else 's'}{worth}: without a single leak, the leak rate would be below "
        f"{none:.1f} %; a rate near 50 % is known to within \u00b1{50 * (high - low):.1f} points; {apart}"
    )
