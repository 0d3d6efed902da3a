"""`trail canary report` and `trail canary compare`: what a run shows, and whether it is worse than one before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from trail_callbacks import canary
from trail_callbacks.cli.options import Json, OnNotEnough, Output, status_of, writable
from trail_callbacks.cli.output import display, dumped, emit
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.render.safe_text import plain

if TYPE_CHECKING:
    from trail_callbacks.canary.statistics.comparing import Comparison

__all__ = ["compare", "report"]

_STYLES = {"passes": "green", "worse": "bold red", "not_enough_data": "yellow"}
_HEADLINES = {
    "passes": "The candidate passes: it is not worse than the baseline by more than the margin.",
    "worse": "The candidate is worse than the baseline.",
    "not_enough_data": "There is not enough data to say whether the candidate is worse.",
}
_RATES = {"leak": "leak", "follow": "follow", "right_real": "right, real", "right_fictive": "right, fictive"}
_NARROW = {"strategy": 10, "rate": 7, "outcome": 10}  # characters of columns that may wrap, at least

Policy = Annotated[
    Literal["context_is_authoritative", "verify_the_context"],
    typer.Option(help="What is right where the context contradicts what is known: following it, or rejecting it."),
]


def report(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Folder of a canary run.")],
    *,
    policy: Policy = "context_is_authoritative",
    by: Annotated[
        Literal["kind", "size", "subject", "model"] | None,
        typer.Option(help="Also show follow and leak rate by this, on the terminal; JSON and page have all four."),
    ] = None,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write one HTML page.", callback=writable)
    ] = None,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Shows how often a run followed its context, leaked what the model knew, or abstained; with intervals and ties.

    A run that has not ended can be shown, too.
    """
    from trail_callbacks.canary.report.terminal import views  # noqa: PLC0415 - other commands do not need it

    found = canary.assess(canary.load_run(run), policy)
    if html:
        found.to_html(html)
    if output:
        found.to_json(output)
    if as_json:
        emit(found.as_data())
    else:
        display(*views(found, by), *([f"written to {plain(html)}"] if html else []))


def compare(
    baseline: Annotated[str, typer.Argument(metavar="BASELINE", help="Folder of the canary run before.")],
    candidate: Annotated[str, typer.Argument(metavar="CANDIDATE", help="Folder of the run in question.")],
    *,
    margin: Annotated[float, typer.Option(metavar="X", help="By how much a rate may be worse.")] = 0.05,
    policy: Policy = "context_is_authoritative",
    minimum: Annotated[int, typer.Option(metavar="N", min=1, help="Common probes that are needed to decide.")] = 30,
    max_lost: Annotated[
        float,
        typer.Option(metavar="X", help="Share of the baseline's scored probes that the candidate may not have scored."),
    ] = 0.1,
    on_not_enough: OnNotEnough = None,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Decides whether a run is no worse than one before, in leak, follow and right rate, paired by probe.

    The exit status is 0 if it passes, 1 if it is worse, 3 if there is not enough data (see --on-not-enough), and 2 if
    the runs cannot be compared: unreadable, other twins, judges or policies.
    """
    if baseline == candidate:
        raise InputError("BASELINE and CANDIDATE name the same run: there is nothing to compare")
    before, after = canary.load_run(baseline), canary.load_run(candidate)
    found = canary.compare(before, after, margin=margin, policy=policy, minimum=minimum, max_lost=max_lost)
    data: dict[str, Any] = {"baseline": baseline, "candidate": candidate, **found.as_data()}
    if output:
        write(output, dumped(data))
    if as_json:
        emit(data)
    else:
        display(*_views(found))
    raise typer.Exit(status_of(found.verdict, on_not_enough))


def _views(found: Comparison) -> Iterator[Any]:
    yield Text(_HEADLINES[found.verdict], style="bold")
    for each in found.changes:
        if each.reason:
            yield Text(f"- {plain(each.strategy)}: {each.reason}")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("strategy", "rate", "n", "before", "after", "worse by (points)", "outcome"):
        table.add_column(name, overflow="fold", min_width=_NARROW.get(name), no_wrap=name not in _NARROW)
    for each in found.changes:
        shares = ["\u2013" if share is None else f"{share:.1%}" for share in (each.baseline, each.candidate)]
        known = each.worse_by is not None and each.low is not None and each.high is not None
        limits = f"[{100 * (each.low or 0.0):+.1f}, {100 * (each.high or 0.0):+.1f}]"
        change = f"{100 * (each.worse_by or 0.0):+.1f} {limits}" if known else "\u2013"
        outcome = Text(each.verdict.replace("_", " "), style=_STYLES[each.verdict])
        table.add_row(Text(plain(each.strategy)), _RATES[each.measure], f"{each.n:,}", *shares, change, outcome)
    yield ""
    yield table
    yield ""
    yield from (Text(plain(each), style="dim") for each in found.remarks())
