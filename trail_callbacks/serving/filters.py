"""What a page shows, as its address says it: a filter is never lost by reloading, going back or sending the address."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import get_args
from urllib.parse import urlencode

from trail_callbacks.monitor import SIGNALS, Signal
from trail_callbacks.report.diagnosis import StageName
from trail_callbacks.report.report import State
from trail_callbacks.store.counting import Window
from trail_callbacks.store.reading import Sort

__all__ = ["SORTS", "STAGES", "STATES", "WINDOWS", "Filters"]

_HOUR, _DAY = 3_600.0, 86_400.0
_LENGTHS = {"1d": _DAY, "7d": 7 * _DAY, "30d": 30 * _DAY, "90d": 90 * _DAY, "365d": 365 * _DAY}
_BUCKETS = {"1d": _HOUR, "7d": 6 * _HOUR, "30d": _DAY, "90d": 3 * _DAY, "365d": 14 * _DAY}
_TEXT = 200  # characters of a search

WINDOWS = (("1d", "1 day"), ("7d", "7 days"), ("30d", "30 days"), ("90d", "90 days"), ("365d", "a year"))
SORTS = (("newest", "newest"), ("oldest", "oldest"), ("worst", "worst score"), ("best", "best score"))
STATES = get_args(State)
STAGES = get_args(StageName)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What is shown. What an address says wrong is read as if it said nothing.

    Attributes:
        window: Name of the length of the window, see `WINDOWS`.
        until: Its end, seconds since the epoch; None for now.
        segment: `name=value`; empty for all runs.
        signal: Name of a signal; empty for any.
        by: Name of the segment that is broken down by.
        state: State of the report; empty for any.
        stage: Stage of the first break; empty for any.
        sort: Order of runs.
        q: Words that are looked for.
        a: The baseline release.
        b: The candidate release.
        after: Where a page of runs begins.
    """

    window: str = "7d"
    until: float | None = None
    segment: str = ""
    signal: str = ""
    by: str = ""
    state: str = ""
    stage: str = ""
    sort: Sort = "newest"
    q: str = ""
    a: str = ""
    b: str = ""
    after: tuple[float, int] | None = None

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Filters:
        """Reads the query of an address."""
        window = query.get("window", "")
        sort = query.get("sort", "")
        return cls(
            window=window if window in _LENGTHS else "7d",
            until=_number(query.get("until", "")),
            segment=query.get("segment", "") if "=" in query.get("segment", "") else "",
            signal=query.get("signal", "") if query.get("signal") in SIGNALS else "",
            by=query.get("by", ""),
            state=query.get("state", "") if query.get("state") in STATES else "",
            stage=query.get("stage", "") if query.get("stage") in STAGES else "",
            sort=sort if sort in get_args(Sort) else "newest",  # type: ignore[arg-type] # as was just checked
            q=query.get("q", "")[:_TEXT],
            a=query.get("a", ""),
            b=query.get("b", ""),
            after=_place(query.get("after", "")),
        )

    @property
    def length(self) -> float:
        """Seconds of the window."""
        return _LENGTHS[self.window]

    @property
    def bucket(self) -> float:
        """Seconds of a bucket of its charts."""
        return _BUCKETS[self.window]

    def runs(self) -> Window:
        """The runs that are shown; the window has whole hours, in which figures are kept."""
        until = ceil((time.time() if self.until is None else self.until) / _HOUR) * _HOUR
        name, equals, value = self.segment.partition("=")
        return Window(since=until - self.length, until=until, segment={name: value} if equals else {})

    def chosen_signal(self) -> Signal | None:
        """The signal that is looked at."""
        return next((signal for name, signal in SIGNALS.items() if name == self.signal), None)

    def href(self, path: str, **changes: object) -> str:
        """Address of a page with these filters, some of them changed."""
        changed = replace(self, **changes)  # type: ignore[arg-type] # fields of this class
        said = {}
        for name in ("window", "until", "segment", "signal", "by", "state", "stage", "sort", "q", "a", "b"):
            value = getattr(changed, name)
            if value and value != getattr(Filters(), name):
                said[name] = value
        if changed.after is not None:
            said["after"] = f"{changed.after[0]!r},{changed.after[1]}"
        return f"{path}?{urlencode(said)}" if said else path


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0.0 <= value < 1e11 else None  # noqa: PLR2004 - years beyond 5138 are no times; no NaN


def _place(text: str) -> tuple[float, int] | None:
    value, _, n = text.partition(",")
    at = _number(value)
    return (at, int(n)) if at is not None and n.isascii() and n.isdigit() and len(n) < 18 else None  # noqa: PLR2004 - 64 bits
