"""Files and folders as records, whatever the files are: JSON lines, JSON, CSV or Parquet, packed or not."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from trail_callbacks.errors import InputError, MissingExtraError
from trail_callbacks.reading.objects import LARGEST, Broken, Record, json_objects
from trail_callbacks.reading.opening import HEAD, PARQUET, opened

_LEAST = 2  # columns, without which a text is taken for none
_FOREIGN = re.compile("[\udc80-\udcff]")  # what takes the place of a byte that is no UTF-8


def csv_rows(stream: IO[bytes], name: str) -> Iterator[Record | Broken]:
    """Yields the rows of a table whose first line names the columns.

    Raises:
        InputError: If it has one column.
    """
    text = io.TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape", newline="")
    csv.field_size_limit(LARGEST)
    head = text.readline(LARGEST)
    delimiter = max("\t;,", key=head.count)
    columns = next(csv.reader([head], delimiter=delimiter))
    if len(columns) < _LEAST:
        raise InputError(f"{name} is neither JSON nor a table: expected JSON lines, JSON, CSV or Parquet")
    rows = csv.reader(text, delimiter=delimiter)
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield Broken(f"{name}, line {rows.line_num + 1}", f"is no CSV: {error}", rows.line_num + 1)
            continue
        if row is None:
            if rows.line_num == 0:
                yield Broken(name, f"has no row below its first line, {head.strip()[:80]!r}")
            return
        line = rows.line_num + 1
        place = f"{name}, line {line}"
        if len(row) != len(columns):
            if row:
                yield Broken(place, f"has {len(row)} cells, expected {len(columns)}", line)
        elif _FOREIGN.search("".join(row)):
            yield Broken(place, "is not UTF-8: convert the file, for example with iconv", line)
        else:
            yield Record(place, line, dict(zip(columns, row, strict=True)))


def arrow() -> Any:
    """Returns the module pyarrow.

    Raises:
        MissingExtraError: If it is not installed.
    """
    try:
        return import_module("pyarrow")  # optional and heavy
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "audit") from error


def parquet_rows(path: str, name: str) -> Iterator[Record | Broken]:
    """Yields the rows of a Parquet file.

    Raises:
        InputError: If it is standard input, or broken.
        MissingExtraError: If nothing reads it.
    """
    if path == "-":
        raise InputError("standard input is Parquet, which cannot be streamed: name the file")
    pa = arrow()
    number = 0
    try:
        with import_module("pyarrow.parquet").ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=256):
                for row in range(batch.num_rows):
                    number += 1
                    yield _row(batch, row, f"{name}, row {number}", number)
    except pa.ArrowInvalid as error:
        raise InputError(f"{name} is no Parquet file, or a broken one: {error}") from error


def _row(batch: Any, row: int, place: str, number: int) -> Record | Broken:
    value = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            value[name] = _held(column[row])
        except Exception as error:  # noqa: BLE001 - a year that Python does not know, no UTF-8, an unknown time zone
            return Broken(place, f"its {name} has no value in Python: {error}", number)
    return Record(place, number, value)


def _held(cell: Any) -> Any:
    """What a cell holds, with texts for what JSON has no values for: dates, bytes, decimals."""
    try:
        return json.loads(json.dumps(cell.as_py(), ensure_ascii=False, default=str))
    except ValueError:
        with suppress(Exception):
            return cell.cast("string").as_py()  # nanoseconds, which Python has not
        raise


def files_in(path: str | Path, skip: Path | None = None) -> list[Path]:
    """Returns the files of a folder, by name, at any depth, without hidden ones; of a file, itself.

    Args:
        path: The folder or file.
        skip: A folder that is left out wherever it is found.

    Raises:
        InputError: If it cannot be looked into.
    """
    named = Path(path)
    try:
        if not named.is_dir():
            return [named]
        skipped = skip.resolve() if skip else None
        return [
            file
            for file in sorted(named.rglob("*"))
            if not any(part.startswith(".") for part in file.relative_to(named).parts)
            and file.is_file()
            and (skipped is None or skipped not in file.resolve().parents)
        ]
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def records(
    path: str | Path,
    name: str | None = None,
    *,
    expected: str = "records",
    lists: Mapping[str, bool] | None = None,
    on_read: Callable[[int], object] | None = None,
) -> Iterator[Record | Broken]:
    """Yields the records of a file, and what of it cannot be used; no more than one is in memory.

    Args:
        path: The file; `-` is standard input.
        name: What it is called in places and errors; None is its path.
        expected: What should be in it, for errors.
        lists: See `json_objects`.
        on_read: See `opened`.

    Raises:
        InputError: If it cannot be read to its end, or is no file of records; names it.
        MissingExtraError: If it is Parquet, and nothing reads it.
    """
    called = name or ("standard input" if str(path) == "-" else str(path))
    with opened(path, called, expected, on_read) as stream:
        head = stream.peek(HEAD)[:HEAD]
        if head.startswith(PARQUET):
            yield from parquet_rows(str(path), called)
        elif head.lstrip()[:1] in {b"{", b"["}:
            yield from json_objects(stream, called, lists)
        else:
            yield from csv_rows(stream, called)
