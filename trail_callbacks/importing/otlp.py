"""Spans of OpenTelemetry in all their JSON layouts, and the dialect in which each one's attributes are written.

Layouts: OTLP of the collector and of OTel's file exporter (ids in hexadecimal, numbers for enums), protobuf's own JSON
(ids in base64, names for enums), `ReadableSpan.to_json` and Phoenix (a `context`, attributes as an object), MLflow.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from trail_callbacks.capture.events import Status
from trail_callbacks.importing.pieces import first_of

_HEX = re.compile(r"(?:0[xX])?([0-9a-fA-F]{16}|[0-9a-fA-F]{32})")
_ERROR = frozenset({2, "2", "STATUS_CODE_ERROR", "ERROR"})
_YEAR_10000 = 253_402_300_800  # seconds: what is later is no time
_RESOURCES = ("resourceSpans", "resource_spans")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_NESTED = frozenset({"llm", "retrieval", "reranker", "input", "output", "openinference", "tool", "document"})
"""Attributes that Phoenix nests."""


@dataclass(slots=True, kw_only=True)
class OtlpSpan:
    """One span."""

    trace_id: str  # hexadecimal, as the other ids
    id: str
    parent: str | None  # id of the span around it
    name: str
    attributes: dict[str, Any] = field(default_factory=dict)  # by whole key: `llm.input_messages.0.message.role`
    scope: str = ""  # name of the library that made it
    started: float | None = None  # seconds since the epoch
    ended: float | None = None  # likewise; None if it did not end
    error: str | None = None  # type and message of its exception
    status: Status = "error"  # what that exception means
    dropped: int = 0  # attributes that the tracer dropped
    resource: Mapping[str, Any] = field(default_factory=dict)  # attributes of the process


def is_span(record: Mapping[str, Any]) -> bool:
    """True for a span, or a container of spans, in any layout."""
    return any(key in record for key in (*_RESOURCES, *_SCOPES)) or (_ids(record) is not None and "name" in record)


def spans_in(record: Mapping[str, Any]) -> Iterator[OtlpSpan]:
    """Yields the spans of a record; what is no span in it is left out."""
    if any(key in record for key in _RESOURCES):
        resources = list(_objects(first_of(record, *_RESOURCES)))
    elif any(key in record for key in _SCOPES):
        resources = [record]
    else:
        yield from _span(record, record.get("resource"), record.get("instrumentation_scope"))
        return
    for resource in resources:
        for scope in _objects(first_of(resource, *_SCOPES)):
            for each in _objects(scope.get("spans")):
                yield from _span(each, resource.get("resource"), scope.get("scope"))


def moment(value: object) -> float | None:
    """Returns a time in seconds since the epoch: of ISO 8601, or of a number of seconds, milli- or nanoseconds."""
    try:
        number = float(value)  # type: ignore[arg-type] # what is none is said below
    except (TypeError, ValueError, OverflowError):
        try:
            return datetime.fromisoformat(value.strip().replace(" UTC", "+00:00")).timestamp()  # type: ignore[attr-defined] # as above
        except (AttributeError, ValueError, OverflowError):
            return None
    unit = next((unit for above, unit in ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3)) if number >= above), 1.0)
    return number / unit if 0 < number / unit < _YEAR_10000 else None


def _span(item: Mapping[str, Any], resource: object, scope: object) -> Iterator[OtlpSpan]:
    ids = _ids(item)
    if ids is None:
        return
    error, status = _error(item)
    attributes = _attributes(item.get("attributes"))
    for event in _objects(item.get("events")):
        if str(event.get("name")).startswith("gen_ai."):  # texts may be in events, not to be in the span
            attributes = {**_attributes(event.get("attributes")), **attributes}
    if isinstance(kind := item.get("span_kind"), str):  # Phoenix keeps it beside the attributes
        attributes.setdefault("openinference.span.kind", kind)
    yield OtlpSpan(
        trace_id=ids[0],
        id=ids[1],
        parent=_id(first_of(item, "parentSpanId", "parent_span_id", "parent_id")),
        name=str(item.get("name") or ""),
        attributes=attributes,
        scope=str(first_of(scope, "name") or ""),
        started=_when(item, "start"),
        ended=_when(item, "end"),
        error=error,
        status=status,
        dropped=_number(first_of(item, "droppedAttributesCount", "dropped_attributes_count")),
        resource=_attributes(first_of(resource, "attributes")),
    )


def _when(item: Mapping[str, Any], side: str) -> float | None:
    names = (f"{side}TimeUnixNano", f"{side}_time_unix_nano", f"{side}_time")
    return next((found for name in names if (found := moment(item.get(name))) is not None), None)


def _ids(item: Mapping[str, Any]) -> tuple[str, str] | None:
    held = item["context"] if isinstance(item.get("context"), Mapping) else item
    trace_id, span_id = _id(first_of(held, "traceId", "trace_id")), _id(first_of(held, "spanId", "span_id"))
    return (trace_id, span_id) if trace_id and span_id else None


def _id(value: object) -> str | None:
    """An id as hexadecimal digits; other tools' ids as they are. One of zeros is none."""
    if not isinstance(value, str) or not value:
        return None
    found, text = _HEX.fullmatch(value), value
    if found is not None:
        text = found[1].lower()
    else:
        with suppress(ValueError):
            decoded = base64.b64decode(value, validate=True).hex()
            text = decoded if len(decoded) in {16, 32} else value
    return text if text.strip("0") else None


