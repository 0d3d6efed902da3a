"""Live: the evaluation of an answer on the OpenTelemetry span that the app had open when it answered."""

from __future__ import annotations

import sys
from typing import Any

from trail_callbacks.export.otlp import SPAN_NAME, attributes_of
from trail_callbacks.report import Report
from trail_callbacks.report.evaluations import evaluations

__all__ = ["annotate_span"]


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
