"""`trail canary demo`: played models of known leak rates behind real chunkers and retrievers, measured."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from trail_callbacks.cli.options import Json, Output, writable
from trail_callbacks.cli.output import display, dumped, emit, progress
from trail_callbacks.files import write
from trail_callbacks.render.safe_text import plain

if TYPE_CHECKING:
    from trail_callbacks.canary import Edit, Probe, Trial
    from trail_callbacks.canary.report import Results
    from trail_callbacks.canary.runs.run import Progress
    from trail_callbacks.demo.canary import CanaryDemo
    from trail_callbacks.statistics.rates import Rate

__all__ = ["demo"]

_PLAYED = (
    "The models are played: each knows four in five of the facts, and gives a known share of those from memory, "
    "whatever it reads. Documents, edits, questions, chunkers, retrievers ({}) and scoring are real."
)
_SHOWN = 4  # edits
_PLAIN = ("number", "date")  # kinds that need no explanation
_ARMS = {
    "closed_book": "asked alone",
    "empty": "finds nothing",
    "real": "reads the real pages",
    "fictive": "reads the twin",
}


def demo(
    *,
    framework: Annotated[
        Literal["auto", "langchain", "llama-index", "none"],
        typer.Option(help="Whose retrievers and chains are used; auto takes one that is installed."),
    ] = "auto",
    probes: Annotated[int, typer.Option(min=1, metavar="N", help="Questions at most.")] = 80,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the edits and of the models.")] = 0,
    out: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Keep the run there, for `trail canary report`.")
    ] = None,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write one HTML page.", callback=writable)
    ] = None,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Shows what the canary trap finds on models that leak 0, 10 and 50 % of what they know.

    Runs offline, without a key: a small town's pages get a fictive twin, and played models answer questions about it.
    """
    from trail_callbacks.canary.report import assess  # noqa: PLC0415 - other commands do not need it
    from trail_callbacks.demo.canary import play  # noqa: PLC0415 - as above

    with tempfile.TemporaryDirectory() as scratch, progress("asking") as bar:

        def show(done: Progress) -> None:
            bar.update(bar.task_ids[0], completed=done.asked + done.known, total=done.total)

        played = play(
            None if framework == "auto" else framework,
            Path(out or scratch, "run" if out is None else ""),
            seed=seed,
            most=probes,
            verify=html is not None,
            on_progress=show,
        )
        found = assess(played.run)
        if html:
            found.to_html(html)
    data = {
        "framework": played.framework,
        "edits": Counter(each.kind for each in played.twin.edits),
        "planted": played.planted,
        "missing": played.missing,
        "results": found.as_data(),
    }
    if output:
        write(output, dumped(data))
    if as_json:
        emit(data)
        return
    display(*_views(played, found), *_more(out, html, played.missing))


def _views(played: CanaryDemo, found: Results) -> Iterator[Any]:
    from trail_callbacks.demo.canary import FRAMEWORKS  # noqa: PLC0415 - other commands do not need it

    yield Text(_PLAYED.format(FRAMEWORKS[played.framework]), style="yellow")
    yield from _twin(played)
    yield from _question(played)
    yield from _measured(played, found)


