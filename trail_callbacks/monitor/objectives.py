"""Objectives: which share of runs is to be good, for which runs, and who is called when. Data, read from TOML."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from trail_callbacks.errors import InputError
from trail_callbacks.monitor.observation import SIGNALS, Signal, SignalName

Severity: TypeAlias = Literal["page", "ticket"]
Stage: TypeAlias = Literal["query", "retrieval", "ranking", "generation", "citations", "evaluator"]

STAGES: tuple[Stage, ...] = get_args(Stage)
"""Stages in the order of the evidence path. The evaluator is on none: it is never a cause of bad runs."""

ANY = "*"
"""As the value of a segment: each of its values by itself."""

MINUTE, HOUR, DAY = 60, 3_600, 86_400
QUIET = (*(MINUTE * 15 * 2**n for n in range(7)), DAY)
"""Times without a run that say, the shortest one in which `minimum` runs usually come, that traffic has stopped."""

_UNITS = {"s": 1, "m": MINUTE, "h": HOUR, "d": DAY}
_STAGE: Mapping[SignalName, Stage] = {
    "query_coverage": "retrieval",
    "evidence_overlap": "ranking",
    "citation_presence": "citations",
    "citation_coverage": "citations",
    "undecided": "evaluator",
}  # the others: generation, abstention too, where it shows
_LIKELY = 0.5  # a share of bad runs that nobody waits for
_LEAST = 5
_LAG = 5 * MINUTE
_NAME = 100  # characters of a name
_LAGS = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([smhd])\s*")
_HEADING = re.compile(r"^[ \t]*\[\[[ \t]*objective[ \t]*\]\]", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnRate:
    """A speed of spending the budget that is worth a call."""

    factor: float  # bad runs as a multiple of the budget, which is 1 - objective
    long: int  # window in which the excess must be beyond doubt, seconds
    short: int  # window in which it must still be there, seconds
    severity: Severity


BURN_RATES = (
    BurnRate(factor=6, long=HOUR, short=5 * MINUTE, severity="page"),
    BurnRate(factor=3, long=6 * HOUR, short=30 * MINUTE, severity="page"),
    BurnRate(factor=1, long=3 * DAY, short=6 * HOUR, severity="ticket"),
)
"""The windows. A factor of 14.4, common for availability, cannot fire where more than 6.9 % may be bad."""


def spoken(seconds: float) -> str:
    """A length of time as Prometheus and objectives write it: 5m, 6h, 3d."""
    whole = round(seconds)
    unit = next(each for each in ("d", "h", "m", "s") if whole >= _UNITS[each] and whole % _UNITS[each] == 0)
    return f"{whole // _UNITS[unit]}{unit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """A share of runs that is to be good."""

    name: str  # its name: letters, digits, `_`, `-` and `.`; unique
    signal: Signal  # what makes a run bad
    objective: float  # share of the decided runs that are to be good, above 0.0 and below 1.0
    stage: Stage  # stage that it watches
    owner: str  # who is called
    named: bool = True  # whether somebody named the owner, or the signal says who it is
    threshold: float | None = None  # overrides the signal's
    # values of segments that its runs have, by name; `ANY` for each value by itself
    segment: Mapping[str, str] = field(default_factory=dict)
    minimum: int = 20  # decided runs that a window must hold before anybody is called
    rates: tuple[BurnRate, ...] = BURN_RATES  # the burn rates

    @property
    def budget(self) -> float:
        """Share of the decided runs that may be bad."""
        return 1.0 - self.objective


@dataclass(frozen=True, slots=True, kw_only=True)
class Objectives:
    """The objectives of an app."""

    # all of them, and `evaluator` for the judge itself if the file has none for `undecided`
    every: tuple[Objective, ...]
    lag: float = _LAG  # seconds that a judge may be late: windows end that long ago

    def __iter__(self) -> Iterator[Objective]:
        return iter(self.every)

    @property
    def ordered(self) -> list[Objective]:
        """All of them, in the order of the evidence path."""
        return sorted(self.every, key=lambda each: STAGES.index(each.stage))


def _seconds(value: Any) -> Any:
    found = _LAGS.fullmatch(value) if isinstance(value, str) else None
    return float(found[1]) * _UNITS[found[2]] if found else value


def _falling(factors: list[float]) -> list[float]:
    if len(factors) != len(BURN_RATES) or sorted(factors, reverse=True) != factors:
        raise ValueError
    return factors


_Text: TypeAlias = Annotated[str, Field(min_length=1, pattern=r"\S")]
_Minimum: TypeAlias = Annotated[int, Field(ge=_LEAST)]
_MINIMUM = f"a whole number of runs, {_LEAST} or more"
_Factors: TypeAlias = Annotated[list[Annotated[float, Field(ge=1)]], AfterValidator(_falling)]
_FACTORS = f"{len(BURN_RATES)} falling numbers from 1, for {', '.join(spoken(each.long) for each in BURN_RATES)}"


class _Table(BaseModel):
    """What a file says; the description of a field is what errors say that it has to be."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class _Row(_Table):
    signal: SignalName = Field(description=f"one of {', '.join(SIGNALS)}")
    objective: float = Field(
        gt=0,
        lt=1,
        description="a number between 0.0 and 1.0, such as 0.95: with 1.0 each bad run breaks it, with 0.0 none does",
    )
    name: str = Field("", pattern=rf"^[A-Za-z0-9][A-Za-z0-9_.-]{{0,{_NAME - 1}}}$",
                      description=f"letters, digits, _, - and ., {_NAME} at most")  # fmt: skip
    stage: Stage | None = Field(None, description=f"one of {', '.join(STAGES)}")
    threshold: float | None = Field(None, gt=0, le=1, description="a number to 1.0, above 0.0: no figure is below it")
    segment: dict[_Text, _Text] = Field({}, description='names and texts, such as { tenant = "acme" }')
    owner: _Text | None = Field(None, description="a text")
    minimum: _Minimum | None = Field(None, description=_MINIMUM)
    factors: _Factors | None = Field(None, description=_FACTORS)


