"""What is audited: the records of files and folders, each a recorded run, a saved report, or a row with an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from trail_callbacks.errors import InputError
from trail_callbacks.reading import Broken, Record, arrow, files_in, records
from trail_callbacks.reading.rows import COLUMNS, column, held
from trail_callbacks.trace.codec import FORMAT

Kind = Literal["trace", "report", "kept", "row"]
"""A trace; a report whose graph is verified anew; a report that is taken as it is; a row."""

_IDS = ("run_id", "parent_id", "id", "call_id", "ref", "task")  # stand for one another, and mean nothing else
_VOLATILE = ("at", "seq", "tags", "metadata")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditItem:
    """One answer to be judged."""

    kind: Kind
    id: str | None  # as its maker calls it
    data: str  # all that is needed to judge it, as JSON
    content: str  # SHA-256 of the part of it on which a verdict can depend: no ids and times of runs
    fields: Mapping[str, str]  # its metadata, by name: what segments and `where` go by


def _known(value: Mapping[str, Any], columns: Mapping[str, str]) -> bool:
    """Whether a record is a trace, a report or a row."""
    if value.get("format") == FORMAT or _is_report(value):
        return True
    return all(column(role, value, columns) is not None for role in ("answer", "sources"))


def _is_report(value: Mapping[str, Any]) -> bool:
    return "version" in value and "graph" in value and "verdicts" in value


def item(value: Mapping[str, Any], columns: Mapping[str, str], *, keep_reports: bool) -> AuditItem:
    """Makes an item of a record; of one that is none, an `InputError` says what was looked for.

    Columns are named by role, where they are not the usual ones (see `COLUMNS`). Verdicts of saved reports are taken as
    they are with `keep_reports`.
    """
    if value.get("format") == FORMAT:
        run = value.get("id")
        return _item("trace", run, value, [_plain(value.get("events"), {}), value.get("earlier")], _context(value))
    if _is_report(value):
        data = value if keep_reports else value["graph"]
        return _item("kept" if keep_reports else "report", value.get("run_id"), data, data, {})
    names = {role: column(role, value, columns) for role in COLUMNS}
    for role in ("answer", "sources"):
        if names[role] is None:
            wanted = columns.get(role) or " or ".join(COLUMNS[role])
            raise InputError(f'is no trace ("format": "{FORMAT}"), no report, and no row: it has no {wanted}')
    data = held(value, names)
    rest = {name: each for name, each in value.items() if name not in names.values()}
    return _item("row", value[names["id"]] if names["id"] else None, data, data, _flat(rest))


def _item(kind: Kind, id_: Any, data: Any, material: Any, fields: Mapping[str, str]) -> AuditItem:
    try:
        text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
        content = sha256(json.dumps([kind, material], sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    except (TypeError, ValueError, RecursionError) as error:  # Parquet holds dates and bytes
        raise InputError(f"cannot be written as JSON: {error}") from error
    return AuditItem(kind=kind, id=None if id_ is None else str(id_), data=text, content=content, fields=fields)


def _plain(value: Any, seen: dict[Any, int]) -> Any:
    """Events without times and metadata, and with numbers for ids: the same run made twice is the same."""
    if isinstance(value, list):
        return [_plain(each, seen) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: seen.setdefault(each, len(seen))
        if key in _IDS and isinstance(each, str | int)
        else (each if key == "attributes" else _plain(each, seen))
        for key, each in value.items()
        if key not in _VOLATILE
    }


def _context(trace: Mapping[str, Any]) -> dict[str, str]:
    context = trace["context"] if isinstance(trace.get("context"), dict) else {}
    named = {name: each for name, each in context.items() if name not in {"metadata", "started", "ended"}}
    parts = (context.get("metadata"), trace.get("versions"), named)
    return {name: text for part in parts if isinstance(part, dict) for name, text in _flat(part).items()}


def _flat(values: Mapping[str, Any]) -> dict[str, str]:
    """Metadata as texts; an object's own names are joined to its name by a dot, and `metadata` needs no naming."""
    found: dict[str, str] = {}
    for name, each in values.items():
        if isinstance(each, dict):
            found |= {(key if name == "metadata" else f"{name}.{key}"): x for key, x in _flat(each).items()}
        elif isinstance(each, list | tuple) and each:
            found[name] = ", ".join(map(str, each))
        elif isinstance(each, bool):
            found[name] = str(each).lower()
        elif isinstance(each, str | int | float) and each != "":
            found[name] = str(each)
    return found


