"""A canary run on disk: its plan, its trials and what was left out, written by one process and read by any."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Final, NamedTuple

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.results import Run
from trail_callbacks.canary.runs.plan import Cell, Plan
from trail_callbacks.canary.trial import OUTCOMES, Finding, Outcome, Trial
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report
from trail_callbacks.work.journal import Journal, Result, reading, results_of

__all__ = ["CanaryJournal", "Known", "load_run", "stored_plan"]

_FILE: Final = "canary.sqlite"
_FORM: Final = "trail-canary-2"
_WHAT: Final = "canary run"
_RUNNING: Final = "it is still running, or its process was killed"
_REPORTS: Final = "reports"


class Known(NamedTuple):
    """A trial that is written down.

    Attributes:
        cell: Its place in the plan.
        trial: The trial.
        judge: Name of the model that was asked about it and answered; None if code alone looked at it.
    """

    cell: Cell
    trial: Trial
    judge: str | None


class CanaryJournal(Journal):
    """Keeps the trials of one plan, and a few reports of each sort.

    Args:
        folder: The folder of the run; made if it does not exist.
        plan: What is asked.
        keep_reports: How many reports are kept for each strategy, arm and outcome. By arm, too: a leak is of interest
            under the fictive context, and would find no room behind those without any.
        asks: The app is asked, so that what could not be asked before may be now.

    Attributes:
        folder: As given.
        plan: As given.
        stopped: Why the command before ended; None if all was asked.

    Raises:
        InputError: If another process writes there, the folder holds something else or another run (says what differs),
            or a file cannot be written or read.
    """

    def __init__(self, folder: Path, plan: Plan, *, keep_reports: int = 0, asks: bool = True) -> None:
        self.folder, self.plan = folder, plan
        self._most, self._counts = keep_reports, Counter[tuple[str, Arm, Outcome]]()
        _take(folder)
        super().__init__(folder / _FILE, _FORM, _WHAT, readers=True)
        try:
            with self.told():
                if "probes" not in self.about:
                    probes = [_data_of(each) for each in plan.probes]
                    self.tell(**plan.as_data(), probes=probes, repeated=0, without={}, notes=[], stopped=_RUNNING)
                _require_same(_plan_of(self.about), plan, folder, asks=asks)
                self.stopped: str | None = self.about["stopped"]
                self.tell(**plan.as_data(), repeated=self.about["repeated"] + self.lost, stopped=_RUNNING)
            if asks:
                self.tell(without={}, notes=[])
            self.commit(self.spent)
        except BaseException:
            self.close()
            raise

    def known(self) -> list[Known]:
        """Returns what is written down, by strategy, probe and arm."""
        with self.told():
            found = _trials(results_of(self.db), self.plan)
        for each in found:
            self._counts[_sort(each.trial)] += each.trial.report is not None
        return found

    def put(self, cell: Cell, trial: Trial, judge: str | None = None) -> None:
        """Writes down a trial, in place of what was there."""
        self.keep(_key(cell), judge, json.dumps(_data_of(trial)))

    def cannot(self, cell: Cell, why: str) -> None:
        """Writes down that a strategy cannot be asked under an arm."""
        self.give_up(_key(cell))
        self.tell(without={**self.about["without"], f"{cell[0]}/{cell[2]}": why})

    def ask(self, cell: Cell) -> None:
        """Notes that a question is about to be asked."""
        self.begin(_key(cell))

    def note(self, place: str, why: str) -> None:
        """Writes down something else that was left out, each place once."""
        if place not in [each for each, _ in self.about["notes"]]:
            self.tell(notes=[*self.about["notes"], [place, why]])

    def report(self, cell: Cell, trial: Trial, report: Report) -> str | None:
        """Writes a report, if there is room for its sort; returns its file, relative to the folder.

        Raises:
            InputError: If it cannot be written, ReportError included.
        """
        if self._counts[_sort(trial)] >= self._most:
            return None
        name = f"{_REPORTS}/{cell[0]}-{cell[1]}-{trial.arm}.json"
        (self.folder / _REPORTS).mkdir(mode=0o700, exist_ok=True)
        write(str(self.folder / name), report.to_json())
        self._counts[_sort(trial)] += 1
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
        without = [tuple(map(int, key.split("/"))) for key in sorted(about["without"])]
        unasked = [
            Skipped(f"{plan.arms[arm]} of {plan.strategies[strategy].name}", about["without"][f"{strategy}/{arm}"])
            for strategy, arm in without
        ]
        return Run(
            probes={probe.id: probe for probe in plan.probes},
            strategies={strategy.name: strategy for strategy in plan.strategies},
            arms=plan.arms,
            trials=tuple(each.trial for each in _trials(results_of(db), plan)),
            skipped=(*plan.skipped, *unasked, *(Skipped(*each) for each in about["notes"])),
            settings={"app": plan.app, "judge": plan.judge, "release": plan.release, **plan.settings},
            stopped=about["stopped"],
            folder=path,
            repeated=about["repeated"],
            spent=Usage(calls=calls, prompt_tokens=prompt, completion_tokens=completion),
        )


def stored_plan(folder: Path) -> Plan:
    """Reads what a run asks; raises as `load_run`."""
    with reading(folder / _FILE, _FORM, _WHAT) as (_, about):
        return _plan_of(about)


def _plan_of(about: Mapping[str, Any]) -> Plan:
    probes = []
    for each in about["probes"]:
        values: dict[str, Any] = {name: tuple(item) if isinstance(item, list) else item for name, item in each.items()}
        probes.append(Probe(**values))
    return Plan.of_data(about, probes)


def _take(folder: Path) -> None:
    """Makes the folder, if it does not exist; one with other files is left alone."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: name a new folder for the run, or an empty one")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        foreign = [each.name for each in folder.iterdir() if each.suffix != ".lock"]
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror or error}") from error
    if foreign and not (folder / _FILE).exists():
        raise InputError(f"{folder} holds other files: name a new folder for the run, or an empty one")


