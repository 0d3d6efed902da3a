"""`trail diagnose`: where the evidence path of saved runs broke first."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Annotated, Any

import typer

from trail_callbacks import diagnosis
from trail_callbacks.cli.options import BaseUrl, Cache, Json, Judge, Output
from trail_callbacks.cli.output import complain, display, dumped, emit, progress
from trail_callbacks.cli.traces import traces_in
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.judges.resolve import resolve
from trail_callbacks.render.evidence_path import figures, to_text, verdict_line
from trail_callbacks.render.safe_text import line, plain
from trail_callbacks.render.terminal import fits
from trail_callbacks.verify.options import VerifyOptions

__all__ = ["diagnose"]


def diagnose(
    *,
    trace: Annotated[
        str,
        typer.Argument(
            metavar="TRACE",
            help="Traces of this library, OpenTelemetry, LangSmith, Langfuse or MLflow; - is standard input.",
        ),
    ],
    gold: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID",
            help="Id, document id or hash of a passage that ought to be retrieved; may be repeated.",
        ),
    ] = None,
    unanswerable: Annotated[
        bool, typer.Option("--unanswerable", help="Nothing in the corpus answers the question.")
    ] = False,
    reference: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="A text known to be true, such as the right answer; may be repeated."),
    ] = None,
    facet: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="What the question asks for, instead of what is found; may be repeated."),
    ] = None,
    judge: Judge = None,
    base_url: BaseUrl = None,
    cache: Cache = None,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Says where the evidence path of a recorded run broke first: query, retrieval, selection, packing or generation.

    Of several traces each gets a line, and the last line counts the signatures. Lines that are no trace are skipped
    with a message, and the exit status is 2.
    """
    if gold and unanswerable:
        raise InputError("--gold names passages that answer, --unanswerable says that there are none: give one of them")
    traces, errors = traces_in(trace)
    if len(traces) > 1 and (gold or reference or facet):
        raise InputError("--gold, --reference and --facet are about one run: give a file with one trace")
    asked = resolve(judge, base_url=base_url)
    found = []
    with progress(f"diagnosing with {asked.name}", total=len(traces)) as bar:
        for each in traces:
            found.append(
                diagnosis.diagnose(
                    each,
                    asked,
                    gold=() if unanswerable else gold,
                    reference=reference or (),
                    facets=facet or (),
                    options=VerifyOptions(cache=cache),
                )
            )
            bar.advance(bar.task_ids[0])
    alone = len(traces) == 1 and not errors
    data: Any = [{"trace_id": run.id, **each.to_dict()} for run, each in zip(traces, found, strict=True)]
    data = data[0] if alone else {"diagnoses": data, "errors": [str(error) for error in errors]}
    if output:
        write(output, dumped(data))
    if as_json:
        emit(data)
    elif alone:
        display(_with_figures(found[0]))
    else:
        for run, one in zip(traces, found, strict=True):
            display(f"{plain(run.id)}  {verdict_line(one)}  {line(run.question or '')}")
        counts = Counter(one.signature for one in found)
        display(", ".join(f"{n} {signature.replace('_', ' ')}" for signature, n in counts.most_common()))
    for error in errors:
        complain(f"skipped: {error}")
    if errors:
        raise typer.Exit(2)


def _with_figures(found: diagnosis.Diagnosis) -> str:
    rows = list(figures(found))
    width = max(len(label) for label, _ in rows)
    lines = (f"{label:<{width}}  {value}" for label, value in rows)
    return "\n".join([to_text(found, ascii=not fits(sys.stdout)), "", *lines])
