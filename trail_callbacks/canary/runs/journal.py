"""A canary run on disk: its plan, its trials and what was left out, written by one process and read by any."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Final, NamedTuple

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.runs.plan import Cell, Plan
from trail_callbacks.canary.saved import of_data, to_data
from trail_callbacks.canary.trial import Run, Trial
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report
from trail_callbacks.work.journal import Journal, reading, results_of

_FILE: Final = "canary.sqlite"
_FORM: Final = "trail-canary-3"
_WHAT: Final = "canary run"
_RUNNING: Final = "it is still running, or its process was killed"
_REPORTS: Final = 5  # of each strategy, arm and outcome: a leak is of interest under the fictive context above all


class Known(NamedTuple):
    """A trial that is written down: its place in the plan, and the name of the model that decided, None if code did."""

    cell: Cell
    trial: Trial
    judge: str | None


class CanaryJournal(Journal):
    """Keeps the trials of one plan, and a few reports of each sort.

    Args:
        folder: The folder of the run; made if it does not exist.
        plan: What is asked.

    Attributes:
        plan: As given.
        before: The release that made the run so far.

    Raises:
        InputError: If another process writes there, the folder holds something else or another run (says what differs),
            or a file cannot be written or read.
    """

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.plan, self._folder = plan, folder
        self._reports: Counter[tuple[str, ...]] = Counter()
        _take(folder)
        super().__init__(folder / _FILE, _FORM, _WHAT, readers=True)
        try:
            with self.told():
                told = {"settings": {}, "skipped": [], **to_data(plan)}
                if "probes" not in self.about:
                    self.tell(**told, repeated=0)
                was = _plan_of(self.about)
                _require_same(was, plan, folder)
                self.before, repeated = was.release, self.about["repeated"] + self.lost
                self.tell(**told, repeated=repeated, notes=[], stopped=_RUNNING)
            self.commit(self.spent)
        except BaseException:
            self.close()
            raise

    def known(self) -> list[Known]:
        """Returns what is written down, by strategy, probe and arm."""
        with self.told():
            found = _known(self.db, self.plan)
        self._reports.update(_sort(each.trial) for each in found if each.trial.report is not None)
        return found

    def put(self, cell: Cell, trial: Trial, judge: str | None = None) -> None:
        """Writes down a trial, in place of what was there."""
        self.keep(key_of(cell), judge, json.dumps(to_data(trial)))

    def note(self, place: str, why: str) -> None:
        """Writes down something that was left out, each place once."""
        if place not in dict(self.about["notes"]):
            self.tell(notes=[*self.about["notes"], [place, why]])

    def report(self, cell: Cell, trial: Trial, report: Report) -> str | None:
        """Writes a report, if there is room for its sort; returns its file, relative to the folder.

        Raises:
            InputError: If it cannot be written.
        """
        if self._reports[_sort(trial)] >= _REPORTS:
            return None
        name = f"reports/{cell[0]}-{cell[1]}-{trial.arm}.json"
        (self._folder / "reports").mkdir(mode=0o700, exist_ok=True)
        write(str(self._folder / name), report.to_json())
        self._reports[_sort(trial)] += 1
        return name


def load_run(folder: str | Path) -> Run:
    """Reads a run, finished or not, also while another process goes on with it.

    Raises:
        InputError: If there is none, or it is damaged: says where.
    """
    path = Path(folder)
    with reading(path / _FILE, _FORM, _WHAT) as (db, about):
        plan = _plan_of(about)
        calls, prompt, completion = about["spent"]
        return Run(
            probes={probe.id: probe for probe in plan.probes},
            strategies={strategy.name: strategy for strategy in plan.strategies},
            arms=plan.arms,
            trials=tuple(each.trial for each in _known(db, plan)),
            skipped=(*plan.skipped, *(Skipped(*each) for each in about["notes"])),
            settings={"app": plan.app, "judge": plan.judge, "release": plan.release, **plan.settings},
            stopped=about["stopped"],
            folder=path,
            repeated=about["repeated"],
            spent=Usage(calls=calls, prompt_tokens=prompt, completion_tokens=completion),
        )


def key_of(cell: Cell) -> str:
    """What a trial is kept under."""
    return "/".join(map(str, cell))


def _plan_of(about: Mapping[str, Any]) -> Plan:
    return of_data(Plan, {each.name: about[each.name] for each in fields(Plan)})


def _take(folder: Path) -> None:
    """Makes the folder, if it does not exist; one with other files is left alone."""
    if folder.is_file():
        raise InputError(f"{folder} is a file: name a new folder for the run, or an empty one")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        foreign = [each.name for each in folder.iterdir() if each.suffix != ".lock"]
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror or error}") from error
    if foreign and _FILE not in foreign:
        raise InputError(f"{folder} holds other files: name a new folder for the run, or an empty one")


def _require_same(was: Plan, now: Plan, folder: Path) -> None:
    if differences := was.differences(now):
        raise InputError(
            f"{folder} holds another canary run ({'; '.join(differences)}): name a new folder, or give the same "
            "settings to go on with that one"
        )


def _sort(trial: Trial) -> tuple[str, ...]:
    return trial.strategy, trial.arm, trial.finding.outcome


def _known(db: Connection, plan: Plan) -> list[Known]:
    found = []
    for each in results_of(db):
        strategy, probe, arm = map(int, each.key.split("/"))
        trial = of_data(Trial, json.loads(each.data))
        names = (plan.strategies[strategy].name, plan.probes[probe].id, plan.arms[arm])
        if names != (trial.strategy, trial.probe, trial.arm):
            raise ValueError(f"trial {each.key} is of {trial.probe}")
        found.append(Known((strategy, probe, arm), trial, each.mark))
    return sorted(found, key=lambda each: each.cell)
