"""`trail verify`: recorded runs that were saved, verified with any judge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import typer

from trail_callbacks.cli.inputs import OnUndecidedClaims
from trail_callbacks.cli.options import BaseUrl, Cache, Json, Judge, Output
from trail_callbacks.cli.output import complain, display, dumped, emit, progress
from trail_callbacks.cli.threshold import checked, refusal
from trail_callbacks.cli.traces import traces_in
from trail_callbacks.errors import TrailError
from trail_callbacks.files import write
from trail_callbacks.judges.resolve import resolve
from trail_callbacks.render.safe_text import line, plain
from trail_callbacks.render.terminal import to_rich
from trail_callbacks.report import Report
from trail_callbacks.verify import pipeline
from trail_callbacks.verify.options import VerifyOptions

__all__ = ["verify"]


def verify(
    *,
    trace: Annotated[
        str,
        typer.Argument(
            metavar="TRACE",
            help="Traces of this library, OpenTelemetry, LangSmith, Langfuse or MLflow; - is standard input.",
        ),
    ],
    judge: Judge = None,
    base_url: BaseUrl = None,
    max_score: Annotated[
        float | None, typer.Option(metavar="X", help="Exit with status 1 if a score is over this, 0.0 to 1.0.")
    ] = None,
    on_undecided: OnUndecidedClaims = "pass",
    strategy: Annotated[
        Literal["audit", "veritrail"],
        typer.Option(help="Check claims against the sources, or walk back from the answer as VeriTrail does."),
    ] = "audit",
    cache: Cache = None,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Verifies the answers of recorded runs, as they were saved.

    Of several traces each gets a line; --json gives their reports as a list. Lines that are no trace are skipped with a
    message, and the exit status is 2; it is 1 if any report is over --max-score, and 2 if the judge fails completely.
    """
    threshold = checked(max_score)
    traces, errors = traces_in(trace)
    asked = resolve(judge, base_url=base_url)
    reports = []
    with progress(f"judging with {asked.name}", total=len(traces)) as bar:
        for each in traces:
            reports.append(pipeline.verify(each, asked, VerifyOptions(strategy=strategy, cache=cache)))
            bar.advance(bar.task_ids[0])
    alone = len(traces) == 1 and not errors
    data: Any = [json.loads(report.to_json()) for report in reports]
    data = data[0] if alone else {"reports": data, "errors": [str(error) for error in errors]}
    if output:
        write(output, dumped(data))
    if as_json:
        emit(data)
    elif alone:
        display(to_rich(reports[0]))
    else:
        display(*map(_row, reports))
    for error in errors:
        complain(f"skipped: {error}")
    _end(reports, [refusal(report, threshold, on_undecided) for report in reports], failed=bool(errors))


def _row(report: Report) -> str:
    score = "-" if report.hallucination_score is None else f"{report.hallucination_score:.2f}"
    asked = report.graph.question.text if report.graph.question else ""
    return f"{plain(report.trace_id or '')}  {score:>4}  {report.state}  {line(asked)}"


def _end(reports: Sequence[Report], refusals: Sequence[str | None], *, failed: bool) -> None:
    broken = [report for report in reports if report.state == "error"]
    if broken:
        warnings = broken[0].warnings
        raise TrailError(f"{broken[0].trace_id}: {warnings[0] if warnings else 'the verification failed'}")
    why = [f"{report.trace_id}: {refused}" for report, refused in zip(reports, refusals, strict=True) if refused]
    for each in why:
        complain(each)
    if failed or why:
        raise typer.Exit(2 if failed else 1)
