"""How much is in a store."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from trail_callbacks.store.database import Database
from trail_callbacks.store.schema import bodies, claims, feedback, meta, runs

__all__ = ["Contents", "contents"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """How much is in a store.

    Attributes:
        url: Where it is, without a password.
        version: Of its tables.
        runs: Number of runs.
        claims: Number of claims.
        feedback: Number of marks by people.
        first: When the oldest run began, seconds since the epoch; None without runs.
        last: When the newest did.
        bytes: Reports and traces as they are stored.
        uncompressed: The same before compression.
        refused: Reports and traces that were too large to be kept.
        file: Bytes of the file; None if it is none.
    """

    url: str
    version: int
    runs: int
    claims: int
    feedback: int
    first: float | None
    last: float | None
    bytes: int
    uncompressed: int
    refused: int
    file: int | None


def contents(database: Database) -> Contents:
    """Counts what is in a store.

    Raises:
        StoreError: If it cannot be read.
    """
    kept = bodies.c.why.is_(None)
    with database.reading() as connection:
        counts = [
            connection.execute(sa.select(sa.func.count()).select_from(t)).scalar_one() for t in (claims, feedback)
        ]
        found = connection.execute(sa.select(sa.func.count(), sa.func.min(runs.c.at), sa.func.max(runs.c.at))).one()
        sizes = connection.execute(
            sa.select(
                sa.func.coalesce(sa.func.sum(bodies.c.stored), 0),
                sa.func.coalesce(sa.func.sum(sa.case((kept, bodies.c.size), else_=0)), 0),
                sa.func.count(bodies.c.why),
            )
        ).one()
        version = connection.execute(sa.select(meta.c.version)).scalar_one()
    return Contents(
        url=database.url,
        version=version,
        runs=found[0],
        claims=counts[0],
        feedback=counts[1],
        first=found[1],
        last=found[2],
        bytes=int(sizes[0]),
        uncompressed=int(sizes[1]),
        refused=sizes[2],
        file=None if database.path is None else database.path.stat().st_size,
    )
