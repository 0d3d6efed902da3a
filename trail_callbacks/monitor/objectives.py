"""Objectives: which share of runs is to be good, for which runs, and who is called. Data, read from TOML."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from trail_callbacks.errors import InputError
from trail_callbacks.monitor.burn import BURN_RATES, DAY, HOUR, MINUTE, BurnRate
from trail_callbacks.monitor.signals import SIGNALS, Signal, SignalName

__all__ = ["ANY", "STAGES", "Objective", "Objectives", "Stage", "parse", "read"]

Stage: TypeAlias = Literal["query", "retrieval", "ranking", "generation", "citations", "evaluator"]

STAGES: tuple[Stage, ...] = get_args(Stage)
"""Stages in the order of the evidence path. The evaluator is on none: it is never a cause of bad runs."""

ANY = "*"
"""As the value of a segment: each of its values by itself."""

_STAGE: Mapping[SignalName, Stage] = {
    "query_coverage": "retrieval",
    "evidence_overlap": "ranking",
    "answer_coverage": "generation",
    "contradiction": "generation",
    "unsupported": "generation",
    "citation_coverage": "citations",
    "abstention": "generation",  # where it shows; those who retrieve are called
    "undecided": "evaluator",
}
_LIKELY = 0.5  # a share of bad runs that nobody waits for
_MINIMUM = 20
_LEAST = 5
_LAG = 5 * MINUTE
_UNITS = {"s": 1, "m": MINUTE, "h": HOUR, "d": DAY}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_LAGS = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd])")
_HEADING = re.compile(r"^[ \t]*\[\[[ \t]*objective[ \t]*\]\]", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """A share of runs that is to be good.

    Attributes:
        name: Its name: letters, digits, `_`, `-` and `.`; unique.
        signal: What makes a run bad.
        objective: Share of the decided runs that are to be good, above 0.0 and below 1.0.
        stage: Stage that it watches.
        owner: Who is called.
        threshold: Overrides the signal's.
        segment: Values of segments that its runs have, by name; `ANY` for each value by itself.
        minimum: Decided runs that a window must hold before anybody is called.
        rates: The burn rates.
    """

    name: str
    signal: Signal
    objective: float
    stage: Stage
    owner: str
    threshold: float | None = None
    segment: Mapping[str, str] = field(default_factory=dict)
    minimum: int = _MINIMUM
    rates: tuple[BurnRate, ...] = BURN_RATES

    @property
    def budget(self) -> float:
        """Share of the decided runs that may be bad."""
        return 1.0 - self.objective


@dataclass(frozen=True, slots=True, kw_only=True)
class Objectives:
    """The objectives of an app.

    Attributes:
        every: All of them, and `evaluator` for the judge itself if the file has none for `undecided`.
        lag: Seconds that a judge may be late: windows end that long ago.
    """

    every: tuple[Objective, ...]
    lag: float = _LAG

    def __iter__(self) -> Iterator[Objective]:
        return iter(self.every)


def read(path: str) -> Objectives:
    """Reads a file of objectives.

    Raises:
        InputError: If it cannot be read or used; says where and what to do.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start}): save it as UTF-8") from error
    return parse(text, path)


