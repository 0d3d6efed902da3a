"""What an audit has judged so far, and where in the input each answer is; see `trail_callbacks.work.journal`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trail_callbacks.audit.items import Item
from trail_callbacks.audit.judging import Outcome
from trail_callbacks.models.call import Usage
from trail_callbacks.work import Journal
from trail_callbacks.work.journal import unpacked

__all__ = ["AuditJournal", "Entry"]

_FORM = "trail-audit-2"
_ENTRIES = (
    "CREATE TABLE entry (n INTEGER PRIMARY KEY, key TEXT, place TEXT NOT NULL, id TEXT, fields TEXT, why TEXT)",
    "CREATE INDEX entry_key ON entry (key)",
)
_AGAIN = {"unfinished", "failed"}  # statuses that another run may change
_NOTHING = {"failed", "broken"}  # statuses without a result


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


class AuditJournal(Journal):
    """Keeps results under the keys of their tasks. Entries of the input are those of the command that is going on.

    Args:
        folder: The output folder.

    Raises:
        InputError: If another process writes there, or the file cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "audit.sqlite", _FORM, "audit", tables=_ENTRIES)
        with self.told():
            self.db.execute("DELETE FROM entry")

    def wants(self, key: str) -> bool:
        """Tells whether a task is to be judged: it was not, or not to its end by an earlier run."""
        found = self.result(key)
        return found is None or (found.mark in _AGAIN and not found.ours)

    def enter(self, n: int, place: str, item: Item | None, key: str | None, why: str | None = None) -> None:
        """Writes down a place of the input."""
        id_, fields = (item.id, json.dumps(dict(item.fields))) if item else (None, "{}")
        with self.told():
            self._begin()
            self.db.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)", (n, key, place, id_, fields, why))

    def take(self, outcome: Outcome, spent: Usage) -> None:
        """Writes down a result, and what the audit has cost by now; durable within a second, if results go on."""
        self.keep(outcome.key, outcome.status, outcome.data)
        self.commit(spent, due=True)

    def entries(self) -> Iterator[Entry]:
        """Yields the places of the input in their order."""
        first = "(SELECT MIN(n) FROM entry AS other WHERE other.key = entry.key)"
        joined = "entry LEFT JOIN result ON result.key = entry.key"
        query = f"SELECT n, place, id, fields, why, mark, data, {first} FROM {joined} ORDER BY n"  # noqa: S608 - ours
        with self.told():
            for n, place, id_, fields, why, status, data, same in self.db.execute(query):
                text = None if data is None else unpacked(data)
                yield Entry(n, place, id_, json.loads(fields), text if status in _NOTHING else why, status, text, same)

    def repeated_ids(self) -> list[str]:
        """Returns ids under which the input has different answers."""
        query = "SELECT id FROM entry WHERE id IS NOT NULL GROUP BY id HAVING COUNT(DISTINCT key) > 1 ORDER BY MIN(n)"
        with self.told():
            return [id_ for (id_,) in self.db.execute(query)]
