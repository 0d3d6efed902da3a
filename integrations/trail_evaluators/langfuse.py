"""Langfuse: reports as scores of traces and observations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from trail_callbacks.report import Report
from trail_callbacks.report.evaluation import Evaluation
from trail_evaluators.records import HEX_SPAN, HEX_TRACE, UUID, About, Ids, addressed

__all__ = ["send"]

_IDS = Ids(
    trace=HEX_TRACE,
    span=re.compile(f"{HEX_SPAN.pattern}|{UUID.pattern}"),  # of observations from before OpenTelemetry
    hint="give trace_id=, the id of the trace in Langfuse, such as langfuse.get_current_trace_id()",
    trace_needed=True,
    others_too=True,
)


def send(
    report: Report,
    client: Any,
    *,
    trace_id: str | None = None,
    span_id: str | None = None,
    spans: Mapping[str, str] | None = None,
    claims: bool = True,
    higher_is_better: bool = False,
) -> int:
    """Writes a report as scores; the client sends them in the background, `client.flush()` waits for that.

    What has a score is NUMERIC; what has none is CATEGORICAL, with the label, under the name with `.outcome` behind it:
    the scores of one name stay comparable, and a missing one counts as nothing in an average.

    Args:
        report: The report.
        client: A `langfuse.Langfuse`.
        trace_id: The trace in Langfuse; needed unless it was imported from there.
        span_id: The observation that returned the answer, if known.
        spans: Observations of further runs, by the run's id, so that the steps where claims were introduced are marked.
        claims: Send the records of claims and steps, too.
        higher_is_better: Send `groundedness`, 1 - score, in place of `hallucination`.

    Returns:
        The number of records sent.

    Raises:
        InputError: If the trace is not known.
    """
    records = addressed(report, _IDS, About(trace_id, span_id, spans), claims=claims, higher_is_better=higher_is_better)
    for each in records:
        observation = each.span if each.span != each.trace else None  # the root, which is no observation here
        client.create_score(trace_id=each.trace, observation_id=observation, **_score(each.record))
    return len(records)


def _score(record: Evaluation) -> dict[str, Any]:
    score = record["score"]
    return {
        "name": record["name"] if score is not None else f"{record['name']}.outcome",
        "value": score if score is not None else record["label"],
        "data_type": "NUMERIC" if score is not None else "CATEGORICAL",
        "score_id": record["identifier"],
        "comment": record["explanation"],
        "metadata": {**record["metadata"], "label": record["label"], "annotator_kind": record["annotator_kind"]},
    }
