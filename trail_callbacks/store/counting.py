"""Bad runs, counted in SQL: of a window, by the value of a segment, and by the hour.

What `Signal.bad` says of an observation is said here of a row. Figures of hours are counted once, so that a page over a
million runs reads hundreds of rows: an hour's row is made when somebody asks for it, in a transaction that no writer
can overlap, and removed in the transaction that changes a run of that hour; it is never older than the runs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import groupby
from numbers import Real
from typing import Any, get_args

import numpy as np
import sqlalchemy as sa

from trail_callbacks.errors import InputError, StoreError
from trail_callbacks.monitor import SIGNALS, BrokenAt, FigureName, Signal, SignalName, Tally
from trail_callbacks.store.database import Database
from trail_callbacks.store.schema import hours, run_segments, runs, segments

HOUR = 3_600
_JUDGED = ("assessed", "partial", "abstained", "no_checkable_claims")
_UNKNOWN = ("unverified", "error")
_ROLLOUTS = 20
_ALL = 0  # in place of a segment's number
_TOGETHER = 48  # hours that are counted in one transaction: a second or so of a busy store


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The runs that are looked at."""

    since: float  # when the first may have begun, seconds since the epoch
    until: float  # the end of the window, itself outside
    segment: Mapping[str, str] = field(default_factory=dict)  # values that their segments have, by name

    def chosen(self) -> tuple[sa.FromClause, list[sa.ColumnElement[bool]]]:
        """What to select from, and the conditions; see `chosen`."""
        return chosen(self.since, self.until, self.segment)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionSeen:
    """A version that was first seen at a time."""

    at: float
    name: str
    value: str


def bad(signal: Signal, threshold: float | None = None) -> sa.ColumnElement[bool]:
    """Whether a row of `runs` is bad; NULL if nobody knows. See `Signal.bad`."""
    if signal.figures:
        return _first(signal.figures) < (signal.threshold if threshold is None else threshold)
    if signal.name == "undecided":
        return sa.or_(runs.c.state.in_(_UNKNOWN), sa.and_(runs.c.state == "partial", runs.c.decided == 0))
    judged = runs.c.state.in_(_JUDGED)
    if signal.name == "abstention":
        return sa.case((judged, runs.c.state == "abstained"), else_=sa.null())
    count = runs.c.contradicted if signal.name == "contradiction" else runs.c.unsupported
    return sa.case((sa.and_(judged, runs.c.decided > 0), count > 0), else_=sa.null())


def _first(names: Sequence[FigureName]) -> sa.ColumnElement[Any]:
    """The first of some figures that is known of a run."""
    return sa.func.coalesce(*(runs.c[f"f_{name}"] for name in names), sa.null())


def _total(which: Any, amount: Any = 1) -> sa.ColumnElement[Any]:
    return sa.func.coalesce(sa.func.sum(sa.case((which, amount), else_=0)), 0)


def _counted(signal: Signal, threshold: float | None = None) -> dict[str, sa.ColumnElement[Any]]:
    """The numbers of a `Tally` but for `runs`."""
    is_bad, weight = bad(signal, threshold), 1.0 / runs.c.rate
    known = is_bad.is_not(None)
    return {
        "decided": _total(known),
        "bad": _total(is_bad),
        "weight": _total(known, weight),
        "bad_weight": _total(is_bad, weight),
        "squares": _total(known, weight * weight),
    }


_COLUMNS: dict[str, sa.ColumnElement[Any]] = {
    "runs": sa.func.count(),
    "diagnosed": _total(runs.c.diagnosed),
    **{f"break {each}": _total(sa.and_(runs.c.diagnosed, runs.c.broken == each)) for each in get_args(BrokenAt)},
    **{f"{name} {part}": each for name, signal in SIGNALS.items() for part, each in _counted(signal).items()},
}
"""What is counted of some runs: sums, so that those of two groups can be added."""

_PLACES = {name: place for place, name in enumerate(_COLUMNS)}
_MADE_BY = sha256(repr([list(_COLUMNS), sorted(SIGNALS.items())]).encode()).hexdigest()[:12]
"""What an hour's row depends on besides the runs: those of a release that counts otherwise are made anew."""