class _File(_Table):
    objective: list[_Row] = Field(
        min_length=1, description="one table or more: add [[objective]] with signal and objective"
    )
    lag: Annotated[float, BeforeValidator(_seconds)] = Field(
        _LAG, ge=0, le=30 * DAY, description='a time of 30 days at most, such as "10m" or "6h"'
    )
    minimum: _Minimum = Field(20, description=_MINIMUM)
    factors: _Factors = Field([each.factor for each in BURN_RATES], description=_FACTORS)


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
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{called} is not TOML: {error}") from error
    lines = [text.count("\n", 0, each.start()) + 1 for each in _HEADING.finditer(text)]

    def at(place: int) -> str:
        line = f", line {lines[place]}" if len(lines) == len(data["objective"]) else ""
        return f"{called}{line}: objective {place + 1}"

    try:
        file = _File.model_validate(data)
    except ValidationError as error:
        found = error.errors()[0]
        where, table, loc = called, data, found["loc"]
        model: type[_Table] = _File
        if len(loc) > 2 and isinstance(loc[1], int):  # noqa: PLR2004 - a field of an objective
            where, table, model, loc = at(loc[1]), data["objective"][loc[1]], _Row, loc[2:]
        raise InputError(f"{where}: {_problem(found['type'], str(loc[0]), table, model)}") from None
    made: dict[str, Objective] = {}
    for place, row in enumerate(file.objective):
        each = _objective(at(place), row, file)
        if each.name in made:
            raise InputError(f"{at(place)}: the name {each.name!r} is taken; give each a name of its own")
        made[each.name] = each
    if not any(each.signal.name == "undecided" for each in made.values()):
        name = "evaluator" if "evaluator" not in made else f"evaluator-{len(made) + 1}"
        made[name] = Objective(
            name=name, signal=SIGNALS["undecided"], objective=0.95, stage="evaluator", owner="evaluator"
        )
    return Objectives(every=tuple(made.values()), lag=file.lag)


def _problem(kind: str, name: str, table: Mapping[str, Any], model: type[_Table]) -> str:
    """What is wrong with a key of a table, and what it has to be."""
    names = list(model.model_fields)
    if kind == "extra_forbidden":
        near = get_close_matches(name, names, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
        return f"unknown key {name!r}; {hint}"
    problem = f"{name} is {table[name]!r}" if name in table else f"{name} is missing"
    return f"{problem}; it has to be {model.model_fields[name].description}"


def _objective(at: str, row: _Row, file: _File) -> Objective:
    signal = SIGNALS[row.signal]
    if row.threshold is not None and signal.threshold is None:
        raise InputError(f"{at}: threshold: a run is bad if {signal.about}, which has no threshold; take it out")
    words = [signal.name, *(re.sub(r"[^A-Za-z0-9_.]+", "_", x) for x in row.segment.values())]
    factors = row.factors or file.factors
    made = Objective(
        name=row.name or "-".join(words)[:_NAME],
        signal=signal,
        objective=row.objective,
        stage=row.stage or _STAGE.get(row.signal, "generation"),
        owner=row.owner or signal.owner,
        named=row.owner is not None,
        threshold=row.threshold,
        segment=row.segment,
        minimum=row.minimum or file.minimum,
        rates=tuple(replace(rate, factor=x) for rate, x in zip(BURN_RATES, factors, strict=True)),
    )
    _can_fire(at, made)
    return made


def _can_fire(at: str, made: Objective) -> None:
    """Refuses what never fires, or so late that everybody knows by then."""
    highest = max(each.factor for each in made.rates)
    if highest * made.budget < _LIKELY:
        return
    never = "that cannot be" if highest * made.budget >= 1 else "by then everybody knows"
    advice = f"raise objective above {1 - _LIKELY / highest:.3g}"
    if made.budget < _LIKELY:
        fitting = max(1.0, int(_LIKELY / made.budget * 10 - 1e-9) / 10)
        factors = ", ".join(f"{each.factor:g}" for each in made.rates)
        advice += f", or give lower factors, the highest at most {fitting:g}, instead of [{factors}]"
    raise InputError(
        f"{at}: a burn rate of {highest:g} at an objective of {made.objective:g} waits until "
        f"{highest * made.budget:.0%} of the runs are bad: {never}; {advice}"
    )
