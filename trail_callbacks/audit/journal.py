"""What an audit has judged so far, on disk: a SQLite file in the output folder.

SQLite and not JSON lines, because a transaction is whole or absent whenever the process is killed, the key of a result
is unique by construction, and what is judged can be looked up without holding it in memory. With a rollback journal and
not a write-ahead log, so that it works on network folders too; one process writes.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from trail_callbacks.audit.items import Item
from trail_callbacks.audit.judging import Outcome
from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Usage

__all__ = ["Entry", "Journal"]

_TABLES = """
CREATE TABLE IF NOT EXISTS judged (key TEXT PRIMARY KEY, status TEXT NOT NULL, run TEXT NOT NULL, data BLOB NOT NULL)
    WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent (calls INTEGER, prompt INTEGER, completion INTEGER);
CREATE TABLE IF NOT EXISTS entry (n INTEGER PRIMARY KEY, key TEXT, place TEXT NOT NULL, id TEXT, fields TEXT, why TEXT);
CREATE INDEX IF NOT EXISTS entry_key ON entry (key);
DELETE FROM entry;
"""
_AGAIN = {"unfinished", "failed"}  # statuses that another run may change
_NOTHING = {"failed", "broken"}  # statuses without a result
_EVERY = 1.0  # seconds after which results are made durable
_MOST = 256  # results after which they are, too


@dataclass(frozen=True, slots=True)
class Entry:
    """A place of the input, with what is known about it.

    Attributes:
        n: Its number, from 1, in the order of the input.
        place: File and line.
        id: As its maker calls it.
        fields: Its metadata.
        why: Why it cannot be audited; None if it can.
        status: See `Outcome.status`; None if it was not judged yet.
        data: The result, see `Outcome.data`.
        first: Number of the first place with the same content; None if it cannot be audited.
    """

    n: int
    place: str
    id: str | None
    fields: dict[str, str]
    why: str | None
    status: str | None
    data: str | None
    first: int | None


class Journal:
    """Keeps results under the keys of their tasks. Entries of the input are those of the run that is going on.

    Args:
        folder: The output folder.

    Raises:
        InputError: If another process writes there, or the file cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "audit.sqlite"
        self._run = os.urandom(8).hex()
        self._since, self._pending = monotonic(), 0
        self._spent = Usage()
        with self._told(), ExitStack() as unless_opened:
            self._path.touch(mode=0o600)  # it holds users' texts
            self._db = sqlite3.connect(self._path, isolation_level=None, timeout=1.0, check_same_thread=False)
            unless_opened.callback(self._db.close)
            for pragma in ("locking_mode=EXCLUSIVE", "journal_mode=TRUNCATE", "synchronous=FULL", "cache_size=-8192"):
                self._db.execute(f"PRAGMA {pragma}")
            self._db.execute("BEGIN EXCLUSIVE")
            for statement in _TABLES.split(";"):
                self._db.execute(statement)
            found = self._db.execute("SELECT calls, prompt, completion FROM spent").fetchone()
            unless_opened.pop_all()
        if found:
            self._spent = Usage(calls=found[0], prompt_tokens=found[1], completion_tokens=found[2])

    @property
    def spent(self) -> Usage:
        """What the audit has cost, as far as it is written down."""
        return self._spent

    def close(self) -> None:
        """Closes the file; what is not committed is lost."""
        with suppress(sqlite3.Error):
            self._db.close()

    def wants(self, key: str) -> bool:
        """Tells whether a task is to be judged: it was not, or not to its end by an earlier run."""
        with self._told():
            found = self._db.execute("SELECT status, run FROM judged WHERE key = ?", (key,)).fetchone()
        return found is None or (found[0] in _AGAIN and found[1] != self._run)

    def enter(self, n: int, place: str, item: Item | None, key: str | None, why: str | None = None) -> None:
        """Writes down a place of the input."""
        id_, fields = (item.id, json.dumps(dict(item.fields))) if item else (None, "{}")
        with self._told():
            self._db.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)", (n, key, place, id_, fields, why))

    def keep(self, outcome: Outcome, spent: Usage) -> None:
        """Writes down a result, and what the audit has cost by now; durable within a second, if results go on."""
        row = (outcome.key, outcome.status, self._run, zlib.compress(outcome.data.encode(), 1))
        with self._told():
            self._db.execute("INSERT OR REPLACE INTO judged VALUES (?, ?, ?, ?)", row)
        self._pending += 1
        if self._pending >= _MOST or monotonic() - self._since >= _EVERY:
            self.commit(spent)

    def commit(self, spent: Usage) -> None:
        """Makes everything durable."""
        with self._told():
            self._db.execute("DELETE FROM spent")
            row = (spent.calls, spent.prompt_tokens, spent.completion_tokens)
            self._db.execute("INSERT INTO spent VALUES (?, ?, ?)", row)
            self._db.execute("COMMIT")
            self._db.execute("BEGIN")
        self._since, self._pending, self._spent = monotonic(), 0, spent

    def entries(self) -> Iterator[Entry]:
        """Yields the places of the input in their order."""
        first = "(SELECT MIN(n) FROM entry AS other WHERE other.key = entry.key)"
        judged = "entry LEFT JOIN judged ON judged.key = entry.key"
        query = f"SELECT n, place, id, fields, why, status, data, {first} FROM {judged} ORDER BY n"  # noqa: S608 - ours
        with self._told():
            for n, place, id_, fields, why, status, data, same in self._db.execute(query):
                text = None if data is None else zlib.decompress(data).decode()
                yield Entry(n, place, id_, json.loads(fields), text if status in _NOTHING else why, status, text, same)

    def repeated_ids(self) -> list[str]:
        """Returns ids under which the input has different answers."""
        query = "SELECT id FROM entry WHERE id IS NOT NULL GROUP BY id HAVING COUNT(DISTINCT key) > 1 ORDER BY MIN(n)"
        with self._told():
            return [id_ for (id_,) in self._db.execute(query)]

    @contextmanager
    def _told(self) -> Iterator[Any]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if "locked" in str(error):
                raise InputError(
                    f"another audit is writing to {self._path.parent}: wait for it, or name another"
                ) from error
            raise InputError(
                f"{self._path} cannot be written or read: {getattr(error, 'strerror', None) or error}; what was judged "
                "up to the last second is kept, and the same command goes on from there"
            ) from error
