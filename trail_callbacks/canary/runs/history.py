"""What recurring probes found, turn by turn: a SQLite file, which is all the state there is.

A turn is one transaction, begun before anything is asked: a second process is refused while it lasts, and of one that
is killed nothing remains. With a rollback journal, so that it is one file between turns.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.results import Run
from trail_callbacks.canary.trial import Outcome, Trial
from trail_callbacks.errors import InputError
from trail_callbacks.statistics.intervals import wilson
from trail_callbacks.work import connected, is_busy

__all__ = ["History", "Leak", "OpenTurn", "Seen", "new_turn"]

_ID = 0x74726331  # SQLite's `application_id` of such a file
_ERRORS = 3  # that are kept of a turn
_WAIT = 0.5  # seconds for another turn to end
_TABLES = """
CREATE TABLE turn (n INTEGER PRIMARY KEY, at TEXT NOT NULL, probes TEXT NOT NULL, next INTEGER NOT NULL,
    calls INTEGER NOT NULL, stopped TEXT, errors TEXT NOT NULL);
CREATE TABLE trial (n INTEGER PRIMARY KEY, turn INTEGER NOT NULL, probe TEXT NOT NULL, arm TEXT NOT NULL,
    outcome TEXT NOT NULL, counted INTEGER NOT NULL);
CREATE INDEX counted ON trial (n) WHERE counted
"""

Seen: TypeAlias = tuple[str, Arm, Outcome]
"""A trial of the history: id of the probe, arm, outcome."""


@dataclass(frozen=True, slots=True)
class Leak:
    """The leak rate of the last trials.

    Attributes:
        share: Share of answers with the real value where the fictive one was served, 0.0 to 1.0; the mean over probes.
        low: Lower end of its interval, 95 %.
        high: Upper end.
        probes: How many probes it is of. The interval counts these: a probe that is asked again tells little new.
        trials: How many trials.
    """

    share: float
    low: float
    high: float
    probes: int
    trials: int


@dataclass(frozen=True, slots=True)
class History:
    """What earlier turns found, as far as it matters.

    Attributes:
        last: The last trials that the leak rate is of, the newest at the end.
        totals: Trials of all turns, by arm and outcome.
        turns: How many turns there were.
        position: Where the next turn begins in the rounds of the probes.
        probes: Digest of the probes of the last turn.
        at: When the last turn ended, ISO 8601; None if there was none.
        errors: Some of the app's in the last turn.
        stopped: Why the last turn ended before all was asked; None if it did not.
    """

    last: Sequence[Seen] = ()
    totals: Counter[tuple[str, str]] = field(default_factory=Counter)
    turns: int = 0
    position: int = 0
    probes: str = ""
    at: str | None = None
    errors: Sequence[str] = ()
    stopped: str | None = None

    @classmethod
    def read(cls, path: str | Path, window: int) -> History:
        """Reads a history file, also during a turn; one that is not there is empty.

        Args:
            path: The file.
            window: How many trials to keep of it, 1 or more.

        Raises:
            InputError: If it cannot be read, or is something else.
        """
        file = Path(path)
        with _told(file, "read"):
            if not file.exists():
                return cls()
            with closing(connected(file, "mode=ro")) as db:
                return _read(db, file, window)

    def leak(self) -> Leak | None:
        """The leak rate of the last trials; None if there are none."""
        by_probe: dict[str, list[bool]] = {}
        for probe, _, outcome in self.last:
            by_probe.setdefault(probe, []).append(outcome == "leaks_prior")
        if not by_probe:
            return None
        share = sum(sum(leaks) / len(leaks) for leaks in by_probe.values()) / len(by_probe)
        return Leak(share, *wilson(share, len(by_probe)), len(by_probe), len(self.last))


class OpenTurn:
    """A turn that is going on: the history before it, and where it is written to.

    Attributes:
        before: The history.
    """

    def __init__(self, db: sqlite3.Connection, path: Path, window: int) -> None:
        self._db, self._path, self._window = db, path, window
        self.before = _read(db, path, window)

    def end(self, probes: str, position: int, found: Run, counted: Collection[Trial]) -> History:
        """Writes the turn down, whole or not at all, and returns the history with it.

        Args:
            probes: Digest of the probes that it was of.
            position: Where the next turn begins in the rounds of the probes.
            found: What it asked.
            counted: Those of its trials that the leak rate is of.

        Raises:
            InputError: If it cannot be written.
        """
        errors = sorted({trial.error for trial in found.trials if trial.error})[:_ERRORS]
        at = datetime.now(UTC).isoformat(timespec="seconds")
        row = (at, probes, position, found.spent.calls, found.stopped, json.dumps(errors))
        with _told(self._path, "written"):
            n = self._db.execute("INSERT INTO turn VALUES (NULL, ?, ?, ?, ?, ?, ?)", row).lastrowid
            rows = [(n, each.probe, each.arm, each.finding.outcome, each in counted) for each in found.trials]
            self._db.executemany("INSERT INTO trial VALUES (NULL, ?, ?, ?, ?, ?)", rows)
            self._db.execute("COMMIT")
            return _read(self._db, self._path, self._window)


@contextmanager
def new_turn(path: Path, window: int) -> Iterator[OpenTurn]:
    """Begins a turn of a history, whose file is made if it does not exist.

    Raises:
        InputError: If another process is at a turn, or the file cannot be written or is something else.
    """
    with _told(path, "written"):
        db = connected(path, timeout=_WAIT)
    with closing(db):  # what is not committed is gone
        with _told(path, "written"):
            db.execute("BEGIN IMMEDIATE")
            if not db.execute("SELECT 1 FROM sqlite_master").fetchone():
                db.execute(f"PRAGMA application_id = {_ID}")
                for statement in _TABLES.split(";"):
                    db.execute(statement)
            turn = OpenTurn(db, path, window)
            db.execute("PRAGMA busy_timeout = 10000")  # for readers, at the end
        yield turn


def _read(db: sqlite3.Connection, path: Path, window: int) -> History:
    if not db.execute("SELECT 1 FROM sqlite_master").fetchone():  # made just now, by a turn that goes on
        return History()
    if db.execute("PRAGMA application_id").fetchone()[0] != _ID:
        raise InputError(f"{path} is no history of recurring probes: name another file")
    row = db.execute("SELECT at, probes, next, errors, stopped, n FROM turn ORDER BY n DESC LIMIT 1").fetchone()
    if row is None:
        return History()
    at, probes, position, errors, stopped, turns = row
    last = db.execute("SELECT probe, arm, outcome FROM trial WHERE counted ORDER BY n DESC LIMIT ?", (window,))
    totals = db.execute("SELECT arm, outcome, COUNT(*) FROM trial GROUP BY arm, outcome")
    return History(
        last=tuple(reversed(last.fetchall())),
        totals=Counter({(arm, outcome): n for arm, outcome, n in totals}),
        turns=turns,
        position=position,
        probes=probes,
        at=at,
        errors=tuple(json.loads(errors)),
        stopped=stopped,
    )


@contextmanager
def _told(path: Path, what: str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        if path.is_dir():
            raise InputError(f"{path} is a folder: name a file") from error
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_NOTADB:
            raise InputError(f"{path} is no history of recurring probes: name another file") from error
        if is_busy(error):
            raise InputError(
                f"another process is asking the probes of {path}: wait until it is done, or give each a history of its "
                "own"
            ) from error
        why: Any = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be {what}: {why}") from error
