"""Tables as records: CSV, with any of the usual delimiters, and Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from importlib import import_module
from typing import IO, Any

from trail_callbacks.errors import InputError, MissingExtraError
from trail_callbacks.reading.objects import LARGEST, Broken, Record

__all__ = ["arrow", "csv_rows", "parquet_rows"]

_LEAST = 2  # columns, without which a text is taken for none


def csv_rows(stream: IO[bytes], name: str) -> Iterator[Record | Broken]:
    """Yields the rows of a table whose first line names the columns.

    Raises:
        InputError: If it has one column, or is not UTF-8.
    """
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    csv.field_size_limit(LARGEST)
    try:
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
            if len(row) == len(columns):
                yield Record(place, line, dict(zip(columns, row, strict=True)))
            elif row:
                yield Broken(place, f"has {len(row)} cells, expected {len(columns)}", line)
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 ({error.reason}): convert it, for example with iconv") from error


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
            value[name] = column[row].as_py()
        except (ValueError, OverflowError) as error:  # nanoseconds, a year that Python does not know, no UTF-8
            return Broken(place, f"its {name} has no value in Python: {error}", number)
    return Record(place, number, value)
