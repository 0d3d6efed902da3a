"""Evaluates objectives at one time: what burns, whose it is, and what nobody can tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trail_callbacks.alerts.alert import Alert, burning
from trail_callbacks.alerts.burn import DAY, Severity, at_least, spoken
from trail_callbacks.alerts.causes import causes_of
from trail_callbacks.alerts.objectives import STAGES, Objective, Objectives
from trail_callbacks.alerts.reading import Reading, expanded, read_windows
from trail_callbacks.observations import Tallies

__all__ = ["evaluate"]

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


def _alone(reading: Reading) -> Alert:
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
        low=None if share is None else at_least(window.long),
        burn=None if share is None else share / objective.budget,
    )
    if fired is not None:
        why = burning(objective, fired.long, fired.rate.long)
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


def _hold_back(readings: Sequence[Reading], alerts: dict[str, Alert], tallies: Tallies, until: float) -> None:
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


def _as_urgent(alert: Alert, reading: Reading, severity: Severity, follows: str) -> Alert:
    """The alert of a cause: no less urgent than that of what follows from it."""
    if alert.state == "held_back" or alert.severity in ("page", severity):
        return alert
    window = reading.burning or reading.shown
    why = alert.why or burning(reading.objective, window.long, window.rate.long)
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
