"""The JSON of a trace: its format, its version and its schema, which `trace.schema.json` publishes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from trail_callbacks.errors import InputError
from trail_callbacks.text import encodable_parts

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT = "trail-trace"
VERSION = 1
_SCHEMA = "https://json-schema.org/draft/2020-12/schema"

Value = TypeVar("Value")


_adapters: dict[Any, TypeAdapter[Any]] = {}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    """The codec, imported on first use: pydantic takes longer to import than all of this package."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - see above

    return _adapters.get(kind) or _adapters.setdefault(kind, TypeAdapter(kind))


def dumped(value: object) -> str:
    """Writes a trace as JSON on one line.

    A lone surrogate, which no file can hold, becomes U+FFFD.
    """
    from pydantic_core import PydanticSerializationError, to_json  # noqa: PLC0415 - see _adapter

    try:
        stored = _adapter(type(value)).dump_json(value)
    except PydanticSerializationError:
        try:
            stored = to_json(encodable_parts(_adapter(type(value)).dump_python(value)))
        except PydanticSerializationError as error:
            raise InputError(f"an attribute of the trace cannot be written as JSON: {error}") from error
    head = json.dumps({"format": FORMAT, "version": VERSION})
    return f"{head[:-1]},{stored.decode()[1:]}"


def loaded(kind: type[Value], data: str | bytes) -> Value:
    """Reads a trace that `dumped` wrote."""
    try:
        stored = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not a trace: the JSON is broken or truncated ({error})") from error
    return of_object(kind, stored)


def of_object(kind: type[Value], stored: object) -> Value:
    """Reads a trace of what its JSON holds. See `loaded`."""
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
        read: Value = _adapter(kind).validate_python(stored)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the top level"
        raise InputError(f"not a trace: {first['msg']} (at {where})") from error
    return read


def schema_of(kind: type[Any]) -> dict[str, Any]:
    """Returns the JSON schema of saved traces."""
    described = _adapter(kind).json_schema(mode="serialization")
    properties = {"format": {"const": FORMAT}, "version": {"const": VERSION}, **described["properties"]}
    required = ["format", "version", "id", "events"]
    return {"$schema": _SCHEMA, **described, "title": "Trace", "properties": properties, "required": required}
