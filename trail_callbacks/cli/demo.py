"""`trail demo`: what the package does, on a recorded run or on a small app."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.text import Text

from trail_callbacks.cli.options import Html, Json, JudgeName, Open, judge_of, option
from trail_callbacks.cli.output import deliver, progress, write_page
from trail_callbacks.cli.store import serve_demo
from trail_callbacks.demo.runner import APPS, RECORDED, run
from trail_callbacks.errors import InputError
from trail_callbacks.render.excerpt import plain
from trail_callbacks.render.terminal import to_rich

_HOW = {
    True: "The app was recorded once, with errors planted in what its model wrote. The judge is real.",
    False: "What the model writes is recorded, with planted errors. The app, its steps and the judge are real.",
}


def demo(
    *,
    app: Annotated[
        str, typer.Argument(metavar="APP", help="Run this app instead: langchain, langgraph or llama-index.")
    ] = RECORDED,
    judge: JudgeName = None,
    html: Html = None,
    open_: Open = False,
    served: Annotated[
        bool, option(None, "Instead, show 30 days of played traffic with two rollouts in a browser.", "--serve")
    ] = False,
    as_json: Json = False,
) -> None:
    """Shows what the package does: a run of an app is judged, and its made-up claims are traced to their steps.

    The run was recorded, so that nothing but this package is needed, no model and no key. With APP, one of three small
    apps runs here; it needs its framework.
    """
    if served:
        serve_demo()
        return
    if app not in APPS:
        raise InputError(f"APP is {plain(app)}, expected {', '.join(list(APPS)[1:])}, or nothing")
    asked = judge_of(judge)
    title, question = APPS[app]
    with progress(f"judging with {asked.name}"):
        found = run(app, asked)
    report = found.report
    data = {
        "app": app,
        "title": title,
        "question": question,
        "planted": [each._asdict() for each in found.planted],
        "planted_found": len(found.found),
        "false_alarms": found.false_alarms,
        "undecided": len(report.undecided),
        "report": json.loads(report.to_json()),
    }
    count = f"Flagged without one: {found.false_alarms}; left undecided: {len(report.undecided)}"
    views = [
        Text(title, style="bold"),
        Text(_HOW[app == RECORDED], style="yellow"),
        f"\nquestion: {question}\n",
        to_rich(report),
        f"\nOf {len(found.planted)} planted errors {len(found.found)} were found. {count}.",
        *write_page(report, html, opened=open_),
        *([] if html or open_ else ["See it as a page: trail demo --open. Test what is installed: trail doctor"]),
    ]
    deliver(data, views, as_json=as_json)