class Sums:
    """What is counted of some runs."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: Sequence[float] | None = None) -> None:
        self.numbers = np.zeros(len(_PLACES)) if numbers is None else np.array(numbers, dtype=float)

    def __add__(self, other: Sums) -> Sums:
        return Sums((self.numbers + other.numbers).tolist())

    def _number(self, name: str) -> float:
        return float(self.numbers[_PLACES[name]])

    @property
    def runs(self) -> int:
        """All runs."""
        return int(self._number("runs"))

    @property
    def diagnosed(self) -> int:
        """Diagnosed runs, also those without a break."""
        return int(self._number("diagnosed"))

    @property
    def breaks(self) -> Counter[BrokenAt]:
        """Runs by the stage at which their evidence path broke first."""
        return Counter({each: n for each in get_args(BrokenAt) if (n := int(self._number(f"break {each}")))})

    def tally(self, signal: SignalName) -> Tally:
        """Bad runs by a signal."""
        names = ("decided", "bad", "weight", "bad_weight", "squares")
        return _tally([self.runs, *(self._number(f"{signal} {name}") for name in names)])


def _tally(numbers: Sequence[float]) -> Tally:
    (runs, decided, bad), (weight, bad_weight, squares) = map(int, numbers[:3]), map(float, numbers[3:])
    return Tally(runs=runs, decided=decided, bad=bad, weight=weight, bad_weight=bad_weight, squares=squares)


def chosen(
    since: float | None = None, until: float | None = None, segment: Mapping[str, str] | None = None
) -> tuple[sa.FromClause, list[sa.ColumnElement[bool]]]:
    """The runs of a window that have all of some segments."""
    for time in (since, until):
        if time is not None and not isinstance(time, Real):
            kind = type(time).__name__
            raise InputError(f"a time is a {kind}, expected seconds since the epoch: datetime.timestamp() gives them")
    source: Any = runs
    at: sa.ColumnElement[Any] = runs.c.at
    conditions: list[sa.ColumnElement[bool]] = []
    for place, (name, value) in enumerate(sorted((segment or {}).items())):
        link = run_segments.alias(f"has{place}")  # of the first in the order of time; the others are looked up
        number = sa.select(segments.c.s).where(segments.c.name == name, segments.c.value == value).scalar_subquery()
        source = source.join(link, sa.and_(link.c.n == runs.c.n, link.c.s == number))
        at = link.c.at if place == 0 else at
    conditions += [] if since is None else [at >= since]
    conditions += [] if until is None else [at < until]
    return source, conditions


def tally(connection: sa.Connection, signal: Signal, window: Window, threshold: float | None = None) -> Tally:
    """Counts the runs of a window. See `Tallies.tally`."""
    source, conditions = window.chosen()
    asked = sa.select(sa.func.count(), *_counted(signal, threshold).values()).select_from(source).where(*conditions)
    return _tally(connection.execute(asked).one())


def by_value(
    connection: sa.Connection, name: str, window: Window, signals: Collection[SignalName] = tuple(SIGNALS)
) -> dict[str, Sums]:
    """What is counted by the value of a segment, in the order in which the values first occur in the window."""
    source, conditions = window.chosen()
    link, named = run_segments.alias("by_link"), segments.alias("by_name")
    whole = source.join(link, link.c.n == runs.c.n).join(named, sa.and_(named.c.s == link.c.s, named.c.name == name))
    counted = [
        column if each == "runs" or each.partition(" ")[0] in signals else sa.literal(0)
        for each, column in _COLUMNS.items()
    ]
    asked = sa.select(named.c.value, *counted).select_from(whole).where(*conditions)
    found = connection.execute(asked.group_by(named.c.value).order_by(sa.func.min(runs.c.at)))
    return {value: Sums(numbers) for value, *numbers in found}


def rollouts(connection: sa.Connection, names: Sequence[str], window: Window) -> list[VersionSeen]:
    """The versions that were first seen in a window, oldest first; the very first of a part is no rollout."""
    first = sa.select(sa.func.min(run_segments.c.at)).where(run_segments.c.s == segments.c.s).correlate(segments)
    columns = segments.c.name, segments.c.value, first.scalar_subquery().label("at")
    known = sa.select(*columns).where(segments.c.name.in_(names)).subquery()
    begun: set[str] = set()
    found = []
    for row in connection.execute(sa.select(known).where(known.c.at.is_not(None)).order_by(known.c.at)):
        if row.name in begun and window.since <= row.at < window.until:
            found.append(VersionSeen(at=row.at, name=row.name, value=row.value))
        begun.add(row.name)
    return found[-_ROLLOUTS:]


def changed(connection: sa.Connection, times: Collection[float]) -> None:
    """Removes the rows of hours in which a run was written, changed or deleted."""
    for stretch in _stretches(sorted({int(at // HOUR) for at in times})):
        connection.execute(sa.delete(hours).where(hours.c.hour.between(stretch[0], stretch[-1])))


def by_hour(database: Database, window: Window) -> dict[int, Sums]:
    """Returns what is counted of the hours of a window that has whole hours, by their number since the epoch.

    Hours without a run may be left out.
    """
    with database.reading() as connection:
        oldest, newest = connection.execute(sa.select(sa.func.min(runs.c.at), sa.func.max(runs.c.at))).one()
        segment: int | None = _ALL
        if len(window.segment) == 1:
            ((name, value),) = window.segment.items()
            asked = sa.select(segments.c.s).where(segments.c.name == name, segments.c.value == value)
            segment = connection.execute(asked).scalar()
        if oldest is None or segment is None:
            return {}
        first = int(max(window.since, oldest) // HOUR)
        last = int(min(-(-window.until // HOUR), newest // HOUR + 1))
        if len(window.segment) > 1:
            return _hours(connection, first, last, window.segment)
        kept = sa.select(hours.c.hour, hours.c.data).where(
            hours.c.s == segment, hours.c.hour >= first, hours.c.hour < last, hours.c.made_by == _MADE_BY
        )
        found = {row.hour: Sums(json.loads(row.data) or None) for row in connection.execute(kept)}
    for stretch in _stretches([hour for hour in range(first, last) if hour not in found]):
        found |= _made(database, segment, stretch[0], stretch[-1] + 1, window.segment)
    return found


def _stretches(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Numbers that follow one another, at most so many together."""
    for _, pairs in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        together = [number for _, number in pairs]
        yield from (together[n : n + _TOGETHER] for n in range(0, len(together), _TOGETHER))


