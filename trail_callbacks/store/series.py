"""Bad runs and mean figures counted in SQL: of a window, over time and over segments.

What `Signal.bad` says of an observation is said here of a row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, TypeAlias

import sqlalchemy as sa

from trail_callbacks.monitor import FigureName, Signal, SignalName, Tally
from trail_callbacks.statistics.intervals import Z
from trail_callbacks.store.schema import run_segments, runs, segments

__all__ = [
    "Mean",
    "Sums",
    "VersionSeen",
    "Window",
    "bad",
    "by_value",
    "chosen",
    "rollouts",
    "series",
    "stages",
    "tally",
]

_JUDGED = ("assessed", "partial", "abstained", "no_checkable_claims")
_UNKNOWN = ("unverified", "error")
_ROLLOUTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The runs that are looked at.

    Attributes:
        since: When the first may have begun, seconds since the epoch.
        until: The end of the window, itself outside.
        segment: Values that their segments have, by name.
    """

    since: float
    until: float
    segment: Mapping[str, str] = field(default_factory=dict)

    def chosen(self) -> tuple[sa.FromClause, list[sa.ColumnElement[bool]]]:
        """What to select from, and the conditions; see `chosen`."""
        return chosen(self.since, self.until, self.segment)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """Mean of a figure over runs, each of which counts alike.

    Attributes:
        n: Runs of which it is known.
        total: Sum of its values.
        squares: Sum of their squares.
    """

    n: int = 0
    total: float = 0.0
    squares: float = 0.0

    @property
    def value(self) -> float | None:
        """The mean, 0.0 to 1.0; None without a run."""
        return self.total / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its 95 % interval by the normal approximation, within 0.0 to 1.0; None for fewer than two runs."""
        if self.n < 2:  # noqa: PLR2004 - one run has no spread
            return None
        mean = self.total / self.n
        spread = Z * sqrt(max(self.squares / self.n - mean**2, 0.0) / (self.n - 1))
        return max(mean - spread, 0.0), min(mean + spread, 1.0)


Sums: TypeAlias = tuple[dict[SignalName, Tally], dict[str, Mean]]
"""What is counted of some runs: bad ones by signal, and figures by the names that they were asked by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionSeen:
    """A version that was first seen at a time."""

    at: float
    name: str
    value: str


def bad(signal: Signal, threshold: float | None = None) -> sa.ColumnElement[bool]:
    """Whether a row of `runs` is bad; NULL if nobody knows. See `Signal.bad`."""
    if signal.figures:
        limit = signal.threshold if threshold is None else threshold
        if limit is None:
            return sa.cast(sa.null(), sa.Boolean)
        return _first(signal.figures) < limit
    if signal.name == "undecided":
        return sa.or_(runs.c.state.in_(_UNKNOWN), sa.and_(runs.c.state == "partial", runs.c.decided == 0))
    judged = runs.c.state.in_(_JUDGED)
    if signal.name == "abstention":
        return sa.case((judged, runs.c.state == "abstained"), else_=sa.null())
    count = runs.c.contradicted if signal.name == "contradiction" else runs.c.unsupported
    return sa.case((sa.and_(judged, runs.c.decided > 0), count > 0), else_=sa.null())


def chosen(
    since: float | None = None, until: float | None = None, segment: Mapping[str, str] | None = None
) -> tuple[sa.FromClause, list[sa.ColumnElement[bool]]]:
    """The runs of a window that have all of some segments.

    Returns:
        What to select from, and the conditions. The rows of the first segment are read in the order of time, the
        others looked up.
    """
    source: Any = runs
    at: sa.ColumnElement[Any] = runs.c.at
    conditions: list[sa.ColumnElement[bool]] = []
    for place, (name, value) in enumerate(sorted((segment or {}).items())):
        link = run_segments.alias(f"has{place}")
        number = sa.select(segments.c.s).where(segments.c.name == name, segments.c.value == value).scalar_subquery()
        source = source.join(link, sa.and_(link.c.n == runs.c.n, link.c.s == number))
        at = link.c.at if place == 0 else at
    conditions += [] if since is None else [at >= since]
    conditions += [] if until is None else [at < until]
    return source, conditions


def tally(connection: sa.Connection, signal: Signal, window: Window, threshold: float | None = None) -> Tally:
    """Counts the runs of a window. See `Tallies.tally`."""
    source, conditions = window.chosen()
    asked = sa.select(sa.func.count(), *_counted(signal, threshold)).select_from(source).where(*conditions)
    return _tally(connection.execute(asked).one())


