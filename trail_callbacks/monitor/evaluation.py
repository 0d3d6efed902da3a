"""Evaluates objectives at one time: what burns, whose it is, what nobody can tell, and what of it is new."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeAlias

from trail_callbacks.errors import InputError
from trail_callbacks.files import write
from trail_callbacks.monitor.objectives import (
    ANY,
    DAY,
    QUIET,
    STAGES,
    BurnRate,
    Objective,
    Objectives,
    Severity,
    Stage,
    spoken,
)
from trail_callbacks.monitor.observation import Tallies, Tally

AlertState: TypeAlias = Literal["quiet", "too_few", "firing", "held_back", "no_data"]

EXPLAINS = 0.5  # a stage that is bad in half as many runs can be why a later one is; in fewer, it cannot
_ENOUGH = 10  # decided runs of a short window; with fewer, it is widened
_WEEK = 7 * DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """What is said of one objective at one time."""

    id: str  # the objective and its segment: the same from check to check
    objective: str  # name of the objective
    stage: Stage  # stage that it watches
    owner: str  # who is called
    # values of segments of its runs, by name; empty for all runs
    segment: Mapping[str, str] = field(default_factory=dict)
    # `firing`: the budget burns. `no_data`: runs arrive, and the signal is known of none, which calls, too.
    # `held_back`: it burns because a stage before it does, whose owner is called. `too_few`: no window holds enough
    # decided runs. Else `quiet`.
    state: AlertState = "quiet"
    severity: Severity | None = None  # whom it wakes; None if it calls nobody
    window: str = ""  # long window that decided, such as `6h`
    runs: int = 0  # runs observed in it
    decided: int = 0  # runs of it of which the signal is known
    # share of them that is bad, weighted for sampling, 0.0 to 1.0; None without decided runs
    share: float | None = None
    low: float | None = None  # lower end of its 95 % interval; likewise
    burn: float | None = None  # `share` as a multiple of the budget; likewise
    over: bool = False  # whether more runs than allowed were bad in the last hours, be it over or not
    cause: str | None = None  # id of the alert that it is held back for
    why: str = ""  # what happened, in words

    @property
    def incident(self) -> str:
        """What it tells of: segments and signals of one stage burn together, and its owner is called once."""
        return f"{self.owner} {'evaluator' if self.state == 'no_data' else self.stage}"

    @property
    def calls(self) -> bool:
        """Whether somebody is called."""
        return self.severity is not None

    def to_dict(self) -> dict[str, Any]:
        """As JSON objects hold it."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnWindow:
    """What was counted for one burn rate."""

    rate: BurnRate
    long: Tally  # counts of its long window
    short: Tally  # counts of its short window

    @classmethod
    def count(cls, rate: BurnRate, until: float, tally: Callable[[float, float], Tally]) -> BurnWindow:
        """Counts both windows that end at a time.

        The short window is doubled until it holds 10 decided runs or is as long as the long one: a few runs would
        otherwise decide whether an excess is still there.
        """
        long = tally(until - rate.long, until)
        length = rate.short
        short = tally(until - length, until) if long.decided else long
        while short.decided < min(_ENOUGH, long.decided):
            length *= 2
            short = tally(until - length, until) if length < rate.long else long
        return cls(rate=rate, long=long, short=short)

    def exceeds(self, limit: float, minimum: int) -> bool:
        """Whether the bad share is above a limit: surely in the long window, and still in the short one."""
        share = self.short.share
        return self.long.decided >= minimum and self.long.at_least > limit and share is not None and share > limit

    def fires(self, budget: float, minimum: int) -> bool:
        """Whether the budget burns at this rate."""
        return self.exceeds(self.rate.factor * budget, minimum)


