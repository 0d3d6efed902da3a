"""`trail check` and `trail estimate`: answers that are judged here, or what that would cost."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
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
    option,
)
from trail_callbacks.cli.output import complain, deliver, progress, skipped
from trail_callbacks.cli.threshold import checked, refusal
from trail_callbacks.diagnosis import verified
from trail_callbacks.errors import InputError, TrailError
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.judges.resolve import resolve
from trail_callbacks.render.evidence_path import figures, to_text, verdict_line
from trail_callbacks.render.excerpt import line, plain
from trail_callbacks.render.terminal import fits, to_rich
from trail_callbacks.report import Report
from trail_callbacks.report.diagnosis import Diagnosis
from trail_callbacks.trace import Trace
from trail_callbacks.verify import pipeline
from trail_callbacks.verify.estimate import estimate as estimated
from trail_callbacks.verify.options import VerifyOptions


def check(
    *,
    runs: Annotated[
        str | None,
        typer.Argument(
            metavar="TRACES",
            help="Recorded runs instead of an answer: traces of this library, OpenTelemetry, LangSmith, Langfuse or "
            "MLflow; - is standard input.",
        ),
    ] = None,
    answer: Answer = None,
    answer_text: AnswerText = None,
    source: Source = None,
    source_text: SourceText = None,
    question: Question = None,
    judge: Judge = None,
    base_url: BaseUrl = None,
    diagnose: Annotated[
        bool, option(None, "Of recorded runs: say where the evidence path broke first, too.", "--diagnose")
    ] = False,
    max_score: MaxScore = None,
    on_undecided: OnUndecidedClaims = "pass",
    cache: Cache = None,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Checks an answer against its sources, or the answers of recorded runs as they were saved.

    Of several runs each gets a line; lines that are no run are skipped with a message, and the exit status is 2.

    With --max-score, an answer that could not be fully verified fails too (no evidence, nothing decided, claims that
    were not judged, or statements that the judge left out). Claims that the judge left undecided beside decided ones
    are not in the score; with --on-undecided fail each counts as unsupported. If the judge fails completely, the exit
    status is 2, with or without --max-score.
    """
    threshold = checked("--max-score", max_score)
    if runs is None and diagnose:
        raise InputError("--diagnose is for recorded runs, which have an evidence path: give TRACES")
    if runs is not None and (answer or answer_text is not None or source or source_text or question):
        raise InputError("recorded runs have their answers, sources and questions: give TRACES or --answer")
    judged: list[Trace] | list[ProvenanceGraph]
    errors: list[InputError] = []
    if runs is not None:
        judged, errors = traces_in(runs)
    else:
        judged = [texts(answer, answer_text, source or [], source_text or [], question)]
    asked = resolve(judge, base_url=base_url)
    options = VerifyOptions(cache=cache)
    reports = []
    with progress(f"judging with {asked.name}", total=len(judged)) as bar:
        for each in judged:
            if diagnose and isinstance(each, Trace):
                reports.append(verified(each, asked, options))
            else:
                reports.append(pipeline.verify(each, asked, options))
            bar.advance(bar.task_ids[0])
    data: Any = [json.loads(report.to_json()) for report in reports]
    if len(reports) == 1 and not errors:
        deliver(data[0], _views(reports[0]), as_json=as_json, output=output)
    else:
        data = {"reports": data, "errors": [str(error) for error in errors]}
        deliver(data, _rows(reports), as_json=as_json, output=output)
    _end(reports, [refusal(report, threshold, on_undecided) for report in reports], errors)


def estimate(
    *,
    answer: Answer = None,
    answer_text: AnswerText = None,
    source: Source = None,
    source_text: SourceText = None,
    question: Question = None,
    judge: Judge = None,
    as_json: Json = False,
) -> None:
    """Estimates the cost of a check, without calling a model."""
    graph = texts(answer, answer_text, source or [], source_text or [], question)
    cost = estimated(graph, judge)
    lines = (
        f"about {cost.claims} claims",
        f"about {cost.calls} model calls, and up to {cost.more_calls} more, depending on the verdicts",
        f"about {cost.prompt_tokens:,} tokens read and {cost.completion_tokens:,} written",
    )
    deliver(asdict(cost), lines, as_json=as_json)


def _views(report: Report) -> Iterator[Any]:
    yield to_rich(report)
    if report.diagnosis is not None:
        yield ""
        yield _diagnosed(report.diagnosis)


def _diagnosed(found: Diagnosis) -> str:
    rows = list(figures(found))
    width = max(len(label) for label, _ in rows)
    lines = (f"{label:<{width}}  {value}" for label, value in rows)
    return "\n".join([to_text(found, ascii=not fits(sys.stdout)), "", *lines])


def _rows(reports: Sequence[Report]) -> Iterator[str]:
    for report in reports:
        score = "-" if report.hallucination_score is None else f"{report.hallucination_score:.2f}"
        asked = report.graph.question.text if report.graph.question else ""
        broke = f"  {verdict_line(report.diagnosis)}" if report.diagnosis else ""
        yield f"{plain(report.trace_id or '')}  {score:>4}  {report.state}{broke}  {line(asked)}"
    counts = Counter(report.diagnosis.signature for report in reports if report.diagnosis)
    if counts:
        yield ", ".join(f"{n} {signature.replace('_', ' ')}" for signature, n in counts.most_common())


def _end(reports: Sequence[Report], refusals: Sequence[str | None], errors: Sequence[Exception]) -> None:
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
