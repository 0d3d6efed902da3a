"""Figures over time and over segments, counted in SQL: what a page shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import sqlalchemy as sa

from trail_callbacks.observations import FigureName, Signal, SignalName, Tally
from trail_callbacks.store.schema import run_segments, runs, segments
from trail_callbacks.store.tallies import bad, chosen

__all__ = ["Mean", "Rollout", "Window", "by_value", "rollouts", "series", "stages"]

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
        """What to select from, and the conditions; see `tallies.chosen`."""
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

    def __add__(self, other: Mean) -> Mean:
        return Mean(n=self.n + other.n, total=self.total + other.total, squares=self.squares + other.squares)

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
        spread = 1.96 * sqrt(max(self.squares / self.n - mean**2, 0.0) / (self.n - 1))
        return max(mean - spread, 0.0), min(mean + spread, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """A version that was first seen at a time."""

    at: float
    name: str
    value: str


def _counted(signal: Signal, threshold: float | None = None) -> list[sa.ColumnElement[Any]]:
    is_bad, weight = bad(signal, threshold), 1.0 / runs.c.rate
    known = is_bad.is_not(None)
    parts = ((known, 1), (is_bad, 1), (known, weight), (is_bad, weight), (known, weight * weight))
    return [sa.func.coalesce(sa.func.sum(sa.case((which, x), else_=0)), 0) for which, x in parts]


def _tallies(row: Sequence[Any], signals: Sequence[Signal]) -> dict[SignalName, Tally]:
    """Tallies of a row: the number of runs, then five columns for each signal."""
    found = {}
    for place, signal in enumerate(signals):
        decided, is_bad, weight, bad_weight, squares = row[1 + 5 * place : 6 + 5 * place]
        found[signal.name] = Tally(
            runs=int(row[0]),
            decided=int(decided),
            bad=int(is_bad),
            weight=float(weight),
            bad_weight=float(bad_weight),
            squares=float(squares),
        )
    return found


def _meant(names: Sequence[FigureName]) -> list[sa.ColumnElement[Any]]:
    value = sa.func.coalesce(*(runs.c[f"f_{name}"] for name in names), sa.null())
    return [sa.func.count(value), sa.func.sum(value), sa.func.sum(value * value)]


def _means(row: Sequence[Any], figures: Mapping[str, Sequence[FigureName]]) -> dict[str, Mean]:
    found = {}
    for place, name in enumerate(figures):
        n, total, squares = row[3 * place : 3 * place + 3]
        found[name] = Mean(n=n, total=total or 0.0, squares=squares or 0.0)
    return found


def _bucket(connection: sa.Connection, window: Window, seconds: float) -> sa.ColumnElement[int]:
    place = (runs.c.at - window.since) / seconds
    whole = sa.func.trunc(place) if connection.dialect.name == "postgresql" else place  # PostgreSQL's cast rounds
    return sa.cast(whole, sa.Integer)


def series(
    connection: sa.Connection,
    signals: Sequence[Signal],
    figures: Mapping[str, Sequence[FigureName]],
    window: Window,
    seconds: float,
) -> dict[int, tuple[dict[SignalName, Tally], dict[str, Mean]]]:
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


def by_value(
    connection: sa.Connection,
    name: str,
    signals: Sequence[Signal],
    figures: Mapping[str, Sequence[FigureName]],
    window: Window,
) -> dict[str, tuple[dict[SignalName, Tally], dict[str, Mean]]]:
    """As `series`, by the value of a segment, in the order in which the values first occur in the window."""
    source, conditions = window.chosen()
    link, named = run_segments.alias("by_link"), segments.alias("by_name")
    whole = source.join(link, link.c.n == runs.c.n).join(named, sa.and_(named.c.s == link.c.s, named.c.name == name))
    asked = sa.select(named.c.value).select_from(whole).where(*conditions)
    return _grouped(connection, asked, named.c.value, signals, figures)


def _grouped(
    connection: sa.Connection,
    asked: sa.Select[Any],
    key: sa.ColumnElement[Any],
    signals: Sequence[Signal],
    figures: Mapping[str, Sequence[FigureName]],
) -> dict[Any, tuple[dict[SignalName, Tally], dict[str, Mean]]]:
    counted = [column for signal in signals for column in _counted(signal)]
    meant = [column for names in figures.values() for column in _meant(names)]
    rows = asked.add_columns(sa.func.count(), *counted, *meant).group_by(key).order_by(sa.func.min(runs.c.at))
    split = 2 + len(counted)
    return {row[0]: (_tallies(row[1:split], signals), _means(row[split:], figures)) for row in connection.execute(rows)}


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


def rollouts(connection: sa.Connection, names: Sequence[str], window: Window) -> list[Rollout]:
    """The versions that were first seen in a window, oldest first; the very first of a part is no rollout."""
    first = (
        sa.select(sa.func.min(run_segments.c.at)).where(run_segments.c.s == segments.c.s).correlate(segments)
    ).scalar_subquery()
    known = sa.select(segments.c.name, segments.c.value, first.label("at")).where(segments.c.name.in_(names)).subquery()
    rows = connection.execute(sa.select(known).where(known.c.at.is_not(None)).order_by(known.c.at)).all()
    begun: set[str] = set()
    found = []
    for row in rows:
        if row.name in begun and window.since <= row.at < window.until:
            found.append(Rollout(at=row.at, name=row.name, value=row.value))
        begun.add(row.name)
    return found[-_ROLLOUTS:]
