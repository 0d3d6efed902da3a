"""`trail check`, `trail verify` and `trail estimate`: answers that are judged here, or what that would cost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from trail_callbacks.cli.inputs import texts, traces_in
from trail_callbacks.cli.options import (
    Answer,
    AnswerText,
    BaseUrl,
    Cache,
    Json,
    Judge,
    MaxScore,
    OnUndecidedClaims,
    Output,
    Question,
    Source,
    SourceText,
    Strategy,
    TracesFile,
    option,
)
from trail_callbacks.cli.output import complain, deliver, progress, skipped
from trail_callbacks.cli.threshold import checked, refusal
from trail_callbacks.errors import TrailError
from trail_callbacks.judges.resolve import resolve
from trail_callbacks.render.safe_text import line, plain
from trail_callbacks.render.terminal import to_rich
from trail_callbacks.report import Report
from trail_callbacks.verify import pipeline
from trail_callbacks.verify.estimate import estimate as estimated
from trail_callbacks.verify.options import VerifyOptions

__all__ = ["check", "estimate", "verify"]


def check(
    *,
    answer: Answer = None,
    answer_text: AnswerText = None,
    source: Source = None,
    source_text: SourceText = None,
    question: Question = None,
    judge: Judge = None,
    base_url: BaseUrl = None,
    max_score: MaxScore = None,
    on_undecided: OnUndecidedClaims = "pass",
    strategy: Strategy = "audit",
    q: Annotated[
        int, option("N", "With veritrail: consecutive verdicts of not fully supported that end a walk.", min=1)
    ] = 1,
    cache: Cache = None,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Checks an answer against its sources.

    With --max-score, an answer that could not be fully verified fails too (no evidence, nothing decided, claims that
    were not judged, or statements that the judge left out). Claims that the judge left undecided beside decided ones
    are not in the score; with --on-undecided fail each counts as unsupported. If the judge fails
    completely, the exit status is 2, with or without --max-score.
    """
    threshold = checked("--max-score", max_score)
    graph = texts(answer, answer_text, source or [], source_text or [], question)
    asked = resolve(judge, base_url=base_url)
    with progress(f"judging with {asked.name}"):
        report = pipeline.verify(graph, asked, VerifyOptions(strategy=strategy, q=q, cache=cache))
    deliver(json.loads(report.to_json()), [to_rich(report)], as_json=as_json, output=output)
    _end([report], [refusal(report, threshold, on_undecided)])


def verify(
    *,
    trace: TracesFile,
    judge: Judge = None,
    base_url: BaseUrl = None,
    max_score: MaxScore = None,
    on_undecided: OnUndecidedClaims = "pass",
    strategy: Strategy = "audit",
    cache: Cache = None,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Verifies the answers of recorded runs, as they were saved.

    Of several traces each gets a line; --json gives their reports as a list. Lines that are no trace are skipped with a
    message, and the exit status is 2; it is 1 if any report is over --max-score, and 2 if the judge fails completely.
    """
    threshold = checked("--max-score", max_score)
    traces, errors = traces_in(trace)
    asked = resolve(judge, base_url=base_url)
    reports = []
    with progress(f"judging with {asked.name}", total=len(traces)) as bar:
        for each in traces:
            reports.append(pipeline.verify(each, asked, VerifyOptions(strategy=strategy, cache=cache)))
            bar.advance(bar.task_ids[0])
    data: Any = [json.loads(report.to_json()) for report in reports]
    if len(traces) == 1 and not errors:
        deliver(data[0], [to_rich(reports[0])], as_json=as_json, output=output)
    else:
        data = {"reports": data, "errors": [str(error) for error in errors]}
        deliver(data, map(_row, reports), as_json=as_json, output=output)
    refusals = [refusal(report, threshold, on_undecided) for report in reports]
    _end(reports, refusals, errors)


def estimate(
    *,
    answer: Answer = None,
    answer_text: AnswerText = None,
    source: Source = None,
    source_text: SourceText = None,
    question: Question = None,
    judge: Judge = None,
    base_url: BaseUrl = None,  # noqa: ARG001 - so that `check` can be replaced by `estimate` in a command line
    strategy: Strategy = "audit",
    as_json: Json = False,
) -> None:
    """Estimates the cost of a check, without calling a model."""
    graph = texts(answer, answer_text, source or [], source_text or [], question)
    cost = estimated(graph, judge, VerifyOptions(strategy=strategy))
    lines = (
        f"about {cost.claims} claims",
        f"about {cost.calls} model calls, and up to {cost.more_calls} more, depending on the verdicts",
        f"about {cost.prompt_tokens:,} tokens read and {cost.completion_tokens:,} written",
    )
    deliver(asdict(cost), lines, as_json=as_json)


def _row(report: Report) -> str:
    score = "-" if report.hallucination_score is None else f"{report.hallucination_score:.2f}"
    asked = report.graph.question.text if report.graph.question else ""
    return f"{plain(report.trace_id or '')}  {score:>4}  {report.state}  {line(asked)}"


def _end(reports: Sequence[Report], refusals: Sequence[str | None], errors: Sequence[Exception] = ()) -> None:
    """Says what is wrong, and exits with the status of it; what was recorded is named."""
    for report in reports:
        if report.state == "error":
            raise TrailError(_of(report) + (report.warnings[0] if report.warnings else "the verification failed"))
    for report, refused in zip(reports, refusals, strict=True):
        if refused:
            complain(_of(report) + refused)
    skipped(errors)
    if any(refusals):
        raise typer.Exit(1)


def _of(report: Report) -> str:
    return f"{report.trace_id}: " if report.trace_id else ""
