"""Spans of OpenTelemetry in all their JSON layouts, and the dialect in which each one's attributes are written.

Layouts: OTLP of the collector and of OTel's file exporter (ids in hexadecimal, numbers for enums), protobuf's own JSON
(ids in base64, names for enums), `ReadableSpan.to_json` and Phoenix (a `context`, attributes as an object), MLflow.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from trail_callbacks.capture.events import Status

__all__ = ["OtlpSpan", "is_span", "lost_with_all", "moment", "spans_in"]

_HEX = re.compile(r"(?:0[xX])?([0-9a-fA-F]{16}|[0-9a-fA-F]{32})")
_ERROR = frozenset({2, "2", "STATUS_CODE_ERROR", "ERROR"})
_YEAR_10000 = 253_402_300_800  # seconds: what is later is no time
_CUT = 3  # different texts of one length, from which that length is a limit


@dataclass(slots=True, kw_only=True)
class OtlpSpan:
    """One span.

    Attributes:
        trace_id: Hexadecimal.
        id: Hexadecimal.
        parent: Id of the span around it; None if there is none.
        name: Its name.
        attributes: By their whole key: `llm.input_messages.0.message.role`.
        scope: Name of the library that made it.
        started: Seconds since the epoch.
        ended: Likewise; None if it did not end.
        error: Type and message of its exception; None if it ended normally.
        status: What that exception means.
        dropped: Number of attributes that the tracer dropped.
        resource: Attributes of the process.
    """

    trace_id: str
    id: str
    parent: str | None
    name: str
    attributes: dict[str, Any] = field(default_factory=dict)
    scope: str = ""
    started: float | None = None
    ended: float | None = None
    error: str | None = None
    status: Status = "error"
    dropped: int = 0
    resource: Mapping[str, Any] = field(default_factory=dict)


def is_span(record: Mapping[str, Any]) -> bool:
    """True for a span, or a container of spans, in any layout."""
    if "resourceSpans" in record or "resource_spans" in record or "scopeSpans" in record or "scope_spans" in record:
        return True
    return _ids(record) is not None and "name" in record


def spans_in(record: Mapping[str, Any]) -> Iterator[OtlpSpan]:
    """Yields the spans of a record; what is no span in it is left out."""
    resources = record.get("resourceSpans", record.get("resource_spans"))
    if resources is None and ("scopeSpans" in record or "scope_spans" in record):
        resources = [record]
    if resources is None:
        if (span := _span(record, record.get("resource"), record.get("instrumentation_scope"))) is not None:
            yield span
        return
    for resource in _objects(resources):
        scopes = resource.get("scopeSpans", resource.get("scope_spans", resource.get("instrumentationLibrarySpans")))
        for scope in _objects(scopes):
            for each in _objects(scope.get("spans")):
                span = _span(each, resource.get("resource"), scope.get("scope"))
                if span is not None:
                    yield span


def moment(value: object) -> float | None:
    """Returns a time in seconds since the epoch: of ISO 8601, or of a number of seconds, milli- or nanoseconds."""
    if isinstance(value, str) and not value.strip().lstrip("-").replace(".", "", 1).isdigit():
        try:
            return (
                datetime.fromisoformat(value.strip().replace(" UTC", "+00:00")).timestamp() if value.strip() else None
            )
        except ValueError:
            return None
    try:
        number = float(value)  # type: ignore[arg-type] # what is none is said below
    except (TypeError, ValueError, OverflowError):
        return None
    unit = next((unit for above, unit in ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3)) if number >= above), 1.0)
    return number / unit if 0 < number / unit < _YEAR_10000 else None


def lost_with_all(spans: Sequence[OtlpSpan]) -> Iterator[str]:
    """Yields what the tracer is known to have left out of some spans, whatever their dialect."""
    dropping = [span for span in spans if span.dropped]
    if dropping:
        count = sum(span.dropped for span in dropping)
        yield (
            f"the tracer dropped {count} attributes of {_named(dropping)}, texts perhaps: record with a higher "
            "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT (10000)"
        )
    limit = _limit(spans)
    if limit is not None:
        yield (
            f"texts end after {limit} characters: unset OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT and "
            "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT to record them whole"
        )


def _named(spans: Sequence[OtlpSpan]) -> str:
    names = list(dict.fromkeys(span.name for span in spans))
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")  # noqa: PLR2004 - as many as were named


def _limit(spans: Sequence[OtlpSpan]) -> int | None:
    """The length at which values were cut: several have it, none has more, and most of these end in mid-sentence."""
    texts = {value for span in spans for value in span.attributes.values() if isinstance(value, str)}
    longest = max(map(len, texts), default=0)
    equal = [text for text in texts if len(text) == longest]
    unfinished = [text for text in equal if text.rstrip()[-1:] not in {".", "!", "?", "}", "]", '"', ":", ")"}]
    return longest if longest > 1 and len(equal) >= _CUT and 2 * len(unfinished) > len(equal) else None


def _span(item: Mapping[str, Any], resource: object, scope: object) -> OtlpSpan | None:
    ids = _ids(item)
    if ids is None:
        return None
    trace_id, span_id = ids
    parent = next((item[key] for key in ("parentSpanId", "parent_span_id", "parent_id") if item.get(key)), None)
    error, status = _error(item)
    attributes = _attributes(item.get("attributes"))
    if isinstance(kind := item.get("span_kind"), str):  # Phoenix keeps it beside the attributes
        attributes.setdefault("openinference.span.kind", kind)
    return OtlpSpan(
        trace_id=trace_id,
        id=span_id,
        parent=_id(parent),
        name=str(item.get("name") or ""),
        attributes=attributes,
        scope=str(scope.get("name") or "") if isinstance(scope, Mapping) else "",
        started=_first_moment(item, "startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime"),
        ended=_first_moment(item, "endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime"),
        error=error,
        status=status,
        dropped=_number(item.get("droppedAttributesCount", item.get("dropped_attributes_count"))),
        resource=_attributes(resource.get("attributes")) if isinstance(resource, Mapping) else {},
    )


def _ids(item: Mapping[str, Any]) -> tuple[str, str] | None:
    context = item.get("context")
    held = context if isinstance(context, Mapping) else item
    trace_id = _id(held.get("traceId", held.get("trace_id")))
    span_id = _id(held.get("spanId", held.get("span_id")))
    return (trace_id, span_id) if trace_id and span_id else None


def _id(value: object) -> str | None:
    """An id as hexadecimal digits; other tools' ids as they are. One of zeros is none."""
    if not isinstance(value, str) or not value:
        return None
    found = _HEX.fullmatch(value)
    if found is not None:
        text = found[1].lower()
    else:
        try:
            text = base64.b64decode(value, validate=True).hex()
        except (binascii.Error, ValueError):
            text = value
        if len(text) not in {16, 32}:
            text = value
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
    nested = key.partition(".")[0] in {
        "llm",
        "retrieval",
        "reranker",
        "input",
        "output",
        "openinference",
        "tool",
        "document",
    }
    if nested and isinstance(value, Mapping):
        for name, each in value.items():
            _flatten(found, f"{key}.{name}", each)
    elif nested and isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        for i, each in enumerate(value):
            _flatten(found, f"{key}.{i}", each)
    else:
        found[key] = value


