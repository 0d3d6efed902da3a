"""`trail canary demo`: played models of known leak rates behind real chunkers and retrievers, measured."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from trail_callbacks import canary
from trail_callbacks.cli.options import Json, option
from trail_callbacks.cli.output import deliver, progress
from trail_callbacks.render.excerpt import plain

if TYPE_CHECKING:
    from trail_callbacks.canary.runs.asking import RunProgress
    from trail_callbacks.demo.canary import CanaryDemo

_PLAYED = (
    "The models are played: each knows four in five of the facts, and gives a known share of those from memory, "
    "whatever it reads. Documents, edits, questions, chunkers, search and scoring are real."
)
_SHOWN = 4  # edits
_PLAIN = ("number", "date")  # kinds that need no explanation
_ARMS: dict[canary.Arm, str] = {
    "closed_book": "asked alone",
    "empty": "finds nothing",
    "real": "reads the real pages",
    "fictive": "reads the twin",
}


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
        found = canary.assess(played.run)
    kinds = Counter(each.kind for each in played.twin.edits)
    ours = Text("Your own app: docs/canary.md", style="dim")
    views = (*_twin(played), *_question(played), *_measured(played, found), "", ours)
    deliver({"edits": kinds, "planted": played.planted, "results": found.as_data()}, views, as_json=as_json)


def _title(text: str) -> Rule:
    return Rule(Text(text, style="bold"), align="left")


def _twin(played: CanaryDemo) -> Iterator[Any]:
    twin = played.twin
    kinds = ", ".join(f"{kind} {n}" for kind, n in Counter(each.kind for each in twin.edits).items())
    yield Text(_PLAYED, style="yellow")
    yield _title("1  The twin")
    yield Text(f"{len(twin.real)} documents; {len(twin.edits)} facts are other ones in their twin ({kinds}). Some:")
    step = max(1, len(twin.edits) // _SHOWN)
    for each in twin.edits[step // 2 :: step][:_SHOWN]:
        new = " and ".join(value for value in (each.fictive or "(removed)", each.also) if value)
        change = f"{plain(each.replacements[0].document)}: {plain(each.real)} \u2192 {plain(new)}"
        yield Padding(Text(change), (0, 0, 0, 2))
    yield ""


def _question(played: CanaryDemo) -> Iterator[Any]:
    """A probe that the worst model leaks, under each arm: one that a person would ask."""
    run = played.run
    worst = max(played.planted, key=lambda name: played.planted[name])
    answers = {(each.probe, each.arm): each for each in run.trials if each.strategy == worst}
    leaks = [
        run.probes[probe]
        for (probe, arm), each in answers.items()
        if arm == "fictive" and each.finding.outcome == "leaks_prior"
    ]
    if not leaks:
        return
    probe = min(leaks, key=lambda each: ("___" in each.question, each.kind not in _PLAIN, len(each.question)))
    yield _title("2  One question, asked of one model four times")
    yield Text(plain(probe.question), style="bold")
    yield Text(f"The pages say {plain(probe.real)}, the twin says {plain(probe.fictive or 'nothing')}.")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for arm, words in _ARMS.items():
        if (trial := answers.get((probe.id, arm))) is not None:
            known = arm == "closed_book" and trial.finding.outcome == "leaks_prior"
            outcome = "knows it" if known else trial.finding.outcome.replace("_", " ")
            style = "bold red" if arm == "fictive" else ""
            table.add_row(f"  {words}", Text(plain(trial.answer or "")), Text(outcome, style=style))
    yield table
    yield ""


def _measured(played: CanaryDemo, found: canary.Results) -> Iterator[Any]:
    from trail_callbacks.canary.report.terminal import views  # noqa: PLC0415 - as above

    known = {name: each.rates["leak_known"] for name, each in found.rates.strategies.items()}
    inside = sum(
        (known[name].low or 0.0) <= truth <= (known[name].high or 0.0) for name, truth in played.planted.items()
    )
    yield _title(
        "3  What the run finds; what is true is in the names of the strategies: of what it knows, it leaks so much"
    )
    yield from views(found, brief=True)
    yield Text(f"The true rate is in {inside} of {len(known)} intervals of what leaks of what the model knows.")
