"""Evaluates objectives at one time: what burns, whose it is, and what nobody can tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from trail_callbacks.monitor.burn import DAY, Severity, spoken
from trail_callbacks.monitor.objectives import STAGES, Objective, Objectives, Stage
from trail_callbacks.monitor.reading import Readout, causes_of, expanded, read_windows
from trail_callbacks.monitor.signals import Tallies, Tally

__all__ = ["Alert", "AlertState", "evaluate"]

AlertState: TypeAlias = Literal["quiet", "too_few", "firing", "held_back", "no_data"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """What is said of one objective at one time.

    Attributes:
        id: The objective and its segment: the same from check to check.
        objective: Name of the objective.
        stage: Stage that it watches.
        owner: Who is called.
        segment: Values of segments of its runs, by name; empty for all runs.
        state: `firing`: the budget burns. `no_data`: runs arrive, and the signal is known of none, which calls, too.
            `held_back`: it burns because a stage before it does, whose owner is called. `too_few`: no window holds
            enough decided runs. Else `quiet`.
        severity: Whom it wakes; None if it calls nobody.
        window: Long window that decided, such as `6h`.
        runs: Runs observed in it.
        decided: Runs of it of which the signal is known.
        share: Share of them that is bad, weighted for sampling, 0.0 to 1.0; None without decided runs.
        low: Lower end of its 95 % interval; likewise.
        burn: `share` as a multiple of the budget; likewise.
        cause: Id of the alert that it is held back for.
        why: What happened, in words.
    """

    id: str
    objective: str
    stage: Stage
    owner: str
    segment: Mapping[str, str] = field(default_factory=dict)
    state: AlertState = "quiet"
    severity: Severity | None = None
    window: str = ""
    runs: int = 0
    decided: int = 0
    share: float | None = None
    low: float | None = None
    burn: float | None = None
    cause: str | None = None
    why: str = ""

    @property
    def calls(self) -> bool:
        """Whether somebody is called."""
        return self.severity is not None

    def to_dict(self) -> dict[str, Any]:
        """As JSON objects hold it."""
        return {name: getattr(self, name) for name in self.__slots__} | {"segment": dict(self.segment)}


def _words(objective: Objective, long: Tally, seconds: int) -> str:
    """What a window shows."""
    share = long.share or 0.0
    return (
        f"{share:.1%} of {long.decided} runs in {spoken(seconds)} are bad, {share / objective.budget:.1f} times "
        f"what an objective of {objective.objective:g} allows: {objective.signal.about}"
    )


_WEEK = 7 * DAY


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
    readings = [
        read_windows(each, segment, tallies, until)
        for each in sorted(objectives, key=lambda each: STAGES.index(each.stage))
        for segment in expanded(each.segment, segments or {})
    ]
    alerts = {reading.id: _alone(reading) for reading in readings}
    for reading in readings:
        if reading.objective.stage == "evaluator":
            alerts[reading.id] = _silent(alerts[reading.id], tallies, reading.objective, until)
    _hold_back(readings, alerts, tallies, until)
    _without_evaluator(alerts)
    return tuple(alerts.values())


def _alone(reading: Readout) -> Alert:
    """What an objective says without regard to others."""
    objective, window, fired, blind = reading.objective, reading.shown, reading.fired, reading.blind
    if blind is not None and fired is None:
        window = blind
    share, enough = window.long.share, window.long.decided >= objective.minimum
    made = Alert(
        id=reading.id,
        objective=objective.name,
        stage=objective.stage,
        owner=objective.owner,
        segment=reading.segment,
        state="quiet" if enough else "too_few",
        window=spoken(window.rate.long),
        runs=window.long.runs,
        decided=window.long.decided,
        share=share,
        low=None if share is None else window.long.at_least,
        burn=None if share is None else share / objective.budget,
    )
    if fired is not None:
        why = _words(objective, fired.long, fired.rate.long)
        return replace(made, state="firing", severity=fired.rate.severity, why=why)
    if blind is None:
        return made
    before = reading.windows[-1].long.decided
    known = "it was known before" if before else f"nor in the {spoken(reading.windows[-1].rate.long)} before"
    why = (
        f"of {blind.long.runs} runs in {spoken(blind.rate.long)} nobody knows whether {objective.signal.about}; {known}"
    )
    return replace(made, state="no_data", severity="page" if before else "ticket", owner="evaluator", why=why)


def _without_evaluator(alerts: dict[str, Alert]) -> None:
    """Calls once, not for each signal, where the judge fails on everything."""
    first = next((each.id for each in alerts.values() if each.stage == "evaluator" and each.calls), None)
    for id_, each in alerts.items() if first else ():
        if each.state == "no_data" and each.stage != "evaluator":
            alerts[id_] = replace(each, severity=None, cause=first, why=f"{each.why}; see {first}")


def _hold_back(readings: Sequence[Readout], alerts: dict[str, Alert], tallies: Tallies, until: float) -> None:
    """Calls the owner of the first stage that burns, not those of what follows from it."""
    for reading in readings:
        alert = alerts[reading.id]
        if reading.fired is None or alert.severity is None:
            continue
        causes = causes_of(reading, readings, tallies, until)
        for cause in causes:
            alerts[cause.id] = _as_urgent(alerts[cause.id], cause, alert.severity, reading.id)
        if causes:
            why = f"{alert.why}; {causes[0].id} burns at an earlier stage"
            alerts[reading.id] = replace(alert, state="held_back", severity=None, cause=causes[0].id, why=why)


def _as_urgent(alert: Alert, reading: Readout, severity: Severity, follows: str) -> Alert:
    """The alert of a cause: no less urgent than that of what follows from it."""
    if alert.state == "held_back" or alert.severity in ("page", severity):
        return alert
    window = reading.burning or reading.shown
    why = alert.why or _words(reading.objective, window.long, window.rate.long)
    return replace(alert, state="firing", severity=severity, why=f"{why}; because of it {follows} burns, too")


def _silent(alert: Alert, tallies: Tallies, objective: Objective, until: float) -> Alert:
    """Tells that no run has come for a day, if many came on the same day of the week before."""
    day = tallies.tally(objective.signal, until - DAY, until, alert.segment)
    if day.runs or alert.calls:
        return alert
    before = tallies.tally(objective.signal, until - _WEEK - DAY, until - _WEEK, alert.segment).runs
    if before < objective.minimum:
        return alert
    why = f"no judged run has come for a day; on the same day a week ago there were {before}"
    return replace(alert, state="no_data", severity="ticket", window=spoken(DAY), runs=0, decided=0, why=why)
