"""LangSmith: reports as feedback on runs, and an evaluator for its experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Unpack

from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.verify.options import VerifyOptions
from trail_evaluators.cases import CaseChecker, CaseKeys, retrieved
from trail_evaluators.sending import UUID, Addressed, Sender


def _write(client: Any, records: Sequence[Addressed], *, project_id: str | None = None) -> None:
    for each in records:
        record = each.record
        client.create_feedback(
            run_id=each.span or each.trace,
            trace_id=each.trace,
            key=record["name"],
            score=record["score"],
            value=record["label"],
            comment=record["explanation"],
            source_info=record["metadata"],
            feedback_source_type="model" if record["annotator_kind"] == "LLM" else "api",
            feedback_id=record["identifier"],
            session_id=project_id,
            extend_trace_retention=False,  # by default it costs the user
        )


send = Sender(
    trace=UUID,
    span=UUID,
    hint="give trace_id=, the id of the root run in LangSmith: a UUID, the run_id of the app's call",
    write=_write,
    higher_is_better=True,
)
"""Writes a report as feedback; the client, a `langsmith.Client`, sends it in the background: `client.flush()` waits.

A report that `TrailCallbackHandler` made has the ids that LangSmith's own tracer sent, so it needs no other: the
feedback is on the root run, and on each run where unsupported claims were introduced. `project_id` is the project of
the run, `client.read_project(project_name=...).id`: LangSmith is about to require it, and warns without it.
"""


def evaluator(
    judge: JudgeLike = None,
    *,
    options: VerifyOptions | None = None,
    higher_is_better: bool = True,
    **keys: Unpack[CaseKeys],
) -> Callable[[Any, Any], dict[str, Any]]:
    """Makes an evaluator for `langsmith.evaluate(..., evaluators=[evaluator()])`.

    Sources are what the outputs or the example hold under a usual key, else what the retrievers and tools of the run
    brought, at whatever depth. An answer without a score has the score None and its state as value.

    Args:
        judge: Who decides; None is the offline judge.
        options: Settings of the verification.
        higher_is_better: Score `groundedness`, 1 - score, as LangSmith's charts expect; else `hallucination`.
        **keys: `answer`, `sources`, `question`: their keys, if they are none of those in `cases`.
    """
    checker = CaseChecker(judge, options, **keys)

    def trail(run: Any, example: Any) -> dict[str, Any]:
        given, asked = getattr(example, "inputs", None), run.inputs or {}
        report = checker.found([run.outputs], [given, asked], _brought(run))
        record = report.to_evaluations(higher_is_better=higher_is_better)
        claims = [each["metadata"] | {"label": each["label"]} for each in record if "claim_id" in each["metadata"]]
        return {
            "key": record[0]["name"],
            "score": record[0]["score"],
            "value": record[0]["label"],
            "comment": record[0]["explanation"],
            "metadata": {**record[0]["metadata"], "per_claim": claims},
        }

    return trail


def _brought(run: Any) -> Iterator[str]:
    """The texts of the retrievers and tools under a run; what ran inside one of them is its own affair."""
    for child in run.child_runs or ():
        if child.run_type in {"retriever", "tool"}:
            yield from retrieved(child.outputs)
        else:
            yield from _brought(child)
