"""The counts that an objective is judged by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trail_callbacks.alerts.alert import segment_text
from trail_callbacks.alerts.burn import Window
from trail_callbacks.alerts.objectives import ANY, Objective
from trail_callbacks.observations import Tallies, Tally

__all__ = ["Reading", "expanded", "read_windows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The counts of an objective, for one segment.

    Attributes:
        objective: The objective.
        segment: Values of segments of its runs, by name; none of them is `ANY`.
        windows: One for each burn rate, fastest first.
    """

    objective: Objective
    segment: Mapping[str, str]
    windows: tuple[Window, ...]

    @property
    def id(self) -> str:
        """The objective, and which of its segments."""
        name = self.objective.name
        return f"{name}[{segment_text(self.segment)}]" if ANY in self.objective.segment.values() else name

    @property
    def fired(self) -> Window | None:
        """The fastest burn rate at which the budget burns."""
        budget, minimum = self.objective.budget, self.objective.minimum
        return next((each for each in self.windows if each.fires(budget, minimum)), None)

    @property
    def shown(self) -> Window:
        """The window that says most: that which fired, else that with the highest burn among those with enough runs."""
        enough = [each for each in self.windows if each.long.decided >= self.objective.minimum]
        return self.fired or max(enough, key=lambda each: each.long.share or 0.0, default=self.windows[-1])

    @property
    def burning(self) -> Window | None:
        """The shortest window in which more runs are bad than the objective allows, at any speed."""
        budget, minimum = self.objective.budget, self.objective.minimum
        return next((each for each in self.windows if each.exceeds(budget, minimum)), None)

    @property
    def blind(self) -> Window | None:
        """A window with enough runs, of none of which the signal is known."""
        return next(
            (each for each in self.windows if each.long.runs >= self.objective.minimum and not each.long.decided), None
        )


def expanded(segment: Mapping[str, str], known: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """Yields a segment for each known value of each name whose value is `ANY`."""
    name = next((name for name, value in segment.items() if value == ANY), None)
    if name is None:
        yield dict(segment)
        return
    for value in known.get(name, ()):
        if value != ANY:
            yield from expanded({**segment, name: value}, known)


def read_windows(objective: Objective, segment: Mapping[str, str], tallies: Tallies, until: float) -> Reading:
    """Counts what an objective needs, for one segment."""

    def count(since: float, until: float) -> Tally:
        return tallies.tally(objective.signal, since, until, segment, objective.threshold)

    windows = tuple(Window.count(rate, until, count) for rate in objective.rates)
    return Reading(objective=objective, segment=segment, windows=windows)
