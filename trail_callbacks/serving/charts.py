"""Charts as figures that a template draws as SVG, each with its table: no script, nothing to load, and they print."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby

from trail_callbacks.statistics.intervals import wilson
from trail_callbacks.store.counting import VersionSeen

_WIDTH, _HEIGHT = 320.0, 130.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 38.0, 6.0, 8.0, 20.0
_DAY = 86_400.0
_TICKS = 4
_TOPS = (0.05, 0.1, 0.2, 0.5, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A share, or the mean of shares, in one bucket of time or of all runs."""

    at: float = 0.0  # begin of the bucket, seconds since the epoch
    value: float | None = None  # 0.0 to 1.0; None if nothing was decided
    low: float | None = None  # lower end of its interval
    high: float | None = None  # upper end
    n: int = 0  # runs it is a share of

    @classmethod
    def share(cls, part: int, whole: int) -> Point:
        """A share of things that are alike, with its Wilson interval."""
        if not whole:
            return cls()
        low, high = wilson(part / whole, whole)
        return cls(value=part / whole, low=low, high=high, n=whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A line over time, with its intervals."""

    title: str
    points: Sequence[Point]  # one for each bucket
    since: float  # begin of the axis, seconds since the epoch
    until: float  # its end
    bucket: float  # seconds of a bucket
    marks: Sequence[VersionSeen] = ()  # versions that were rolled out meanwhile

    def _stretches(self) -> Iterator[list[Point]]:
        """The points between gaps, where nothing is known."""
        for known, points in groupby(self.points, lambda point: point.value is not None):
            if known:
                yield list(points)

    @property
    def top(self) -> float:
        """Upper end of the axis of shares: the least round share that no interval exceeds."""
        most = max((point.high or point.value or 0.0 for point in self.points), default=0.0)
        return next(each for each in _TOPS if each >= min(most, 1.0))

    @property
    def caption(self) -> str:
        """What the chart shows, for those who cannot see it: the first and the last value."""
        known = [point for point in self.points if point.value is not None]
        ends = known[:1] + known[1:][-1:]
        return ", ".join(f"{percent(each.value)} on {minute(each.at)[:10]}" for each in ends) or "no data"

    def x(self, at: float) -> float:
        """Place of a time, in units of the drawing."""
        whole = self.until - self.since or 1.0
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * (at - self.since) / whole, 1)

    def y(self, value: float) -> float:
        """Place of a share, likewise; what is above the axis is at its end."""
        return round(_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * min(value / self.top, 1.0), 1)

    def middle(self, point: Point) -> float:
        """Place of the middle of a point's bucket."""
        return self.x(min(point.at + self.bucket / 2, self.until))

    @property
    def path(self) -> str:
        """The line as an SVG path, with a gap where nothing is known."""
        return "".join(f"M{self._through(each, lambda point: point.value)}" for each in self._stretches())

    @property
    def band(self) -> str:
        """The intervals as an SVG path."""
        return "".join(
            f"M{self._through(each, lambda point: point.high)}L{self._through(each[::-1], lambda point: point.low)}Z"
            for each in self._stretches()
        )

    def _through(self, points: Sequence[Point], value: Callable[[Point], float | None]) -> str:
        heights = [each.value or 0.0 if (found := value(each)) is None else found for each in points]
        return "L".join(f"{self.middle(each)} {self.y(y)}" for each, y in zip(points, heights, strict=True))

    @property
    def across(self) -> list[tuple[float, str]]:
        """Ticks of the axis of shares: their places and words."""
        return [(self.y(self.top * n / 2), percent(self.top * n / 2)) for n in range(3)]

    @property
    def along(self) -> list[tuple[float, str]]:
        """Ticks of the axis of time: days, or hours of a short window."""
        whole = self.until - self.since
        shown = slice(5, 10) if whole > 2 * _DAY else slice(11, None)
        times = [self.since + n * max(whole / _TICKS, 1.0) for n in range(_TICKS)]
        return [(self.x(at), minute(at)[shown]) for at in times]


def percent(value: float | None) -> str:
    """A share in words; a dash for none."""
    if value is None:
        return "\u2013"
    shown = round(value * 100, 1)
    return f"{shown:.0f} %" if shown == int(shown) else f"{shown:.1f} %"


def minute(at: float) -> str:
    """A minute, in UTC; as it is if no calendar has it."""
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return f"{at:g}"