def _require_same(before: Plan, now: Plan, folder: Path, *, asks: bool) -> None:
    differences = before.differences(now)
    scored = all(each.startswith(("judge ", "release ")) for each in differences)
    if differences and (asks or not scored):
        raise InputError(
            f"{folder} holds another canary run ({'; '.join(differences)}): "
            "name a new folder, or give the same settings to go on with that one"
            + ("; `rescore` takes another judge or release for the answers that are there" if scored else "")
        )


def _key(cell: Cell) -> str:
    return "/".join(map(str, cell))


def _sort(trial: Trial) -> tuple[str, Arm, Outcome]:
    return trial.strategy, trial.arm, trial.finding.outcome


def _data_of(value: Probe | Trial | Finding | Usage) -> dict[str, Any]:
    """The fields of a value, JSON-like; without those at their default."""
    found = {}
    for each in fields(value):
        item = getattr(value, each.name)
        default = each.default if each.default_factory is MISSING else each.default_factory()
        if item != default:
            if each.name == "dropped":
                item = [[one.place, one.why] for one in item]
            found[each.name] = _data_of(item) if isinstance(item, Finding | Usage) else item
    return found


def _trials(results: Iterable[Result], plan: Plan) -> list[Known]:
    return sorted(_known(results, plan), key=lambda each: each.cell)


def _known(results: Iterable[Result], plan: Plan) -> Iterator[Known]:
    for each in results:
        strategy, probe, arm = map(int, each.key.split("/"))
        data = json.loads(each.data)
        finding = {**data["finding"], "states": tuple(data["finding"].get("states", ()))}
        made = {
            "finding": Finding(**finding),
            "dropped": tuple(Skipped(*one) for one in data.get("dropped", ())),
            "usage": Usage(**data.get("usage", {})),
        }
        trial = Trial(**{**data, **made})
        names = (plan.strategies[strategy].name, plan.probes[probe].id, plan.arms[arm])
        if names != (trial.strategy, trial.probe, trial.arm) or trial.finding.outcome not in OUTCOMES:
            raise ValueError(f"trial {each.key} is of {trial.probe}, {trial.finding.outcome}")
        yield Known((strategy, probe, arm), trial, each.mark)