@dataclass(frozen=True)
class _Readout:
    """The counts of an objective for one segment, by burn rate, the fastest first; no value of the segment is `ANY`."""

    objective: Objective
    segment: Mapping[str, str]
    windows: tuple[BurnWindow, ...]

    @property
    def id(self) -> str:
        name = self.objective.name
        return f"{name}[{segment_text(self.segment)}]" if ANY in self.objective.segment.values() else name

    @cached_property
    def fired(self) -> BurnWindow | None:
        """The fastest burn rate at which the budget burns."""
        budget, minimum = self.objective.budget, self.objective.minimum
        return next((each for each in self.windows if each.fires(budget, minimum)), None)

    @property
    def over(self) -> bool:
        """Whether more runs are bad than the objective allows, surely and at any speed, in the last hours.

        Where these hold too few runs, the longest window tells.
        """
        enough = [each.long for each in self.windows if each.long.decided >= self.objective.minimum]
        asked = enough[:-1] if len(enough) == len(self.windows) else enough
        return any(each.at_least > self.objective.budget for each in asked)

    @cached_property
    def shown(self) -> BurnWindow:
        """The window that says most: that which fired, else that with the highest burn among those with enough runs."""
        enough = [each for each in self.windows if each.long.decided >= self.objective.minimum]
        return self.fired or max(enough, key=lambda each: each.long.share or 0.0, default=self.windows[-1])

    def explains(self, other: _Readout) -> bool:
        """Whether so many runs are bad at this stage, in the window in which another burns, that they are why."""
        shown = other.shown
        mine = next(each.long for each in self.windows if each.rate.long == shown.rate.long)
        if mine.decided < self.objective.minimum or (mine.share or 0.0) <= self.objective.budget:
            return False
        if self.segment.items() <= other.segment.items():
            return (mine.share or 0.0) >= EXPLAINS * (shown.long.share or 0.0)
        part = other.segment.items() <= self.segment.items()
        return part and mine.bad_weight >= EXPLAINS * shown.long.bad_weight

    def words(self, window: BurnWindow) -> str:
        """What a window shows."""
        share = window.long.share or 0.0
        return (
            f"{share:.1%} of {window.long.decided} runs in {spoken(window.rate.long)} are bad, "
            f"{share / self.objective.budget:.1f} times what an objective of {self.objective.objective:g} allows: "
            f"{self.objective.signal.about}"
        )


def segment_text(segment: Mapping[str, str]) -> str:
    """A segment in words; `all runs` without one."""
    return ", ".join(f"{name}={segment[name]}" for name in sorted(segment)) or "all runs"


def evaluate(
    objectives: Objectives, tallies: Tallies, at: float, segments: Mapping[str, Sequence[str]] | None = None
) -> tuple[Alert, ...]:
    """Evaluates objectives at a time.

    A budget burns if, in a long and a short window, more runs are bad than the burn rate allows: surely in the long
    one, by the lower end of its interval. What burns at a stage because an earlier stage does is held back, and the
    owner of the earlier one is called as urgently.

    Args:
        objectives: The objectives.
        tallies: What counts runs.
        at: The time, seconds since the epoch; windows end `objectives.lag` before it.
        segments: Known values of segments, by name, for objectives on each value.

    Returns:
        One for each objective and segment, in the order of the evidence path.
    """
    until = at - objectives.lag
    readouts = []
    for objective in objectives.ordered:
        for segment in _expanded(objective.segment, segments or {}):
            count = _counting(tallies, objective, segment)
            windows = tuple(BurnWindow.count(rate, until, count) for rate in objective.rates)
            readouts.append(_Readout(objective, segment, windows))
    alerts = {each.id: _alone(each, tallies, until) for each in readouts}
    for each in readouts:
        _hold_back(each, readouts, alerts)
    silent = next((each.id for each in alerts.values() if each.stage == "evaluator" and each.calls), None)
    for id_, alert in alerts.items() if silent else ():  # one call, not one for each signal
        if alert.state == "no_data" and alert.stage != "evaluator":
            alerts[id_] = replace(alert, severity=None, cause=silent, why=f"{alert.why}; see {silent}")
    return tuple(alerts.values())


