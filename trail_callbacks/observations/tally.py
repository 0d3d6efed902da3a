"""How many runs of a window are bad, weighted by how seldom such runs are judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from trail_callbacks.observations.observation import Observation
from trail_callbacks.observations.signals import Signal
from trail_callbacks.statistics.intervals import wilson

__all__ = ["Recorded", "Tallies", "Tally"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts over runs.

    A run that was judged as one of 1 / rate stands for that many. Where rates differ, `effective` is the number of
    runs judged at one rate that would say as much (Kish's effective sample size): intervals take it as their n.

    Attributes:
        runs: Runs that were observed, whatever is known of them.
        decided: Those of which it is known whether they are bad.
        bad: Those that are.
        weight: Sum of 1 / rate over the decided.
        bad_weight: The same over the bad.
        squares: Sum of the squares of 1 / rate over the decided.
    """

    runs: int = 0
    decided: int = 0
    bad: int = 0
    weight: float = 0.0
    bad_weight: float = 0.0
    squares: float = 0.0

    @property
    def share(self) -> float | None:
        """Weighted share of bad runs among the decided, 0.0 to 1.0; None if there are none."""
        return self.bad_weight / self.weight if self.weight else None

    @property
    def effective(self) -> float:
        """Effective number of decided runs, 0.0 or more, `decided` at most."""
        return self.weight**2 / self.squares if self.squares else 0.0

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson interval of the share, 95 %, on the effective number of runs; None without a share."""
        return None if self.share is None else wilson(min(1.0, self.share), self.effective)  # a sum may round up


class Tallies(Protocol):
    """What counts runs: a store, or runs in memory."""

    def tally(
        self,
        signal: Signal,
        since: float,
        until: float,
        segment: Mapping[str, str] | None = None,
        threshold: float | None = None,
    ) -> Tally:
        """Counts the runs that began in a window.

        Args:
            signal: What makes a run bad.
            since: Begin of the window, seconds since the epoch.
            until: Its end, itself outside.
            segment: Values that a run's segments have, by name, see `Observation.segment`; None or empty for all runs.
            threshold: Overrides the signal's.
        """
        ...


class Recorded:
    """Observations in memory.

    Args:
        observations: The runs, in any order.
    """

    def __init__(self, observations: Iterable[Observation]) -> None:
        self._runs = tuple(observations)

    def tally(
        self,
        signal: Signal,
        since: float,
        until: float,
        segment: Mapping[str, str] | None = None,
        threshold: float | None = None,
    ) -> Tally:
        """See `Tallies`."""
        runs = decided = bad = 0
        weight = bad_weight = squares = 0.0
        for run in self._runs:
            if not since <= run.at < until or any(run.segment(name) != x for name, x in (segment or {}).items()):
                continue
            runs += 1
            is_bad = signal.bad(run, threshold)
            if is_bad is None:
                continue
            stands_for = 1.0 / run.rate
            decided, weight, squares = decided + 1, weight + stands_for, squares + stands_for**2
            if is_bad:
                bad, bad_weight = bad + 1, bad_weight + stands_for
        return Tally(runs=runs, decided=decided, bad=bad, weight=weight, bad_weight=bad_weight, squares=squares)
