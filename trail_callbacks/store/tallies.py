"""Tallies in SQL: what `Signal.bad` says of an observation, said of a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from trail_callbacks.observations import Signal, Tally
from trail_callbacks.store.schema import run_segments, runs, segments

__all__ = ["bad", "chosen", "tally"]

_JUDGED = ("assessed", "partial", "abstained", "no_checkable_claims")
_UNKNOWN = ("unverified", "error")


def bad(signal: Signal, threshold: float | None = None) -> sa.ColumnElement[bool]:
    """Whether a row of `runs` is bad; NULL if nobody knows. See `Signal.bad`."""
    if signal.figures:
        limit = signal.threshold if threshold is None else threshold
        if limit is None:
            return sa.cast(sa.null(), sa.Boolean)
        return sa.func.coalesce(*(runs.c[f"f_{name}"] for name in signal.figures), sa.null()) < limit
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


def tally(  # noqa: PLR0917 - as the protocol has them
    connection: sa.Connection,
    signal: Signal,
    since: float,
    until: float,
    segment: Mapping[str, str] | None = None,
    threshold: float | None = None,
) -> Tally:
    """Counts the runs of a window. See `Tallies.tally`."""
    source, conditions = chosen(since, until, segment)
    is_bad = bad(signal, threshold)
    weight = 1.0 / runs.c.rate
    known = is_bad.is_not(None)
    asked = (
        sa.select(
            sa.func.count(),
            *(sa.func.coalesce(sa.func.sum(sa.case((which, value), else_=0)), 0) for which, value in (
                (known, 1), (is_bad, 1), (known, weight), (is_bad, weight), (known, weight * weight)
            )),
        )
        .select_from(source)
        .where(*conditions)
    )  # fmt: skip
    found, decided, is_bad_count, weights, bad_weight, squares = connection.execute(asked).one()
    return Tally(
        runs=found,
        decided=decided,
        bad=is_bad_count,
        weight=float(weights),
        bad_weight=float(bad_weight),
        squares=float(squares),
    )
