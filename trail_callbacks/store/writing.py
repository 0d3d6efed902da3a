"""Writing and deleting runs: a batch is one transaction.

A run has one row, by its id. Of two entries on it the later one counts, unless it says less: a report that failed does
not replace one that was judged, one without a trace one with it, nor any a guard's on an answer that nobody got. What
only the other knows is kept: the trace, a user, segments, what a guard decided. The same entry again changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from operator import itemgetter
from typing import Any, Literal, TypeAlias, TypeVar, get_args

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from trail_callbacks.errors import InputError, StoreError
from trail_callbacks.monitor import Observation
from trail_callbacks.store.counting import changed
from trail_callbacks.store.database import Database
from trail_callbacks.store.rows import Entry, observation
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
from trail_callbacks.taxonomy import SupportClass

Value = TypeVar("Value")

Kept: TypeAlias = Literal["none", "flagged"]
"""Which old runs stay: none, or those with an unsupported claim, a broken stage or feedback."""

_CHILDREN = {"details": details, "claims": claims, "documents": documents, "bodies": bodies}
_MANY = 500  # values in one question: SQLite has a limit on them
_BATCH = 500  # runs that one transaction deletes


def insert(connection: sa.Connection, table: sa.Table) -> Any:
    """An INSERT that can say what to do on conflict, in the words of the database."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def write(connection: sa.Connection, entries: Iterable[Entry], added: float) -> tuple[list[Observation], int]:
    """Writes a batch, in the order of the ids: so that two processes never wait for each other.

    Returns:
        The runs that were not there, and the number of these and of those of which more is known now.
    """
    latest: dict[str, Entry] = {}
    for entry in entries:
        name = plain(entry.run.id)
        other = latest.get(name)
        if other is not None:
            entry = entry.met(other) if entry.rank >= other.rank else other.met(entry)  # noqa: PLW2901 - the two in one
        latest[name] = entry
    if not latest:
        return [], 0
    names = sorted(latest)
    statement = insert(connection, runs).on_conflict_do_nothing(index_elements=["run"]).returning(runs.c.run, runs.c.n)
    rows = [latest[name].run_row(added) for name in names]
    fresh = {row.run: row.n for row in connection.execute(statement, rows)}
    old = _known(connection, [name for name in names if name not in fresh])
    written = [(fresh[name], latest[name]) for name in names if name in fresh]
    for row in old:
        met = _met(connection, row, latest[row["run"]], added)
        written += [] if met is None else [(row["n"], met)]
    _write_children(connection, written)
    changed(connection, [*(entry.run.at for _, entry in written), *(row["at"] for row in old)])
    return [latest[name].run for name in fresh], len(written)