def series(
    connection: sa.Connection,
    signals: Sequence[Signal],
    figures: Mapping[str, Sequence[FigureName]],
    window: Window,
    seconds: float,
) -> dict[int, Sums]:
    """Counts bad runs and averages figures by bucket of time, in one reading.

    Args:
        connection: The database.
        signals: What makes a run bad.
        figures: Figures by a name for them; of several, each run counts with the first that is known of it.
        window: Which runs.
        seconds: Length of a bucket.

    Returns:
        By the number of the bucket, from 0 at the begin of the window; buckets without a run are left out.
    """
    source, conditions = window.chosen()
    bucket = _bucket(connection, window, seconds)
    return _grouped(connection, sa.select(bucket).select_from(source).where(*conditions), bucket, signals, figures)


def by_value(connection: sa.Connection, name: str, signals: Sequence[Signal], window: Window) -> dict[str, Sums]:
    """As `series`, by the value of a segment, in the order in which the values first occur in the window."""
    source, conditions = window.chosen()
    link, named = run_segments.alias("by_link"), segments.alias("by_name")
    whole = source.join(link, link.c.n == runs.c.n).join(named, sa.and_(named.c.s == link.c.s, named.c.name == name))
    asked = sa.select(named.c.value).select_from(whole).where(*conditions)
    return _grouped(connection, asked, named.c.value, signals, {})


def stages(connection: sa.Connection, window: Window, seconds: float) -> dict[int, tuple[Counter[str], int]]:
    """Counts the diagnosed runs by the stage at which their evidence path broke first, by bucket as in `series`.

    Returns:
        The runs with a break by stage, and how many were diagnosed.
    """
    source, conditions = window.chosen()
    bucket = _bucket(connection, window, seconds)
    asked = sa.select(bucket, runs.c.broken, sa.func.count()).select_from(source).where(*conditions, runs.c.diagnosed)
    found: dict[int, tuple[Counter[str], int]] = {}
    for place, stage, n in connection.execute(asked.group_by(bucket, runs.c.broken)):
        breaks, diagnosed = found.get(place, (Counter(), 0))
        found[place] = breaks + Counter({} if stage is None else {stage: n}), diagnosed + n
    return found


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


def _first(names: Sequence[FigureName]) -> sa.ColumnElement[Any]:
    """The first of some figures that is known of a run."""
    return sa.func.coalesce(*(runs.c[f"f_{name}"] for name in names), sa.null())


def _counted(signal: Signal, threshold: float | None = None) -> list[sa.ColumnElement[Any]]:
    is_bad, weight = bad(signal, threshold), 1.0 / runs.c.rate
    known = is_bad.is_not(None)
    parts = ((known, 1), (is_bad, 1), (known, weight), (is_bad, weight), (known, weight * weight))
    return [sa.func.coalesce(sa.func.sum(sa.case((which, x), else_=0)), 0) for which, x in parts]


def _tally(row: Sequence[Any]) -> Tally:
    """A tally of the number of runs and the columns of `_counted`."""
    runs_, decided, is_bad, weight, bad_weight, squares = row
    return Tally(
        runs=int(runs_), decided=int(decided), bad=int(is_bad), weight=float(weight), bad_weight=float(bad_weight),
        squares=float(squares),
    )  # fmt: skip


def _bucket(connection: sa.Connection, window: Window, seconds: float) -> sa.ColumnElement[int]:
    place = (runs.c.at - window.since) / seconds
    whole = sa.func.trunc(place) if connection.dialect.name == "postgresql" else place  # PostgreSQL's cast rounds
    return sa.cast(whole, sa.Integer)


def _grouped(
    connection: sa.Connection,
    asked: sa.Select[Any],
    key: sa.ColumnElement[Any],
    signals: Sequence[Signal],
    figures: Mapping[str, Sequence[FigureName]],
) -> dict[Any, Sums]:
    counted = [column for signal in signals for column in _counted(signal)]
    means = [_first(names) for names in figures.values()]
    meant = [column for x in means for column in (sa.func.count(x), sa.func.sum(x), sa.func.sum(x * x))]
    rows = asked.add_columns(sa.func.count(), *counted, *meant).group_by(key).order_by(sa.func.min(runs.c.at))
    found: dict[Any, Sums] = {}
    for place, n, *sums in connection.execute(rows):
        mine, theirs = sums[: len(counted)], sums[len(counted) :]
        tallies = {each.name: _tally([n, *mine[5 * at : 5 * at + 5]]) for at, each in enumerate(signals)}
        parts = [theirs[3 * at : 3 * at + 3] for at in range(len(figures))]
        named = zip(figures, parts, strict=True)
        found[place] = tallies, {name: Mean(n=k, total=x or 0.0, squares=xx or 0.0) for name, (k, x, xx) in named}
    return found
