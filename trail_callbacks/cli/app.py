"""The commands of `trail`; the work is done elsewhere."""

from __future__ import annotations

from typing import Annotated

import typer

from trail_callbacks.cli.alerts import alerts
from trail_callbacks.cli.audit import audit
from trail_callbacks.cli.canary import canary
from trail_callbacks.cli.check import check, estimate
from trail_callbacks.cli.demo import demo
from trail_callbacks.cli.doctor import doctor
from trail_callbacks.cli.export import export
from trail_callbacks.cli.gate import gate
from trail_callbacks.cli.serve import serve
from trail_callbacks.cli.show import show
from trail_callbacks.cli.store import store

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Finds which sentences of an answer are made up, and which step of an app made them up.",
)


@app.callback()
def _options(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    """Options before a command."""


for _command in (demo, check, estimate, show, export, audit, gate, serve, doctor):
    app.command()(_command)
app.add_typer(alerts, name="alerts")
app.add_typer(canary, name="canary")
app.add_typer(store, name="store")
