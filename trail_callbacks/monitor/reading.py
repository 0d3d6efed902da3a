"""The counts that an objective is judged by, and why a stage burns: because an earlier one does, for the same runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from trail_callbacks.monitor.burn import BurnWindow
from trail_callbacks.monitor.objectives import ANY, STAGES, Objective
from trail_callbacks.monitor.signals import Tallies, Tally

__all__ = ["EXPLAINS", "Readout", "causes_of", "expanded", "read_windows", "segment_text"]

EXPLAINS = 0.5  # a stage that is bad in half as many runs can be why a later one is; in fewer, it cannot


@dataclass(frozen=True, slots=True, kw_only=True)
class Readout:
    """The counts of an objective, for one segment.

    Attributes:
        objective: The objective.
        segment: Values of segments of its runs, by name; none of them is `ANY`.
        windows: One for each burn rate, fastest first.
    """

    objective: Objective
    segment: Mapping[str, str]
    windows: tuple[BurnWindow, ...]

    @property
    def id(self) -> str:
        """The objective, and which of its segments."""
        name = self.objective.name
        return f"{name}[{segment_text(self.segment)}]" if ANY in self.objective.segment.values() else name

    @property
    def fired(self) -> BurnWindow | None:
        """The fastest burn rate at which the budget burns."""
        budget, minimum = self.objective.budget, self.objective.minimum
        return next((each for each in self.windows if each.fires(budget, minimum)), None)

    @property
    def shown(self) -> BurnWindow:
        """The window that says most: that which fired, else that with the highest burn among those with enough runs."""
        enough = [each for each in self.windows if each.long.decided >= self.objective.minimum]
        return self.fired or max(enough, key=lambda each: each.long.share or 0.0, default=self.windows[-1])

    @property
    def burning(self) -> BurnWindow | None:
        """The shortest window in which more runs are bad than the objective allows, at any speed."""
        budget, minimum = self.objective.budget, self.objective.minimum
        return next((each for each in self.windows if each.exceeds(budget, minimum)), None)

    @property
    def blind(self) -> BurnWindow | None:
        """A window with enough runs, of none of which the signal is known."""
        minimum = self.objective.minimum
        return next((each for each in self.windows if each.long.runs >= minimum and not each.long.decided), None)


def segment_text(segment: Mapping[str, str]) -> str:
    """A segment in words; `all runs` without one."""
    return ", ".join(f"{name}={segment[name]}" for name in sorted(segment)) or "all runs"


def expanded(segment: Mapping[str, str], known: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """Yields a segment for each known value of each name whose value is `ANY`."""
    name = next((name for name, value in segment.items() if value == ANY), None)
    if name is None:
        yield dict(segment)
        return
    for value in known.get(name, ()):
        if value != ANY:
            yield from expanded({**segment, name: value}, known)


def read_windows(objective: Objective, segment: Mapping[str, str], tallies: Tallies, until: float) -> Readout:
    """Counts what an objective needs, for one segment."""

    def count(since: float, until: float) -> Tally:
        return tallies.tally(objective.signal, since, until, segment, objective.threshold)

    windows = tuple(BurnWindow.count(rate, until, count) for rate in objective.rates)
    return Readout(objective=objective, segment=segment, windows=windows)


def causes_of(reading: Readout, readings: Sequence[Readout], tallies: Tallies, until: float) -> list[Readout]:
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


def _before(one: Readout, other: Readout) -> bool:
    stages = one.objective.stage, other.objective.stage
    return "evaluator" not in stages and STAGES.index(stages[0]) < STAGES.index(stages[1])


def _explains(cause: Readout, reading: Readout) -> bool:
    """Whether enough runs are bad at the earlier stage, of those in the window in which it burns."""
    burning = cause.burning
    return burning is not None and (burning.long.share or 0.0) >= EXPLAINS * (reading.shown.long.share or 0.0)


def _parts(burning: Iterable[Readout], reading: Readout, name: str) -> list[Readout]:
    """Those that count a part of its runs: one value of a segment more. No two of them share a run."""
    parts: dict[str, Readout] = {}
    for each in burning:
        value = each.segment.get(name)
        if value is not None and each.segment == {**reading.segment, name: value}:
            parts.setdefault(value, each)
    return list(parts.values())


def _part(cause: Readout, reading: Readout, tallies: Tallies, until: float) -> Readout:
    """What a reading counts of the runs of a cause, over the same windows."""
    objective = reading.objective

    def tally(since: float, until: float) -> Tally:
        return tallies.tally(objective.signal, since, until, cause.segment, objective.threshold)

    windows = tuple(each.over(until, tally) for each in reading.windows)
    return Readout(objective=objective, segment=cause.segment, windows=windows)


def _fires_without(parts: Sequence[Readout], reading: Readout) -> bool:
    """Whether a reading fires without some parts of it."""
    objective = reading.objective
    for n, window in enumerate(reading.windows):
        rest = window
        for part in parts:
            rest = rest.without(part.windows[n])
        if rest.fires(objective.budget, objective.minimum):
            return True
    return False
