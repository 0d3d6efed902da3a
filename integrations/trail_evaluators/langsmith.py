"""LangSmith: reports as feedback on runs, and an evaluator for its experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from trail_callbacks.judges.resolve import JudgeLike
from trail_callbacks.report import Report
from trail_callbacks.verify.options import VerifyOptions
from trail_evaluators.cases import Checker, found, retrieved
from trail_evaluators.records import UUID, About, Ids, addressed

__all__ = ["evaluator", "send"]

_IDS = Ids(
    trace=UUID,
    span=UUID,
    hint="give trace_id=, the id of the root run in LangSmith: a UUID, the run_id of the app's call",
)


def send(
    report: Report,
    client: Any,
    *,
    trace_id: str | None = None,
    span_id: str | None = None,
    spans: Mapping[str, str] | None = None,
    project_id: str | None = None,
    claims: bool = True,
    higher_is_better: bool = True,
) -> int:
    """Writes a report as feedback; the client sends it in the background, `client.flush()` waits for that.

    A report that `TrailCallbackHandler` made has the ids that LangSmith's own tracer sent, so it needs no other: the
    feedback is on the root run, and on each run where unsupported claims were introduced.

    Args:
        report: The report.
        client: A `langsmith.Client`.
        trace_id: The root run in LangSmith; by default the report's.
        span_id: The run that returned the answer; by default the root run.
        spans: Runs in LangSmith by the report's ids of runs, if they differ.
        project_id: The project of the run: `client.read_project(project_name=...).id`. LangSmith is about to require
            it, and warns without it.
        claims: Send the records of claims and steps, too.
        higher_is_better: Send `groundedness`, 1 - score, as LangSmith's charts expect; else `hallucination`.

    Returns:
        The number of records sent.

    Raises:
        InputError: If the run is not known, or a given id is none of LangSmith.
    """
    records = addressed(report, _IDS, About(trace_id, span_id, spans), claims=claims, higher_is_better=higher_is_better)
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
    return len(records)


def evaluator(
    judge: JudgeLike = None,
    *,
    options: VerifyOptions | None = None,
    answer: str | None = None,
    sources: str | None = None,
    question: str | None = None,
    higher_is_better: bool = True,
) -> Callable[[Any, Any], dict[str, Any]]:
    """Makes an evaluator for `langsmith.evaluate(..., evaluators=[evaluator()])`.

    Sources are what the outputs or the example hold under a usual key, else what the retrievers and tools of the run
    brought, at whatever depth. An answer without a score has the score None and its state as value.

    Args:
        judge: Who decides; None is the offline judge.
        options: Settings of the verification.
        answer: Key of the answer in the outputs, if it is none of `cases.ANSWERS`.
        sources: Key of the sources, if it is none of `cases.SOURCES`.
        question: Key of the question, if it is none of `cases.QUESTIONS`.
        higher_is_better: Score `groundedness`, 1 - score, as LangSmith's charts expect; else `hallucination`.
    """
    checker = Checker(judge, options)

    def trail(run: Any, example: Any) -> dict[str, Any]:
        given, asked = getattr(example, "inputs", None), run.inputs or {}
        case = found([run.outputs], [given, asked], answer=answer, sources=sources, question=question)
        if not case.sources:
            case = replace(case, sources=tuple(_brought(run)))
        record = checker.report(case).to_evaluations(higher_is_better=higher_is_better)
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
