"""Figures by the hour, counted once: a page over a million runs reads hundreds of rows.

An hour's row is made when somebody asks for it, and removed in the transaction that changes a run of that hour. It is
made in a transaction that no writer can overlap, so that it is never older than the runs.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Self, get_args

import numpy as np
import sqlalchemy as sa

from trail_callbacks.errors import StoreError
from trail_callbacks.monitor import SIGNALS, FigureName, SignalName, Tally
from trail_callbacks.report.diagnosis import StageName
from trail_callbacks.store.database import Database
from trail_callbacks.store.schema import hours, runs, segments
from trail_callbacks.store.series import Mean, Window, series, stages

__all__ = ["AVERAGED", "HOUR", "HourSums", "by_hour", "changed"]

HOUR = 3_600
AVERAGED: Mapping[str, tuple[FigureName, ...]] = {
    "QC": ("query_coverage",),
    "EO": ("evidence_overlap", "selection"),
    "AC": ("answer_coverage",),
    "CC": ("citation_recall",),
}
"""Figures that are averaged, by their short names; of several, a run counts with the first that is known of it."""

_ALL = 0  # in place of a segment's number
_TOGETHER = 48  # hours that are counted in one transaction: a second or so of a busy store
_COUNTS = ("decided", "bad", "weight", "bad_weight", "squares")
_MEANS = ("n", "total", "squares")
_STAGES: tuple[StageName, ...] = get_args(StageName)
_PLACES = {
    name: place
    for place, name in enumerate(
        [
            "runs",
            "diagnosed",
            *(f"break {stage}" for stage in _STAGES),
            *(f"{signal} {each}" for signal in SIGNALS for each in _COUNTS),
            *(f"{label} {each}" for label in AVERAGED for each in _MEANS),
        ]
    )
}
"""Where each number stands in a row of figures."""

_MADE_BY = sha256(repr([list(_PLACES), sorted(SIGNALS.items()), sorted(AVERAGED.items())]).encode()).hexdigest()[:12]
"""What a row depends on besides the runs: those of a release that counts otherwise are made anew."""


class HourSums:
    """What is counted of a stretch of time: sums, so that those of two stretches can be added.

    Args:
        numbers: The sums, as `numbers` of others gives them; None for a stretch without runs.
    """

    __slots__ = ("numbers",)

    def __init__(self, numbers: Sequence[float] | None = None) -> None:
        self.numbers = np.zeros(len(_PLACES)) if numbers is None else np.array(numbers, dtype=float)

    def __iadd__(self, other: HourSums) -> Self:
        self.numbers += other.numbers
        return self

    @property
    def runs(self) -> int:
        """All runs."""
        return int(self.numbers[_PLACES["runs"]])

    @property
    def diagnosed(self) -> int:
        """Diagnosed runs, also those without a break."""
        return int(self.numbers[_PLACES["diagnosed"]])

    @property
    def breaks(self) -> Counter[StageName]:
        """Runs by the stage at which their evidence path broke first."""
        return Counter({stage: n for stage in _STAGES if (n := int(self.numbers[_PLACES[f"break {stage}"]]))})

    def tally(self, signal: SignalName) -> Tally:
        """Bad runs by a signal."""
        decided, bad, weight, bad_weight, squares = self._of(signal, _COUNTS)
        return Tally(
            runs=self.runs, decided=int(decided), bad=int(bad), weight=weight, bad_weight=bad_weight, squares=squares
        )

    def mean(self, label: str) -> Mean:
        """Mean of a figure, by its name in `AVERAGED`."""
        n, total, squares = self._of(label, _MEANS)
        return Mean(n=int(n), total=total, squares=squares)

    def count(self, tallies: Mapping[SignalName, Tally], means: Mapping[str, Mean]) -> None:
        """Sets what `series` counted."""
        for signal, tally in tallies.items():
            self._set("runs", tally.runs)
            for each in _COUNTS:
                self._set(f"{signal} {each}", getattr(tally, each))
        for label, mean in means.items():
            for each in _MEANS:
                self._set(f"{label} {each}", getattr(mean, each))

    def count_breaks(self, breaks: Mapping[str, int], diagnosed: int) -> None:
        """Sets what `stages` counted."""
        self._set("diagnosed", diagnosed)
        for stage, n in breaks.items():
            self._set(f"break {stage}", n)

    def _set(self, name: str, number: float) -> None:
        if name in _PLACES:  # a stage of another release is in none
            self.numbers[_PLACES[name]] = number

    def _of(self, name: str, parts: Sequence[str]) -> list[float]:
        first = _PLACES[f"{name} {parts[0]}"]
        found: list[float] = self.numbers[first : first + len(parts)].tolist()
        return found


def changed(connection: sa.Connection, times: Collection[float]) -> None:
    """Removes the rows of hours in which a run was written, changed or deleted.

    Args:
        connection: In the transaction that does so.
        times: When those runs began.
    """
    for stretch in _stretches(sorted({int(at // HOUR) for at in times})):
        connection.execute(sa.delete(hours).where(hours.c.hour.between(stretch[0], stretch[-1])))


def by_hour(database: Database, window: Window) -> dict[int, HourSums]:
    """Returns the figures of the hours of a window that has whole hours, by their number since the epoch.

    Hours without a run may be left out.

    Raises:
        StoreError: If the store cannot be read.
    """
    first, last = int(window.since // HOUR), int(-(-window.until // HOUR))
    with database.reading() as connection:
        segment = _number(connection, window.segment)
        if segment is None:
            return {}
        begun = connection.execute(sa.select(sa.func.min(runs.c.at), sa.func.max(runs.c.at))).one()
        if begun[0] is None:
            return {}
        first, last = max(first, int(begun[0] // HOUR)), min(last, int(begun[1] // HOUR) + 1)
        if segment < 0:
            return _counted(connection, first, last, window.segment)
        found = _kept(connection, segment, first, last)
    missing = [hour for hour in range(first, last) if hour not in found]
    for stretch in _stretches(missing):
        found |= _made(database, segment, stretch[0], stretch[-1] + 1, window.segment)
    return found


def _number(connection: sa.Connection, segment: Mapping[str, str]) -> int | None:
    """The number of a segment: `_ALL` for none, -1 for several, None for one that no run has."""
    if len(segment) != 1:
        return -1 if segment else _ALL
    ((name, value),) = segment.items()
    asked = sa.select(segments.c.s).where(segments.c.name == name, segments.c.value == value)
    found: int | None = connection.execute(asked).scalar()
    return found


def _stretches(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Numbers that follow one another, at most so many together."""
    for _, pairs in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        together = [number for _, number in pairs]
        yield from (together[n : n + _TOGETHER] for n in range(0, len(together), _TOGETHER))


