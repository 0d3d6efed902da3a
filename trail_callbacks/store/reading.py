"""Reading runs back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from trail_callbacks.observations import Observation
from trail_callbacks.store.bodies import unpacked
from trail_callbacks.store.database import Database
from trail_callbacks.store.rows import observation
from trail_callbacks.store.schema import bodies, details, documents, plain, runs, segments
from trail_callbacks.store.tallies import chosen

__all__ = ["body", "observations", "segment_values"]

_PAGE = 500  # runs a question
_VALUES = 500  # of a segment: what has more is an id


def observations(
    database: Database,
    since: float | None = None,
    until: float | None = None,
    segment: Mapping[str, str] | None = None,
) -> Iterator[Observation]:
    """Yields runs, oldest first. Each page is a question of its own: a slow reader holds up nobody."""
    source, conditions = chosen(since, until, segment)
    asked = (
        sa.select(runs, details.c.data)
        .select_from(source.join(details, details.c.n == runs.c.n))
        .where(*conditions)
        .order_by(runs.c.at, runs.c.n)
        .limit(_PAGE)
    )
    after: sa.ColumnElement[bool] = sa.true()
    while True:
        with database.reading() as connection:
            rows = [dict(row) for row in connection.execute(asked.where(after)).mappings()]
            used = _documents(connection, [row["n"] for row in rows])
        yield from (observation(row, used[row["n"]]) for row in rows)
        if len(rows) < _PAGE:
            return
        last = rows[-1]
        after = sa.or_(runs.c.at > last["at"], sa.and_(runs.c.at == last["at"], runs.c.n > last["n"]))
        after = sa.and_(runs.c.at >= last["at"], after)  # by which the index is entered


def _documents(connection: sa.Connection, numbers: Sequence[int]) -> Mapping[int, list[Mapping[str, Any]]]:
    found: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    asked = sa.select(documents).where(documents.c.n.in_(numbers)).order_by(documents.c.n, documents.c.position)
    for row in connection.execute(asked).mappings() if numbers else ():
        found[row["n"]].append(dict(row))
    return found


def segment_values(connection: sa.Connection) -> dict[str, tuple[str, ...]]:
    """Names and values of segments, sorted. A name with more than 500 values tells requests apart, and is left out."""
    found: dict[str, list[str]] = defaultdict(list)
    names = sa.select(segments.c.name).group_by(segments.c.name).having(sa.func.count() <= _VALUES)
    for row in connection.execute(sa.select(segments.c.name, segments.c.value).where(segments.c.name.in_(names))):
        found[row.name].append(row.value)
    return {name: tuple(sorted(found[name])) for name in sorted(found)}


def body(connection: sa.Connection, run: str, kind: str, most: int) -> bytes | None:
    """The report or the trace of a run; None if there is none.

    Raises:
        StoreError: If it is damaged or too large.
    """
    asked = sa.select(bodies.c.codec, bodies.c.data).join(runs, runs.c.n == bodies.c.n)
    found = connection.execute(asked.where(runs.c.run == plain(run), bodies.c.kind == kind)).first()
    return None if found is None or found.data is None else unpacked(found.codec, found.data, most)
