"""The commands of `trail`, in one table: each is imported when it is called, so that no help waits for all of them."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

_COMMANDS = {  # where it is, and what it does
    "demo": ("demo", "Shows what the package does, on a recorded run: offline, without a key."),
    "doctor": ("doctor", "Tests what is installed here: is a made-up claim found?"),
    "check": ("check", "Judges an answer by its sources, or recorded runs."),
    "estimate": ("check", "Says what a check would cost, without calling a model."),
    "show": ("reports", "Shows a saved report, also as a page, or recorded runs."),
    "export": ("reports", "Converts saved reports for other programs."),
    "audit": ("audit", "Judges many recorded answers, within a budget."),
    "gate": ("gate", "Decides whether a release may replace the one before."),
    "bench": ("bench", "Measures judges side by side on labelled answers."),
    "calibrate": ("calibrate", "Compares a judge's verdicts with what people marked."),
    "encoder": ("encoder", "Gets models that judge on this machine."),
    "store": ("store", "Looks after a store of judged runs."),
    "serve": ("store", "Shows a store in the browser."),
    "alerts": ("alerts", "Says which stage burns its error budget, and where to look first."),
    "canary": ("canary", "Asks an app about changed facts: does it read, or remember?"),
}
_SETTINGS: dict[str, Any] = {"add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": None}


class _Commands(TyperGroup):
    """The table as a group of commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(_COMMANDS)  # type: ignore[assignment]  # their names are looked through

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - typer gives it
        """Imports a command."""
        if cmd_name not in _COMMANDS:
            return None
        found = getattr(import_module(f"trail_callbacks.cli.{_COMMANDS[cmd_name][0]}"), cmd_name)
        if not isinstance(found, typer.Typer):
            function, found = found, typer.Typer(**_SETTINGS)
            found.command(cmd_name)(function)
        return typer.main.get_command(found)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - typer gives it
        """Writes the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in _COMMANDS.items()])


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Finds which sentences of an answer are made up, and which step of an app made them up.",
    **_SETTINGS,
)


@app.callback()
def _options(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    """Options before a command."""
