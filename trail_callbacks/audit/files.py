"""Files and folders as records, one after the other: JSON lines, JSON, CSV and Parquet, gzip or not.

Never more than one record of a file is in memory, nor more of it than `LARGEST` bytes.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import IO, Any

from trail_callbacks.errors import InputError, MissingExtraError

__all__ = ["LARGEST", "Broken", "Files", "Record", "arrow"]

LARGEST = 64 * 1024 * 1024
"""Bytes of the longest line, field or single JSON document that is read."""

_HEAD = 4_096  # bytes that show whether a file is text
_SAMPLE = 10  # records that show whether a file is one of ours
_LISTS = ("reports", "traces")  # what the command writes of several
_PARQUET = b"PAR1"
_ZSTD = b"\x28\xb5\x2f\xfd"
_UNREADABLE = (OSError, EOFError, zlib.error)  # the last two: gzip that ends early, or is damaged


@dataclass(frozen=True, slots=True)
class Record:
    """One object of a file, and its place: file, and line, row or item from 1."""

    place: str
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Broken:
    """Something that cannot be used: where, and why."""

    place: str
    why: str


@dataclass(slots=True)
class Files:
    """Reads files and folders.

    Args:
        paths: Files, folders (all files in them, by name), or `-` for standard input.
        known: Tells whether a record is of a kind that is audited.
        others: Reads a file in the dialect of another tool, and yields what is wrong with parts of it too; raises
            `InputError` if it is none.
        skip: A folder that is left out wherever it is found: that of the output.

    Attributes:
        read: Bytes read so far.
        size: Bytes there are; 0 if that is not known.
    """

    paths: Sequence[str]
    known: Callable[[dict[str, Any]], bool]
    others: Callable[[str], Iterator[dict[str, Any] | InputError]]
    skip: Path | None = None
    read: int = 0
    size: int = 0
    _before: int = field(default=0, init=False)

    def check(self) -> None:
        """Opens what is named, and measures it.

        Raises:
            InputError: If something does not exist, cannot be read or is empty, or a folder holds no file.
            MissingExtraError: If there is Parquet, and nothing that reads it.
        """
        for path in self.paths:
            if path == "-":
                continue
            found = list(self._files(path))
            if not found:
                raise InputError(f"the folder {path} holds no file: expected traces, reports or rows")
            for file in found:
                try:
                    size = file.stat().st_size
                    with file.open("rb") as stream:
                        head = stream.read(4)
                except OSError as error:
                    raise InputError(f"{file} cannot be read: {error.strerror or error}") from error
                if head == _PARQUET:
                    arrow()  # or say now that it is missing
                if not head and len(found) == 1:
                    raise InputError(f"{file} is empty: expected traces, reports or rows")
                self.size += size
        self.size = 0 if "-" in self.paths else self.size

    def __iter__(self) -> Iterator[Record | Broken]:
        """Yields what the files hold, and what of them cannot be used."""
        for path in self.paths:
            for file in ["-"] if path == "-" else self._files(path):
                name = "standard input" if file == "-" else str(file)
                try:
                    yield from self._records(str(file), name)
                except InputError as error:
                    yield Broken(name, str(error).removeprefix(f"{name}: ").removeprefix(f"{name} "))
                except _UNREADABLE as error:
                    yield Broken(name, f"cannot be read further: {getattr(error, 'strerror', None) or error}")

    def _files(self, path: str) -> Iterator[Path]:
        named = Path(path)
        try:
            if not named.is_dir():
                yield named
                return
            skipped = self.skip.resolve() if self.skip else None
            for file in sorted(named.rglob("*")):
                hidden = any(part.startswith(".") for part in file.relative_to(named).parts)
                if not hidden and skipped not in file.resolve().parents and file.is_file():
                    yield file
        except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
            raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error

    def _records(self, path: str, name: str) -> Iterator[Record | Broken]:
        raw = sys.stdin.buffer if path == "-" else Path(path).open("rb")  # noqa: SIM115 - closed below
        try:
            stream: io.BufferedReader[Any] = io.BufferedReader(_Counted(raw, self))
            if stream.peek(2)[:2] == b"\x1f\x8b":
                stream = io.BufferedReader(gzip.GzipFile(fileobj=stream))
            head = stream.peek(_HEAD)[:_HEAD]
            if head.startswith(_ZSTD):
                yield from self._foreign(path, name, "compressed with zstd")
                return
            if head.startswith(_PARQUET):
                found = _parquet(path, name)
            elif b"\0" in head:
                raise InputError(f"{name} is a binary file: expected JSON lines, JSON, CSV or Parquet")
            elif not head:
                raise InputError(f"{name} is empty: expected traces, reports or rows")
            elif head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in {b"{", b"["}:
                found = _json(stream, name)
            else:
                found = _csv(stream, name)
            yield from self._ours(found, path, name)
        finally:
            if raw is not sys.stdin.buffer:
                raw.close()

    def _ours(self, found: Iterator[Record | Broken], path: str, name: str) -> Iterator[Record | Broken]:
        """What is found, if some of the first records are of a kind that is known; else what others read."""
        first: list[Record | Broken] = []
        for each in found:
            first.append(each)
            if isinstance(each, Broken):
                if len(first) < _SAMPLE:
                    continue
                break
            if self.known(each.value) or len(first) >= _SAMPLE:
                break
        whole = [each for each in first if isinstance(each, Record)]
        if whole and not any(self.known(each.value) for each in whole):
            yield from self._foreign(path, name, f"it begins with {', '.join(list(whole[0].value)[:8])}")
            return
        yield from chain(first, found)

    def _foreign(self, path: str, name: str, what: str) -> Iterator[Record | Broken]:
        number = 0
        try:
            for value in self.others(path):
                number += 1
                place = f"{name}, trace {number}"
                yield Broken(name, str(value)) if isinstance(value, InputError) else Record(place, value)
        except InputError as error:
            raise InputError(f"{name} is of no format that is known ({what}): {error}") from error


class _Counted(io.RawIOBase):
    """Counts what is read of a file."""

    def __init__(self, raw: IO[bytes], files: Files) -> None:
        self._raw, self._files = raw, files

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._raw.read(len(buffer))
        buffer[: len(data)] = data
        self._files.read += len(data)
        return len(data)


def _json(stream: IO[bytes], name: str) -> Iterator[Record | Broken]:
    first = stream.readline(LARGEST + 1)
    while first and not first.removeprefix(b"\xef\xbb\xbf").strip():
        first = stream.readline(LARGEST + 1)
    first = first.removeprefix(b"\xef\xbb\xbf")
    if first.lstrip().startswith(b"[") or first.strip() == b"{":
        yield from _document(first + stream.read(LARGEST + 1 - len(first)), name)
        return
    number, line = 0, first
    while line:
        number += 1
        place = f"{name}, line {number}"
        if len(line) > LARGEST:
            yield Broken(place, f"is longer than {LARGEST // 1024**2} MiB")
            while line and not line.endswith(b"\n"):
                line = stream.readline(LARGEST)
        elif line.strip():
            yield from _objects(line, place)
        line = stream.readline(LARGEST + 1)


def _document(data: bytes, name: str) -> Iterator[Record | Broken]:
    if len(data) > LARGEST:
        raise InputError(
            f"{name} is one JSON document of more than {LARGEST // 1024**2} MiB: write one object a line (JSON lines)"
        )
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is no JSON: it is broken or truncated ({error})") from error
    several = value if isinstance(value, list) else None
    if isinstance(value, dict):
        several = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
    if several is None:
        yield Record(name, value)
        return
    for n, each in enumerate(several, 1):
        yield _record(each, f"{name}, item {n}")


def _objects(line: bytes, place: str) -> Iterator[Record | Broken]:
    try:
        yield _record(json.loads(line), place)
    except (ValueError, RecursionError) as error:
        yield Broken(place, f"the JSON is broken or truncated ({error})")


def _record(value: Any, place: str) -> Record | Broken:
    return Record(place, value) if isinstance(value, dict) else Broken(place, "is no JSON object")


def _csv(stream: IO[bytes], name: str) -> Iterator[Record | Broken]:
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    csv.field_size_limit(LARGEST)
    try:
        head = text.readline(LARGEST)
        delimiter = max("\t;,", key=head.count)
        columns = next(csv.reader([head], delimiter=delimiter))
        if len(columns) < 2:  # noqa: PLR2004 - an answer and its sources
            raise InputError(f"{name} is neither JSON nor a table: expected JSON lines, JSON, CSV or Parquet")
        rows = csv.reader(text, delimiter=delimiter)
        while True:
            try:
                row = next(rows, None)
            except csv.Error as error:
                yield Broken(f"{name}, line {rows.line_num + 1}", f"is no CSV: {error}")
                continue
            if row is None:
                if rows.line_num == 0:
                    yield Broken(name, f"has no row below its first line, {head.strip()[:80]!r}")
                return
            place = f"{name}, line {rows.line_num + 1}"
            if len(row) == len(columns):
                yield Record(place, dict(zip(columns, row, strict=True)))
            elif row:
                yield Broken(place, f"has {len(row)} cells, expected {len(columns)}")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is not UTF-8 ({error.reason}): convert it, for example with iconv -t UTF-8"
        ) from error


def arrow() -> Any:
    """Returns the module pyarrow.

    Raises:
        MissingExtraError: If it is not installed.
    """
    try:
        return import_module("pyarrow")  # optional and heavy
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "audit") from error


def _parquet(path: str, name: str) -> Iterator[Record | Broken]:
    if path == "-":
        raise InputError("standard input is Parquet, which cannot be streamed: name the file")
    pa = arrow()
    number = 0
    try:
        with import_module("pyarrow.parquet").ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=256):
                for row in batch.to_pylist():
                    number += 1
                    yield Record(f"{name}, row {number}", row)
    except pa.ArrowInvalid as error:
        raise InputError(f"{name} is no Parquet file, or a broken one: {error}") from error
