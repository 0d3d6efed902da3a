"""`trail export`: saved reports in the formats of other programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import typer

from trail_callbacks.cli.inputs import read_once, saved
from trail_callbacks.cli.options import Into, Word, option
from trail_callbacks.cli.output import complain, handed_out
from trail_callbacks.errors import InputError
from trail_callbacks.export import to_csv, to_evaluation_lines, to_mermaid, to_otlp, to_prov_json, to_test
from trail_callbacks.report import Report

__all__ = ["export"]

_ONE = {"mermaid": to_mermaid, "prov-json": to_prov_json, "test": to_test}


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
    bom: Annotated[bool, option(None, "CSV: start with a byte order mark, for Excel.", "--bom")] = False,
    raw_cells: Annotated[
        bool, option(None, "CSV: do not prefix ' to text that a spreadsheet would run as a formula.", "--raw-cells")
    ] = False,
    trace_id: Annotated[Word, option("ID", "OTLP and evaluations: the trace that the report is about.")] = None,
    span_id: Annotated[Word, option("ID", "Likewise the span that returned the answer.")] = None,
    signal: Annotated[
        Literal["traces", "logs"] | None,
        option(None, "OTLP: only spans, or only log records; by default a line of each."),
    ] = None,
) -> None:
    """Converts saved reports to formats of other programs.

    With several reports, CSV has a column with the file name, and the lines of OTLP and of evaluations follow each
    other. Files that cannot be read are skipped with a message, and the exit status is 2.
    """
    read_once(reports)
    _refuse(format, {"--bom": bom, "--raw-cells": raw_cells}, "csv")
    _refuse(format, {"--signal": signal}, "otlp")
    _refuse(format, {"--trace-id": trace_id, "--span-id": span_id}, "otlp", "evaluations")
    if len(reports) > 1 and format in _ONE:
        raise InputError(f"--format {format} takes one report; csv, otlp and evaluations take several")
    if len(reports) > 1 and (trace_id or span_id):
        raise InputError("--trace-id and --span-id are of one report: export the reports one by one")
    if format in _ONE:
        text = _ONE[format](saved(reports[0]))
        handed_out(text if output or text.endswith("\n") else f"{text}\n", output)
        return
    found = [(name, report) for name in reports if (report := _one_of(reports, name)) is not None]
    if not found:
        raise typer.Exit(2)
    if format == "csv":
        text = to_csv(found if len(reports) > 1 else found[0][1], guard=not raw_cells, bom=bom)
    elif format == "otlp":
        text = "".join(to_otlp(each, trace_id=trace_id, span_id=span_id, signal=signal) for _, each in found)
    else:
        text = "".join(to_evaluation_lines(each, trace_id=trace_id, span_id=span_id) for _, each in found)
    handed_out(text, output)
    if len(found) < len(reports):
        raise typer.Exit(2)


def _refuse(format: str, given: Mapping[str, object], *formats: str) -> None:  # noqa: A002 - as above
    for name, value in given.items():
        if value and format not in formats:
            raise InputError(f"{name} is for --format {' and '.join(formats)}, not for {format}")


def _one_of(names: list[str], name: str) -> Report | None:
    """A report; one of several that cannot be read is left out, with a message."""
    if len(names) == 1:
        return saved(name)
    try:
        return saved(name)
    except InputError as error:
        complain(f"skipped: {error}")
        return None
