"""Writing runs: a batch is one transaction.

A run has one entry, by its id. Of a run that is there already the later entry counts, unless it says less: a report
that failed does not replace one that was judged, nor one without a trace one with it. The same entry again changes
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from trail_callbacks.store.database import Database
from trail_callbacks.store.hours import changed
from trail_callbacks.store.rows import Entry, detail_row, run_row, segments_of
from trail_callbacks.store.schema import (
    bodies,
    claims,
    details,
    documents,
    feedback,
    hours,
    plain,
    run_segments,
    runs,
    segments,
)

__all__ = ["Kept", "forget", "insert", "prune", "write"]

_CHILDREN = (details, run_segments, claims, documents, bodies)
_MANY = 500  # values in one question: SQLite has a limit on them


def insert(connection: sa.Connection, table: sa.Table) -> Any:
    """An INSERT that can say what to do on conflict, in the words of the database."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def write(connection: sa.Connection, entries: Iterable[Entry], added: float) -> list[Entry]:
    """Writes a batch, in the order of the ids: so that two processes never wait for each other.

    Args:
        connection: In a transaction.
        entries: The runs.
        added: Now, seconds since the epoch.

    Returns:
        The entries that were written; not those that say nothing new.
    """
    latest: dict[str, tuple[Entry, dict[str, Any]]] = {}
    for entry in entries:
        row = run_row(entry, added)
        known = latest.get(row["run"])
        if known is None or row["rank"] >= known[1]["rank"]:
            latest[row["run"]] = entry, row
    ordered = [latest[name] for name in sorted(latest)]
    if not ordered:
        return []
    fresh = _inserted(connection, [row for _, row in ordered])
    old = _known(connection, [row["run"] for _, row in ordered if row["run"] not in fresh])
    written: list[tuple[int, Entry]] = []
    for entry, row in ordered:
        number = fresh.get(row["run"])
        if number is None:
            before = old[row["run"]]
            number = before["n"]
            if row["rank"] < before["rank"] or row["digest"] == before["digest"]:
                continue
            _replace(connection, number, row)
        written.append((number, entry))
    _children(connection, written)
    changed(connection, [*(entry.run.at for _, entry in written), *(each["at"] for each in old.values())])
    return [entry for _, entry in written]


def _inserted(connection: sa.Connection, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Inserts the runs that are not there; their numbers by id."""
    statement = insert(connection, runs).on_conflict_do_nothing(index_elements=["run"]).returning(runs.c.run, runs.c.n)
    return {row.run: row.n for row in connection.execute(statement, list(rows))}


def _known(connection: sa.Connection, names: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for start in range(0, len(names), _MANY):
        chosen = runs.c.run.in_(names[start : start + _MANY])
        asked = (
            sa.select(*(runs.c[name] for name in ("run", "n", "at", "rank", "digest")))
            .where(chosen)
            .order_by(runs.c.run)
        )
        found |= {row["run"]: row for row in connection.execute(asked.with_for_update()).mappings()}
    return found


def _replace(connection: sa.Connection, number: int, row: Mapping[str, Any]) -> None:
    connection.execute(sa.update(runs).where(runs.c.n == number).values(**row))
    for table in _CHILDREN:
        connection.execute(sa.delete(table).where(table.c.n == number))


def _children(connection: sa.Connection, written: Sequence[tuple[int, Entry]]) -> None:
    numbers = _segment_numbers(connection, {pair for _, entry in written for pair in segments_of(entry.run).items()})
    rows: dict[sa.Table, list[dict[str, Any]]] = {table: [] for table in _CHILDREN}
    for n, entry in written:
        run = entry.run
        rows[details].append({"n": n, **detail_row(entry)})
        chosen = {numbers[_stored(pair)] for pair in segments_of(run).items()}
        rows[run_segments] += [{"n": n, "s": s, "at": run.at} for s in sorted(chosen)]
        rows[claims] += [{"n": n, **claim} for claim in entry.claims]
        for position, use in enumerate(run.documents):
            found = {name: getattr(use, name) for name in ("name", "passages", "selected", "updated", "ingested")}
            rows[documents].append({"n": n, "position": position, "at": run.at, **found})
        for body in entry.bodies:
            stored = {"n": n, "kind": body.kind, "codec": body.codec, "size": body.size, "why": body.why}
            rows[bodies].append({**stored, "stored": len(body.data or b""), "data": body.data})
    for table, values in rows.items():
        if values:
            connection.execute(sa.insert(table), values)


def _stored(pair: tuple[str, str]) -> tuple[str, str]:
    return plain(pair[0]), plain(pair[1])


def _segment_numbers(connection: sa.Connection, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """The numbers of segments, those of new ones too."""
    wanted = sorted({_stored(pair) for pair in pairs})
    found = _segments(connection, wanted)
    fresh = [{"name": name, "value": value} for name, value in wanted if (name, value) not in found]
    if fresh:
        connection.execute(insert(connection, segments).on_conflict_do_nothing(), fresh)
        found |= _segments(connection, [(each["name"], each["value"]) for each in fresh])
    return found


def _segments(connection: sa.Connection, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for start in range(0, len(pairs), _MANY):
        part = pairs[start : start + _MANY]
        asked = sa.select(segments).where(
            segments.c.name.in_({name for name, _ in part}), segments.c.value.in_({value for _, value in part})
        )
        found |= {(row.name, row.value): row.s for row in connection.execute(asked)}
    return found


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
    chosen = sa.select(runs.c.n, runs.c.at).where(condition).limit(_BATCH)
    deleted = 0
    with database.held():
        while True:
            with database.writing() as connection:
                found = connection.execute(chosen).all()
                if not found:
                    used = sa.exists().where(run_segments.c.s == segments.c.s)
                    connection.execute(sa.delete(segments).where(~used))
                    known = sa.exists().where(segments.c.s == hours.c.s)
                    connection.execute(sa.delete(hours).where(hours.c.s != 0, ~known))  # numbers are used again
                    return deleted
                numbers = [row.n for row in found]
                connection.execute(sa.delete(runs).where(runs.c.n.in_(numbers)))  # the rest goes with them
                changed(connection, [row.at for row in found])
            deleted += len(found)
