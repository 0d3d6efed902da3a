"""What a canary run asks: probes, strategies and arms, and all that may change an answer or what it is found to be."""

from __future__ import annotations

import inspect
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, TypeAlias

from trail_callbacks.canary.arm import ARMS, Arm, Strategy
from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.probe import Probe
from trail_callbacks.errors import InputError

__all__ = ["Cell", "Plan", "named"]

Cell: TypeAlias = tuple[int, int, int]
"""Numbers of strategy, probe and arm in the plan, from 0."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is asked, in which order. Two runs of the same plan are one.

    Attributes:
        probes: The probes; ids are unique.
        strategies: The strategies; names are unique.
        arms: The arms, in the order of `ARMS`.
        app: Name of the app.
        judge: Name of the model that reads what code is in doubt of; None without one.
        release: The release of this package.
        settings: What else the run is made with; JSON-like.
        skipped: Probes that were not asked, and why.
    """

    probes: Sequence[Probe]
    strategies: Sequence[Strategy]
    arms: Sequence[Arm]
    app: str
    judge: str | None
    release: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    skipped: Sequence[Skipped] = ()

    def __post_init__(self) -> None:
        """Checks that there is something to ask, and one name for each thing."""
        if not self.probes:
            raise InputError("there are no probes: nothing to ask")
        _unique("probe", [probe.id for probe in self.probes])
        _unique("strategy", [strategy.name for strategy in self.strategies])
        wrong = [arm for arm in self.arms if arm not in ARMS]
        if wrong or not self.arms:
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
        """Yields numbers of strategy, probe and arm as they are to be asked.

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

    def as_data(self) -> dict[str, Any]:
        """All but the probes, JSON-like."""
        return {
            "strategies": [[each.name, dict(each.parameters)] for each in self.strategies],
            "arms": list(self.arms),
            "app": self.app,
            "judge": self.judge,
            "release": self.release,
            "settings": dict(self.settings),
            "skipped": [[each.place, each.why] for each in self.skipped],
        }

    @classmethod
    def of_data(cls, data: Mapping[str, Any], probes: Sequence[Probe]) -> Plan:
        """Reads what `as_data` gives; may raise KeyError, TypeError or ValueError."""
        return cls(
            probes=probes,
            strategies=[Strategy(name, parameters) for name, parameters in data["strategies"]],
            arms=data["arms"],
            app=data["app"],
            judge=data["judge"],
            release=data["release"],
            settings=data["settings"],
            skipped=[Skipped(*each) for each in data["skipped"]],
        )

    def differences(self, other: Plan) -> list[str]:
        """Says in which points another plan differs, so that its answers do not belong to this one's."""
        found = _different_probes(self.probes, other.probes)
        old, new = ({**_plain(plan.as_data()), **_plain(dict(plan.settings), "settings.")} for plan in (self, other))
        for name in sorted({*old, *new} - {"settings", "skipped"}):
            before, now = (_shown(each.get(name)) for each in (old, new))
            if old.get(name) != new.get(name):
                found.append(f"{name} was {before}, now {now}" if before != now else f"{name} differs")
        return found


def named(app: Any) -> str:
    """What an app is known by, the same in each process: its `name`, or where it is defined."""
    while isinstance(app, partial):
        app = app.func
    name = getattr(app, "name", None)
    if isinstance(name, str) and name:
        return name
    owner = app if inspect.isroutine(app) else type(app)
    return f"{owner.__module__}.{owner.__qualname__}"


def _unique(what: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"the {what} {name!r} is there twice: each needs a name of its own")
        seen.add(name)


def _different_probes(old: Sequence[Probe], new: Sequence[Probe]) -> list[str]:
    if list(old) == list(new):
        return []
    before, now = ({each.id: _plain(asdict(each)) for each in probes} for probes in (old, new))
    if list(before.items()) == list(now.items()):  # lists for tuples
        return []
    counts = {
        "added": len(now.keys() - before.keys()),
        "removed": len(before.keys() - now.keys()),
        "changed": sum(before[id_] != now[id_] for id_ in before.keys() & now.keys()),
    }
    words = ", ".join(f"{n} {how}" for how, n in counts.items() if n)
    return [f"other probes: {words or 'in another order'}"]


def _plain(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """As it is read back: tuples as lists, without what JSON does not tell apart."""
    return {f"{prefix}{name}": value for name, value in json.loads(json.dumps(data)).items()}


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}..."  # noqa: PLR2004 - fits into a line
