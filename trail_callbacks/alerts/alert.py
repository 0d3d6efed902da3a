"""What is said of one objective at one time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from trail_callbacks.alerts.burn import Severity, spoken
from trail_callbacks.alerts.objectives import Objective, Stage
from trail_callbacks.observations import Tally

__all__ = ["Alert", "AlertState", "burning", "segment_text"]

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


def segment_text(segment: Mapping[str, str]) -> str:
    """A segment in words; `all runs` without one."""
    return ", ".join(f"{name}={segment[name]}" for name in sorted(segment)) or "all runs"


def burning(objective: Objective, long: Tally, seconds: int) -> str:
    """What a window shows, in words."""
    share = long.share or 0.0
    return (
        f"{share:.1%} of {long.decided} runs in {spoken(seconds)} are bad, {share / objective.budget:.1f} times "
        f"what an objective of {objective.objective:g} allows: {objective.signal.about}"
    )
