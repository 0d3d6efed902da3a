"""`trail show` and `trail export`: what was saved, for people and for other programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import typer
from pydantic_core import to_jsonable_python
from rich.text import Text

from trail_callbacks.cli.inputs import read_once, saved, spooled, traces_in
from trail_callbacks.cli.options import Html, Into, Json, Open, option
from trail_callbacks.cli.output import deliver, handed_out, skipped, write_page
from trail_callbacks.errors import InputError
from trail_callbacks.export import to_csv, to_evaluation_lines, to_mermaid, to_otlp, to_prov_json, to_test
from trail_callbacks.render.excerpt import line, moment, plain
from trail_callbacks.render.terminal import graph_to_rich, to_rich
from trail_callbacks.trace import Trace

_ONE = {"mermaid": to_mermaid, "prov-json": to_prov_json, "test": to_test}
_LINES = {"otlp": to_otlp, "evaluations": to_evaluation_lines}
_SHOWN = ("question", "answer", "context", "versions", "retrievals", "rerankings", "packings", "calls", "warnings")


def show(
    *,
    report: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A report as JSON, or traces, also of other tools; - is standard input."),
    ],
    graph: Annotated[bool, option(None, "Also show the provenance graph.", "--graph")] = False,
    html: Html = None,
    open_: Open = False,
    as_json: Json = False,
) -> None:
    """Shows a saved report: here, or as a page with the answer coloured by claim and the graph beside it.

    Of a report written by a newer release it shows what this release can read, and says what is missing. Of a trace it
    shows what was retrieved, reranked and read, and with --graph the texts; `trail check` makes a report of it.
    """
    path = spooled(report)
    try:
        found = saved(report, path, lenient=True)
    except InputError as error:
        try:
            traces, errors = traces_in(report, path)
        except InputError:
            raise error from None
        if html or open_:
            raise InputError(
                f"{report} is a trace, and pages show reports: trail check {report} -o report.json"
            ) from None
        shown = [to_jsonable_python({"trace_id": each.id, **{n: getattr(each, n) for n in _SHOWN}}) for each in traces]
        one = len(shown) == 1 and not errors
        data = shown[0] if one else {"traces": shown, "errors": [str(error) for error in errors]}
        deliver(data, [view for each in traces for view in _views(each, graph=graph)], as_json=as_json)
        skipped(errors)  # lines that are no trace, and the exit status is 2
        return
    written = list(write_page(found, html, opened=open_))
    drawn = [*([graph_to_rich(found.graph), ""] if graph else []), to_rich(found)]
    deliver(json.loads(found.to_json()), written or drawn, as_json=as_json)


def _views(trace: Trace, *, graph: bool) -> Iterator[Any]:
    """Yields what to print of a trace."""
    yield from [graph_to_rich(trace.graph), ""] if graph else []
    yield Text(f"trace {plain(trace.id)}", style="bold")
    context, versions = trace.context, trace.versions
    named = {name: getattr(versions, name) for name in versions.__slots__}
    about = {
        "question": trace.question,
        "answer": trace.answer,
        "started": None if context.started is None else moment(context.started, "milliseconds"),
        **{name: getattr(context, name) for name in ("request", "session", "user", "tenant", "query_class")},
        "tags": ", ".join(context.tags),
        "versions": ", ".join(f"{name} {value}" for name, value in named.items() if value),
    }
    yield from (Text(f"{name + ':':<12}{line(str(value))}") for name, value in about.items() if value)
    for retrieval in trace.retrievals:
        late = ", after the answer" if retrieval.after_answer else ""
        ended = f", failed: {line(retrieval.error)}" if retrieval.error else ""
        found = f"retrieved {len(retrieval.candidates)} for: {line(retrieval.query)}"
        yield Text(f"{plain(retrieval.step)} {found}{late}{ended}")
    for reranking in trace.rerankings:
        dropped = sum(each.rank_out is None for each in reranking.ranked)
        moved = sum(each.rank_out not in {None, each.rank_in} for each in reranking.ranked)
        yield Text(f"{plain(reranking.step)} was given {len(reranking.ranked)}, moved {moved}, dropped {dropped}")
    for packing in trace.packings:
        read = [piece for piece in packing.pieces if piece.order is not None]
        cut = sum(piece.arrived < 1.0 for piece in read)
        reasons = Counter(piece.dropped for piece in packing.pieces if piece.dropped)
        lost = ", ".join(f"{n} {reason}" for reason, n in reasons.items())
        yield Text(
            f"{plain(packing.step)} read {len(read)} of {len(packing.pieces)} ({cut} in part)"
            f"{f', not: {lost}' if lost else ''}, about {packing.tokens} tokens"
        )
    for call in trace.calls:
        took = f", {call.seconds:.2f} s" if call.seconds is not None else ""
        tokens = f", {call.prompt_tokens} + {call.completion_tokens or 0} tokens" if call.prompt_tokens else ""
        ended = f", failed: {line(call.error)}" if call.error else ""
        yield Text(f"{plain(call.step)} called {plain(call.model or 'a model')}{tokens}{took}{ended}")
    yield from (Text(f"note: {line(warning)}", style="yellow") for warning in trace.warnings)


def export(
    *,
    reports: Annotated[
        list[str],
        typer.Argument(metavar="REPORT", help="A report as JSON; - is standard input. Several for formats with lines."),
    ],
    format: Annotated[  # noqa: A002 - the name of the option
        Literal["prov-json", "mermaid", "csv", "otlp", "evaluations", "test"],
        typer.Option(
            "--format",
            "-f",
            help="W3C PROV-JSON, a Mermaid flowchart, claims as CSV, OpenTelemetry (OTLP) as "
            "JSON lines, evaluation records as JSON lines, or a test that fails until the answer is corrected.",
        ),
    ],
    output: Into = None,
) -> None:
    """Converts saved reports to formats of other programs; the functions of trail_callbacks.export have options.

    With several reports, CSV has a column with the file name, and the lines of OTLP and of evaluations follow each
    other. Files that cannot be read are skipped with a message, and the exit status is 2.
    """
    read_once(reports)
    if format in _ONE:
        if len(reports) > 1:
            raise InputError(f"--format {format} takes one report; csv, otlp and evaluations take several")
        text = _ONE[format](saved(reports[0]))
        handed_out(text if output or text.endswith("\n") else f"{text}\n", output)
        return
    found, broken = [], []
    for name in reports:
        try:
            found.append((name, saved(name)))
        except InputError as error:
            broken.append(error)
    if len(reports) == 1 and broken:
        raise broken[0]
    if format == "csv":
        text = to_csv(found if len(reports) > 1 else found[0][1])
    else:
        text = "".join(_LINES[format](report) for _, report in found)
    if found:
        handed_out(text, output)
    skipped(broken)
