"""Figures over time and over segments, counted in SQL: what a page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from trail_callbacks.observations import FigureName, Signal, Tally
from trail_callbacks.store.schema import run_segments, runs, segments
from trail_callbacks.store.tallies import bad, chosen

__all__ = ["Mean", "Rollout", "breaks", "by_value", "means", "rollouts", "series"]

_ROLLOUTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """Mean of a figure over runs, with what its standard error needs; runs count alike."""

    n: int
    total: float
    squares: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """A version that was first seen at a time."""

    at: float
    name: str
    value: str


def _counted(signal: Signal, threshold: float | None) -> list[sa.ColumnElement[object]]:
    is_bad, weight = bad(signal, threshold), 1.0 / runs.c.rate
    known = is_bad.is_not(None)
    parts = ((known, 1), (is_bad, 1), (known, weight), (is_bad, weight), (known, weight * weight))
    return [sa.func.count(), *(sa.func.coalesce(sa.func.sum(sa.case((which, x), else_=0)), 0) for which, x in parts)]


def _count(row: Sequence[float]) -> Tally:
    found, decided, is_bad, weight, bad_weight, squares = row
    return Tally(
        runs=int(found),
        decided=int(decided),
        bad=int(is_bad),
        weight=float(weight),
        bad_weight=float(bad_weight),
        squares=float(squares),
    )


def _bucket(connection: sa.Connection, since: float, seconds: float) -> sa.ColumnElement[int]:
    place = (runs.c.at - since) / seconds
    whole = sa.func.trunc(place) if connection.dialect.name == "postgresql" else place  # PostgreSQL's cast rounds
    return sa.cast(whole, sa.Integer)


def series(
    connection: sa.Connection,
    signal: Signal,
    since: float,
    until: float,
    seconds: float,
    segment: Mapping[str, str] | None = None,
    threshold: float | None = None,
) -> dict[int, Tally]:
    """Counts bad runs by bucket of time, numbered from 0 at `since`; buckets without a run are left out."""
    source, conditions = chosen(since, until, segment)
    bucket = _bucket(connection, since, seconds)
    asked = sa.select(bucket, *_counted(signal, threshold)).select_from(source).where(*conditions).group_by(bucket)
    return {row[0]: _count(row[1:]) for row in connection.execute(asked)}


def means(
    connection: sa.Connection,
    names: Sequence[FigureName],
    since: float,
    until: float,
    seconds: float,
    segment: Mapping[str, str] | None = None,
) -> dict[int, Mean]:
    """Mean of a figure by bucket of time; of several names, each run counts with the first that is known of it."""
    source, conditions = chosen(since, until, segment)
    bucket = _bucket(connection, since, seconds)
    value = sa.func.coalesce(*(runs.c[f"f_{name}"] for name in names), sa.null())
    asked = (
        sa.select(bucket, sa.func.count(value), sa.func.sum(value), sa.func.sum(value * value))
        .select_from(source)
        .where(*conditions)
        .group_by(bucket)
    )
    return {row[0]: Mean(n=row[1], total=row[2], squares=row[3]) for row in connection.execute(asked) if row[1]}


def by_value(
    connection: sa.Connection,
    name: str,
    signal: Signal,
    since: float,
    until: float,
    segment: Mapping[str, str] | None = None,
    threshold: float | None = None,
) -> dict[str, Tally]:
    """Counts bad runs by the value of a segment."""
    source, conditions = chosen(since, until, segment)
    link, named = run_segments.alias("by_link"), segments.alias("by_name")
    whole = source.join(link, link.c.n == runs.c.n).join(named, sa.and_(named.c.s == link.c.s, named.c.name == name))
    asked = sa.select(named.c.value, *_counted(signal, threshold)).select_from(whole)
    found = connection.execute(asked.where(*conditions).group_by(named.c.value))
    return {row[0]: _count(row[1:]) for row in found}


def breaks(
    connection: sa.Connection, since: float, until: float, segment: Mapping[str, str] | None = None
) -> tuple[dict[str, int], int]:
    """Counts the diagnosed runs by the stage at which their evidence path broke first; returns how many there are."""
    source, conditions = chosen(since, until, segment)
    asked = sa.select(runs.c.broken, sa.func.count()).select_from(source).where(*conditions, runs.c.diagnosed)
    found = {row[0]: row[1] for row in connection.execute(asked.group_by(runs.c.broken))}
    return {stage: n for stage, n in found.items() if stage is not None}, sum(found.values())


def rollouts(connection: sa.Connection, names: Sequence[str], since: float, until: float) -> list[Rollout]:
    """The versions that were first seen in a window, oldest first; the very first of a part is no rollout."""
    first = (
        sa.select(sa.func.min(run_segments.c.at)).where(run_segments.c.s == segments.c.s).correlate(segments)
    ).scalar_subquery()
    known = sa.select(segments.c.name, segments.c.value, first.label("at")).where(segments.c.name.in_(names)).subquery()
    rows = connection.execute(sa.select(known).where(known.c.at.is_not(None)).order_by(known.c.at)).all()
    begun: set[str] = set()
    found = []
    for row in rows:
        if row.name in begun and since <= row.at < until:
            found.append(Rollout(at=row.at, name=row.name, value=row.value))
        begun.add(row.name)
    return found[-_ROLLOUTS:]