def _twin(played: CanaryDemo) -> Iterator[Any]:
    twin = played.twin
    kinds = ", ".join(f"{kind} {n}" for kind, n in Counter(each.kind for each in twin.edits).items())
    yield Rule(Text("1  The twin", style="bold"), align="left")
    yield Text(f"{len(twin.real)} documents; {len(twin.edits)} facts are other ones in their twin ({kinds}). Some:")
    step = max(1, len(twin.edits) // _SHOWN)
    for each in twin.edits[step // 2 :: step][:_SHOWN]:
        yield Padding(_edit(each), (0, 0, 0, 2))
    yield ""


def _edit(edit: Edit) -> Text:
    new = "(removed)" if edit.fictive is None else edit.fictive
    new += f" and {edit.also}" if edit.also else ""
    return Text(f"{plain(edit.replacements[0].document)}: {plain(edit.real)} \u2192 {plain(new)}")


def _question(played: CanaryDemo) -> Iterator[Any]:
    """A probe that the worst model leaks, under each arm."""
    run = played.run
    worst = max(played.planted, key=lambda name: played.planted[name])
    leaks = [
        each
        for each in run.trials
        if each.strategy == worst and each.arm == "fictive" and each.finding.outcome == "leaks_prior"
    ]
    if not leaks:
        return
    leak = min(leaks, key=lambda trial: _oddness(run.probes[trial.probe]))
    probe = run.probes[leak.probe]
    answers: dict[str, Trial] = {
        each.arm: each for each in run.trials if each.strategy == worst and each.probe == leak.probe
    }
    yield Rule(Text("2  One question, asked of one model four times", style="bold"), align="left")
    yield Text(plain(probe.question), style="bold")
    yield Text(f"The pages say {plain(probe.real)}, the twin says {plain(probe.fictive or 'nothing')}.")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for arm, words in _ARMS.items():
        if (trial := answers.get(arm)) is not None:
            known = arm == "closed_book" and trial.finding.outcome == "leaks_prior"
            outcome = "knows it" if known else trial.finding.outcome.replace("_", " ")
            style = "bold red" if trial is leak else ""
            table.add_row(f"  {words}", Text(plain(trial.answer or "")), Text(outcome, style=style))
    yield table
    yield ""


def _oddness(probe: Probe) -> tuple[bool, bool, int]:
    """Less for questions that a person would ask."""
    return "___" in probe.question, probe.kind not in _PLAIN, len(probe.question)


def _measured(played: CanaryDemo, found: Results) -> Iterator[Any]:
    from trail_callbacks.canary.report.words import ties  # noqa: PLC0415 - other commands do not need it

    run = played.run
    yield Rule(Text("3  What the run finds, and what is true", style="bold"), align="left")
    yield Text(
        f"{len(run.probes)} questions, {len(run.strategies)} strategies, {len(run.trials):,} answers. "
        "Shares in percent, with 95 % intervals."
    )
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("strategy", overflow="fold", min_width=9)
    widths = {"leaks of what it knows": 13, "leaks of all": 13, "follows": 13, "not retrieved": 9}
    for name in ("true", "leaks of what it knows", "n", "leaks of all", "follows", "n", "not retrieved"):
        table.add_column(name, justify="right", min_width=widths.get(name), max_width=widths.get(name))
    inside = 0
    for name, figures in found.rates.strategies.items():
        known, leak, follow, missed = (figures.rates[each] for each in ("leak_known", "leak", "follow", "miss_fictive"))
        inside += known.n > 0 and (known.low or 0.0) <= played.planted[name] <= (known.high or 0.0)
        cells = [_share(known), str(known.n), _share(leak), _share(follow), str(leak.n), f"{missed.k} of {missed.n}"]
        table.add_row(Text(plain(name)), f"{100 * played.planted[name]:g}", *cells)
    yield table
    yield Text(f"\nThe true rate is in {inside} of {len(run.strategies)} intervals.")
    if said := ties(found, "leak"):
        yield Text(f"{said}:")
        for number, group in enumerate(found.ranking["leak"], 1):
            yield Padding(Text(f"{number}. {' | '.join(map(plain, group))}"), (0, 0, 0, 2))
    yield Text(f"Precision: {found.precision}.", style="dim")


def _share(rate: Rate) -> str:
    if rate.value is None:
        return "-"
    return f"{100 * rate.value:.0f} [{100 * (rate.low or 0.0):.0f}, {100 * (rate.high or 0.0):.0f}]"


def _more(out: str | None, html: str | None, missing: Any) -> Iterator[Any]:
    yield ""
    if html:
        yield f"written to {plain(html)}"
    if out:
        yield f"all of it: trail canary report {plain(out)}"
    for name, command in missing.items():
        yield Text(f"{name} is not installed:\n  {command}", style="dim")
    yield Text("Your own app: docs/canary.md", style="dim")
