"""What an audit has judged so far, and where in the input each answer is; see `trail_callbacks.work.journal`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from trail_callbacks.audit.items import AuditItem
from trail_callbacks.audit.judging import AuditOutcome
from trail_callbacks.errors import InputError
from trail_callbacks.files import remnants, write
from trail_callbacks.models.cache import digest
from trail_callbacks.models.call import Usage
from trail_callbacks.text import encodable
from trail_callbacks.work.journal import Journal, unpacked

_FORM = "trail-audit-2"
_ENTRIES = (
    "CREATE TABLE entry (n INTEGER PRIMARY KEY, key TEXT, place TEXT NOT NULL, id TEXT, fields TEXT, why TEXT)",
    "CREATE INDEX entry_key ON entry (key)",
)
_AGAIN = {"unfinished", "failed"}  # statuses that another run may change
_NOTHING = {"failed", "broken"}  # statuses without a result


class AuditEntry(NamedTuple):
    """A place of the input, with what is known about it."""

    n: int  # from 1, in the order of the input
    place: str  # file and line
    id: str | None
    fields: dict[str, str]
    why: str | None  # it cannot be audited
    status: str | None  # see `AuditOutcome`; None if it was not judged yet
    data: str | None  # likewise
    first: int | None  # number of the first place with the same content; None if it cannot be audited


class AuditJournal(Journal):
    """Keeps results under the keys of their tasks. Entries of the input are those of the command that is going on."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "audit.sqlite", _FORM, "audit", tables=_ENTRIES)
        with self.writing() as db:
            db.execute("DELETE FROM entry")

    def wants(self, key: str) -> bool:
        """Tells whether a task is to be judged: it was not, or not to its end by an earlier run."""
        found = self.result(key)
        return found is None or (found.mark in _AGAIN and not found.ours)

    def enter(self, n: int, place: str, item: AuditItem | None, key: str | None, why: str | None = None) -> None:
        """Writes down a place of the input."""
        id_, fields = (item.id, json.dumps(dict(item.fields))) if item else (None, "{}")
        place, id_, why = (None if each is None else encodable(each) for each in (place, id_, why))  # type: ignore[assignment]  # the place is a text
        with self.writing() as db:
            db.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)", (n, key, place, id_, fields, why))

    def take(self, outcome: AuditOutcome, spent: Usage) -> None:
        """Writes down a result, and what the audit has cost by now; durable within a second, if results go on."""
        self.keep(outcome.key, outcome.status, outcome.data)
        self.commit(spent, due=True)

    def entries(self) -> Iterator[AuditEntry]:
        """Yields the places of the input in their order."""
        first = "(SELECT MIN(n) FROM entry AS other WHERE other.key = entry.key)"
        joined = "entry LEFT JOIN result ON result.key = entry.key"
        query = f"SELECT n, place, id, fields, why, mark, data, {first} FROM {joined} ORDER BY n"  # noqa: S608 - ours
        with self.told():
            for n, place, id_, fields, why, status, packed, same in self.db.execute(query):
                data = None if packed is None else unpacked(packed)
                why = data if status in _NOTHING else why  # noqa: PLW2901 - why there is no result
                yield AuditEntry(n, place, id_, json.loads(fields), why, status, data, same)

    def repeated_ids(self) -> list[str]:
        """Returns ids under which the input has different answers."""
        query = "SELECT id FROM entry WHERE id IS NOT NULL GROUP BY id HAVING COUNT(DISTINCT key) > 1 ORDER BY MIN(n)"
        with self.told():
            return [id_ for (id_,) in self.db.execute(query)]


def claim(folder: Path, settings: dict[str, Any]) -> None:
    """Makes the folder that of an audit with these settings; an `InputError` says what differs from what it holds."""
    mark = folder / "audit.json"
    settings = json.loads(json.dumps(settings, default=str))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not mark.exists():
            if set(folder.iterdir()) - remnants(mark):
                raise InputError(f"{folder} holds other files: name a new folder for the results, or an empty one")
            write(str(mark), json.dumps({"format": _FORM, "hash": digest(settings), "settings": settings}, indent=2))
            return
        text = mark.read_bytes()
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be used: {error.strerror or error}") from error
    try:
        stored = json.loads(text)
        before, form = dict(stored["settings"]), stored["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{mark} was not written by an audit, or is damaged: name another folder") from error
    if form != _FORM:
        raise InputError(f"{folder} was written by another release ({form}, here {_FORM}): name another folder")
    if stored.get("hash") != digest(settings):
        names = [name for name in settings if before.get(name) != settings[name]]
        raise InputError(
            f"{folder} holds the results of another audit (other: {', '.join(names) or 'settings'}): "
            "name a new folder, or give the same settings to go on with that one"
        )
