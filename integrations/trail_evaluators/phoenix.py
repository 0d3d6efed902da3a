"""Arize Phoenix: reports as annotations of spans and traces, and an evaluator for its experiments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trail_callbacks.errors import InputError
from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.report.verdict import Evaluation
from trail_callbacks.verify.options import VerifyOptions
from trail_evaluators.cases import CaseChecker, retrieved, text_of
from trail_evaluators.sending import HEX_SPAN, HEX_TRACE, Addressed, Sender, tool


def _write(client: Any, records: Sequence[Addressed], *, sync: bool = False) -> None:
    spans = [{"span_id": each.span, **_annotation(each.record)} for each in records if each.span is not None]
    traces = [{"trace_id": each.trace, **_annotation(each.record)} for each in records if each.span is None]
    if spans:
        client.spans.log_span_annotations(span_annotations=spans, sync=sync)
    if traces:
        client.traces.log_trace_annotations(trace_annotations=traces, sync=sync)


def _annotation(record: Evaluation) -> dict[str, Any]:
    parts = {"score": record["score"], "label": record["label"], "explanation": record["explanation"]}
    return {
        "name": record["name"],
        "annotator_kind": record["annotator_kind"],
        "identifier": record["identifier"],
        "metadata": record["metadata"],
        "result": {key: value for key, value in parts.items() if value is not None},
    }


send = Sender(
    trace=HEX_TRACE,
    span=HEX_SPAN,
    hint="give span_id=, the OpenTelemetry id of the span that answered (16 hexadecimal digits), or trace_id= (32)",
    write=_write,
)
"""Writes a report as annotations: on spans where they are known, else on the trace.

The client is a `phoenix.client.Client`. With `sync=True` it waits until Phoenix has stored them, and raises what
Phoenix refuses.
"""


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
    checker = CaseChecker(judge, options)

    def hallucination(input: Any, output: Any, context: Any) -> Any:  # noqa: A002 - Phoenix goes by these names
        reply = text_of(output)
        if reply is None:
            raise InputError("there is no answer to check: the field output is empty")
        record = checker.report(reply, retrieved(context), text_of(input)).to_evaluations()[0]
        return evals.Score(**{name: record[name] for name in ("score", "label", "explanation", "metadata")})

    kind = "code" if checker.judge.model is None else "llm"
    return evals.create_evaluator(name="hallucination", kind=kind, direction="minimize")(hallucination)
