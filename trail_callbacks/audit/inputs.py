"""The input of an audit: the records of files and folders, ours or in the dialect of another tool."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from trail_callbacks.audit.items import COLUMNS, Columns, known
from trail_callbacks.errors import InputError
from trail_callbacks.reading import Broken, Record, arrow, files_in, records
from trail_callbacks.trace.codec import FORMAT

__all__ = ["Inputs"]

_EXPECTED = "traces, reports or rows"
_LISTS = {"reports": False, "traces": False}  # what the command writes of several
_SAMPLE = 10  # records that show whether a file is one of ours


@dataclass(slots=True)
class Inputs:
    """Reads what is named.

    Args:
        paths: Files, folders (all files in them, by name), or `-` for standard input.
        columns: Names of the columns of rows.
        skip: A folder that is left out wherever it is found: that of the output.

    Attributes:
        read: Bytes read so far.
        size: Bytes there are; 0 if that is not known.
    """

    paths: Sequence[str]
    columns: Columns
    skip: Path | None = None
    read: int = 0
    size: int = field(default=0, init=False)

    def check(self) -> None:
        """Opens what is named, and measures it.

        Raises:
            InputError: If something does not exist, cannot be read or is empty, or a folder holds no file.
            MissingExtraError: If there is Parquet, and nothing that reads it.
        """
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
            if len(first) >= _SAMPLE or (isinstance(each, Record) and known(each.value, self.columns)):
                break
        whole = [each for each in first if isinstance(each, Record)]
        if not whole or any(known(each.value, self.columns) for each in whole):
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
