"""What is printed at the end of `trail canary run` and `rescore`: outcomes, rates, and what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table
from rich.text import Text

from trail_callbacks.cli.output import complain, display, emit
from trail_callbacks.render.safe_text import plain

if TYPE_CHECKING:
    from trail_callbacks.canary import Run

__all__ = ["deliver"]

_COMPLAINTS = 5


def deliver(done: Run, *, as_json: bool, on: str = "the same command") -> None:
    """Shows a run; `on` is what goes on with it. Exits with 1 if something is missing."""
    counts = _counts(done)
    failed = sum(trial.error is not None for trial in done.trials)
    if as_json:
        emit(
            {
                "folder": str(done.folder),
                "trials": len(done.trials),
                "failed": failed,
                "repeated": done.repeated,
                "stopped": done.stopped,
                "calls": done.spent.calls,
                "outcomes": [
                    {"strategy": strategy, "arm": arm, **counted} for (strategy, arm), counted in counts.items()
                ],
                "skipped": [{"place": each.place, "why": each.why} for each in done.skipped],
            }
        )
    else:
        display(*_views(done, counts))
    for each in done.skipped[:_COMPLAINTS]:
        complain(f"left out: {each.place}: {each.why}")
    if len(done.skipped) > _COMPLAINTS:
        complain(f"{len(done.skipped) - _COMPLAINTS} more were left out")
    if failed:
        why = next(trial.error for trial in done.trials if trial.error is not None)
        complain(f"the app failed on {failed} questions, such as: {why}; {on} asks them again")
    unscored = [each.finding for each in done.trials if each.finding.outcome == "unscorable" and each.error is None]
    if unscored:
        undecided = done.settings.get("judge") is None and any(each.how == "undecided" for each in unscored)
        hint = "; --judge names a model that reads such answers" if undecided else ""
        complain(f"{len(unscored)} answers could not be scored, such as: {unscored[0].reason}{hint}")
    if done.stopped is not None:
        complain(f"{done.stopped}; {on} goes on from here")
    if failed or done.stopped is not None:
        raise typer.Exit(1)


def _counts(done: Run) -> Mapping[tuple[str, str], Counter[str]]:
    """Outcomes by strategy and arm, in the order of the trials."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for trial in done.trials:
        counts.setdefault((trial.strategy, trial.arm), Counter())[trial.finding.outcome] += 1
    return counts


def _rates(done: Run) -> Iterator[Text]:
    """Follow and leak rate of each strategy, with n and intervals; the report has the others."""
    from trail_callbacks.canary.statistics.rates import rates  # noqa: PLC0415 - other commands do not need it

    for name, figures in rates(done).strategies.items():
        follow, leak = figures.rates["follow"], figures.rates["leak"]
        if follow.n:
            yield Text(f"{plain(name)}: with the fictive context it follows {follow}, and leaks {leak}")
        elif "fictive" in done.arms:
            yield Text(f"{plain(name)}: no follow rate: no answer with a fictive context could be scored")


def _views(done: Run, counts: Mapping[tuple[str, str], Counter[str]]) -> Iterator[Any]:
    from trail_callbacks.canary.trial import OUTCOMES  # noqa: PLC0415 - other commands do not need it

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    seen = [outcome for outcome in OUTCOMES if any(counted[outcome] for counted in counts.values())]
    for name in ("strategy", "arm"):
        table.add_column(name, overflow="fold")
    for name in seen:
        table.add_column(name.replace("_", " "), justify="right", overflow="fold")
    for (strategy, arm), counted in counts.items():
        table.add_row(Text(plain(strategy)), arm, *(str(counted[outcome]) for outcome in seen))
    yield f"{len(done.trials)} trials of {len(done.probes)} probes, {done.spent.calls} calls over all runs"
    if counts:
        yield ""
        yield table
        yield ""
        yield from _rates(done)
    if done.repeated:
        yield ""
        yield f"up to {done.repeated} questions were asked twice, because the process ended meanwhile"
    yield ""
    yield f"written to {plain(str(done.folder))}; next: trail canary report {plain(str(done.folder))}"