def _expanded(segment: Mapping[str, str], known: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """A segment for each known value of each name whose value is `ANY`."""
    name = next((name for name, value in segment.items() if value == ANY), None)
    if name is None:
        yield dict(segment)
        return
    for value in known.get(name, ()):
        if value != ANY:
            yield from _expanded({**segment, name: value}, known)


def _counting(tallies: Tallies, objective: Objective, segment: Mapping[str, str]) -> Callable[[float, float], Tally]:
    return lambda since, until: tallies.tally(objective.signal, since, until, segment, objective.threshold)


def _alone(readout: _Readout, tallies: Tallies, until: float) -> Alert:
    """What an objective says without regard to others."""
    objective, fired = readout.objective, readout.fired
    unknown = (each for each in readout.windows if each.long.runs >= objective.minimum and not each.long.decided)
    blind = next(unknown, None) if fired is None else None
    window = blind or readout.shown
    share, enough = window.long.share, window.long.decided >= objective.minimum
    made = Alert(
        id=readout.id,
        objective=objective.name,
        stage=objective.stage,
        owner=objective.owner,
        segment=readout.segment,
        state="quiet" if enough else "too_few",
        window=spoken(window.rate.long),
        runs=window.long.runs,
        decided=window.long.decided,
        share=share,
        low=None if share is None else window.long.at_least,
        burn=None if share is None else share / objective.budget,
        over=readout.over,
    )
    if fired is not None:
        return replace(made, state="firing", severity=fired.rate.severity, why=readout.words(fired))
    if blind is not None:
        slowest = readout.windows[-1]
        known = "it was known before" if slowest.long.decided else f"nor in the {spoken(slowest.rate.long)} before"
        about = f"nobody knows whether {objective.signal.about}"
        why = f"of {blind.long.runs} runs in {spoken(blind.rate.long)} {about}; {known}"
        severity: Severity = "page" if slowest.long.decided else "ticket"
        return replace(made, state="no_data", severity=severity, owner="evaluator", why=why)
    return _silent(made, readout, tallies, until) if objective.stage == "evaluator" else made


def _silent(alert: Alert, readout: _Readout, tallies: Tallies, until: float) -> Alert:
    """Tells that no run has come for as long as `minimum` runs took at this time, both a day and a week ago.

    After a whole day the day before tells nothing any more.
    """
    count = _counting(tallies, readout.objective, readout.segment)
    for length in QUIET:
        if count(until - length, until).runs:
            break
        times = (_WEEK,) if length == DAY else (DAY, _WEEK)
        before = min(count(until - ago - length, until - ago).runs for ago in times)
        if before >= readout.objective.minimum:
            ago = " and ".join(map(spoken, times))
            why = f"no judged run has come for {spoken(length)}; at this time {ago} ago, {before} or more came"
            return replace(alert, state="no_data", severity="ticket", window=spoken(length), runs=0, decided=0, why=why)
    return alert


def _hold_back(readout: _Readout, readouts: Sequence[_Readout], alerts: dict[str, Alert]) -> None:
    """Calls the owner of the first stage that burns, not those of what follows from it."""
    alert = alerts[readout.id]
    if readout.fired is None or alert.severity is None:
        return
    causes = _causes(readout, readouts)
    for cause in causes:
        known = alerts[cause.id]
        if known.state != "held_back" and known.severity not in ("page", alert.severity):  # as urgent as what follows
            why = known.why or cause.words(cause.shown)
            why = f"{why}; because of it {readout.id} burns, too"
            alerts[cause.id] = replace(known, state="firing", severity=alert.severity, why=why)
    if causes:
        why = f"{alert.why}; {causes[0].id} burns at an earlier stage"
        alerts[readout.id] = replace(alert, state="held_back", severity=None, cause=causes[0].id, why=why)
    elif ambiguous(readout.objective) and not any(_shows(each, readout) for each in readouts):
        why = f"{alert.why}; whether retrieval is why is not known: diagnose runs with a model, or name an owner"
        alerts[readout.id] = replace(alert, state="held_back", severity=None, why=why)


def explanatory(earlier: Objective, later: Objective) -> bool:
    """Whether what is bad by one signal can be why another is.

    Of a run that declines the later ones are not known, and no answer lacks citations because its claims are wrong.
    """
    uncited = later.signal.name == "citation_presence" and earlier.stage == "generation"
    return earlier.signal.name != "abstention" and not uncited


def ambiguous(objective: Objective) -> bool:
    """Whether it takes the figures of retrieval to say whose it is: an app declines where nothing answers, and else."""
    return objective.signal.name == "abstention" and not objective.named


def _shows(retrieval: _Readout, readout: _Readout) -> bool:
    """Whether it is known if retrieval broke for the runs of a readout."""
    long = retrieval.windows[-1].long
    wide = retrieval.segment.items() <= readout.segment.items()
    return retrieval.objective.stage == "retrieval" and wide and long.decided >= retrieval.objective.minimum


def _causes(readout: _Readout, readouts: Sequence[_Readout]) -> list[_Readout]:
    """The readouts of the first earlier stage that explain why one fires.

    A stage does if it is over its budget, and at least half as many runs are bad at it: of the same runs or more by
    their share, of a segment of them by their number. An app that declines makes no other signal bad.
    """
    stage = readout.objective.stage
    uncited = [each for each in readouts if each.fired and each.objective.signal.name == "citation_presence"]
    if readout.objective.signal.name == "citation_coverage" and uncited:
        return _causes(uncited[0], readouts)  # what is not cited is borne out by nothing
    for earlier in () if stage == "evaluator" else STAGES[: STAGES.index(stage)]:
        here = [
            each
            for each in readouts
            if each.objective.stage == earlier and explanatory(each.objective, readout.objective)
        ]
        if found := [each for each in here if each.explains(readout)]:
            return found
    return []


EventKind: TypeAlias = Literal["begins", "worse", "ends"]

CALM = 15 * 60  # seconds for which an alert must be quiet before its end is told: else it begins every few minutes
_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something to tell."""

    kind: EventKind  # `begins`, `worse` (a ticket has become a page), or `ends`
    id: str
    since: float  # when it began, seconds since the epoch
    alert: Alert | None = None  # the alert; of one that ends, what is said of it now. None if its objective is gone.

    def to_dict(self) -> dict[str, Any]:
        """As JSON objects hold it."""
        alert = self.alert.to_dict() if self.alert else None
        return {"kind": self.kind, "id": self.id, "since": self.since, "alert": alert}


@dataclass(slots=True)
class History:
    """Alerts that were told and have not ended."""

    # by the id of the alert: when it began, when its incident called last, its severity, and the incident
    told: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str) -> History:
        """Reads a state file; an empty history if there is none yet."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except FileNotFoundError:
            return cls()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"the state file {path} cannot be read: {error}") from error
        try:
            data = json.loads(text)
            told = data["alerts"] if data["version"] == _VERSION else None
        except (ValueError, TypeError, KeyError, RecursionError):
            told = None
        if not isinstance(told, dict) or not all(map(_usable, told.values())):
            raise InputError(
                f"{path} is no state file of this release: name another, or delete it, and alerts that were told "
                "are told once more"
            )
        return cls(told)

    def write(self, path: str) -> None:
        """Writes the state file."""
        write(path, json.dumps({"version": _VERSION, "alerts": self.told}, indent=1, sort_keys=True) + "\n")

    def update(self, alerts: Iterable[Alert], at: float) -> tuple[Event, ...]:
        """Takes note of what is said at a time, and returns what of it is new.

        Of an incident the alert that came first is told. Its end is told when for 15 minutes nothing of it has called,
        or was over its budget in the last hours. What nobody can tell ends nothing: without data, and with too few
        runs to judge, an alert stays.
        """
        events = []
        known = {each.id: each for each in alerts}
        for each in known.values():
            same = (id_ for id_, told in self.told.items() if told.get("of", id_) == each.incident)
            id_ = each.id if each.id in self.told else next(same, each.id)
            if each.severity is None and each.state == "quiet" and each.over and id_ in self.told:
                self.told[id_]["last"] = at
            if each.severity is not None:
                before = self.told.get(id_)
                worse = before is not None and before["severity"] == "ticket" and each.severity == "page"
                since = before["since"] if before else at
                severity = "page" if before and before["severity"] == "page" else each.severity
                self.told[id_] = {"since": since, "last": at, "severity": severity, "of": each.incident}
                if before is None or worse:
                    events.append(Event(kind="worse" if worse else "begins", id=id_, since=since, alert=each))
        for id_, before in list(self.told.items()):
            now = known.get(id_)
            calm = at - before["last"]
            over = calm > 0 if now is None else now.state in ("quiet", "held_back") and calm >= CALM
            if over:
                del self.told[id_]
                events.append(Event(kind="ends", id=id_, since=before["since"], alert=now))
        return tuple(events)


def _usable(told: Any) -> bool:
    return (
        isinstance(told, Mapping)
        and all(isinstance(told.get(name), int | float) and isfinite(told[name]) for name in ("since", "last"))
        and told.get("severity") in ("page", "ticket")
    )
