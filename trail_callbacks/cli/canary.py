"""`trail canary`: whether an app answers from its context or from its model's memory."""

from __future__ import annotations

import typer

from trail_callbacks.cli.canary_demo import demo
from trail_callbacks.cli.canary_results import compare, report
from trail_callbacks.cli.canary_run import rescore, run
from trail_callbacks.cli.canary_texts import perturb, probes
from trail_callbacks.cli.canary_watch import watch

__all__ = ["canary"]

canary = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Asks an app about facts that were changed: does it answer from its context, or from memory?",
)

for command in (perturb, probes, run, report, compare, rescore, watch, demo):
    canary.command()(command)
