"""What is known of a run, on disk: a SQLite file in its folder, which one process writes.

SQLite and not JSON lines, because a transaction is whole or absent whenever the process is killed, the key of a result
is unique by construction, and what is known can be looked up without holding it in memory. Who writes holds a second
file locked, which the system unlocks however the process ends.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Usage

_TABLES = (
    "CREATE TABLE about (name TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE result (key TEXT PRIMARY KEY, mark TEXT, command TEXT NOT NULL, data BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE begun (key TEXT PRIMARY KEY) WITHOUT ROWID",
)
_ANY = "SELECT 1 FROM sqlite_master"
_EVERY = 1.0  # seconds after which results are made durable
_MOST = 256  # results after which they are, too
_DAMAGED = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)  # the first: another table


class Result(NamedTuple):
    """What came of something."""

    key: str  # what it is kept under
    mark: str | None  # what its room knows it by, such as a status
    ours: bool  # it is of this command, not of an earlier one
    data: str


class Journal:
    """Keeps results under keys, which keys were begun, and what the run is about.

    Args:
        path: The file; made, for its owner only, if it does not exist.
        form: The format of what is kept, with its version. A file of another one is refused.
        what: What the run is called in errors: `audit`.
        tables: Statements that make further tables, with which the caller works through `writing` and `told`.
        readers: Others read while it goes on, and nothing waits for the disk: after a power cut the last results may be
            gone. By default results are durable within a second, and the file may lie in a network folder.

    Attributes:
        about: What is known of the run, by name, JSON-like; see `tell`.
        spent: What it has cost, as far as it is written down.
        lost: Keys that were begun and not ended when the process before was gone; counted as spent.
        db: The connection; within `told`.

    Raises:
        InputError: If another process writes there, the file is damaged or of another format, or cannot be written.
    """

    def __init__(self, path: Path, form: str, what: str, *, tables: Sequence[str] = (), readers: bool = False) -> None:
        self.path = path
        self.about: dict[str, Any] = {}
        self._what, self._command = what, os.urandom(8).hex()
        self._since, self._pending = monotonic(), 0
        self._open: list[sqlite3.Connection] = []
        try:
            with self.told():
                taken = f"another {what} is writing to {path.parent}: wait for it, or name another one"
                self._open.append(_locked(path.with_suffix(".lock"), taken))
                self.db = _connected(path)
                self._open.append(self.db)
                is_new = not self.db.execute(_ANY).fetchone()
                if not is_new:
                    self.about = _about_of(self.db, path, form)  # before anything in a file of somebody else is changed
                durable = "WAL; PRAGMA synchronous=NORMAL" if readers else "TRUNCATE; PRAGMA synchronous=FULL"
                self.db.executescript(f"PRAGMA journal_mode={durable}; PRAGMA cache_size=-8192")
                if is_new:
                    with self.writing() as db:
                        for statement in (*_TABLES, *tables):
                            db.execute(statement)
                    self.tell(form=form, spent=[0, 0, 0])
                    self.db.execute("COMMIT")
                calls, prompt, completion = self.about["spent"]
                self.lost: int = self.db.execute("SELECT COUNT(*) FROM begun").fetchone()[0]
                self.spent = Usage(calls=calls + self.lost, prompt_tokens=prompt, completion_tokens=completion)
                with self.writing() as db:
                    db.execute("DELETE FROM begun")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes the files; what is not committed is lost."""
        for each in reversed(self._open):
            with suppress(sqlite3.Error):
                each.close()

    def tell(self, **values: Any) -> None:
        """Writes down what the run is about, by name."""
        rows = [(name, json.dumps(value)) for name, value in values.items()]
        with self.writing() as db:
            db.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", rows)
        self.about = {**self.about, **values}

    def begin(self, key: str) -> None:
        """Notes that something is about to be done; durable with the next `commit`."""
        with self.writing() as db:
            db.execute("INSERT OR REPLACE INTO begun VALUES (?)", (key,))

    def give_up(self, key: str) -> None:
        """Notes that nothing came of it."""
        with self.writing() as db:
            db.execute("DELETE FROM begun WHERE key = ?", (key,))

    def keep(self, key: str, mark: str | None, data: str) -> None:
        """Writes down a result, in place of what was there."""
        self.give_up(key)
        row = (key, mark, self._command, zlib.compress(data.encode("utf-8", "surrogatepass"), 1))
        with self.writing() as db:
            db.execute("INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?)", row)
        self._pending += 1

    def result(self, key: str) -> Result | None:
        """Returns what came of something; None if nothing did yet."""
        with self.told():
            query = "SELECT mark, command, data FROM result WHERE key = ?"
            found = self.db.execute(query, (key,)).fetchone()
            return None if found is None else Result(key, found[0], found[1] == self._command, unpacked(found[2]))

    def commit(self, spent: Usage, *, due: bool = False) -> None:
        """Makes everything durable, and what the run has cost by now.

        With `due` only if a second has gone by since the last time, or results are many.
        """
        if due and self._pending < _MOST and monotonic() - self._since < _EVERY:
            return
        if self.db.in_transaction:
            self.tell(spent=[spent.calls, spent.prompt_tokens, spent.completion_tokens])
            with self.told():
                self.db.execute("COMMIT")
        self._since, self._pending, self.spent = monotonic(), 0, spent

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yields the connection within a transaction, which `commit` ends."""
        with self.told():
            if not self.db.in_transaction:
                self.db.execute("BEGIN IMMEDIATE")
            yield self.db

    @contextmanager
    def told(self) -> Iterator[None]:
        """Says in words what goes wrong with the file."""
        try:
            with _sound(self.path, self._what):
                yield
        except (sqlite3.Error, OSError) as error:
            raise InputError(
                f"{self.path} cannot be written or read: {getattr(error, 'strerror', None) or error}; what was done up "
                "to the last second is kept, and the same command goes on from there"
            ) from error


@contextmanager
def reading(path: Path, form: str, what: str) -> Iterator[tuple[sqlite3.Connection, dict[str, Any]]]:
    """Opens a journal that another process may be writing; yields it, in one state, and what the run is about."""
    if not path.is_file():
        raise InputError(f"{path.parent} holds no {what}: {path.name} is not there")
    log = path.with_name(f"{path.name}-wal")
    unfinished = log.is_file() and log.stat().st_size > 0  # of a process that was killed: SQLite works it off first
    try:
        with closing(_readable(path, unfinished=unfinished)) as db:
            db.execute("BEGIN")
            if not db.execute(_ANY).fetchone():
                raise InputError(f"{path.parent} holds no {what} yet: {path.name} is empty")
            with _sound(path, what):
                yield db, _about_of(db, path, form)
    except sqlite3.Error as error:
        more = ": its last results are in a file beside it; copy the folder to a place that can be written to"
        raise InputError(f"{path} cannot be read: {error}{more if unfinished else ''}") from error


def _readable(path: Path, *, unfinished: bool) -> sqlite3.Connection:
    db = _connected(path, "mode=rw")
    try:
        db.execute(_ANY).fetchone()
    except sqlite3.Error as error:
        db.close()
        if unfinished or not isinstance(error, sqlite3.OperationalError):
            raise
        return _connected(path, "immutable=1")  # of a folder that cannot be written to, where nobody else writes either
    return db


def _about_of(db: sqlite3.Connection, path: Path, form: str) -> dict[str, Any]:
    about: dict[str, Any] = {}
    if db.execute(f"{_ANY} WHERE name = 'about'").fetchone():
        about = {name: json.loads(data) for name, data in db.execute("SELECT name, data FROM about")}
    if about.get("form") != form:
        found = f"{about['form']}, " if "form" in about else ""
        raise InputError(f"{path} is of another release ({found}here {form}): name a new folder")
    return about


def results_of(db: sqlite3.Connection) -> Iterator[Result]:
    """Yields all results by their keys; none counts as one of this command."""
    for key, mark, data in db.execute("SELECT key, mark, data FROM result ORDER BY key"):
        yield Result(key, mark, False, unpacked(data))


def unpacked(data: bytes) -> str:
    """Returns a result as it was given."""
    return zlib.decompress(data).decode("utf-8", "surrogatepass")


def _connected(path: Path, query: str = "mode=rwc", *, timeout: float = 10.0) -> sqlite3.Connection:
    """Opens a SQLite file, made for its owner only; transactions are begun and ended by hand."""
    if query == "mode=rwc" and not path.exists():
        path.touch(mode=0o600)  # it holds texts of users
    address = f"{path.resolve().as_uri()}?{query}"
    return sqlite3.connect(address, uri=True, isolation_level=None, timeout=timeout, check_same_thread=False)


def _locked(path: Path, taken: str) -> sqlite3.Connection:
    """Locks a file of its own through SQLite, which knows how on each system; closing the connection ends the lock."""
    lock = _connected(path, timeout=0.5)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        lock.close()
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:  # the other bits tell more
            raise InputError(taken) from error
        raise
    return lock


@contextmanager
def _sound(path: Path, what: str) -> Iterator[None]:
    """Says of what is in a file that it makes no sense, if it does not."""
    try:
        yield
    except InputError:
        raise
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED:
            raise
        raise InputError(f"{path} is damaged: {error}; name a new folder, or bring back a copy") from error
    except (ValueError, TypeError, LookupError, AttributeError, zlib.error) as error:
        raise InputError(f"{path} holds no {what}, or is damaged: {error}") from error
