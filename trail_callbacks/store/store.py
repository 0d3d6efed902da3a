"""The store: judged runs in a database, written off the app's path, counted in SQL."""

from __future__ import annotations

import os
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias
from uuid import UUID
from weakref import ref

import sqlalchemy as sa

from trail_callbacks.capture.redaction import WITHHELD, Redact, Redactor
from trail_callbacks.errors import InputError, StoreError
from trail_callbacks.forking import ChildSafeLock
from trail_callbacks.monitor import Observation, Signal, Tally
from trail_callbacks.report import Report
from trail_callbacks.slices import Slices, current
from trail_callbacks.store import totals, writing
from trail_callbacks.store.counting import Sums, Window, by_hour, chosen, tally
from trail_callbacks.store.database import Database
from trail_callbacks.store.rows import LARGEST, Entry, Preparation, observation, unpacked
from trail_callbacks.store.schema import bodies, claims, details, documents, feedback, meta, plain, runs, segments
from trail_callbacks.store.totals import Total
from trail_callbacks.store.writer import Writer
from trail_callbacks.store.writing import Feedback, Kept, Mark, mark, marks, write
from trail_callbacks.trace import Trace

_BATCH = 100
_TRIES = 3  # of a batch that meets a lock
_FLUSH = 30.0  # seconds for what waits to be written
_PAGE = 500  # runs a question
_VALUES = 500  # of a segment: what has more is an id
_READABLE = 64 * 1024 * 1024  # bytes of a body after decompression