def _known(connection: sa.Connection, names: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of runs that are there, locked, with their details, and with their documents and kinds of bodies."""
    found: list[dict[str, Any]] = []
    for some in _parts(names):
        whole = sa.select(runs, *(details.c[name] for name in ("question", "answer", "data")))
        asked = whole.join(details, details.c.n == runs.c.n, isouter=True).where(runs.c.run.in_(some))
        rows = connection.execute(asked.order_by(runs.c.run).with_for_update(of=runs)).mappings().all()
        numbers = [row["n"] for row in rows]
        uses, kinds = defaultdict(list), defaultdict(set)
        for use in connection.execute(sa.select(documents).where(documents.c.n.in_(numbers))).mappings():
            uses[use["n"]].append(use)
        for n, kind in connection.execute(sa.select(bodies.c.n, bodies.c.kind).where(bodies.c.n.in_(numbers))):
            kinds[n].add(kind)
        found += [{**row, "documents": uses[row["n"]], "bodies": kinds[row["n"]]} for row in rows]
    return found


def _met(connection: sa.Connection, old: Mapping[str, Any], entry: Entry, added: float) -> Entry | None:
    """Changes the row of a run that is there; returns what to put beside it, None if the entry says nothing new."""
    says_more = entry.rank >= old["rank"] and entry.digest != old["digest"]
    try:
        run = observation(old, sorted(old["documents"], key=itemgetter("position")))
        before = Entry(run=run, question=old["question"], answer=old["answer"], session=old["session"])
    except StoreError:  # it is damaged
        before, says_more = entry, True
    met = entry.met(before) if says_more else before.met(entry)
    row = met.run_row(added)
    if says_more:
        row["digest"] = entry.digest  # so that the same entry again changes nothing
    else:
        met = replace(met, bodies=tuple(body for body in met.bodies if body.kind not in old["bodies"]))
        if not met.bodies and (met.run, met.session) == (before.run, before.session):
            return None
        row = {name: value for name, value in row.items() if name not in {"digest", "rank", "added"}}
    number = old["n"]
    connection.execute(sa.update(runs).where(runs.c.n == number).values(**row))
    for table in (run_segments, details, documents, *([claims] if says_more else [])):
        connection.execute(sa.delete(table).where(table.c.n == number))
    if says_more:
        gone = bodies.c.kind.in_([body.kind for body in entry.bodies])
        connection.execute(sa.delete(bodies).where(bodies.c.n == number, gone))
    return met


def _write_children(connection: sa.Connection, written: Sequence[tuple[int, Entry]]) -> None:
    named = [
        (n, entry, {(plain(name), plain(value)) for name, value in entry.run.segments.items()}) for n, entry in written
    ]
    numbers = _segment_numbers(connection, {pair for _, _, pairs in named for pair in pairs})
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    links = []
    for n, entry, pairs in named:
        links += [{"n": n, "s": s, "at": entry.run.at} for s in sorted(numbers[pair] for pair in pairs)]
        for name, found in entry.child_rows().items():
            rows[name] += [{"n": n, **each} for each in found]
    for table, values in ((run_segments, links), *((_CHILDREN[name], found) for name, found in rows.items())):
        if values:
            connection.execute(sa.insert(table), values)


def _segment_numbers(connection: sa.Connection, pairs: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], int]:
    """The numbers of segments, those of new ones too."""
    wanted = sorted(pairs)
    found = _segments(connection, wanted)
    if fresh := [pair for pair in wanted if pair not in found]:
        rows = [{"name": name, "value": value} for name, value in fresh]
        connection.execute(insert(connection, segments).on_conflict_do_nothing(), rows)
        found |= _segments(connection, fresh)
    return found


def _segments(connection: sa.Connection, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for some in _parts(pairs):
        asked = sa.select(segments).where(
            segments.c.name.in_({name for name, _ in some}), segments.c.value.in_({value for _, value in some})
        )
        found |= {(row.name, row.value): row.s for row in connection.execute(asked)}
    return found


def _parts(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    return (values[n : n + _MANY] for n in range(0, len(values), _MANY))


def prune(database: Database, before: float, keep: Kept = "none") -> int:
    """Deletes the runs that began before a time; returns how many."""
    old = runs.c.at < before
    if keep == "flagged":
        marked = sa.exists().where(feedback.c.n == runs.c.n)
        old = sa.and_(
            old,
            ~sa.or_(runs.c.unsupported > 0, sa.func.coalesce(runs.c.broken, "undetermined") != "undetermined", marked),
        )
    return _delete(database, old)


def forget(database: Database, users: Iterable[str]) -> int:
    """Deletes all runs of a user by its names, and what of them SQLite still has in its log; returns how many."""
    deleted = _delete(database, runs.c.user_id.in_(list(users)))
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


Mark: TypeAlias = Literal["right", "wrong"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What somebody said of the verdict on a claim."""

    run: str  # id of the run
    claim: str  # id of the claim in its report
    verdict: Mark  # whether the judge was right
    outcome: str  # what the judge had said then, see `Verdict.outcome`
    judge: str  # name of the judge
    author: str  # who said it
    at: float  # when, seconds since the epoch
    note: str | None = None  # why
    should: str | None = None  # the class it should have, if the verdict is wrong and somebody says; None otherwise

    @property
    def label(self) -> str | None:
        """The class that the claim has after this person; None if they name none, or say that none could be told."""
        found = self.outcome if self.verdict == "right" else self.should
        return found if found in [each.value for each in SupportClass] else None


def mark(
    connection: sa.Connection,
    run: str,
    claim: str,
    verdict: Mark,
    *,
    author: str,
    at: float,
    note: str | None,
    should: str | None = None,
) -> None:
    """See `Store.mark`."""
    classes = [each.value for each in SupportClass]
    if verdict not in get_args(Mark):
        raise InputError(f"verdict is {verdict!r}, expected one of {', '.join(get_args(Mark))}")
    if should is not None and should not in classes:
        raise InputError(f"should is {should!r}, expected one of {', '.join(classes)}")
    if should is not None and verdict == "right":
        raise InputError("a verdict that is right needs no other class")
    asked = sa.select(runs.c.n, runs.c.judge, claims.c.key, claims.c.outcome).join(claims, claims.c.n == runs.c.n)
    found = connection.execute(asked.where(runs.c.run == plain(run), claims.c.claim == claim)).first()
    if found is None:
        raise InputError(f"the store has no claim {claim!r} of a run {run!r}")
    values = {"verdict": verdict, "should": should, "at": at, "note": note}
    values |= {"outcome": found.outcome, "judge": found.judge}
    statement = insert(connection, feedback).values(n=found.n, claim=claim, key=found.key, author=author, **values)
    connection.execute(statement.on_conflict_do_update(index_elements=["n", "key", "author"], set_=values))


def marks(connection: sa.Connection, run: str | None = None) -> Iterator[Feedback]:
    """Yields what was said, in the order in which claims were first spoken of."""
    asked = sa.select(runs.c.run, feedback).join(runs, runs.c.n == feedback.c.n).order_by(feedback.c.f)
    if run is not None:
        asked = asked.where(runs.c.run == plain(run))
    for row in connection.execute(asked).mappings():
        yield Feedback(**{each.name: row[each.name] for each in fields(Feedback)})
