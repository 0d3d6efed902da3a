"""Traces as JSON, and many of them as JSON lines; `trace.schema.json` describes one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.text import encodable_parts
from trail_callbacks.trace.trace import Trace

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ["FORMAT", "VERSION", "dumped", "loaded", "of_object", "read", "save", "schema"]

FORMAT = "trail-trace"
VERSION = 1
_SCHEMA_ID = "https://json-schema.org/draft/2020-12/schema"


@cache
def _adapter() -> TypeAdapter[Trace]:
    """The codec, imported on first use: pydantic takes longer to import than all of this package."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - see above

    return TypeAdapter(Trace)


def dumped(trace: Trace) -> str:
    """Writes a trace as JSON on one line. See `Trace.to_json`."""
    from pydantic_core import PydanticSerializationError, to_json  # noqa: PLC0415 - see _adapter

    try:
        stored = _adapter().dump_json(trace)
    except PydanticSerializationError:
        try:  # lone surrogates, which no file can hold, become U+FFFD
            stored = to_json(encodable_parts(_adapter().dump_python(trace)))
        except PydanticSerializationError as error:
            raise InputError(f"an attribute of trace {trace.id!r} cannot be written as JSON: {error}") from error
    head = json.dumps({"format": FORMAT, "version": VERSION})
    return f"{head[:-1]},{stored.decode()[1:]}"


def loaded(data: str | bytes) -> Trace:
    """Reads a trace. See `Trace.from_json`."""
    try:
        stored = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not a trace: the JSON is broken or truncated ({error})") from error
    return of_object(stored)


def of_object(stored: object) -> Trace:
    """Reads a trace of what its JSON holds. See `Trace.from_json`."""
    from pydantic import ValidationError  # noqa: PLC0415 - see _adapter

    if not isinstance(stored, dict) or stored.get("format") != FORMAT:
        raise InputError(f'not a trace: the key "format" is not "{FORMAT}"')
    version = stored.get("version")
    if version != VERSION:
        raise InputError(
            f"this trace has version {version!r}, this release reads version {VERSION}: "
            "read it with the release of trail-callbacks that wrote it"
        )
    try:
        return _adapter().validate_python(stored)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the top level"
        raise InputError(f"not a trace: {first['msg']} (at {where})") from error


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
        yield loaded(data)
    except InputError as error:
        named = InputError(f"{where}: {error}")
        if on_error is None:
            raise named from error
        on_error(named)


def schema() -> dict[str, Any]:
    """Returns the JSON schema of a saved trace; newer releases of this version may add fields."""
    described = _adapter().json_schema(mode="serialization")
    properties = {"format": {"const": FORMAT}, "version": {"const": VERSION}, **described["properties"]}
    required = ["format", "version", "id", "events"]
    return {"$schema": _SCHEMA_ID, **described, "title": "Trace", "properties": properties, "required": required}
