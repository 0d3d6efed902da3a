"""`trail export`: saved reports in the formats of other programs."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from trail_callbacks.cli.inputs import saved
from trail_callbacks.cli.output import complain, pour
from trail_callbacks.errors import InputError
from trail_callbacks.export import to_csv, to_graphml, to_mermaid, to_prov_json
from trail_callbacks.files import write
from trail_callbacks.report import Report

__all__ = ["export"]

_ONE = {"graphml": to_graphml, "mermaid": to_mermaid, "prov-json": to_prov_json}


def export(
    *,
    reports: Annotated[
        list[str],
        typer.Argument(metavar="REPORT", help="A report as JSON; - is standard input. CSV takes several."),
    ],
    format: Annotated[  # noqa: A002 - the name of the option
        Literal["prov-json", "mermaid", "graphml", "csv"],
        typer.Option(
            "--format", "-f", help="W3C PROV-JSON, a Mermaid flowchart, GraphML (needs networkx), or claims as CSV."
        ),
    ],
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file instead of standard output.")
    ] = None,
    bom: Annotated[bool, typer.Option("--bom", help="CSV: start with a byte order mark, for Excel.")] = False,
    raw_cells: Annotated[
        bool,
        typer.Option("--raw-cells", help="CSV: do not prefix ' to text that a spreadsheet would run as a formula."),
    ] = False,
) -> None:
    """Converts saved reports to formats of other programs.

    With several reports, CSV has a column with the file name. Files that cannot be read are skipped with a message, and
    the exit status is 2.
    """
    if reports.count("-") > 1:
        raise InputError("standard input (-) can be read only once: put the other report into a file")
    if format != "csv":
        _refuse_options(format, bom=bom, raw_cells=raw_cells, several=len(reports) > 1)
        _deliver(_ONE[format](saved(reports[0])), output)
        return
    if len(reports) == 1:
        _deliver(to_csv(saved(reports[0]), guard=not raw_cells, bom=bom), output)
        return
    found = []
    for name in reports:
        report = _read(name)
        if report is not None:
            found.append((name, report))
    if found:
        _deliver(to_csv(found, guard=not raw_cells, bom=bom), output)
    if len(found) < len(reports):
        raise typer.Exit(2)


def _refuse_options(format: str, *, bom: bool, raw_cells: bool, several: bool) -> None:  # noqa: A002 - as above
    if several:
        raise InputError(f"--format {format} takes one report; --format csv takes several")
    for name, given in (("--bom", bom), ("--raw-cells", raw_cells)):
        if given:
            raise InputError(f"{name} is for --format csv, not for {format}")


def _read(name: str) -> Report | None:
    try:
        return saved(name)
    except InputError as error:
        complain(f"skipped: {error}")
        return None


def _deliver(text: str, output: str | None) -> None:
    if output:
        write(output, text)
    else:
        pour(text if text.endswith("\n") else f"{text}\n")
