"""`trail canary`: whether an app answers from its context or from memory: reports, what a gate shows, the demo."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from trail_callbacks import canary as trap
from trail_callbacks.cli.canary_run import run, watch
from trail_callbacks.cli.canary_texts import change, perturb, probes, spread
from trail_callbacks.cli.options import Json, Word, option, writable
from trail_callbacks.cli.output import deliver, progress
from trail_callbacks.render.excerpt import plain

if TYPE_CHECKING:
    from trail_callbacks.canary.runs.run import RunProgress
    from trail_callbacks.canary.statistics.comparing import RunComparison
    from trail_callbacks.demo.canary import CanaryDemo

_HEADLINES = {
    "passes": "The candidate passes: it is not worse than the baseline by more than the margin.",
    "worse": "The candidate is worse than the baseline.",
    "not_enough_data": "There is not enough data to say whether the candidate is worse.",
}
_COLUMNS = ("strategy", "rate", "n", "before", "after", "worse by (points)", "outcome")
_PLAYED = (
    "The models are played: each knows four in five of the facts, and gives a known share of those from memory, "
    "whatever it reads. Documents, edits, questions, chunkers, search and scoring are real."
)
_ARMS: dict[trap.Arm, str] = {
    "closed_book": "asked alone",
    "empty": "finds nothing",
    "real": "reads the real pages",
    "fictive": "reads the twin",
}

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
    found = trap.assess(trap.load_run(run), policy)
    if html:
        found.to_html(html)
    deliver(found.as_data(), [found, *([f"written to {plain(html)}"] if html else [])], as_json=as_json)


def gate_runs(baseline: str, candidate: str, **rules: Any) -> tuple[str, dict[str, Any], Iterator[Any]]:
    """Whether a run is no worse than one before, in leak, follow and right rate: the verdict, as data, and views."""
    found = trap.compare(trap.load_run(baseline), trap.load_run(candidate), **rules)
    return found.verdict, {"baseline": baseline, "candidate": candidate, **found.as_data()}, _compared(found)


def _compared(found: RunComparison) -> Iterator[Any]:
    yield Text(_HEADLINES[found.verdict], style="bold")
    yield from (Text(f"- {plain(each.strategy)}: {each.reason}") for each in found.changes if each.reason)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in _COLUMNS:
        table.add_column(name, overflow="fold", no_wrap=name not in ("strategy", "rate", "outcome"))
    for each in found.changes:
        cells = ["\u2013"] * 3
        if each.worse_by is not None:
            pairs, (change, low, high) = each.pairs, (100 * points for points in each.worse_by)
            shares = [f"{(pairs.both + hits) / pairs.n:.1%}" for hits in (pairs.first, pairs.second)]
            cells = [*shares, f"{change:+.1f} [{low:+.1f}, {high:+.1f}]"]
        names = Text(plain(each.strategy)), each.measure.replace("_", ", ")
        table.add_row(*names, f"{each.pairs.n:,}", *cells, each.verdict.replace("_", " "))
    yield from ("", table, "")
    yield from (Text(plain(each), style="dim") for each in found.remarks())


def demo(
    *,
    probes: Annotated[int, option("N", "Questions at most.", min=1)] = 80,
    as_json: Json = False,
) -> None:
    """Shows what the canary trap finds on models that leak 0, 10 and 50 % of what they know.

    Runs offline, without a key: a small town's pages get a fictive twin, and played models answer questions about it.
    """
    from trail_callbacks.demo.canary import play  # noqa: PLC0415 - other commands do not need it

    with tempfile.TemporaryDirectory() as scratch, progress("asking") as bar:

        def show(done: RunProgress) -> None:
            bar.update(bar.task_ids[0], completed=done.asked + done.known, total=done.total)

        played = play(Path(scratch, "run"), most=probes, on_progress=show)
        found = trap.assess(played.run)
    kinds = Counter(each.kind for each in played.twin.edits)
    data = {"edits": kinds, "planted": played.planted, "results": found.as_data()}
    deliver(data, _demonstrated(played, found), as_json=as_json)


def _demonstrated(played: CanaryDemo, found: trap.Results) -> Iterator[Any]:
    from trail_callbacks.canary.report.terminal import to_rich  # noqa: PLC0415 - as above

    twin, known = played.twin, {name: each.rates["leak_known"] for name, each in found.rates.strategies.items()}
    yield Text(_PLAYED, style="yellow")
    yield Text("\n1  The twin", style="bold")
    yield f"{len(twin.real)} documents; {len(twin.edits)} facts are other ones in their twin. Some:"
    yield from map(change, spread(twin.edits))
    yield from _question(played)
    yield Text("\n3  What the run finds; the true leak rates are in the names of the strategies\n", style="bold")
    yield to_rich(found, brief=True)
    truths = ((known[name], truth) for name, truth in played.planted.items())
    inside = sum((rate.low or 0.0) <= truth <= (rate.high or 0.0) for rate, truth in truths)
    yield f"\nThe true rate is in {inside} of {len(known)} intervals of what leaks of what the model knows."
    yield Text("\nYour own app: docs/canary.md", style="dim")


def _question(played: CanaryDemo) -> Iterator[Any]:
    """A probe that the worst model leaks, under each arm: the shortest."""
    worst = max(played.planted, key=lambda name: played.planted[name])
    trials = {(each.probe, each.arm): each for each in played.run.trials if each.strategy == worst}
    leaks = [key[0] for key, each in trials.items() if each.finding.outcome == "leaks_prior" and key[1] == "fictive"]
    if not leaks:
        return
    asked = (played.run.probes[each] for each in leaks)
    probe = min(asked, key=lambda each: (each.fictive is None, len(each.question)))
    yield Text("\n2  One question, asked of one model four times", style="bold")
    yield plain(probe.question)
    yield f"The pages say {plain(probe.real)}, the twin says {plain(probe.fictive or 'nothing')}."
    for arm, words in _ARMS.items():
        if (trial := trials.get((probe.id, arm))) is not None:
            known = arm == "closed_book" and trial.finding.outcome == "leaks_prior"
            outcome = "knows it" if known else trial.finding.outcome.replace("_", " ")
            yield f"  {words}: {plain(trial.answer or '')} ({outcome})"


canary = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Asks an app about facts that were changed: does it answer from its context, or from memory?",
)

for command in (perturb, probes, run, report, watch, demo):
    canary.command()(command)