def _attributes(given: object) -> dict[str, Any]:
    if isinstance(given, list):
        return {str(each["key"]): _value(each.get("value")) for each in _objects(given) if "key" in each}
    found: dict[str, Any] = {}
    if isinstance(given, Mapping):
        for key, value in given.items():
            _flatten(found, str(key), value)
    return found


def _flatten(found: dict[str, Any], key: str, value: object) -> None:
    """Adds an attribute; objects, which Phoenix nests, become one for each value."""
    inside: list[tuple[object, object]] = []
    if key.partition(".")[0] in _NESTED:
        if isinstance(value, Mapping):
            inside = list(value.items())
        elif isinstance(value, list) and all(isinstance(each, Mapping) for each in value):
            inside = list(enumerate(value))
    for name, each in inside:
        _flatten(found, f"{key}.{name}", each)
    if not inside:
        found[key] = value


def _value(value: object) -> Any:
    """The value of an attribute; protobuf's JSON may write the names of the kinds with underscores."""
    if not isinstance(value, Mapping) or not value:
        return None
    kind, held = next(iter(value.items()))
    kind = kind.replace("_", "").lower()
    if kind == "intvalue":
        return _number(held)
    if kind == "arrayvalue":
        return [_value(each) for each in _objects(first_of(held, "values"))]
    if kind == "kvlistvalue":
        return {str(each.get("key")): _value(each.get("value")) for each in _objects(first_of(held, "values"))}
    return held


def _error(item: Mapping[str, Any]) -> tuple[str | None, Status]:
    status = item.get("status")
    if (first_of(status, "code", "status_code") or item.get("status_code")) not in _ERROR:
        return None, "error"
    for event in _objects(item.get("events")):
        if event.get("name") == "exception":
            known = _attributes(event.get("attributes"))
            kind = str(known.get("exception.type") or "Error").rpartition(".")[2]
            return f"{kind}: {known.get('exception.message') or ''}", status_of(kind)
    said = first_of(status, "message", "description") or item.get("status_message")
    return str(said or "the span ended with an error"), "error"


def status_of(error: str) -> Status:
    """Returns what an exception means, by the beginning of its name."""
    if error.startswith(("GraphInterrupt", "GraphBubbleUp")):
        return "paused"
    return "cancelled" if error.startswith(("Cancelled", "GeneratorExit")) else "error"


def _number(value: object) -> int:
    try:
        return int(value)  # type: ignore[call-overload,no-any-return] # what is none is 0
    except (TypeError, ValueError, OverflowError):
        return 0


def _objects(given: object) -> Iterable[Mapping[str, Any]]:
    return (each for each in given if isinstance(each, Mapping)) if isinstance(given, list) else ()
