"""`trail gate`: whether what is new may replace what is old: a release, or one report.

A threshold for one answer is `--max-score` of `trail check`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from trail_callbacks.cli.inputs import only_report, read_once
from trail_callbacks.cli.options import Json, OnNotEnough, OnUndecidedClaims, Output, Word, Words, option, status_of
from trail_callbacks.cli.output import complain, deliver
from trail_callbacks.cli.threshold import checked, regression
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.render.comparison import comparison_to_rich
from trail_callbacks.render.excerpt import plain
from trail_callbacks.report.comparison import compare
from trail_callbacks.verify.threshold import OnUndecided

if TYPE_CHECKING:
    from trail_callbacks.monitor import Decision
    from trail_callbacks.report import Report

_RUNS = "a file or folder of reports, the folder of an audit, or RELEASE@STORE"
_STYLES = {"passes": "green", "worse": "bold red", "not enough data": "yellow"}
_WRAPPED = {"segment", "outcome"}


def gate(
    *,
    baseline: Annotated[
        str, typer.Argument(metavar="OLD", help=f"A report, or judged runs of the release before: {_RUNS}.")
    ],
    candidate: Annotated[str, typer.Argument(metavar="NEW", help="The report or release in question, likewise.")],
    segment: Annotated[
        Word, option("FIELD", "Decide by the values of this metadata, such as query_class or tenant.")
    ] = None,
    critical: Annotated[
        Words, option("VALUE", "A segment where contradictions may not rise at all; may be repeated.")
    ] = None,
    margin: Annotated[
        float | None,
        option("X", "By how much the share of unsupported claims may rise: 0.02; of two reports, the score: 0.0."),
    ] = None,
    contradiction_margin: Annotated[
        float, option("X", "By how much the share of runs with a contradiction may rise.")
    ] = 0.05,
    minimum: Annotated[int, option("N", "Questions below which a segment is merged into the rest.")] = 30,
    max_undecided: Annotated[
        float, option("X", "Share of the candidate's answers that the judge may have left open.")
    ] = 0.1,
    on_undecided: OnUndecidedClaims = "pass",
    on_not_enough: OnNotEnough = None,
    markdown: Annotated[Word, option("FILE", "Also write Markdown, for a pull request.")] = None,
    junit: Annotated[Word, option("FILE", "Also write JUnit XML.")] = None,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Decides whether a release may replace the one before: not worse by more than a margin, in any segment.

    Of two reports it says which claims appeared, vanished or changed. There a new report that could not be fully
    verified fails, and what is unknown about the old one is assumed in its favour.

    The exit status is 0 if it passes, 1 if it is worse, 3 if there is not enough data (see --on-not-enough), and 2 if
    the runs cannot be compared: unreadable, or judged by different judges.
    """
    from trail_callbacks.cli.runs import release_of, runs  # noqa: PLC0415 - other commands do not need it
    from trail_callbacks.monitor import Policy, decide, to_junit, to_markdown  # noqa: PLC0415 - as above

    read_once([baseline, candidate])
    old, new = only_report(baseline), only_report(candidate)
    if old is not None and new is not None:
        _reports(old, new, 0.0 if margin is None else margin, on_undecided, as_json=as_json, output=output)
        return
    rules = Policy(
        segment=segment,
        margin=0.02 if margin is None else margin,
        contradiction_margin=contradiction_margin,
        critical=frozenset(critical or ()),
        minimum=minimum,
        max_undecided=max_undecided,
        on_undecided=on_undecided,
    )
    if baseline == candidate:
        raise InputError("OLD and NEW are the same runs: there is nothing to compare")
    found = decide(runs(baseline, "OLD"), runs(candidate, "NEW"), rules)
    names = [named[0] if (named := release_of(each)) else Path(each).name for each in (baseline, candidate)]
    if markdown:
        write(markdown, to_markdown(found, *names))
    if junit:
        write(junit, to_junit(found, on_not_enough))
    data: dict[str, Any] = {"baseline": names[0], "candidate": names[1], **found.as_data()}
    deliver(data, _views(found), as_json=as_json, output=output)
    raise typer.Exit(status_of(found.outcome, on_not_enough))


def _reports(
    old: Report, new: Report, margin: float, on_undecided: OnUndecided, *, as_json: bool, output: str | None
) -> None:
    checked("--margin", margin)
    found = compare(old, new)
    deliver(json.loads(found.to_json()), [comparison_to_rich(found)], as_json=as_json, output=output)
    if why := regression(found, margin, on_undecided):
        complain(why)
        raise typer.Exit(1)


def _views(found: Decision) -> Iterator[Any]:
    from trail_callbacks.monitor.decision import COLUMNS, HEADLINES, measure_rows, remarks  # noqa: PLC0415 - as above

    yield Text(HEADLINES[found.outcome], style="bold")
    for segment in found.segments:
        for reason in segment.reasons:
            yield Text(f"- {plain(segment.name)}: {reason}")
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for name in COLUMNS:
        table.add_column(name, overflow="fold", no_wrap=name not in _WRAPPED)
    for row in measure_rows(found.segments, plain):
        table.add_row(*map(Text, row[:-1]), Text(row[-1], style=_STYLES[row[-1]]))
    yield ""
    yield table
    yield ""
    yield from (Text(each, style="dim") for each in remarks(found, plain))