def parse(text: str, called: str = "objectives") -> Objectives:
    """Reads objectives from TOML; see `docs/alerts.md`.

    Args:
        text: The TOML.
        called: What errors call it.

    Raises:
        InputError: If it cannot be used; says where and what to do.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{called} is not TOML: {error}") from error
    top = _Table(data, called)
    top.only("objective", "lag", "minimum", "factors")
    lag = top.lag()
    minimum, rates = top.minimum(_MINIMUM), top.factors(BURN_RATES)
    tables = data.get("objective")
    if not isinstance(tables, list) or not tables or not all(isinstance(each, dict) for each in tables):
        raise InputError(f"{called}: there is no objective; add [[objective]] with signal and objective")
    lines = [text.count("\n", 0, each.start()) + 1 for each in _HEADING.finditer(text)]
    found: dict[str, Objective] = {}
    for n, table in enumerate(tables):
        line = f", line {lines[n]}" if len(lines) == len(tables) else ""
        at = _Table(table, f"{called}{line}: objective {n + 1}")
        each = _objective(at, minimum, rates)
        if each.name in found:
            raise at.error(f"the name {each.name!r} is taken; give each a name of its own")
        found[each.name] = each
    if not any(each.signal.name == "undecided" for each in found.values()):
        name = next(each for each in ("evaluator", *(f"evaluator-{n}" for n in range(2, 10**6))) if each not in found)
        found[name] = Objective(
            name=name, signal=SIGNALS["undecided"], objective=0.95, stage="evaluator", owner="evaluator"
        )
    return Objectives(every=tuple(found.values()), lag=lag)


def _objective(at: _Table, minimum: int, rates: tuple[BurnRate, ...]) -> Objective:
    at.only("name", "signal", "stage", "objective", "threshold", "segment", "owner", "minimum", "factors")
    signal = SIGNALS[at.choice("signal", tuple(SIGNALS))]
    objective = at.share("objective")
    if objective is None:
        raise at.error("objective is missing: the share of runs that are to be good, such as 0.95")
    if not 0.0 < objective < 1.0:
        raise at.error(
            f"objective is {objective:g}: with 1.0 each bad run breaks it, with 0.0 none does; take one between, "
            "such as 0.95"
        )
    threshold = at.share("threshold")
    if threshold is not None and signal.threshold is None:
        raise at.error(f"threshold: a run is bad if {signal.about}, which has no threshold; take it out")
    if threshold == 0.0:
        raise at.error("threshold is 0.0: no figure is below it, so that this can never fire; take one above")
    segment = at.segment()
    made = Objective(
        name=at.name(signal.name, segment),
        signal=signal,
        objective=objective,
        stage=at.choice("stage", STAGES, _STAGE[signal.name]),
        owner=at.text("owner") or signal.owner,
        threshold=threshold,
        segment=segment,
        minimum=at.minimum(minimum),
        rates=at.factors(rates),
    )
    _can_fire(at, made)
    return made


def _can_fire(at: _Table, made: Objective) -> None:
    """Refuses what never fires, or so late that everybody knows by then."""
    highest = max(each.factor for each in made.rates)
    if highest * made.budget < _LIKELY:
        return
    factors = [f"{each.factor:g}" for each in made.rates]
    fitting = max(1.0, int(_LIKELY / made.budget * 10 - 1e-9) / 10) if made.budget < _LIKELY else 0.0
    never = "that cannot be" if highest * made.budget >= 1 else "by then everybody knows"
    advice = f"raise objective above {1 - _LIKELY / highest:.3g}"
    if fitting:
        advice += f", or give lower factors, the highest at most {fitting:g}, instead of [{', '.join(factors)}]"
    raise at.error(
        f"a burn rate of {highest:g} at an objective of {made.objective:g} waits until {highest * made.budget:.0%} of "
        f"the runs are bad: {never}; {advice}"
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of the file, and what errors call it."""

    data: Mapping[str, Any]
    called: str

    def error(self, message: str) -> InputError:
        return InputError(f"{self.called}: {message}")

    def only(self, *names: str) -> None:
        for name in self.data:
            if name not in names:
                near = get_close_matches(name, names, 1)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
                raise self.error(f"unknown key {name!r}; {hint}")

    def text(self, name: str) -> str | None:
        value = self.data.get(name)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise self.error(f"{name} is {value!r}; it has to be a text")
        return value

    def choice(self, name: str, among: Sequence[Any], default: Any = None) -> Any:
        value = self.data.get(name, default)
        if value not in among:
            problem = f"{name} is missing" if value is None else f"{name} is {value!r}"
            raise self.error(f"{problem}; it has to be one of {', '.join(among)}")
        return value

    def number(self, name: str, what: str, usable: Callable[[float], bool]) -> float | None:
        value = self.data.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not usable(value):
            raise self.error(f"{name} is {value!r}; it has to be {what}")
        return float(value)

    def share(self, name: str) -> float | None:
        return self.number(name, "a number from 0.0 to 1.0", lambda value: 0 <= value <= 1)

    def minimum(self, default: int) -> int:
        what = f"a whole number of runs, {_LEAST} or more"
        value = self.number("minimum", what, lambda value: value >= _LEAST and value == int(value))
        return default if value is None else int(value)

    def factors(self, default: tuple[BurnRate, ...]) -> tuple[BurnRate, ...]:
        value = self.data.get("factors")
        if value is None:
            return default
        fits = isinstance(value, list) and len(value) == len(default)
        fits = fits and all(
            isinstance(x, int | float) and not isinstance(x, bool) and x >= 1 and isfinite(x) for x in value
        )
        if not fits or sorted(value, reverse=True) != value:
            windows = ", ".join(f"{each.long // HOUR} h" for each in default)
            raise self.error(f"factors is {value!r}; it has to be {len(default)} falling numbers from 1, for {windows}")
        return tuple(replace(rate, factor=float(x)) for rate, x in zip(default, value, strict=True))

    def lag(self) -> float:
        value = self.data.get("lag", _LAG)
        if isinstance(value, str) and (found := _LAGS.fullmatch(value.strip())):
            value = float(found[1]) * _UNITS[found[2]]
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 30 * DAY:
            raise self.error(f'lag is {value!r}; it has to be a time of 30 days at most, such as "10m" or "6h"')
        return float(value)

    def segment(self) -> dict[str, str]:
        value = self.data.get("segment", {})
        if not isinstance(value, dict) or not all(isinstance(x, str) and x for x in (*value, *value.values())):
            raise self.error(f'segment is {value!r}; it has to be names and texts, such as {{ tenant = "acme" }}')
        return dict(value)

    def name(self, signal: str, segment: Mapping[str, str]) -> str:
        given = self.text("name")
        plain = "-".join([signal, *(re.sub(r"[^A-Za-z0-9_.]+", "_", x) for x in segment.values())])[:100]
        name = plain if given is None else given
        if not _NAME.fullmatch(name):
            raise self.error(f"name is {name!r}; it has to be letters, digits, _, - and ., 100 at most")
        return name
