"""`trail bench`: judges measured side by side on labelled answers."""

from __future__ import annotations

from typing import Annotated

import typer

from trail_callbacks.cli.bench_show import show
from trail_callbacks.cli.options import Words, option
from trail_callbacks.errors import InputError

bench = typer.Typer(
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Measures judges side by side on labelled answers.",
)


@bench.callback()
def _measure(
    ctx: typer.Context,
    *,
    judges: Annotated[Words, option("JUDGE", "A judge to measure; may be repeated.", "--judge")] = None,
) -> None:
    """Measures judges side by side on labelled answers."""
    if ctx.invoked_subcommand is not None:
        return
    if not judges:
        raise InputError("no judge is named: --judge local, for example; may be repeated")


bench.command()(show)
# Further commands stand here, each from a module of its own: bench.command()(cascade)
