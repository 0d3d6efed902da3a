"""Charts as figures that a template draws as SVG, each with its table: no script, nothing to load, and they print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from trail_callbacks.store.counting import VersionSeen

__all__ = ["Chart", "Line", "Point", "Tick"]

WIDTH, HEIGHT = 640.0, 200.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, 8.0, 10.0, 24.0
_DAY = 86_400.0
_TICKS = 6
_TOPS = (0.05, 0.1, 0.2, 0.5, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A share in one bucket of time.

    Attributes:
        at: Begin of the bucket, seconds since the epoch.
        value: 0.0 to 1.0; None if nothing was decided.
        low: Lower end of its interval.
        high: Upper end.
        n: Runs it is a share of.
    """

    at: float
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A series of points, with a class of colour of the style sheet."""

    name: str
    hue: str
    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class Tick:
    """A tick of an axis: its place in the drawing, and its words."""

    place: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Lines over time.

    Attributes:
        title: What is shown.
        lines: The series, all with the same buckets.
        since: Begin of the axis, seconds since the epoch.
        until: Its end.
        bucket: Seconds of a bucket.
        marks: Versions that were rolled out meanwhile.
        about: What the figure means, in a sentence.
    """

    title: str
    lines: Sequence[Line]
    since: float
    until: float
    bucket: float
    marks: Sequence[VersionSeen] = ()
    about: str = ""

    @property
    def empty(self) -> bool:
        """Whether no line has a value."""
        return all(point.value is None for line in self.lines for point in line.points)

    @property
    def top(self) -> float:
        """Upper end of the axis of shares: the least round share that no value exceeds."""
        most = max((point.value or 0.0 for line in self.lines for point in line.points), default=0.0)
        return next(each for each in _TOPS if each >= min(most, 1.0))

    @property
    def caption(self) -> str:
        """What the chart shows, for those who cannot see it: the first and the last value of each line."""
        said = []
        for line in self.lines:
            known = [point for point in line.points if point.value is not None]
            if not known:
                said.append(f"{line.name}: no data")
            elif len(known) == 1:
                said.append(f"{line.name}: {percent(known[0].value)} on {day(known[0].at)}")
            else:
                first, last = known[0], known[-1]
                said.append(
                    f"{line.name}: {percent(first.value)} on {day(first.at)}, {percent(last.value)} on {day(last.at)}"
                )
        return "; ".join(said)

    def x(self, at: float) -> float:
        """Place of a time, in units of the drawing."""
        whole = self.until - self.since or 1.0
        return round(_LEFT + (WIDTH - _LEFT - _RIGHT) * (at - self.since) / whole, 1)

    def y(self, value: float) -> float:
        """Place of a share, likewise; what is above the axis is at its end."""
        return round(HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * min(value / self.top, 1.0), 1)

    def middle(self, point: Point) -> float:
        """Place of the middle of a point's bucket."""
        return self.x(min(point.at + self.bucket / 2, self.until))

    def path(self, line: Line) -> str:
        """The line as an SVG path, with a gap where nothing is known."""
        parts = []
        for stretch in _stretches(line.points):
            steps = [f"{self.middle(each)} {self.y(each.value or 0.0)}" for each in stretch]
            parts.append("M" + "L".join(steps))
        return "".join(parts)

    def band(self, line: Line) -> str:
        """The intervals as an SVG path."""
        parts = []
        for stretch in _stretches(line.points):
            upper = [f"{self.middle(p)} {self.y(p.value or 0.0 if p.high is None else p.high)}" for p in stretch]
            lower = [f"{self.middle(p)} {self.y(p.value or 0.0 if p.low is None else p.low)}" for p in stretch[::-1]]
            parts.append("M" + "L".join([*upper, *lower]) + "Z")
        return "".join(parts)

    @property
    def across(self) -> list[Tick]:
        """Ticks of the axis of shares."""
        return [Tick(self.y(self.top * n / 2), percent(self.top * n / 2)) for n in range(3)]

    @property
    def along(self) -> list[Tick]:
        """Ticks of the axis of time: days, or hours of a short window."""
        whole = self.until - self.since
        step = max(whole / _TICKS, 1.0)
        words = day if whole > 2 * _DAY else minute
        return [Tick(self.x(self.since + n * step), words(self.since + n * step)) for n in range(_TICKS)]

    @property
    def rows(self) -> Iterator[tuple[float, list[Point]]]:
        """The table: a row for each bucket."""
        for points in zip(*(line.points for line in self.lines), strict=True):
            if any(point.n for point in points):
                yield points[0].at, list(points)


def _stretches(points: Sequence[Point]) -> Iterator[list[Point]]:
    stretch: list[Point] = []
    for point in points:
        if point.value is not None:
            stretch.append(point)
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def percent(value: float | None) -> str:
    """A share in words; a dash for none."""
    if value is None:
        return "\u2013"
    shown = round(value * 100, 1)
    return f"{shown:.0f} %" if shown == int(shown) else f"{shown:.1f} %"


def day(at: float) -> str:
    """A day, in UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")


def minute(at: float) -> str:
    """A minute, in UTC."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")
