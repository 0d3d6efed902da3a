"""`trail demo`: runs the demo apps and shows the graph, the claims and the score of each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from rich.rule import Rule
from rich.text import Text

from trail_callbacks.cli.options import Json, Judge, Output, Word, option
from trail_callbacks.cli.output import deliver, folder, progress
from trail_callbacks.cli.serve import serve_demo
from trail_callbacks.demo.runner import APPS, DemoResult, run
from trail_callbacks.errors import InputError, MissingExtraError
from trail_callbacks.files import write
from trail_callbacks.judges.resolve import resolve
from trail_callbacks.render.excerpt import plain
from trail_callbacks.render.terminal import graph_to_rich, to_rich

_RECORDED = (
    "The model's replies are recorded completions with errors planted on purpose. "
    "The app, its steps and the judge are real."
)


def demo(
    *,
    app: Annotated[str, option("APP", "langchain, langgraph, llama-index or all.")] = "all",
    judge: Judge = None,
    html: Annotated[Word, option("FOLDER", "Also write each report as an HTML page, APP.html.")] = None,
    served: Annotated[
        bool, option(None, "Instead, show 30 days of played traffic with two rollouts in a browser.", "--serve")
    ] = False,
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Runs three small apps, offline with recorded model replies, and traces their made-up claims."""
    if served:
        serve_demo()
        return
    into = folder(html) if html else None
    outcomes, missing = _run(app, judge)
    pages = {str(into / f"{each.app}.html"): each.report for each in outcomes} if into else {}
    for page, report in pages.items():
        write(page, report.to_html())
    data = {"apps": list(map(_as_json, outcomes)), "missing": missing}
    views = (*_views(outcomes, missing), *(f"written to {plain(page)}" for page in pages))
    deliver(data, views, as_json=as_json, output=output)


def _run(app: str, judge: str | None) -> tuple[list[DemoResult], dict[str, str]]:
    """Runs one app of the demo, or all; returns the pip commands for those whose framework is missing, too."""
    if app != "all" and app not in APPS:
        raise InputError(f"--app is {plain(app)}, expected {', '.join(APPS)} or all")
    apps = list(APPS) if app == "all" else [app]
    judging = resolve(judge)
    outcomes: list[DemoResult] = []
    missing: dict[str, MissingExtraError] = {}
    with progress("running", total=len(apps)) as bar:
        for each in apps:
            bar.update(bar.task_ids[0], description=f"running {each}")
            try:
                outcomes.append(run(each, judging))
            except MissingExtraError as error:
                missing[each] = error
            bar.advance(bar.task_ids[0])
    if not outcomes:
        raise next(iter(missing.values()))
    return outcomes, {each: f'pip install "trail-callbacks[{why.extra}]"' for each, why in missing.items()}


def _as_json(each: DemoResult) -> dict[str, Any]:
    return {
        "app": each.app,
        "title": each.details.title,
        "question": each.details.question,
        "planted": [dict(planted) for planted in each.planted],
        "planted_found": len(each.found),
        "false_alarms": each.false_alarms,
        "undecided": each.undecided,
        "report": json.loads(each.report.to_json()),
    }


def _views(outcomes: Sequence[DemoResult], missing: Mapping[str, str]) -> Iterator[Any]:
    for number, each in enumerate(outcomes, 1):
        count = f"{number} of {len(outcomes)}  " if len(outcomes) > 1 else ""
        yield Rule(Text(f"{count}{each.details.title}", style="bold"), align="left")
        yield Text(_RECORDED, style="yellow")
        yield Text("\nWhere each text came from", style="bold")
        yield graph_to_rich(each.report.graph)
        yield Text("\nVerdict on each claim", style="bold")
        yield to_rich(each.report)
        found = f"Planted errors found: {len(each.found)} of {len(each.planted)}"
        undecided = f"; undecided: {each.undecided}" if each.undecided else ""
        yield Text(f"\n{found}; false alarms: {each.false_alarms}{undecided}.")
        yield Text("")
    for app, why in missing.items():
        yield Text(f"{app} is not installed:\n  {why}", style="dim")
