"""Reads a canary run from its folder, also while it goes on."""

from __future__ import annotations

from pathlib import Path

from trail_callbacks.canary.results import Run
from trail_callbacks.canary.runs.journal import left_out, opened_to_read, trials
from trail_callbacks.models.call import Usage

__all__ = ["load_run"]


def load_run(folder: str | Path) -> Run:
    """Reads a run, finished or not, also while another process goes on with it.

    Raises:
        InputError: If there is none, or it is damaged: says where.
    """
    path = Path(folder)
    with opened_to_read(path) as (db, plan, about):
        calls, prompt, completion = about["spent"]
        return Run(
            probes={probe.id: probe for probe in plan.probes},
            strategies={strategy.name: strategy for strategy in plan.strategies},
            arms=plan.arms,
            trials=tuple(trial for _, trial, _ in trials(db, plan)),
            skipped=(*plan.skipped, *left_out(db, plan)),
            settings={"app": plan.app, "judge": plan.judge, "release": plan.release, **plan.settings},
            stopped=about["stopped"],
            folder=path,
            repeated=about["repeated"],
            spent=Usage(calls=calls, prompt_tokens=prompt, completion_tokens=completion),
        )
