"""A canary run on disk: what is asked, its trials and what was left out, written by one process and read by any."""

from __future__ import annotations

import inspect
import json
import random
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import product
from math import prod
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Final, NamedTuple, TypeAlias

from pydantic import BaseModel, Field, JsonValue, ValidationError

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.saved import of_data, to_data
from trail_callbacks.canary.trial import ARMS, Arm, Run, Strategy, Trial
from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.models.call import Usage
from trail_callbacks.report import Report
from trail_callbacks.work.journal import Journal, reading, results_of

Cell: TypeAlias = tuple[int, int, int]
"""Numbers of strategy, probe and arm in the plan, from 0."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is asked, in which order. Two runs of the same plan are one."""

    probes: Sequence[Probe]  # the probes; ids are unique
    strategies: Sequence[Strategy]  # the strategies; names are unique
    arms: Sequence[Arm]  # the arms, in the order of `ARMS`
    app: str  # name of the app
    judge: str | None  # name of the model that reads what code is in doubt of; None without one
    release: str  # the release of this package
    settings: Mapping[str, Any] = field(default_factory=dict)  # what else the run is made with; JSON-like
    skipped: Sequence[Skipped] = ()  # probes that were not asked, and why

    def __post_init__(self) -> None:
        """Checks that there is something to ask, and one name for each thing."""
        if not self.probes:
            raise InputError("there are no probes: nothing to ask")
        for what, names in (("probe", (x.id for x in self.probes)), ("strategy", (x.name for x in self.strategies))):
            name, times = Counter(names).most_common(1)[0]
            if times > 1:
                raise InputError(f"the {what} {name!r} is there twice: each needs a name of its own")
        if not self.arms or not set(self.arms) <= set(ARMS):
            raise InputError(f"arms is {list(self.arms)}, expected some of {', '.join(ARMS)}")
        for what, value in [("settings", self.settings), *((s.name, s.parameters) for s in self.strategies)]:
            try:
                json.dumps(dict(value))
            except (TypeError, ValueError) as error:
                raise InputError(f"{what} cannot be written as JSON: {error}") from error

    def __len__(self) -> int:
        return len(self.probes) * len(self.strategies) * len(self.arms)

    def at(self, cell: Cell) -> tuple[Strategy, Probe, Arm]:
        """Returns what a place of the plan means."""
        return self.strategies[cell[0]], self.probes[cell[1]], self.arms[cell[2]]

    def order(self) -> Iterator[Cell]:
        """Yields the places in the order in which they are to be asked.

        Probes are shuffled by the seed, and so is what is asked of one: whatever breaks the run off, what is done is a
        sample of the probes, and pairs are whole.
        """
        chance = random.Random(f"canary:{self.settings.get('seed', 0)}")  # noqa: S311 - an order, no secret
        probes = list(range(len(self.probes)))
        chance.shuffle(probes)
        for probe in probes:
            cells = [(s, probe, a) for s in range(len(self.strategies)) for a in range(len(self.arms))]
            chance.shuffle(cells)
            yield from cells

    def differences(self, now: Plan) -> list[str]:
        """Says in which points another plan differs, so that its answers do not belong to this one's.

        Another release or judge finds anew what the same answers do; only that there was a judge must not be lost.
        """
        old, new = (
            {"judge": None, **to_data(plan), **{f"settings.{name}": value for name, value in plan.settings.items()}}
            for plan in (self, now)
        )
        if now.judge is not None:
            old["judge"] = new["judge"]
        names = (name for name in {**old, **new} if name not in ("release", "skipped", "settings"))
        return [
            f"{name} differ" if name in ("probes", "strategies") else f"{name} was {old.get(name)}, now {new.get(name)}"
            for name in names
            if old.get(name) != new.get(name)
        ]


def named(app: Any) -> str:
    """What an app is known by, the same in each process: its `name`, or where it is defined."""
    while isinstance(app, partial):
        app = app.func
    name = getattr(app, "name", None)
    if isinstance(name, str) and name:
        return name
    owner = app if inspect.isroutine(app) else type(app)
    return f"{owner.__module__}.{owner.__qualname__}"


_MOST = 1000  # strategies
_SHORT = 40  # characters of a value in a name


class _Matrix(BaseModel, extra="forbid"):
    arms: list[Arm] = Field(default=list(ARMS), min_length=1)
    matrix: dict[str, list[JsonValue]] = Field(min_length=1)
    exclude: list[dict[str, JsonValue]] = []


def read_matrix(path: str | Path) -> tuple[Sequence[Strategy], Sequence[Arm]]:
    """Reads the strategies of a file, and its arms, all if it names none.

    Strategies are the product of the `matrix`, without what `exclude` leaves out, and are named by their parameters:
    `chunker=500/100, html=false`.

    Raises:
        InputError: If the file cannot be read, or what it says makes no sense: says what and where.
    """
    try:
        found = _Matrix.model_validate(tomllib.loads(Path(path).read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValidationError as error:
        wrong = error.errors()[0]
        raise InputError(f"{path}, {'.'.join(map(str, wrong['loc']))}: {wrong['msg']}") from error
    except ValueError as error:
        raise InputError(f"{path} is no TOML: {error}") from error
    if (size := prod(map(len, found.matrix.values()))) > _MOST:
        raise InputError(f"{path}, matrix: {size} combinations, expected at most {_MOST}: give fewer values")
    points = [dict(zip(found.matrix, values, strict=True)) for values in product(*found.matrix.values())]
    kept = [each for each in points if not any(_meets(each, rule) for rule in found.exclude)]
    named_by = ((", ".join(f"{name}={_in_short(value)}" for name, value in each.items()), each) for each in kept)
    strategies = {name: Strategy(name, each) for name, each in named_by}
    if not kept or len(strategies) < len(kept):
        raise InputError(f"{path}, matrix: " + ("two combinations are the same" if kept else "nothing is left of it"))
    return tuple(strategies.values()), tuple(arm for arm in ARMS if arm in found.arms)


def _meets(point: Mapping[str, Any], rule: Mapping[str, Any]) -> bool:
    """Whether a combination has all values of a rule; as JSON, since true is not 1."""
    return all(name in point and json.dumps(point[name]) == json.dumps(value) for name, value in rule.items())


def _in_short(value: Any) -> str:
    text = " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split())
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 3]}..."


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
    """Keeps the trials of one plan, and a few reports of each sort."""

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
        """Writes a report, if there is room for its sort; returns its file, relative to the folder."""
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
