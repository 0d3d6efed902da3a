"""Why a stage burns: because an earlier one does, for the same runs or for a part of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trail_callbacks.alerts.objectives import STAGES
from trail_callbacks.alerts.reading import Reading
from trail_callbacks.observations import Tallies, Tally

__all__ = ["EXPLAINS", "causes_of"]

EXPLAINS = 0.5  # a stage that is bad in half as many runs can be why a later one is; in fewer, it cannot


def causes_of(reading: Reading, readings: Sequence[Reading], tallies: Tallies, until: float) -> list[Reading]:
    """Returns the readings of an earlier stage that explain why one fires; those of the first stage that do.

    An earlier stage explains it if that burns for the same runs or more, and is bad in at least half as many; or if it
    burns in some segments only, and nothing fires without these.

    Args:
        reading: What fires.
        readings: All readings.
        tallies: What counts runs.
        until: End of the windows, seconds since the epoch.
    """
    earlier = [each for each in readings if each.burning and _before(each, reading)]
    for stage in dict.fromkeys(each.objective.stage for each in earlier):
        here = [each for each in earlier if each.objective.stage == stage]
        wide = [each for each in here if each.segment.items() <= reading.segment.items() and _explains(each, reading)]
        if wide:
            return wide
        for name in dict.fromkeys(name for each in here for name in each.segment if name not in reading.segment):
            parts = [(each, _part(each, reading, tallies, until)) for each in _parts(here, reading, name)]
            causes = [(each, part) for each, part in parts if _explains(each, part)]
            if causes and not _fires_without([part for _, part in causes], reading):
                return [each for each, _ in causes]
    return []


def _before(one: Reading, other: Reading) -> bool:
    stages = one.objective.stage, other.objective.stage
    return "evaluator" not in stages and STAGES.index(stages[0]) < STAGES.index(stages[1])


def _explains(cause: Reading, reading: Reading) -> bool:
    """Whether enough runs are bad at the earlier stage, of those in the window in which it burns."""
    burning = cause.burning
    here = reading.shown.long.share or 0.0
    return burning is not None and (burning.long.share or 0.0) >= EXPLAINS * here


def _parts(burning: Iterable[Reading], reading: Reading, name: str) -> list[Reading]:
    """Those that count a part of its runs: one value of a segment more. No two of them share a run."""
    parts: dict[str, Reading] = {}
    for each in burning:
        value = each.segment.get(name)
        if value is not None and each.segment == {**reading.segment, name: value}:
            parts.setdefault(value, each)
    return list(parts.values())


def _part(cause: Reading, reading: Reading, tallies: Tallies, until: float) -> Reading:
    """What a reading counts of the runs of a cause, over the same windows."""
    objective = reading.objective

    def tally(since: float, until: float) -> Tally:
        return tallies.tally(objective.signal, since, until, cause.segment, objective.threshold)

    windows = tuple(each.over(until, tally) for each in reading.windows)
    return Reading(objective=objective, segment=cause.segment, windows=windows)


def _fires_without(parts: Sequence[Reading], reading: Reading) -> bool:
    """Whether a reading fires without some parts of it."""
    objective = reading.objective
    for n, window in enumerate(reading.windows):
        rest = window
        for part in parts:
            rest = rest.without(part.windows[n])
        if rest.fires(objective.budget, objective.minimum):
            return True
    return False
