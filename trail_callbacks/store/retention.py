"""Deleting runs: those that are old, those of one user. In batches, so that nobody waits long for a lock."""

from __future__ import annotations

from typing import Literal, TypeAlias

import sqlalchemy as sa

from trail_callbacks.store.database import Database
from trail_callbacks.store.schema import feedback, run_segments, runs, segments

__all__ = ["Kept", "forget", "prune"]

Kept: TypeAlias = Literal["none", "flagged"]
"""Which old runs stay: none, or those with an unsupported claim, a broken stage or feedback."""

_BATCH = 500  # runs a transaction


def prune(database: Database, before: float, keep: Kept = "none") -> int:
    """Deletes the runs that began before a time; returns how many.

    Raises:
        StoreError: If they cannot be deleted; those of earlier batches are.
    """
    old = runs.c.at < before
    if keep == "flagged":
        marked = sa.exists().where(feedback.c.n == runs.c.n)
        old = sa.and_(old, ~sa.or_(runs.c.unsupported > 0, runs.c.broken.is_not(None), marked))
    return _delete(database, old)


def forget(database: Database, user: str) -> int:
    """Deletes all runs of a user, and what of them SQLite still has in its log; returns how many.

    Raises:
        StoreError: If they cannot be deleted; those of earlier batches are.
    """
    deleted = _delete(database, runs.c.user_id == user)
    database.truncate_log()
    return deleted


def _delete(database: Database, condition: sa.ColumnElement[bool]) -> int:
    chosen = sa.select(runs.c.n).where(condition).limit(_BATCH)
    deleted = 0
    with database.held():
        while True:
            with database.writing() as connection:
                numbers = list(connection.execute(chosen).scalars())
                if not numbers:
                    used = sa.exists().where(run_segments.c.s == segments.c.s)
                    connection.execute(sa.delete(segments).where(~used))
                    return deleted
                connection.execute(sa.delete(runs).where(runs.c.n.in_(numbers)))  # the rest goes with them
            deleted += len(numbers)
