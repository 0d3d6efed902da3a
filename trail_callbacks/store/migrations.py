"""The version of a store's tables, and how an older store becomes a newer one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sqlalchemy as sa

from trail_callbacks.errors import StoreError
from trail_callbacks.store.schema import meta, metadata

__all__ = ["MIGRATIONS", "migrate"]

_LOCK = 0x7472_6169_6C  # of PostgreSQL: one process at a time


def _first(connection: sa.Connection) -> None:
    metadata.create_all(connection)


MIGRATIONS: Sequence[Callable[[sa.Connection], None]] = (_first,)
"""What makes version n of version n - 1, from 1. A change of `schema` comes with a function here; none is ever changed,
so that it states its tables itself where they differ from those of today."""


def migrate(connection: sa.Connection, steps: Sequence[Callable[[sa.Connection], None]] = MIGRATIONS) -> int:
    """Brings the tables to the newest version, all in one transaction.

    Args:
        connection: In a transaction.
        steps: The migrations.

    Returns:
        The version that they had, 0 if there were none.

    Raises:
        StoreError: If a newer release wrote them.
    """
    found = _version(connection)
    if found == len(steps):
        return found
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        found = _version(connection)
    if found > len(steps):
        raise StoreError(
            f"the store has version {found}, this release reads up to {len(steps)}: "
            "open it with the release of trail-callbacks that wrote it"
        )
    for step in steps[found:]:
        step(connection)
    if found != len(steps):
        connection.execute(sa.delete(meta))
        connection.execute(sa.insert(meta).values(version=len(steps)))
    return found


def _version(connection: sa.Connection) -> int:
    if not sa.inspect(connection).has_table(meta.name):
        return 0
    return connection.execute(sa.select(meta.c.version)).scalar() or 0
