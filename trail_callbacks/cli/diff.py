"""`trail diff`: what changed between two reports, with an optional threshold."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from trail_callbacks.cli.inputs import OnUndecidedClaims, saved
from trail_callbacks.cli.output import complain, display, emit
from trail_callbacks.cli.threshold import checked_increase, regression
from trail_callbacks.comparison import compare
from trail_callbacks.errors import InputError
from trail_callbacks.render.comparison import comparison_to_rich

__all__ = ["diff"]


def diff(
    *,
    old: Annotated[str, typer.Argument(metavar="OLD", help="The old report, as JSON; - is standard input.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new report, as JSON; - is standard input.")],
    max_increase: Annotated[
        float | None,
        typer.Option(metavar="X", help="Exit with status 1 if the score rose by more than this, 0.0 to 1.0."),
    ] = None,
    on_undecided: OnUndecidedClaims = "pass",
    width: Annotated[int | None, typer.Option(min=40, metavar="N", help="Columns, 40 or more.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Compares two saved reports: claims, classes, entry steps, score.

    With --max-increase, a new report that could not be fully verified fails too. What is unknown about the old report
    is assumed in its favour: a missing score counts as 0.0, claims that were not judged as supported. Undecided claims
    count in neither report, or, with --on-undecided fail, as unsupported in both.
    """
    limit = checked_increase(max_increase)
    if old == new == "-":
        raise InputError("standard input (-) can be read only once: put the other report into a file")
    found = compare(saved(old), saved(new))
    if as_json:
        emit(json.loads(found.to_json()))
    else:
        display(comparison_to_rich(found), width=width)
    why = regression(found, limit, on_undecided)
    if why:
        complain(why)
        raise typer.Exit(1)