def _kept(connection: sa.Connection, segment: int, first: int, last: int) -> dict[int, HourSums]:
    asked = sa.select(hours.c.hour, hours.c.data).where(
        hours.c.s == segment, hours.c.hour >= first, hours.c.hour < last, hours.c.made_by == _MADE_BY
    )
    return {row.hour: _figures(row.data) for row in connection.execute(asked)}


def _made(database: Database, segment: int, first: int, last: int, chosen: Mapping[str, str]) -> dict[int, HourSums]:
    """Counts hours and keeps what was counted; where the store cannot be written, only counts."""
    try:
        with database.writing() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.text("LOCK TABLE trail_hours IN SHARE ROW EXCLUSIVE MODE"))
            found = _counted(connection, first, last, chosen)
            connection.execute(sa.delete(hours).where(hours.c.s == segment, hours.c.hour >= first, hours.c.hour < last))
            rows = [
                {"hour": hour, "s": segment, "made_by": _MADE_BY, "data": _data(found.get(hour))}
                for hour in range(first, last)
            ]
            connection.execute(sa.insert(hours), rows)
    except StoreError:
        with database.reading() as connection:
            return _counted(connection, first, last, chosen)
    return found


def _counted(connection: sa.Connection, first: int, last: int, chosen: Mapping[str, str]) -> dict[int, HourSums]:
    window = Window(since=float(first * HOUR), until=float(last * HOUR), segment=chosen)
    found: dict[int, HourSums] = defaultdict(HourSums)
    for bucket, (tallies, means) in series(connection, list(SIGNALS.values()), AVERAGED, window, HOUR).items():
        found[first + bucket].count(tallies, means)
    for bucket, (breaks, diagnosed) in stages(connection, window, HOUR).items():
        found[first + bucket].count_breaks(breaks, diagnosed)
    return dict(found)


def _data(figures: HourSums | None) -> str:
    """Sums as JSON; an hour without runs has none."""
    return "[]" if figures is None else json.dumps(figures.numbers.tolist(), separators=(",", ":"))


def _figures(data: str) -> HourSums:
    return HourSums(json.loads(data) or None)
