"""Files and folders as records, whatever the files are: JSON lines, JSON, CSV or Parquet, packed or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from trail_callbacks.errors import InputError
from trail_callbacks.reading.objects import Broken, Record, json_objects
from trail_callbacks.reading.opening import HEAD, PARQUET, opened
from trail_callbacks.reading.tables import csv_rows, parquet_rows

__all__ = ["files_in", "records"]


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
