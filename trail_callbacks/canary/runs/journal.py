"""What a canary run has asked so far, on disk: a SQLite file in the folder of the run.

A trial is in one transaction, whole or absent whenever the process is killed. With a write-ahead log, so that a trial
costs no wait for the disk and others can read while one writes: after a power cut the last trials may be gone, and are
asked again. Who writes holds a second file locked, which the system unlocks however the process ends.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.runs.database import connected, locked
from trail_callbacks.canary.runs.plan import Plan
from trail_callbacks.canary.runs.rows import FORMAT, Cell, about_of, data_of, plan_of, readable, trials_of
from trail_callbacks.canary.trial import Trial
from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Usage

__all__ = ["FILE", "Journal", "Known"]

FILE = "canary.sqlite"
_LOCK = "canary.lock"
_RUNNING = "it is still running, or its process was killed"
_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE probe (n INTEGER PRIMARY KEY, data TEXT NOT NULL);
CREATE TABLE trial (strategy INTEGER, probe INTEGER, arm INTEGER, judge TEXT, data TEXT NOT NULL,
    PRIMARY KEY (strategy, probe, arm)) WITHOUT ROWID;
CREATE TABLE asked (strategy INTEGER, probe INTEGER, arm INTEGER, PRIMARY KEY (strategy, probe, arm)) WITHOUT ROWID;
CREATE TABLE unavailable (strategy INTEGER, arm INTEGER, why TEXT NOT NULL, PRIMARY KEY (strategy, arm)) WITHOUT ROWID;
CREATE TABLE note (place TEXT NOT NULL, why TEXT NOT NULL)
"""


@dataclass(frozen=True, slots=True)
class Known:
    """A trial that is written down.

    Attributes:
        trial: The trial.
        judge: Name of the model that was asked about it and answered; None if code alone looked at it.
    """

    trial: Trial
    judge: str | None


