"""Trials that show each outcome, with the report of that very run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.results import Run
from trail_callbacks.canary.trial import OUTCOMES, Outcome, Trial
from trail_callbacks.errors import ReportError
from trail_callbacks.report import Report

__all__ = ["Example", "examples"]

_FIRST: Final[Mapping[Arm, int]] = {"fictive": 0, "real": 1, "empty": 2, "closed_book": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A trial to show.

    Attributes:
        probe: Its probe.
        trial: The trial.
        report: The judged run; None if the app records none, or it cannot be read.
        missing: Why it cannot be read; empty otherwise.
    """

    probe: Probe
    trial: Trial
    report: Report | None = None
    missing: str = ""


def examples(run: Run, most: int = 3) -> dict[Outcome, list[Example]]:
    """Chooses examples of each outcome that occurs: of the fictive arm first, of different strategies and kinds.

    Args:
        run: The run.
        most: Examples of one outcome, at most.
    """
    by_outcome: dict[Outcome, list[Trial]] = {outcome: [] for outcome in OUTCOMES}
    for trial in run.trials:
        by_outcome[trial.finding.outcome].append(trial)
    return {
        outcome: [_example(run, trial) for trial in _chosen(run, trials, most)]
        for outcome, trials in by_outcome.items()
        if trials
    }


def _chosen(run: Run, trials: Sequence[Trial], most: int) -> list[Trial]:
    chosen: list[Trial] = []
    strategies: Counter[str] = Counter()
    kinds: Counter[str | None] = Counter()
    left = list(trials)
    while left and len(chosen) < most:
        best = min(
            left,
            key=lambda trial: (
                trial.report is None,
                _FIRST[trial.arm],
                strategies[trial.strategy],
                kinds[run.probes[trial.probe].kind],
            ),
        )
        left.remove(best)
        chosen.append(best)
        strategies[best.strategy] += 1
        kinds[run.probes[best.probe].kind] += 1
    return chosen


def _example(run: Run, trial: Trial) -> Example:
    probe = run.probes[trial.probe]
    if trial.report is None:
        return Example(probe=probe, trial=trial)
    if run.folder is None:
        return Example(probe=probe, trial=trial, missing="the run has no folder")
    try:
        path = _inside(run.folder, trial.report)
        report = Report.from_json(path.read_bytes(), lenient=True)
    except (OSError, ValueError, ReportError) as error:
        return Example(probe=probe, trial=trial, missing=f"its report cannot be read: {error}")
    return Example(probe=probe, trial=trial, report=report)


def _inside(folder: Path, name: str) -> Path:
    """A file of the run; a journal may be another's, and must not make us read what lies elsewhere."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ValueError("it is not in the folder of the run")
    return path
