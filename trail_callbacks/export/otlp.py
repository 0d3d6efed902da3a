"""OpenTelemetry: a report as OTLP in JSON lines, which a collector sends wherever the team's traces are.

The span that a report is about has ended and cannot be changed. So each target gets a carrier span, as OpenInference
asks for: of kind EVALUATOR, in the same trace, with exactly one Span Link to the target, and the evaluations as its
attributes (`evaluations.0.evaluation.name`, ...). If only the trace is known, they are those of the trace
(`trace.evaluations.0...`), and there is no link. Beside it each evaluation is a log record
`gen_ai.evaluation.result`, as the GenAI conventions of OpenTelemetry ask for; those are in development.

The JSON is that of the OTLP specification and not Protobuf's own: ids are hexadecimal, 64-bit integers are strings.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from trail_callbacks.errors import InputError
from trail_callbacks.report import Report
from trail_callbacks.report.evaluations import evaluations, json_line
from trail_callbacks.report.verdict import Evaluation

SPAN_NAME = "trail evaluation"
EVENT = "gen_ai.evaluation.result"

_TRACE = re.compile(r"(?!0{32})[0-9a-f]{32}")
_SPAN = re.compile(r"(?!0{16})[0-9a-f]{16}")
_INTERNAL = 1  # SPAN_KIND_INTERNAL
_INFO = 9  # SEVERITY_NUMBER_INFO
_FAILED = frozenset({"error", "not_judged"})


def to_otlp(
    report: Report,
    *,
    trace_id: str | None = None,
    span_id: str | None = None,
    spans: Mapping[str, str] | None = None,
    at: float | None = None,
) -> str:
    """Writes a report as OTLP in JSON lines: one line with spans, and one with log records.

    Args:
        report: Any report.
        trace_id: The trace that it is about, as 32 hexadecimal digits; by default `Report.trace_id` if it is such an
            id. Without one, the evaluations are a trace of their own.
        span_id: The span that returned the answer, as 16 hexadecimal digits; by default that of the answer's run.
        spans: Spans of further runs, by the run's id.
        at: The time of the evaluation in seconds since the epoch; None is now.

    Raises:
        InputError: If a given id is none of OpenTelemetry. Those of the report that are none are left out.
    """
    given = [("trace_id", trace_id, _TRACE), ("span_id", span_id, _SPAN)]
    given += [(f"spans[{run!r}]", id_, _SPAN) for run, id_ in (spans or {}).items()]
    for name, id_, form in given:
        if id_ is not None and not form.fullmatch(id_.lower()):
            digits = 32 if form is _TRACE else 16
            raise InputError(f"{name} is {id_!r}, expected {digits} hexadecimal digits, not all of them 0")
    records = evaluations(report, trace_id=trace_id, span_id=span_id, spans=spans)
    nanoseconds = str(time.time_ns() if at is None else int(at * 1_000_000_000))
    carriers = [_carrier(each, nanoseconds) for each in _by_target(records)]
    logged = [_logged(record, nanoseconds) for record in records]
    spans_line = {"resourceSpans": [{**_RESOURCE, "scopeSpans": [{"scope": _SCOPE, "spans": carriers}]}]}
    logs_line = {"resourceLogs": [{**_RESOURCE, "scopeLogs": [{"scope": _SCOPE, "logRecords": logged}]}]}
    return json_line(spans_line) + json_line(logs_line)


def attributes_of(records: Iterable[Evaluation], prefix: str = "", first: int = 0) -> dict[str, str | float]:
    """Returns evaluation records as flat OpenInference attributes of a span.

    Args:
        records: The records.
        prefix: `trace.` if they are about the whole trace.
        first: Number of the first one; those before are on the span already.
    """
    found: dict[str, str | float] = {}
    for n, record in enumerate(records, first):
        start = f"{prefix}evaluations.{n}.evaluation."
        for key in ("name", "score", "label", "explanation", "annotator_kind", "identifier"):
            value = record[key]
            if value is not None:
                found[start + key] = value
        found[start + "metadata"] = json.dumps(record["metadata"], ensure_ascii=False)
    return found


def _by_target(records: Sequence[Evaluation]) -> list[list[Evaluation]]:
    groups: defaultdict[str | None, list[Evaluation]] = defaultdict(list)
    for record in records:
        groups[_target(record)[1]].append(record)
    return list(groups.values())


def _target(record: Evaluation) -> tuple[str | None, str | None]:
    """The ids of the trace and the span that a record is about; None for what is no id of OpenTelemetry."""
    trace, span = (str(record["metadata"][key] or "").lower() for key in ("trace_id", "span_id"))
    if not _TRACE.fullmatch(trace):
        return None, None
    return trace, span if _SPAN.fullmatch(span) else None


def _carrier(records: Sequence[Evaluation], nanoseconds: str) -> dict[str, Any]:
    trace, span = _target(records[0])
    own = sha256(records[0]["identifier"].encode()).hexdigest()
    linked = {"parentSpanId": span, "links": [{"traceId": trace, "spanId": span}]} if trace and span else {}
    prefix = "trace." if trace and not span else ""
    return {
        "traceId": trace or own[:32],
        "spanId": own[32:48],
        **linked,
        "name": SPAN_NAME,
        "kind": _INTERNAL,
        "startTimeUnixNano": nanoseconds,
        "endTimeUnixNano": nanoseconds,
        "attributes": _written({"openinference.span.kind": "EVALUATOR", **attributes_of(records, prefix)}),
        "status": {},
    }


def _logged(record: Evaluation, nanoseconds: str) -> dict[str, Any]:
    trace, span = _target(record)
    about: dict[str, str | float | None] = {
        "gen_ai.evaluation.name": record["name"],
        "gen_ai.evaluation.score.value": record["score"],
        "gen_ai.evaluation.score.label": record["label"],
        "gen_ai.evaluation.explanation": record["explanation"],
        "error.type": record["label"] if record["label"] in _FAILED else None,
        "trail.evaluation.annotator_kind": record["annotator_kind"],
        "trail.evaluation.identifier": record["identifier"],
        "trail.evaluation.metadata": json.dumps(record["metadata"], ensure_ascii=False),
    }
    return {
        "timeUnixNano": nanoseconds,
        "observedTimeUnixNano": nanoseconds,
        "severityNumber": _INFO,
        "severityText": "INFO",
        "eventName": EVENT,
        "attributes": _written({key: value for key, value in about.items() if value is not None}),
        **({"traceId": trace} if trace else {}),
        **({"spanId": span} if span else {}),
    }


def _written(attributes: Mapping[str, str | float]) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": {"stringValue": value} if isinstance(value, str) else {"doubleValue": float(value)}}
        for key, value in attributes.items()
    ]


_RESOURCE = {"resource": {"attributes": _written({"service.name": "trail-callbacks"})}}
_SCOPE = {"name": "trail_callbacks"}


def annotate_span(report: Report, span: Any = None) -> bool:
    """Sets the evaluation of an answer on a span, in the form of OpenInference: `evaluations.0.evaluation.name`, ...

    Made to be the hook of a handler: `TrailCallbackHandler(on_report=annotate_span)`. A span that has ended by then, as
    it has if verification runs in the background, cannot be changed: a span with a link to it is sent instead, through
    the app's own tracer provider. Only the answer is described, because a span keeps 128 attributes; the claims are in
    `Report.to_evaluations` and in `trail export --format otlp`.

    It imports nothing: without OpenTelemetry in the app there is no span.

    Args:
        report: The report.
        span: The span; None is the current one, in a hook the one that was current when the run ended.

    Returns:
        True if the evaluation is on the span or linked to it; False if there is no span.
    """
    tracing = sys.modules.get("opentelemetry.trace")
    if tracing is None:
        return False
    span = tracing.get_current_span() if span is None else span
    context = span.get_span_context()
    if not context.is_valid:
        return False
    trace_id, span_id = format(context.trace_id, "032x"), format(context.span_id, "016x")
    record = evaluations(report, trace_id=trace_id, span_id=span_id)[0]
    if span.is_recording():
        span.set_attributes(attributes_of([record], first=_free(span, record["identifier"])))
        return True
    target = tracing.set_span_in_context(tracing.NonRecordingSpan(context))
    kind = {"openinference.span.kind": "EVALUATOR"}
    tracing.get_tracer("trail_callbacks").start_span(
        SPAN_NAME, context=target, links=[tracing.Link(context)], attributes={**kind, **attributes_of([record])}
    ).end()
    return True


def _free(span: Any, identifier: str) -> int:
    """The number of the next evaluation: other evaluators may have set theirs, and ours is set anew."""
    known = getattr(span, "attributes", None) or {}
    n = 0
    while f"evaluations.{n}.evaluation.name" in known:
        if known.get(f"evaluations.{n}.evaluation.identifier") == identifier:
            break
        n += 1
    return n
