"""One judgement of a report as a record of OpenInference, the form that observability and evaluation tools take."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

AnnotatorKind = Literal["LLM", "CODE"]
"""Whether a language model decided, or code. A report is never `HUMAN`."""


class Evaluation(TypedDict):
    """One judgement on an answer, a claim or a step; JSON-safe.

    Attributes:
        name: What was judged, see `Report.to_evaluations`.
        score: 0.0 to 1.0 in the direction that `metadata["direction"]` names; None where there is no score.
        label: The outcome as a word.
        explanation: Why, for people; None if there is nothing to say.
        annotator_kind: `LLM` or `CODE`.
        identifier: A UUID, the same for the same report and trace, so that sending twice does not make two.
        metadata: What the judgement rests on, and as `trace_id` and `span_id` what it is about; None if unknown.
    """

    name: str
    score: float | None
    label: str
    explanation: str | None
    annotator_kind: AnnotatorKind
    identifier: str
    metadata: dict[str, Any]
