"""The demo on the screen: for each app its graph, its claims and its score."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.rule import Rule
from rich.text import Text

from trail_callbacks.cli.output import progress
from trail_callbacks.demo.chat import Chat, Endpoint, Recorded
from trail_callbacks.demo.runner import SCENES, Outcome, run
from trail_callbacks.errors import InputError, MissingExtraError
from trail_callbacks.judges.resolve import resolve
from trail_callbacks.render.provenance import graph_to_rich
from trail_callbacks.render.safe_text import plain
from trail_callbacks.render.terminal import to_rich

__all__ = ["Performance", "perform"]

_PLAYED = (
    "The model is played: recorded completions with errors planted on purpose. "
    "The app, its steps and the judge are real."
)


@dataclass(frozen=True, slots=True)
class Performance:
    """What was shown.

    Attributes:
        outcomes: The apps that ran.
        missing: The pip lines for the others, by app.
        model: Who wrote.
    """

    outcomes: tuple[Outcome, ...]
    missing: dict[str, str]
    model: str

    def as_json(self) -> dict[str, Any]:
        """One JSON-safe object."""
        return {
            "model": self.model,
            "apps": [
                {
                    "app": each.app,
                    "title": each.scene.title,
                    "question": each.scene.question,
                    "recorded": each.recorded,
                    "planted": [dict(planted) for planted in each.planted],
                    "planted_found": len(each.found),
                    "false_alarms": each.false_alarms,
                    "report": json.loads(each.report.to_json()),
                }
                for each in self.outcomes
            ],
            "missing": self.missing,
        }

    def views(self) -> Iterator[Any]:
        """What to print, for rich."""
        for number, each in enumerate(self.outcomes, 1):
            count = f"{number} of {len(self.outcomes)}  " if len(self.outcomes) > 1 else ""
            yield Rule(Text(f"{count}{each.scene.title}", style="bold"), align="left")
            yield Text(_PLAYED if each.recorded else f"The model is {plain(self.model)}.", style="yellow")
            yield Text("\nWhere each text came from", style="bold")
            yield graph_to_rich(each.report.graph)
            yield Text("\nWhat the judge says about each claim", style="bold")
            yield to_rich(each.report)
            if each.recorded:
                found = f"Planted errors found: {len(each.found)} of {len(each.planted)}"
                yield Text(f"\n{found}; false alarms: {each.false_alarms}.")
            yield Text("")
        for app, why in self.missing.items():
            yield Text(f"{app} is not installed:\n  {why}", style="dim")


def perform(app: str, model: str | None, base_url: str | None, judge: str | None) -> Performance:
    """Runs one app of the demo, or all.

    Raises:
        InputError: If the app is unknown, or an endpoint is named without a model.
        MissingExtraError: If nothing that was asked for is installed.
        JudgeError: If the model or the judge cannot be used.
    """
    if app != "all" and app not in SCENES:
        raise InputError(f"--app is {plain(app)}, expected {', '.join(SCENES)} or all")
    if base_url and not model and not judge:
        raise InputError("--base-url needs --model, the name of a model that is served there")
    apps = list(SCENES) if app == "all" else [app]
    judging = resolve(judge, base_url=base_url if judge and "/" in judge else None)
    outcomes: list[Outcome] = []
    missing: dict[str, MissingExtraError] = {}
    with progress("playing", total=len(apps)) as bar:
        for each in apps:
            bar.update(bar.task_ids[0], description=f"playing {each}")
            chat: Chat = Endpoint(model, base_url) if model else Recorded()
            try:
                outcomes.append(run(each, chat, judging))
            except MissingExtraError as error:
                missing[each] = error
            bar.advance(bar.task_ids[0])
    if not outcomes:
        raise next(iter(missing.values()))
    lines = {each: f'pip install "trail-callbacks[{why.extra}]"' for each, why in missing.items()}
    return Performance(tuple(outcomes), lines, model or "recorded")
