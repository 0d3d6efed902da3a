"""`trail export`: saved reports in the formats of other programs."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from trail_callbacks.cli.inputs import read_once, saved
from trail_callbacks.cli.options import Into
from trail_callbacks.cli.output import handed_out, skipped
from trail_callbacks.errors import InputError
from trail_callbacks.export import to_csv, to_evaluation_lines, to_mermaid, to_otlp, to_prov_json, to_test

_ONE = {"mermaid": to_mermaid, "prov-json": to_prov_json, "test": to_test}
_LINES = {"otlp": to_otlp, "evaluations": to_evaluation_lines}


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