class Journal:
    """Keeps the trials of one plan; one process writes.

    Args:
        folder: The folder of the run; made if it does not exist.
        plan: What is asked; None takes that of the folder, of which nothing is asked.

    Attributes:
        folder: As given.
        plan: What is asked.
        spent: What the run has cost, as far as it is written down.
        repeated: See `Run.repeated`.
        stopped: Why the command before ended; None if all was asked.

    Raises:
        InputError: If another process writes there, the folder holds something else or another run (says what differs),
            or a file cannot be written or read.
    """

    def __init__(self, folder: Path, plan: Plan | None = None) -> None:
        self.folder = folder
        self._path = folder / FILE
        if plan is not None:
            _make_folder(folder)
        elif not self._path.exists():
            raise InputError(f"{folder} holds no canary run")
        with self._told():
            foreign = [each.name for each in folder.iterdir() if each.name != _LOCK]
            if foreign and not self._path.exists():
                raise InputError(f"{folder} holds other files: name a new folder for the run, or an empty one")
            self._lock = locked(folder / _LOCK, f"another canary run is writing to {folder}")
        try:
            with self._told():
                self._db = connected(self._path)
                for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "cache_size=-8192"):
                    self._db.execute(f"PRAGMA {pragma}")
                if not self._db.execute("SELECT 1 FROM sqlite_master").fetchone():
                    self._make(plan)
                self.plan = plan_of(self._db, self._path)
                if plan is not None:
                    _same(self.plan, plan, folder)
                    self.plan = plan
                self._begin_anew(keep=plan is None)
        except BaseException:
            self.close()
            raise

    def _make(self, plan: Plan | None) -> None:
        if plan is None:
            raise InputError(f"{self._path} is empty")
        self._db.execute("BEGIN")
        for statement in _TABLES.split(";"):
            self._db.execute(statement)
        self._about(format=FORMAT, **plan.as_data(), spent=[0, 0, 0], repeated=0, stopped=_RUNNING)
        rows = ((n, json.dumps(data_of(probe))) for n, probe in enumerate(plan.probes))
        self._db.executemany("INSERT INTO probe VALUES (?, ?)", rows)
        self._db.execute("COMMIT")

    def _begin_anew(self, *, keep: bool) -> None:
        """Counts what was in flight when the process before ended: it is paid for, and asked again.

        Args:
            keep: Nothing is asked now, so that what could not be asked stays as it is.
        """
        about = about_of(self._db)
        lost = self._db.execute("SELECT COUNT(*) FROM asked").fetchone()[0]
        calls, prompt, completion = about["spent"]
        self.spent = Usage(calls=calls + lost, prompt_tokens=prompt, completion_tokens=completion)
        self.repeated: int = about["repeated"] + lost
        self.stopped: str | None = about["stopped"]
        self._begin()
        for table in ("asked",) if keep else ("asked", "unavailable", "note"):
            self._db.execute(f"DELETE FROM {table}")  # noqa: S608 - ours
        self._about(repeated=self.repeated, stopped=_RUNNING)
        self.commit(self.spent)

    def close(self) -> None:
        """Closes the files; what is not committed is lost."""
        for each in (getattr(self, "_db", None), self._lock):
            with suppress(sqlite3.Error):
                if each is not None:
                    each.close()

    def known(self) -> Iterator[tuple[Cell, Known]]:
        """Yields what is written down, by strategy, probe and arm."""
        with self._told():
            for cell, trial, judge in trials_of(self._db, self.plan):
                yield cell, Known(trial, judge)

    def begin(self, cell: Cell) -> None:
        """Notes that a question is about to be asked."""
        with self._told():
            self._begin()
            self._db.execute("INSERT OR REPLACE INTO asked VALUES (?, ?, ?)", cell)

    def keep(self, cell: Cell, trial: Trial, judge: str | None = None) -> None:
        """Writes down a trial, in place of what was there."""
        row = (*cell, judge, json.dumps(data_of(trial)))
        with self._told():
            self._begin()
            self._db.execute("DELETE FROM asked WHERE strategy = ? AND probe = ? AND arm = ?", cell)
            self._db.execute("INSERT OR REPLACE INTO trial VALUES (?, ?, ?, ?, ?)", row)

    def cannot(self, cell: Cell, why: str) -> None:
        """Writes down that a strategy cannot be asked under an arm."""
        with self._told():
            self._begin()
            self._db.execute("DELETE FROM asked WHERE strategy = ? AND probe = ? AND arm = ?", cell)
            self._db.execute("INSERT OR REPLACE INTO unavailable VALUES (?, ?, ?)", (cell[0], cell[2], why))

    def note(self, note: Skipped) -> None:
        """Writes down something else that was left out."""
        with self._told():
            self._begin()
            self._db.execute("INSERT INTO note VALUES (?, ?)", (note.place, note.why))

    def end(self, why: str | None, spent: Usage) -> None:
        """Writes down why the run ended before all was asked; None if it did not."""
        with self._told():
            self._begin()
            self._about(stopped=why)
        self.commit(spent)

    def relabel(self, plan: Plan) -> None:
        """Takes another judge or release for the same questions."""
        with self._told():
            self._begin()
            self._about(**plan.as_data())
        self.plan = plan

    def commit(self, spent: Usage) -> None:
        """Makes everything since the last time durable, and what the run has cost by now."""
        if not self._db.in_transaction:
            return
        with self._told():
            self._about(spent=[spent.calls, spent.prompt_tokens, spent.completion_tokens])
            self._db.execute("COMMIT")
        self.spent = spent

    def _begin(self) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")

    def _about(self, **values: Any) -> None:
        rows = [(name, json.dumps(value)) for name, value in values.items()]
        self._db.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", rows)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            with readable(self._path):
                yield
        except (sqlite3.Error, OSError) as error:
            raise InputError(
                f"{self._path} cannot be written or read: {getattr(error, 'strerror', None) or error}; what was "
                "answered is kept, and the same command goes on from there"
            ) from error


def _make_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: name a new folder for the run, or an empty one")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror or error}") from error


def _same(before: Plan, now: Plan, folder: Path) -> None:
    differences: Sequence[str] = before.differences(now)
    if differences:
        scored = all(each.startswith(("judge ", "release ")) for each in differences)
        raise InputError(
            f"{folder} holds another canary run ({'; '.join(differences)}): "
            "name a new folder, or give the same settings to go on with that one"
            + ("; `rescore` takes another judge or release for the answers that are there" if scored else "")
        )
