"""What a release has to show before it passes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from trail_callbacks.errors import InputError
from trail_callbacks.verify.threshold import OnUndecided

__all__ = ["Pairing", "Policy"]

Pairing: TypeAlias = Literal["auto", "paired", "unpaired"]

_MINIMUM = 10  # below, no limit used here keeps what it says


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The rules of a gate. They are to be fixed before anybody sees the figures.

    Attributes:
        segment: Name of the segments that are decided one by one, see `Observation.segment`; None: all runs together.
        margin: By how much the share of unsupported claims may rise, above 0.0, below 1.0.
        contradiction_margin: By how much the share of runs with a contradiction may rise, likewise. It is larger,
            because one run says less than its several claims.
        critical: Values of the segment in which contradictions may not rise at all.
        alpha: How often a candidate that is worse by the margin may pass, and one that is as good be called worse,
            above 0.0 to 0.2.
        power: How often a candidate without a change is to pass: what the missing number of answers is computed for.
        minimum: Questions in each release below which a segment is merged with others, 10 or more.
        max_undecided: Share of the candidate's answers that the judge may have left open, 0.0 to 1.0.
        on_undecided: What claims that the judge left undecided beside decided ones mean, in both releases: `pass`
            leaves them open, `fail` counts each as unsupported.
        pairing: `paired` compares question by question, `unpaired` does not; `auto` pairs if the questions of both
            releases are the same but for a few.

    Raises:
        InputError: If a value is out of its range.
    """

    segment: str | None = None
    margin: float = 0.02
    contradiction_margin: float = 0.05
    critical: frozenset[str] = frozenset()
    alpha: float = 0.05
    power: float = 0.8
    minimum: int = 30
    max_undecided: float = 0.1
    on_undecided: OnUndecided = "pass"
    pairing: Pairing = "auto"

    def __post_init__(self) -> None:
        for name in ("margin", "contradiction_margin"):
            _within(name, getattr(self, name), 0.0, 1.0)
        _within("alpha", self.alpha, 0.0, 0.2, closed=True)
        _within("power", self.power, 0.5, 1.0)
        if not 0.0 <= self.max_undecided <= 1.0:
            raise InputError(f"max_undecided is {self.max_undecided}, expected 0.0 to 1.0")
        if self.on_undecided not in get_args(OnUndecided):
            raise InputError(f"on_undecided is {self.on_undecided!r}, expected 'pass' or 'fail'")
        if self.minimum < _MINIMUM:
            raise InputError(f"minimum is {self.minimum}, expected {_MINIMUM} or more: fewer answers show nothing")
        if self.critical and self.segment is None:
            raise InputError("critical names values of a segment: say of which one, with segment")


def _within(name: str, value: float, low: float, high: float, *, closed: bool = False) -> None:
    if not (math.isfinite(value) and low < value and (value <= high if closed else value < high)):
        words = "to" if closed else "and below"
        raise InputError(f"{name} is {value}, expected above {low} {words} {high}")