_EXPECTED = "traces, reports or rows"
_LISTS = {"reports": False, "traces": False}  # what the command writes of several
_SAMPLE = 10  # records that show whether a file is one of ours


@dataclass(slots=True)
class Inputs:
    """Reads what is named: files, folders (all files in them, by name), or `-` for standard input."""

    paths: Sequence[str]
    columns: Mapping[str, str]
    skip: Path | None = None  # a folder that is left out wherever it is found: that of the output
    read: int = 0  # bytes, so far
    size: int = field(default=0, init=False)  # bytes; 0 if that is not known

    def check(self) -> None:
        """Opens what is named, and measures it: what cannot be used is said before anything is paid."""
        for path in self.paths:
            if path == "-":
                continue
            found = files_in(path, self.skip)
            if not found:
                raise InputError(f"the folder {path} holds no file: expected {_EXPECTED}")
            for file in found:
                try:
                    self.size += file.stat().st_size
                    with file.open("rb") as stream:
                        head = stream.read(4)
                except (OSError, ValueError) as error:
                    why = getattr(error, "strerror", None) or error
                    raise InputError(f"{file} cannot be read: {why}") from error
                if head == b"PAR1":
                    arrow()  # or say now that it is missing
                if not head and len(found) == 1:
                    raise InputError(f"{file} is empty: expected {_EXPECTED}")
        self.size = 0 if "-" in self.paths else self.size

    def __iter__(self) -> Iterator[Record | Broken]:
        """Yields what the files hold, and what of them cannot be used."""
        for path in self.paths:
            for file in [Path(path)] if path == "-" else files_in(path, self.skip):
                name = "standard input" if path == "-" else str(file)
                try:
                    yield from self._file(str(file), name)
                except InputError as error:
                    yield Broken(name, str(error).removeprefix(f"{name}: ").removeprefix(f"{name} "))

    def _count(self, size: int) -> None:
        self.read += size

    def _file(self, path: str, name: str) -> Iterator[Record | Broken]:
        """What a file holds, if some of the first records are of a kind that is known; else what others read in it."""
        found = records(path, name, expected=_EXPECTED, lists=_LISTS, on_read=self._count)
        first: list[Record | Broken] = []
        for each in found:
            first.append(each)
            if len(first) >= _SAMPLE or (isinstance(each, Record) and _known(each.value, self.columns)):
                break
        whole = [each for each in first if isinstance(each, Record)]
        if not whole or any(_known(each.value, self.columns) for each in whole):
            yield from chain(first, found)
            return
        try:
            for number, value in enumerate(_imported(path), 1):
                place = f"{name}, trace {number}"
                yield Broken(place, str(value)) if isinstance(value, InputError) else Record(place, number, value)
        except InputError as error:
            begins = ", ".join(list(whole[0].value)[:8])
            raise InputError(f"{name} is of no format that is known (it begins with {begins}): {error}") from error


def _imported(path: str) -> Iterator[dict[str, Any] | InputError]:
    """Reads traces in the dialects of other tools, and what is wrong with parts that are left out.

    Raises:
        InputError: If the file is in none of them.
    """
    names = "; ".join(f"{role}: {', '.join(COLUMNS[role])}" for role in ("answer", "sources"))
    others = f"a report of this package, and columns ({names})"
    if path == "-":
        raise InputError(f'looked for "format": "{FORMAT}", for {others}')
    from trail_callbacks.importing import read  # noqa: PLC0415 - most files are none of other tools

    errors: list[InputError] = []
    try:
        for trace in read(path, errors.append):
            yield json.loads(trace.to_json())
            yield from errors
            errors.clear()
    except InputError as error:
        raise InputError(f"{error}; looked for {others}, too") from error
    yield from errors
