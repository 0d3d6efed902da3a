"""Files of traces: one as JSON, or many as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.trace.trace import Trace

__all__ = ["read", "read_lines", "save"]


def save(path: str | Path, traces: Trace | Iterable[Trace]) -> None:
    """Writes one trace as JSON, or several as JSON lines: atomically, a new file for its owner only.

    Args:
        path: The file; one that is there is replaced.
        traces: A trace, or several, which are written as they come.

    Raises:
        InputError: If the file cannot be written or a trace cannot be serialised; then nothing is replaced.
    """
    several = [traces] if isinstance(traces, Trace) else traces
    write(str(path), (f"{each.to_json()}\n" for each in several))


def read(path: str | Path, on_error: Callable[[InputError], object] | None = None) -> Iterator[Trace]:
    """Reads the traces of a file: one as JSON, or several as JSON lines, one after the other.

    Args:
        path: The file.
        on_error: Called with what is wrong with a line, which is left out then. None raises it.

    Raises:
        InputError: If the file cannot be read, or a line is no trace; names file and line.
    """
    try:
        with Path(path).open("rb") as stream:
            yield from read_lines(stream, str(path), on_error)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


def read_lines(stream: IO[bytes], name: str, on_error: Callable[[InputError], object] | None = None) -> Iterator[Trace]:
    """As `read`, of an open stream.

    Args:
        stream: Where to read from.
        name: What it is called in errors.
        on_error: As in `read`.
    """
    first = stream.readline().removeprefix(b"\xef\xbb\xbf")
    if not _is_json(first):
        rest = stream.read()
        if _is_json(first + rest):  # one trace, with line breaks in it
            yield from _trace(first + rest, name, on_error)
            return
        lines: Iterable[bytes] = [first, *rest.splitlines()]
    else:
        lines = _chained(first, stream)
    found = False
    for number, line in enumerate(lines, 1):
        if line.strip():
            found = True
            yield from _trace(line, f"{name}, line {number}", on_error)
    if not found:
        raise InputError(f"{name} is empty: expected a trace")


def _chained(first: bytes, rest: Iterable[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def _trace(data: bytes, where: str, on_error: Callable[[InputError], object] | None) -> Iterator[Trace]:
    try:
        yield Trace.from_json(data)
    except InputError as error:
        named = InputError(f"{where}: {error}")
        if on_error is None:
            raise named from error
        on_error(named)
