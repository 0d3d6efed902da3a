"""`trail check` and `trail estimate`: answers that are judged here, or what that would cost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

import typer

from trail_callbacks.cli.apps import imported
from trail_callbacks.cli.inputs import texts, traces_in
from trail_callbacks.cli.options import (
    Json,
    JudgeName,
    OnUndecidedClaims,
    Word,
    Words,
    judge_of,
    option,
    share,
    writable,
)
from trail_callbacks.cli.output import complain, deliver, dumped, progress, skipped
from trail_callbacks.diagnosis import verified
from trail_callbacks.errors import InputError, TrailError
from trail_callbacks.files import write
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.render.evidence_path import figures, verdict_line
from trail_callbacks.render.excerpt import line, plain
from trail_callbacks.render.terminal import to_rich
from trail_callbacks.report import Report
from trail_callbacks.trace import Trace
from trail_callbacks.verify import pipeline, threshold
from trail_callbacks.verify.estimate import estimate as estimated
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.verify.threshold import OnUndecided

_Answer = Annotated[
    Word, option("FILE|TEXT", "The answer to check: a file, or the text itself; - is standard input.", "--answer")
]
_Sources = Annotated[
    Words, option("FILE|TEXT", "What it should rest on: a file, or the text itself; may be repeated.", "--source")
]
_Question = Annotated[Word, option("TEXT", "The question that was asked.", "--question")]


def check(
    *,
    runs: Annotated[
        Word,
        typer.Argument(
            metavar="TRACES",
            help="Recorded runs instead of an answer: traces of this library, OpenTelemetry, LangSmith, Langfuse or "
            "MLflow; - is standard input.",
        ),
    ] = None,
    answer: _Answer = None,
    sources: _Sources = None,
    question: _Question = None,
    judge: JudgeName = None,
    diagnose: Annotated[
        bool, option(None, "Of recorded runs: say where the evidence path broke first, too.", "--diagnose")
    ] = False,
    retriever: Annotated[
        Word,
        option(
            "MODULE:ATTRIBUTE",
            "With --diagnose: the app's own retriever, to be asked for what a run lacked.",
            "--retriever",
        ),
    ] = None,
    max_score: Annotated[
        float | None, option("X", "Exit with status 1 if a score is over this, 0.0 to 1.0.", callback=share)
    ] = None,
    on_undecided: OnUndecidedClaims = "pass",
    cache: Annotated[Word, option("DIR", "Cache model replies in this folder.")] = None,
    as_json: Json = False,
    output: Annotated[
        Word, option("FILE", "Also write the JSON to a file.", "--output", "-o", callback=writable)
    ] = None,
) -> None:
    """Checks an answer against its sources, or the answers of recorded runs as they were saved.

    Of several runs each gets a line; lines that are no run are skipped with a message, and the exit status is 2.

    With --max-score, an answer that could not be fully verified fails too (no evidence, nothing decided, claims that
    were not judged, or statements that the judge left out). Claims that the judge left undecided beside decided ones
    are not in the score; with --on-undecided fail each counts as unsupported. If the judge fails completely, the exit
    status is 2, with or without --max-score.
    """
    judged: list[Trace] | list[ProvenanceGraph]
    errors: list[InputError] = []
    if runs is None:
        if diagnose:
            raise InputError("--diagnose is for recorded runs, which have an evidence path: give TRACES")
        judged = [texts(answer, sources or (), question)]
    elif answer or sources or question:
        raise InputError("recorded runs have their answers, sources and questions: give TRACES or --answer")
    else:
        judged, errors = traces_in(runs)
    asked, options = judge_of(judge), VerifyOptions(cache=cache)
    judging = _judging(diagnose, retriever)
    reports = []
    with progress(f"judging with {asked.name}", total=len(judged)) as bar:
        for each in judged:
            reports.append(judging(each, asked, options))
            bar.advance(bar.task_ids[0])
    one = len(reports) == 1 and not errors
    found = [json.loads(report.to_json()) for report in reports]
    data: Any = found[0] if one else {"reports": found, "errors": [str(error) for error in errors]}
    if output:
        write(output, dumped(data))
    deliver(data, _views(reports[0]) if one else _rows(reports), as_json=as_json)
    for report in reports:
        if report.state == "error":
            raise TrailError(_of(report) + (report.warnings[0] if report.warnings else "the verification failed"))
    refused = [(report, why) for report in reports if (why := refusal(report, max_score, on_undecided))]
    for report, why in refused:
        complain(_of(report) + why)
    skipped(errors)
    if refused:
        raise typer.Exit(1)


def _judging(diagnose: bool, retriever: str | None) -> Callable[..., Report]:
    if retriever is None:
        return verified if diagnose else pipeline.verify
    if not diagnose:
        raise InputError("--retriever is asked by a diagnosis: add --diagnose")
    return partial(verified, retriever=imported(retriever, "--retriever"))


def estimate(
    *,
    answer: _Answer = None,
    sources: _Sources = None,
    question: _Question = None,
    judge: JudgeName = None,
    as_json: Json = False,
) -> None:
    """Estimates the cost of a check, without calling a model."""
    cost = estimated(texts(answer, sources or (), question), judge)
    lines = (
        f"about {cost.claims} claims",
        f"about {cost.calls} model calls, and up to {cost.more_calls} more, depending on the verdicts",
        f"about {cost.prompt_tokens:,} tokens read and {cost.completion_tokens:,} written",
    )
    deliver(asdict(cost), lines, as_json=as_json)


def refusal(report: Report, max_score: float | None, on_undecided: OnUndecided = "pass") -> str | None:
    """Returns why a report fails `--max-score`; None if it passes, or if no threshold was given."""
    found = None if max_score is None else threshold.refusal(report, max_score, on_undecided)
    if found is None:
        return None
    end = f" is over --max-score {max_score:.2f}" if found.kind == "score" else ": --max-score cannot be checked"
    return found.reason + end


def _views(report: Report) -> Iterator[Any]:
    yield to_rich(report)
    if report.diagnosis is not None:
        rows = list(figures(report.diagnosis))
        width = max(len(label) for label, _ in rows)
        yield "\n" + "\n".join(f"{label:<{width}}  {value}" for label, value in rows)


def _rows(reports: Sequence[Report]) -> Iterator[str]:
    for report in reports:
        score = "-" if report.hallucination_score is None else f"{report.hallucination_score:.2f}"
        asked = report.graph.question.text if report.graph.question else ""
        broke = f"  {verdict_line(report.diagnosis)}" if report.diagnosis else ""
        yield f"{plain(report.trace_id or '')}  {score:>4}  {report.state}{broke}  {line(asked)}"
    counts = Counter(report.diagnosis.signature for report in reports if report.diagnosis)
    if counts:
        yield ", ".join(f"{n} {signature.replace('_', ' ')}" for signature, n in counts.most_common())


def _of(report: Report) -> str:
    return f"{report.trace_id}: " if report.trace_id else ""
