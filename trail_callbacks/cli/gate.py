"""`trail gate`: whether a release may replace the one before. A threshold for one answer is in `threshold`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from trail_callbacks.cli.options import Json, OnNotEnough, OnUndecidedClaims, Output, Word, Words, option, status_of
from trail_callbacks.cli.output import deliver
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.render.safe_text import plain

if TYPE_CHECKING:
    from trail_callbacks.releases import Decision

__all__ = ["gate"]

_RUNS = "a file or folder of reports, the folder of an audit, or RELEASE@STORE"
_STYLES = {"passes": "green", "worse": "bold red", "not enough data": "yellow"}
_WRAPPED = {"segment", "outcome"}


def gate(
    *,
    baseline: Annotated[str, option("RUNS", f"Judged runs of the release before: {_RUNS}.")],
    candidate: Annotated[str, option("RUNS", "Judged runs of the release in question, likewise.")],
    segment: Annotated[
        Word, option("FIELD", "Decide by the values of this metadata, such as query_class or tenant.")
    ] = None,
    critical: Annotated[
        Words, option("VALUE", "A segment where contradictions may not rise at all; may be repeated.")
    ] = None,
    margin: Annotated[float, option("X", "By how much the share of unsupported claims may rise.")] = 0.02,
    contradiction_margin: Annotated[
        float, option("X", "By how much the share of runs with a contradiction may rise.")
    ] = 0.05,
    minimum: Annotated[int, option("N", "Questions below which a segment is merged into the rest.")] = 30,
    max_undecided: Annotated[
        float, option("X", "Share of the candidate's answers that the judge may have left open.")
    ] = 0.1,
    on_undecided: OnUndecidedClaims = "pass",
    pairing: Annotated[
        Literal["auto", "paired", "unpaired"], option(None, "Question by question, or releases as a whole.")
    ] = "auto",
    on_not_enough: OnNotEnough = None,
    markdown: Annotated[Word, option("FILE", "Also write Markdown, for a pull request.")] = None,
    junit: Annotated[Word, option("FILE", "Also write JUnit XML.")] = None,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Decides whether a release may replace the one before: not worse by more than a margin, in any segment.

    The exit status is 0 if it passes, 1 if it is worse, 3 if there is not enough data (see --on-not-enough), and 2 if
    the runs cannot be compared: unreadable, or judged by different judges.
    """
    from trail_callbacks.cli.runs import release_of, runs  # noqa: PLC0415 - other commands do not need it
    from trail_callbacks.releases import Policy, decide, to_junit, to_markdown  # noqa: PLC0415 - as above

    rules = Policy(
        segment=segment,
        margin=margin,
        contradiction_margin=contradiction_margin,
        critical=frozenset(critical or ()),
        minimum=minimum,
        max_undecided=max_undecided,
        on_undecided=on_undecided,
        pairing=pairing,
    )
    if baseline == candidate:
        raise InputError("--baseline and --candidate name the same runs: there is nothing to compare")
    found = decide(runs(baseline, "--baseline"), runs(candidate, "--candidate"), rules)
    names = [named[0] if (named := release_of(each)) else Path(each).name for each in (baseline, candidate)]
    if markdown:
        write(markdown, to_markdown(found, *names))
    if junit:
        write(junit, to_junit(found, on_not_enough))
    data: dict[str, Any] = {"baseline": names[0], "candidate": names[1], **found.as_data()}
    deliver(data, _views(found), as_json=as_json, output=output)
    raise typer.Exit(status_of(found.outcome, on_not_enough))


def _views(found: Decision) -> Iterator[Any]:
    from trail_callbacks.releases.markdown import COLUMNS, HEADLINES, measure_rows, remarks  # noqa: PLC0415 - as above

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
