"""`trail canary`: whether an app answers from its context or from its model's memory, and the gate of runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from trail_callbacks import canary as trap
from trail_callbacks.cli.canary_demo import demo
from trail_callbacks.cli.canary_run import run, watch
from trail_callbacks.cli.canary_texts import perturb, probes
from trail_callbacks.cli.options import Json, OnNotEnough, Word, option, status_of, writable
from trail_callbacks.cli.output import display, emit
from trail_callbacks.errors import InputError
from trail_callbacks.render.excerpt import plain

if TYPE_CHECKING:
    from trail_callbacks.canary.statistics.comparing import RunComparison

_HEADLINES = {
    "passes": "The candidate passes: it is not worse than the baseline by more than the margin.",
    "worse": "The candidate is worse than the baseline.",
    "not_enough_data": "There is not enough data to say whether the candidate is worse.",
}
_RATES = {"leak": "leak", "follow": "follow", "right_real": "right, real", "right_fictive": "right, fictive"}

RunPolicy = Annotated[
    Literal["context_is_authoritative", "verify_the_context"],
    option(None, "What is right where the context contradicts what is known: following it, or rejecting it."),
]


def report(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Folder of a canary run.")],
    *,
    policy: RunPolicy = "context_is_authoritative",
    html: Annotated[Word, option("FILE", "Also write one HTML page.", callback=writable)] = None,
    as_json: Json = False,
) -> None:
    """Shows how often a run followed its context, leaked what the model knew, or abstained; with intervals and ties.

    A run that has not ended can be shown, too.
    """
    from trail_callbacks.canary.report.terminal import views  # noqa: PLC0415 - other commands do not need it

    found = trap.assess(trap.load_run(run), policy)
    if html:
        found.to_html(html)
    if as_json:
        emit(found.as_data())
    else:
        display(*views(found), *([f"written to {plain(html)}"] if html else []))


def compare(
    baseline: Annotated[str, typer.Argument(metavar="BASELINE", help="Folder of the canary run before.")],
    candidate: Annotated[str, typer.Argument(metavar="CANDIDATE", help="Folder of the run in question.")],
    *,
    margin: Annotated[float, option("X", "By how much a rate may be worse.")] = 0.05,
    policy: RunPolicy = "context_is_authoritative",
    on_not_enough: OnNotEnough = None,
    as_json: Json = False,
) -> None:
    """Decides whether a run is no worse than one before, in leak, follow and right rate, paired by probe.

    The exit status is 0 if it passes, 1 if it is worse, 3 if there is not enough data (see --on-not-enough), and 2 if
    the runs cannot be compared: unreadable, other probes or judges.
    """
    if baseline == candidate:
        raise InputError("BASELINE and CANDIDATE name the same run: there is nothing to compare")
    found = trap.compare(trap.load_run(baseline), trap.load_run(candidate), margin=margin, policy=policy)
    if as_json:
        emit({"baseline": baseline, "candidate": candidate, **found.as_data()})
    else:
        display(*_compared(found))
    raise typer.Exit(status_of(found.verdict, on_not_enough))


def _compared(found: RunComparison) -> Iterator[Any]:
    yield Text(_HEADLINES[found.verdict], style="bold")
    yield from (Text(f"- {plain(each.strategy)}: {each.reason}") for each in found.changes if each.reason)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("strategy", "rate", "n", "before", "after", "worse by (points)", "outcome"):
        table.add_column(name, overflow="fold", no_wrap=name not in ("strategy", "rate", "outcome"))
    for each in found.changes:
        cells = ["\u2013"] * 3
        if each.worse_by is not None:
            pairs, (change, low, high) = each.pairs, (100 * points for points in each.worse_by)
            shares = [f"{(pairs.both + hits) / pairs.n:.1%}" for hits in (pairs.first, pairs.second)]
            cells = [*shares, f"{change:+.1f} [{low:+.1f}, {high:+.1f}]"]
        outcome = each.verdict.replace("_", " ")
        table.add_row(Text(plain(each.strategy)), _RATES[each.measure], f"{each.pairs.n:,}", *cells, outcome)
    yield from ("", table, "")
    yield from (Text(plain(each), style="dim") for each in found.remarks())


canary = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Asks an app about facts that were changed: does it answer from its context, or from memory?",
)

for command in (perturb, probes, run, report, compare, watch, demo):
    canary.command()(command)