def _value(value: object) -> Any:
    """The value of an attribute; protobuf's JSON may write the names of the kinds with underscores."""
    if not isinstance(value, Mapping) or not value:
        return None
    kind, held = next(iter(value.items()))
    if kind in {"intValue", "int_value"}:
        return _number(held)
    values = held.get("values") if isinstance(held, Mapping) else None
    if kind in {"arrayValue", "array_value"}:
        return [_value(each) for each in _objects(values)]
    if kind in {"kvlistValue", "kvlist_value"}:
        return {str(each.get("key")): _value(each.get("value")) for each in _objects(values)}
    return held


def _error(item: Mapping[str, Any]) -> tuple[str | None, Status]:
    status = item.get("status")
    code = status.get("code", status.get("status_code")) if isinstance(status, Mapping) else item.get("status_code")
    if code not in _ERROR:
        return None, "error"
    for event in _objects(item.get("events")):
        if event.get("name") == "exception":
            known = _attributes(event.get("attributes"))
            kind, text = str(known.get("exception.type") or "Error"), str(known.get("exception.message") or "")
            return f"{kind.rpartition('.')[2]}: {text}", _meaning(kind)
    text = (status.get("message") or status.get("description") or "") if isinstance(status, Mapping) else ""
    return str(text or item.get("status_message") or "the span ended with an error"), "error"


def _meaning(kind: str) -> Status:
    if "GraphInterrupt" in kind or "GraphBubbleUp" in kind:
        return "paused"
    return "cancelled" if "CancelledError" in kind or "GeneratorExit" in kind else "error"


def _first_moment(item: Mapping[str, Any], *names: str) -> float | None:
    return next((found for name in names if (found := moment(item.get(name))) is not None), None)


def _number(value: object) -> int:
    try:
        return int(value)  # type: ignore[call-overload,no-any-return] # what is none is 0
    except (TypeError, ValueError):
        return 0


def _objects(given: object) -> Iterable[Mapping[str, Any]]:
    return (each for each in given if isinstance(each, Mapping)) if isinstance(given, list) else ()
