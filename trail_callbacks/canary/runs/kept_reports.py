"""Reports of an app's answers, of which a run keeps a few of each sort as examples."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.trial import Outcome, Trial
from trail_callbacks.files import write
from trail_callbacks.report import Report

__all__ = ["KeptReports"]

_FOLDER = "reports"


class KeptReports:
    """Writes the first reports of each strategy, arm and outcome into the folder `reports` of a run.

    By arm, too: a leak is of interest under the fictive context, and would find no room behind those without any.

    Args:
        folder: The folder of the run.
        most: How many of each.
    """

    def __init__(self, folder: Path, most: int) -> None:
        self._folder, self._most = folder, most
        self._counts: Counter[tuple[str, Arm, Outcome]] = Counter()

    def count(self, trial: Trial) -> None:
        """Takes note of a report that is there already."""
        if trial.report is not None:
            self._counts[_sort(trial)] += 1

    def put(self, cell: tuple[int, int, int], trial: Trial, report: Report) -> str | None:
        """Writes a report, if there is room for its sort.

        Returns:
            Its file, relative to the folder; None if it was not written.

        Raises:
            InputError: If it cannot be written, ReportError included.
        """
        if self._counts[_sort(trial)] >= self._most:
            return None
        name = f"{_FOLDER}/{cell[0]}-{cell[1]}-{trial.arm}.json"
        (self._folder / _FOLDER).mkdir(mode=0o700, exist_ok=True)
        write(str(self._folder / name), report.to_json())
        self._counts[_sort(trial)] += 1
        return name


def _sort(trial: Trial) -> tuple[str, Arm, Outcome]:
    return trial.strategy, trial.arm, trial.finding.outcome
