"""The store: judged runs in a database, written off the app's path, counted in SQL."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import sqlalchemy as sa

from trail_callbacks.errors import InputError, StoreError
from trail_callbacks.observations import Observation, Signal, Tally
from trail_callbacks.report import Report
from trail_callbacks.slices import Slices, current
from trail_callbacks.store import reading, tallies
from trail_callbacks.store.bodies import LARGEST
from trail_callbacks.store.database import Database
from trail_callbacks.store.entries import Preparation
from trail_callbacks.store.rows import Entry
from trail_callbacks.store.writer import Writer
from trail_callbacks.store.writing import write
from trail_callbacks.trace import Trace

__all__ = ["Store"]

_BATCH = 100
_READABLE = 64 * 1024 * 1024  # bytes of a body after decompression


@dataclass(frozen=True, slots=True)
class _Queued:
    report: Report
    trace: Trace | None
    rate: float
    at: float
    run: Observation | None


class Store:
    """Judged runs in a database.

    Args:
        where: A file of SQLite, made if it does not exist, or the URL of a database: `sqlite:///...`,
            `postgresql://user@host/database`.
        texts: False: no text of a run is kept, see `CaptureSettings.texts`, and no trace.
        text_key: Of `texts=False`: the key of the hashes, 16 bytes or more.
        max_waiting: Runs that may wait to be written, 1 or more; those beyond are lost, and counted.
        max_body: Bytes of a report or a trace before compression, 1 or more. Of a larger one only the figures are
            kept, with the reason.

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
        texts: bool = True,
        text_key: bytes | None = None,
        max_waiting: int = 1024,
        max_body: int = LARGEST,
    ) -> None:
        if max_waiting < 1:
            raise InputError(f"max_waiting is {max_waiting}, expected 1 or more")
        if max_body < 1:
            raise InputError(f"max_body is {max_body}, expected 1 or more")
        self._database = Database(where)
        self.url = self._database.url
        self._preparation = Preparation(texts=texts, text_key=text_key, most=max_body)
        self._readable = max(_READABLE, max_body)
        self._writer: Writer[_Queued] = Writer(self._write, _may_pass, max_waiting)

    def __repr__(self) -> str:
        return f"Store({self.url!r})"

    @property
    def lost(self) -> int:
        """Runs of this process that were queued and not written."""
        return self._writer.lost

    @property
    def errors(self) -> list[Exception]:
        """What went wrong while writing, oldest first: the last hundred exceptions."""
        return list(self._writer.errors)

    def add(
        self, report: Report, trace: Trace | None = None, rate: float = 1.0, *, run: Observation | None = None
    ) -> None:
        """Queues a run to be written. It never blocks and raises nothing: see `lost` and `errors`.

        Args:
            report: Its report.
            trace: Its trace, for segments, versions and documents, and to be kept.
            rate: Share of such runs that are judged, above 0.0 to 1.0.
            run: Its figures, if they were read already: where report and trace do not show them any more.
        """
        self._writer.add(_Queued(report, trace, rate, time.time(), run))

    def put(self, pairs: Iterable[tuple[Report, Trace | None]], rate: float = 1.0) -> int:
        """Writes runs at once, in batches; returns how many were new or better than what was there.

        Args:
            pairs: Reports, with their traces if there are any.
            rate: See `add`.

        Raises:
            StoreError: If they cannot be written; earlier batches are.
            InputError: If a report or a trace cannot be written as JSON.
        """
        now = time.time()
        return self._put(self._preparation.entry(report, trace, rate, now, None) for report, trace in pairs)

    def put_observations(self, runs: Iterable[Observation]) -> int:
        """As `put`, of runs of which only the figures are known.

        Raises:
            StoreError: If they cannot be written; earlier batches are.
        """
        return self._put(Entry(run=run) for run in runs)

    def _put(self, entries: Iterable[Entry]) -> int:
        count, rest = 0, iter(entries)
        with self._database.held():
            while batch := list(islice(rest, _BATCH)):
                with self._database.writing() as connection:
                    count += len(write(connection, batch, time.time()))
        return count

    def _write(self, batch: Sequence[_Queued]) -> None:
        token = current.set(Slices(patient=True))
        try:
            entries = [self._preparation.entry(each.report, each.trace, each.rate, each.at, each.run) for each in batch]
            with self._database.writing() as connection:
                write(connection, entries, time.time())
        finally:
            current.reset(token)

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until what was added is written or lost; returns False if the time was too short."""
        return self._writer.flush(timeout)

    def close(self, timeout: float | None = None) -> bool:
        """Writes what was added, at most for `timeout` seconds; the rest is lost, and counted.

        Returns:
            False if something was lost for want of time.
        """
        return self._writer.close(timeout)

    def tally(
        self,
        signal: Signal,
        since: float,
        until: float,
        segment: Mapping[str, str] | None = None,
        threshold: float | None = None,
    ) -> Tally:
        """Counts the runs that began in a window. See `Tallies.tally`.

        Raises:
            StoreError: If the store cannot be read.
        """
        with self._database.reading() as connection:
            return tallies.tally(connection, signal, since, until, segment, threshold)

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

        Raises:
            StoreError: If the store cannot be read.
        """
        wanted = dict(segment or {}) | ({} if release is None else {"release": release})
        return reading.observations(self._database, since, until, wanted)

    def report(self, run_id: str) -> Report | None:
        """Returns the report of a run; None if there is none, or if it was too large.

        Raises:
            StoreError: If it cannot be read.
            ReportError: If a newer release wrote it.
        """
        data = self._body(run_id, "report")
        return None if data is None else Report.from_json(data)

    def trace(self, run_id: str) -> Trace | None:
        """As `report`, of its trace.

        Raises:
            StoreError: If it cannot be read.
            InputError: If a newer release wrote it.
        """
        data = self._body(run_id, "trace")
        return None if data is None else Trace.from_json(data)

    def _body(self, run_id: str, kind: str) -> bytes | None:
        with self._database.reading() as connection:
            return reading.body(connection, run_id, kind, self._readable)

    def segments(self) -> Mapping[str, Sequence[str]]:
        """Names and values of segments. A name with more than 500 values tells requests apart, and is left out.

        Raises:
            StoreError: If the store cannot be read.
        """
        with self._database.reading() as connection:
            return reading.segment_values(connection)


def _may_pass(error: Exception) -> bool:
    """Whether a write may succeed if it is tried again: somebody holds the lock, the server is away, the disk is full."""
    return isinstance(error, StoreError) and isinstance(error.__cause__, sa.exc.OperationalError)
