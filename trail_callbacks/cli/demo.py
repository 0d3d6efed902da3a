"""`trail demo`: runs the demo apps and shows the graph, the claims and the score of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.rule import Rule
from rich.text import Text

from trail_callbacks.cli.output import progress
from trail_callbacks.demo.chat import Chat, Endpoint, Recorded
from trail_callbacks.demo.runner import APPS, Outcome, run
from trail_callbacks.errors import InputError, MissingExtraError
from trail_callbacks.judges.resolve import resolve
from trail_callbacks.render.provenance import graph_to_rich
from trail_callbacks.render.safe_text import plain
from trail_callbacks.render.terminal import to_rich

__all__ = ["DemoRun", "run_demo"]

_RECORDED = (
    "The model's replies are recorded completions with errors planted on purpose. "
    "The app, its steps and the judge are real."
)


@dataclass(frozen=True, slots=True)
class DemoRun:
    """The results of the demo.

    Attributes:
        outcomes: One for each app that ran.
        missing: The pip commands for the others, by app.
        model: Name of the model.
    """

    outcomes: tuple[Outcome, ...]
    missing: dict[str, str]
    model: str

    def as_json(self) -> dict[str, Any]:
        """The results as one JSON-safe object."""
        return {
            "model": self.model,
            "apps": [
                {
                    "app": each.app,
                    "title": each.details.title,
                    "question": each.details.question,
                    "recorded": each.recorded,
                    "planted": [dict(planted) for planted in each.planted],
                    "planted_found": len(each.found),
                    "false_alarms": each.false_alarms,
                    "undecided": each.undecided,
                    "report": json.loads(each.report.to_json()),
                }
                for each in self.outcomes
            ],
            "missing": self.missing,
        }

    def views(self) -> Iterator[Any]:
        """The results as rich renderables."""
        for number, each in enumerate(self.outcomes, 1):
            count = f"{number} of {len(self.outcomes)}  " if len(self.outcomes) > 1 else ""
            yield Rule(Text(f"{count}{each.details.title}", style="bold"), align="left")
            yield Text(_RECORDED if each.recorded else f"The model is {plain(self.model)}.", style="yellow")
            yield Text("\nWhere each text came from", style="bold")
            yield graph_to_rich(each.report.graph)
            yield Text("\nVerdict on each claim", style="bold")
            yield to_rich(each.report)
            if each.recorded:
                found = f"Planted errors found: {len(each.found)} of {len(each.planted)}"
                undecided = f"; undecided: {each.undecided}" if each.undecided else ""
                yield Text(f"\n{found}; false alarms: {each.false_alarms}{undecided}.")
            yield Text("")
        for app, why in self.missing.items():
            yield Text(f"{app} is not installed:\n  {why}", style="dim")


def run_demo(app: str, model: str | None, base_url: str | None, judge: str | None) -> DemoRun:
    """Runs one app of the demo, or all.

    Raises:
        InputError: If the app is unknown, or an endpoint is given without a model.
        MissingExtraError: If no framework for the requested apps is installed.
        JudgeError: If the model or the judge cannot be used.
    """
    if app != "all" and app not in APPS:
        raise InputError(f"--app is {plain(app)}, expected {', '.join(APPS)} or all")
    if base_url and not model and not judge:
        raise InputError("--base-url needs --model, the name of a model at that endpoint")
    apps = list(APPS) if app == "all" else [app]
    judging = resolve(judge, base_url=base_url if judge and "/" in judge else None)
    outcomes: list[Outcome] = []
    missing: dict[str, MissingExtraError] = {}
    with progress("running", total=len(apps)) as bar:
        for each in apps:
            bar.update(bar.task_ids[0], description=f"running {each}")
            chat: Chat = Endpoint(model, base_url) if model else Recorded()
            try:
                outcomes.append(run(each, chat, judging))
            except MissingExtraError as error:
                missing[each] = error
            bar.advance(bar.task_ids[0])
    if not outcomes:
        raise next(iter(missing.values()))
    lines = {each: f'pip install "trail-callbacks[{why.extra}]"' for each, why in missing.items()}
    return DemoRun(tuple(outcomes), lines, model or "recorded")
