"""Arize Phoenix: reports as annotations of spans and traces, and an evaluator for its experiments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trail_callbacks.errors import InputError
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.report import Report
from trail_callbacks.report.evaluation import Evaluation
from trail_callbacks.verify.options import VerifyOptions
from trail_evaluators.cases import Case, Checker, retrieved, text_of
from trail_evaluators.records import HEX_SPAN, HEX_TRACE, About, Ids, addressed, tool

__all__ = ["evaluator", "send"]

_IDS = Ids(
    trace=HEX_TRACE,
    span=HEX_SPAN,
    hint="give span_id=, the OpenTelemetry id of the span that answered (16 hexadecimal digits), or trace_id= (32)",
)


def send(
    report: Report,
    client: Any,
    *,
    trace_id: str | None = None,
    span_id: str | None = None,
    spans: Mapping[str, str] | None = None,
    claims: bool = True,
    sync: bool = False,
) -> int:
    """Writes a report as annotations: on spans where they are known, else on the trace.

    Args:
        report: The report.
        client: A `phoenix.client.Client`.
        trace_id: The trace in Phoenix; needed unless it was imported from there.
        span_id: The span that returned the answer; likewise.
        spans: Spans of further runs, by the run's id, so that the steps where claims were introduced are marked.
        claims: Send the records of claims and steps, too.
        sync: Wait until Phoenix has stored them, and raise what it refuses.

    Returns:
        The number of records sent.

    Raises:
        InputError: If neither trace nor span is known, or a given id is none of Phoenix.
    """
    on_spans, on_traces = [], []
    for each in addressed(report, _IDS, About(trace_id, span_id, spans), claims=claims):
        if each.span is not None:
            on_spans.append({"span_id": each.span, **_annotation(each.record)})
        else:
            on_traces.append({"trace_id": each.trace, **_annotation(each.record)})
    if on_spans:
        client.spans.log_span_annotations(span_annotations=on_spans, sync=sync)
    if on_traces:
        client.traces.log_trace_annotations(trace_annotations=on_traces, sync=sync)
    return len(on_spans) + len(on_traces)


def _annotation(record: Evaluation) -> dict[str, Any]:
    parts = {"score": record["score"], "label": record["label"], "explanation": record["explanation"]}
    return {
        "name": record["name"],
        "annotator_kind": record["annotator_kind"],
        "identifier": record["identifier"],
        "metadata": record["metadata"],
        "result": {key: value for key, value in parts.items() if value is not None},
    }


def evaluator(judge: JudgeLike = None, *, options: VerifyOptions | None = None) -> Any:
    """Makes an evaluator for `phoenix.evals`: fields `input`, `output` and `context`, lower is better.

    `phoenix.evals.bind_evaluator` maps other columns to these fields. An answer without a score has the score None and
    its state as label.

    Args:
        judge: Who decides; None is the offline judge.
        options: Settings of the verification.

    Raises:
        ImportError: If arize-phoenix-evals is not installed.
    """
    evals = tool("phoenix.evals", "arize-phoenix-evals")
    checker = Checker(judge, options)

    def hallucination(input: Any, output: Any, context: Any) -> Any:  # noqa: A002 - Phoenix goes by these names
        reply = text_of(output)
        if reply is None:
            raise InputError("there is no answer to check: the field output is empty")
        record = checker.report(Case(reply, retrieved(context), text_of(input))).to_evaluations()[0]
        return evals.Score(
            score=record["score"],
            label=record["label"],
            explanation=record["explanation"],
            metadata=record["metadata"],
        )

    made = evals.create_evaluator(
        name="hallucination", kind="llm" if checker.asks_a_model else "code", direction="minimize"
    )
    return made(hallucination)
