"""MLflow: reports as feedback on traces and spans, and a scorer for its evaluations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Unpack

from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.report.verdict import Evaluation
from trail_callbacks.verify.options import VerifyOptions
from trail_evaluators.cases import CaseChecker, CaseKeys, retrieved
from trail_evaluators.sending import HEX_SPAN, Addressed, Sender, tool

_IDENTIFIER = "trail_identifier"


def _write(client: Any, records: Sequence[Addressed]) -> None:
    entities = tool("mlflow.entities", "mlflow")
    known = {
        (assessment.metadata or {}).get(_IDENTIFIER): assessment.assessment_id
        for assessment in client.get_trace(records[0].trace).info.assessments
    }
    for each in records:
        made = _feedback(entities, each.record, each.span)
        there = known.get(each.record["identifier"])
        if there is None:
            client.log_assessment(each.trace, made)
        else:
            client.update_assessment(each.trace, there, made)


send = Sender(
    trace=re.compile("tr-.+|trace:/.+"),
    span=HEX_SPAN,
    hint="give trace_id=, the id of the trace in MLflow, such as mlflow.get_last_active_trace_id(): tr-...",
    write=_write,
    trace_needed=True,
)
"""Writes a report as feedback. The client is the module `mlflow`, with the tracking URI that the app has set."""


def _feedback(entities: Any, record: Evaluation, span: str | None) -> Any:
    """A record as feedback; one on a missing score has an error with its label, since MLflow has no empty value."""
    about, score = record["metadata"], record["score"]
    scored = "direction" in about
    missing = entities.AssessmentError(error_code=record["label"], error_message=record["explanation"])
    source = "LLM_JUDGE" if record["annotator_kind"] == "LLM" else "CODE"
    return entities.Feedback(
        name=record["name"],
        value=score if scored else record["label"],
        error=missing if scored and score is None else None,
        source=entities.AssessmentSource(source_type=source, source_id="trail-callbacks"),
        rationale=record["explanation"],
        metadata={
            **{key: value if isinstance(value, str) else json.dumps(value) for key, value in about.items()},
            "label": record["label"],
            _IDENTIFIER: record["identifier"],
        },
        span_id=span,
    )


def scorer(
    judge: JudgeLike = None,
    *,
    options: VerifyOptions | None = None,
    higher_is_better: bool = True,
    **keys: Unpack[CaseKeys],
) -> Any:
    """Makes a scorer for `mlflow.genai.evaluate(..., scorers=[scorer()])`.

    Sources are what inputs or outputs hold under a usual key, else what the RETRIEVER and TOOL spans of the trace
    brought. An answer without a score is feedback with an error, whose code is the state.

    Args:
        judge: Who decides; None is the offline judge.
        options: Settings of the verification.
        higher_is_better: Score `groundedness`, 1 - score; else `hallucination`.
        **keys: `answer`, `sources`, `question`: their keys, if they are none of those in `cases`.

    Raises:
        ImportError: If MLflow is not installed.
    """
    scorers, entities = tool("mlflow.genai.scorers", "mlflow"), tool("mlflow.entities", "mlflow")
    checker = CaseChecker(judge, options, **keys)

    def trail(*, inputs: Any = None, outputs: Any = None, trace: Any = None) -> Any:
        report = checker.found([outputs], [inputs], () if trace is None else _brought(trace))
        return _feedback(entities, report.to_evaluations(higher_is_better=higher_is_better)[0], None)

    return scorers.scorer(trail, name="groundedness" if higher_is_better else "hallucination")


def _brought(trace: Any) -> Iterator[str]:
    for kind in ("RETRIEVER", "TOOL"):
        for span in trace.search_spans(span_type=kind):
            yield from retrieved(span.outputs)
