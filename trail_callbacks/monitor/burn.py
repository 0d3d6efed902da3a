"""Burn rates: how much faster than its objective allows a signal goes bad, and when that is worth a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from trail_callbacks.monitor.signals import Tally

__all__ = ["BURN_RATES", "DAY", "HOUR", "MINUTE", "BurnRate", "BurnWindow", "Severity", "spoken"]

Severity: TypeAlias = Literal["page", "ticket"]

MINUTE, HOUR, DAY = 60, 3_600, 86_400
_ENOUGH = 10  # decided runs of a short window; with fewer, it is widened


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnRate:
    """A speed of spending the budget that is worth a call.

    Attributes:
        factor: Bad runs as a multiple of the budget, which is 1 - objective.
        long: Window in which the excess must be beyond doubt, seconds.
        short: Window in which it must still be there, seconds.
        severity: Whom it wakes.
    """

    factor: float
    long: int
    short: int
    severity: Severity


BURN_RATES = (
    BurnRate(factor=6, long=HOUR, short=5 * MINUTE, severity="page"),
    BurnRate(factor=3, long=6 * HOUR, short=30 * MINUTE, severity="page"),
    BurnRate(factor=1, long=3 * DAY, short=6 * HOUR, severity="ticket"),
)
"""The windows. A factor of 14.4, common for availability, cannot fire where more than 6.9 % may be bad."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnWindow:
    """What was counted for one burn rate.

    Attributes:
        rate: The burn rate.
        long: Counts of its long window.
        short: Counts of its short window.
        recent: Length of that window, seconds: `rate.short` or more.
    """

    rate: BurnRate
    long: Tally
    short: Tally
    recent: float

    @classmethod
    def count(cls, rate: BurnRate, until: float, tally: Callable[[float, float], Tally]) -> BurnWindow:
        """Counts both windows that end at a time.

        The short window is doubled until it holds 10 decided runs or is as long as the long one: a few runs would
        otherwise decide whether an excess is still there.

        Args:
            rate: The burn rate.
            until: The end, seconds since the epoch.
            tally: Counts the runs from one time to another.
        """
        long = tally(until - rate.long, until)
        length = rate.short
        short = tally(until - length, until) if long.decided else long
        while short.decided < min(_ENOUGH, long.decided):
            length *= 2
            short = tally(until - length, until) if length < rate.long else long
        return cls(rate=rate, long=long, short=short, recent=min(length, rate.long))

    def exceeds(self, limit: float, minimum: int) -> bool:
        """Whether the bad share is above a limit: surely in the long window, and still in the short one.

        Args:
            limit: A share of runs, 0.0 to 1.0.
            minimum: Decided runs that the long window must hold.
        """
        share = self.short.share
        return self.long.decided >= minimum and self.long.at_least > limit and share is not None and share > limit

    def fires(self, budget: float, minimum: int) -> bool:
        """Whether the budget burns at this rate."""
        return self.exceeds(self.rate.factor * budget, minimum)

    def over(self, until: float, tally: Callable[[float, float], Tally]) -> BurnWindow:
        """Counts other runs over the same windows.

        Args:
            until: The end, as it was given to `count`.
            tally: Counts those runs from one time to another.
        """
        return replace(self, long=tally(until - self.rate.long, until), short=tally(until - self.recent, until))

    def without(self, part: BurnWindow) -> BurnWindow:
        """The same without some of its runs, which were counted over the same windows."""
        return replace(self, long=self.long - part.long, short=self.short - part.short)


def spoken(seconds: float) -> str:
    """A length of time as Prometheus and objectives write it: 5m, 6h, 3d."""
    whole = round(seconds)
    for unit, length in (("d", DAY), ("h", HOUR), ("m", MINUTE)):
        if whole >= length and whole % length == 0:
            return f"{whole // length}{unit}"
    return f"{whole}s"