Judged: TypeAlias = tuple[Report, Trace | None] | tuple[Report, Trace | None, Mapping[str, str]]
"""A report, its trace if there is one, and perhaps further metadata of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """How much is in a store."""

    url: str  # where it is, without a password
    version: int  # of its tables
    runs: int  # number of runs
    claims: int  # number of claims
    feedback: int  # number of marks by people
    first: float | None  # when the oldest run began, seconds since the epoch; None without runs
    last: float | None  # when the newest did
    bytes: int  # reports and traces as they are stored
    uncompressed: int  # the same before compression
    refused: int  # reports and traces that were too large to be kept
    file: int | None  # bytes of the file; None if it is none


class Store:
    """Judged runs in a database.

    Methods that read or write it raise a `StoreError` where it cannot be read or written; what was written in earlier
    batches stays.

    Args:
        where: A file of SQLite, made if it does not exist, or the URL of a database: `sqlite:///...`,
            `postgresql://user@host/database`.
        redact: A function of a string, or several, as in `CaptureSettings.redact`: applied to reports and traces from
            wherever, before they are written. Words of a report that it changes are masked by fillers of their length.
        texts: False: no text of a run is kept, see `CaptureSettings.texts`, and no trace.
        text_key: Of `texts=False`: the key of the hashes, 16 bytes or more.
        max_waiting: Runs that may wait to be written, 1 or more; those beyond are lost, and counted.
        max_body: Bytes of a report or a trace before compression, 1 or more. Of a larger one only the figures are
            kept, with the reason.
        count_by: Names of segments that have counters of their own in `totals`: such as have few values.
        make: False: it has to be a store already. By default a new one is made.

    Attributes:
        url: Where it is, without a password.

    Raises:
        StoreError: If it cannot be opened, is no store, or is one of a newer release.
        MissingExtraError: If the driver of the database is not installed.
        InputError: If a value is out of range.
    """

    def __init__(
        self,
        where: str | os.PathLike[str],
        *,
        redact: Redact | None = None,
        texts: bool = True,
        text_key: bytes | None = None,
        max_waiting: int = 1024,
        max_body: int = LARGEST,
        count_by: Collection[str] = ("release", "query_class"),
        make: bool = True,
    ) -> None:
        limits = {"max_waiting": max_waiting, "max_body": max_body}
        for name, value in limits.items():
            if value < 1:
                raise InputError(f"{name} is {value}, expected 1 or more")
        settings = {"redact": redact, "texts": texts, "text_key": text_key, "count_by": tuple(count_by), **limits}
        self._anew = partial(Store, where, **settings)  # type: ignore[arg-type]  # its own arguments
        self._database = Database(where, make=make)
        self.url = self._database.url
        self._readable = max(_READABLE, max_body)
        self._count_by = frozenset(count_by)
        self._lost_counted, self._away_at = 0, -1
        self._writer: Writer[Callable[[], Entry]] = Writer(self._write, self._again, max_waiting)
        try:
            self._database.open()
        except StoreError as error:  # an app starts without its database, and what it does is stored when it is there
            if not (make and _may_pass(error)):
                raise
            self._writer.keep(error)
        redactor = None if redact is None else Redactor(redact, self._writer.keep)
        self._preparation = Preparation(redactor=redactor, texts=texts, text_key=text_key, most=max_body)

    def __repr__(self) -> str:
        return f"Store({self.url!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process opens it anew."""
        return self._anew, ()

    @property
    def lost(self) -> int:
        """Runs of this process that were queued and not written."""
        return self._writer.lost

    @property
    def errors(self) -> list[Exception]:
        """What went wrong while writing, oldest first: the last hundred exceptions."""
        return list(self._writer.errors)

    def add(
        self,
        report: Report,
        trace: Trace | None = None,
        rate: float = 1.0,
        *,
        run: Observation | None = None,
        segments: Mapping[str, str] | None = None,
        guard: str | None = None,
        redacted: bool = False,
        bare: bool = False,
    ) -> None:
        """Queues a run to be written. It never blocks and raises nothing: see `lost` and `errors`.

        Args:
            report: Its report.
            trace: Its trace, for segments, versions and documents, and to be kept.
            rate: Share of such runs that are judged, above 0.0 to 1.0.
            run: Its figures, if they were read already: where report and trace do not show them any more.
            segments: Further metadata of the run, by name: versions, whose run it was, segments.
            guard: What a guard did with the answer, which becomes the segment `guard`.
            redacted: It was recorded with a redaction of its own, and needs none of other handlers (see `heed`).
            bare: Its texts were taken out already.
        """
        entry = partial(self._preparation.entry, report, trace, at=time.time(), rate=rate, run=run, segments=segments)
        self._writer.add(partial(entry, guard=guard, redacted=redacted, bare=bare))

    def heed(self, redactor: Redactor | None, texts: bool, text_key: bytes | None) -> None:
        """Takes what a handler that writes here decided: whatever else this process writes here is to follow it.

        What no handler recorded is redacted as long as this one lives; with `texts=False` no text is kept from now on.
        """
        with _lock:
            known = self._preparation
            if redactor is not None:
                alive = (each for each in known.others if each() is not None)
                known = replace(known, others=(*alive, ref(redactor)))
            self._preparation = known if texts or not known.texts else replace(known, texts=False, text_key=text_key)

    def put(self, pairs: Iterable[Judged], rate: float = 1.0) -> int:
        """Writes runs at once, in batches; returns how many were new or better than what was there.

        Args:
            pairs: Reports, with their traces if there are any; a third value is further metadata, see `add`.
            rate: See `add`.

        Raises:
            InputError: If a report or a trace cannot be written as JSON.
        """
        now = time.time()
        return self._put(
            self._preparation.entry(report, trace, at=now, rate=rate, segments=more[0] if more else None)
            for report, trace, *more in pairs
        )

    def put_observations(self, runs: Iterable[Observation]) -> int:
        """As `put`, of runs of which only the figures are known."""
        return self._put(Entry(run=run) for run in runs)

    def _put(self, entries: Iterable[Entry]) -> int:
        count, rest = 0, iter(entries)
        with self._database.held():
            while batch := list(islice(rest, _BATCH)):
                with self._database.writing() as connection:
                    count += write(connection, batch, time.time())[1]
        return count

    def _again(self, error: Exception, tries: int) -> bool:
        """Whether to try a batch again: for ever while nothing can be written at all, a few times if it met a lock.

        What failed just before the database was there again is tried once more.
        """
        self._away_at = self._away_at if tries else -1
        if self._database.is_away():
            self._away_at = tries
            return True
        return tries - self._away_at <= (_TRIES if _may_pass(error) else self._away_at >= 0)

    def _write(self, batch: Sequence[Callable[[], Entry]]) -> None:
        token = current.set(Slices(patient=True))
        try:
            entries = [each() for each in batch]
            lost = max(0, self._writer.lost - self._lost_counted)
            with self._database.writing() as connection:
                fresh, _ = write(connection, entries, time.time())
                totals.count(connection, fresh, self._count_by, lost)
            self._lost_counted += lost
        finally:
            current.reset(token)

    def connected(self) -> AbstractContextManager[sa.Connection]:
        """A connection for reading, for questions of one's own: see `store.counting` and `store.reading`."""
        return self._database.reading()

    def figures(self, window: Window) -> dict[int, Sums]:
        """Returns what is counted of each hour of a window, by the hour's number since the epoch."""
        return by_hour(self._database, window)

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until what was added is written or lost; returns False if the time was too short."""
        return self._writer.flush(timeout)

    def close(self, timeout: float | None = None) -> bool:
        """Writes what was added, at most for `timeout` seconds; the rest is lost, and counted.

        Returns:
            False if something was lost for want of time.
        """
        done = self._writer.close(timeout)
        self._database.close()
        return done

    def tally(
        self,
        signal: Signal,
        since: float,
        until: float,
        segment: Mapping[str, str] | None = None,
        threshold: float | None = None,
    ) -> Tally:
        """Counts the runs that began in a window. See `Tallies.tally`."""
        with self._database.reading() as connection:
            return tally(connection, signal, Window(since=since, until=until, segment=segment or {}), threshold)

    def observations(
        self,
        since: float | None = None,
        until: float | None = None,
        segment: Mapping[str, str] | None = None,
        release: str | None = None,
    ) -> Iterator[Observation]:
        """Yields runs, oldest first, in bounded memory.

        Args:
            since: Begin of the window, seconds since the epoch; None for the first run.
            until: Its end, itself outside; None for the last run.
            segment: Values that a run's segments have, by name.
            release: Only runs of this release.
        """
        source, conditions = chosen(
            since, until, dict(segment or {}) | ({} if release is None else {"release": release})
        )
        asked = (
            sa.select(runs, details.c.data)
            .select_from(source.join(details, details.c.n == runs.c.n))
            .where(*conditions)
            .order_by(runs.c.at, runs.c.n)
            .limit(_PAGE)
        )
        after: sa.ColumnElement[bool] = sa.true()
        while True:  # each page is a question of its own: a slow reader holds up nobody
            with self._database.reading() as connection:
                rows = [dict(row) for row in connection.execute(asked.where(after)).mappings()]
                uses = sa.select(documents).where(documents.c.n.in_([row["n"] for row in rows]))
                used: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
                for use in connection.execute(uses.order_by(documents.c.n, documents.c.position)).mappings():
                    used[use["n"]].append(dict(use))
            yield from (observation(row, used[row["n"]]) for row in rows)
            if len(rows) < _PAGE:
                return
            last = sa.tuple_(sa.literal(rows[-1]["at"]), sa.literal(rows[-1]["n"]))
            after = sa.tuple_(runs.c.at, runs.c.n) > last

    def report(self, run_id: UUID | str) -> Report | None:
        """Returns the report of a run; None if there is none, or if it was too large.

        Raises:
            ReportError: If a newer release wrote it.
        """
        data = self._body(str(run_id), "report")
        return None if data is None else Report.from_json(data)

    def trace(self, run_id: UUID | str) -> Trace | None:
        """As `report`, of its trace.

        Raises:
            InputError: If a newer release wrote it.
        """
        data = self._body(str(run_id), "trace")
        return None if data is None else Trace.from_json(data)

    def turn(self, session: str, before: float) -> Trace | None:
        """Returns the trace of the last run of a session, conversation or thread that began before a time.

        Args:
            session: As in `Context.session`.
            before: Seconds since the epoch.

        Raises:
            InputError: If a newer release wrote it.
        """
        name = self._preparation.redacted(session)
        asked = sa.select(runs.c.run).where(
            runs.c.session == name,
            runs.c.at < before,
            runs.c.n.in_(sa.select(bodies.c.n).where(bodies.c.kind == "trace")),
        )
        with self._database.reading() as connection:
            found = connection.execute(asked.order_by(runs.c.at.desc(), runs.c.n.desc()).limit(1)).scalar()
        return None if found is None else self.trace(found)

    def _body(self, run_id: str, kind: str) -> str | None:
        asked = sa.select(bodies.c.codec, bodies.c.data).join(runs, runs.c.n == bodies.c.n)
        with self._database.reading() as connection:
            found = connection.execute(asked.where(runs.c.run == plain(run_id), bodies.c.kind == kind)).first()
        return None if found is None or found.data is None else unpacked(found.codec, found.data, self._readable)

    def segments(self) -> Mapping[str, Sequence[str]]:
        """Names and values of segments. A name with more than 500 values tells requests apart, and is left out."""
        found: dict[str, list[str]] = defaultdict(list)
        names = sa.select(segments.c.name).group_by(segments.c.name).having(sa.func.count() <= _VALUES)
        with self._database.reading() as connection:
            for row in connection.execute(sa.select(segments).where(segments.c.name.in_(names))):
                found[row.name].append(row.value)
            return {name: tuple(sorted(found[name])) for name in sorted(found)}

    def mark(
        self,
        run_id: str,
        claim_id: str,
        verdict: Mark,
        *,
        should: str | None = None,
        author: str = "",
        note: str | None = None,
    ) -> None:
        """Keeps what somebody says of the verdict on a claim, in place of what they said before.

        Args:
            run_id: Id of the run.
            claim_id: Id of the claim in its report.
            verdict: `right` or `wrong`.
            should: The class it should have, if it is wrong.
            author: Who says it.
            note: Why.

        Raises:
            InputError: If there is no such claim, verdict or class.
        """
        with self._database.writing() as connection:
            mark(connection, run_id, claim_id, verdict, author=author, at=time.time(), note=note, should=should)

    def marks(self, run_id: str | None = None) -> list[Feedback]:
        """Returns what people said of verdicts, of one run or of all."""
        with self._database.reading() as connection:
            return list(marks(connection, run_id))

    def totals(self) -> list[Total]:
        """Returns counters that only grow, whatever is deleted: what was added by `add`, see `Total`."""
        with self._database.reading() as connection:
            return totals.read(connection)

    def prune(self, before: float, keep: Kept = "none") -> int:
        """Deletes the runs that began before a time; returns how many. A file keeps its size: its room is used again.

        Args:
            before: Seconds since the epoch.
            keep: `flagged` leaves runs with an unsupported claim, a broken stage or feedback.
        """
        return writing.prune(self._database, before, keep)

    def forget(self, user: str) -> int:
        """Deletes all runs of a user, so that nothing of their texts is left in the file; returns how many.

        Args:
            user: The user, as the metadata of runs name it, or as the redaction of this store or of a handler made it.

        Raises:
            StoreError: If a text may be left: runs of this process wait to be written, or somebody goes on reading a
                state from before. Do it again then.
        """
        if not self.flush(_FLUSH):
            raise StoreError(f"runs wait to be written to {self.url}: nothing was deleted")
        users = {user}
        for redactor in self._preparation.redactors():
            users |= {redactor.text(each) for each in users} - {WITHHELD}
        return writing.forget(self._database, users)

    def contents(self) -> Contents:
        """Counts what is in the store."""
        count, total = sa.func.count, sa.func.coalesce
        kept = sa.case((bodies.c.why.is_(None), bodies.c.size), else_=0)
        sizes = total(sa.func.sum(bodies.c.stored), 0), total(sa.func.sum(kept), 0), count(bodies.c.why)
        with self._database.reading() as connection:
            n = [
                connection.execute(sa.select(count()).select_from(each)).scalar_one()
                for each in (runs, claims, feedback)
            ]
            first, last = connection.execute(sa.select(sa.func.min(runs.c.at), sa.func.max(runs.c.at))).one()
            for at in (first, last):
                datetime.fromtimestamp(at or 0.0, UTC)  # or it is no time
            stored, size, refused = (int(each) for each in connection.execute(sa.select(*sizes)).one())
            version = connection.execute(sa.select(meta.c.version)).scalar_one()
        return Contents(
            url=self.url, version=version, runs=n[0], claims=n[1], feedback=n[2], first=first, last=last,
            bytes=stored, uncompressed=size, refused=refused,
            file=None if self._database.path is None else self._database.path.stat().st_size,
        )  # fmt: skip


def _may_pass(error: Exception) -> bool:
    """Whether the same may succeed if it is tried again: somebody holds the lock, or the server is away."""
    cause = error.__cause__
    if not isinstance(cause, sa.exc.OperationalError):
        return False
    code = getattr(cause.orig, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) or not isinstance(cause.orig, sqlite3.Error)


_lock = ChildSafeLock()
_stores: dict[str, Store] = {}


def opened(store: str | os.PathLike[str] | Store) -> Store:
    """Returns a store by what a setting names: itself, or the one of a file or URL.

    Raises:
        InputError: If it is something else.
        StoreError: If it cannot be opened.
        MissingExtraError: If the driver of the database is not installed.
    """
    if isinstance(store, Store):
        return store
    if not isinstance(store, str | os.PathLike):
        raise InputError(f"store is {type(store).__name__}, expected a file such as 'trail.db', a URL, or a Store")
    name = os.fsdecode(store)
    if "://" not in name:
        name = str(Path(name).expanduser().absolute())
    with _lock:
        found = _stores.get(name)
        if found is None:
            found = _stores[name] = Store(name)
    return found
