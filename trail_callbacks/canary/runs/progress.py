"""How far a canary run is."""

from __future__ import annotations

from dataclasses import dataclass, field

from trail_callbacks.models.call import Usage

__all__ = ["Progress"]


@dataclass(slots=True)
class Progress:
    """How far a run is.

    Attributes:
        asked: Questions that this command asked and that have ended.
        known: Trials that were there already.
        failed: Questions of this command without an answer.
        undecided: Answers of this command that nobody has decided yet.
        total: All trials of the plan, without those that the app cannot do.
        usage: What the run cost, earlier commands too.
        money: The same in the currency of the prices; None without prices.
    """

    asked: int = 0
    known: int = 0
    failed: int = 0
    undecided: int = 0
    total: int = 0
    usage: Usage = field(default_factory=Usage)
    money: float | None = None