def _made(database: Database, segment: int, first: int, last: int, wanted: Mapping[str, str]) -> dict[int, Sums]:
    """Counts hours and keeps what was counted; where the store cannot be written, only counts."""
    try:
        with database.writing() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(sa.text("LOCK TABLE trail_hours IN SHARE ROW EXCLUSIVE MODE"))
            found = _hours(connection, first, last, wanted)
            connection.execute(sa.delete(hours).where(hours.c.s == segment, hours.c.hour >= first, hours.c.hour < last))
            data = {hour: json.dumps(each.numbers.tolist(), separators=(",", ":")) for hour, each in found.items()}
            rows = [
                {"hour": hour, "s": segment, "made_by": _MADE_BY, "data": data.get(hour, "[]")}
                for hour in range(first, last)
            ]
            connection.execute(sa.insert(hours), rows)
    except StoreError:
        with database.reading() as connection:
            return _hours(connection, first, last, wanted)
    return found


def _hours(connection: sa.Connection, first: int, last: int, wanted: Mapping[str, str]) -> dict[int, Sums]:
    """Counts by the hour; hours without a run are left out."""
    source, conditions = chosen(float(first * HOUR), float(last * HOUR), wanted)
    place = (runs.c.at - first * HOUR) / HOUR
    whole = sa.func.trunc(place) if connection.dialect.name == "postgresql" else place  # PostgreSQL's cast rounds
    bucket = sa.cast(whole, sa.Integer)
    asked = sa.select(bucket, *_COLUMNS.values()).select_from(source).where(*conditions).group_by(bucket)
    return {first + after: Sums(numbers) for after, *numbers in connection.execute(asked)}
