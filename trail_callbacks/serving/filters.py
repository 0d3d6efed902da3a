"""What a page shows, as its address says it: a filter is never lost by reloading, going back or sending the address."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import ceil
from typing import Literal, get_args
from urllib.parse import urlencode

from trail_callbacks.monitor import SIGNALS, BrokenAt, SignalName
from trail_callbacks.report.report import State
from trail_callbacks.store.counting import Window
from trail_callbacks.store.reading import Sort

_HOUR, _DAY = 3_600.0, 86_400.0
_LENGTHS = {"1d": _DAY, "7d": 7 * _DAY, "30d": 30 * _DAY, "90d": 90 * _DAY, "365d": 365 * _DAY}
_BUCKETS = {"1d": _HOUR, "7d": _DAY, "30d": _DAY, "90d": 3 * _DAY, "365d": 14 * _DAY}
_TEXT = 200  # characters of a search

CHOICES = {
    "window": {"1d": "1 day", "7d": "7 days", "30d": "30 days", "90d": "90 days", "365d": "a year"},
    "sort": dict(zip(get_args(Sort), ("newest", "oldest", "worst score", "best score"), strict=True)),
    "signal": {name: each.counted for name, each in SIGNALS.items()},
    "state": {name: name for name in get_args(State)},
    "stage": {name: name for name in get_args(BrokenAt)},
}
"""Values of filters, with their words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What is shown. What an address says wrong is read as if it said nothing."""

    window: str = "7d"  # name of the length of the window
    until: float | None = None  # its end, seconds since the epoch; None for now
    segment: str = ""  # `name=value`; empty for all runs
    signal: SignalName | Literal[""] = ""  # name of a signal; empty for any
    by: str = ""  # name of the segment that is broken down by
    state: str = ""  # state of the report; empty for any
    stage: str = ""  # stage of the first break; empty for any
    sort: Sort = "newest"
    q: str = ""  # words that are looked for
    a: str = ""  # the baseline release
    b: str = ""  # the candidate release
    after: tuple[float, int] | None = None  # where a page of runs begins

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Filters:
        """Reads the query of an address."""
        said = {each.name: query[each.name] for each in fields(cls) if query.get(each.name)}
        usable: dict[str, object] = {name: x for name, x in said.items() if x in CHOICES.get(name, {x})}
        usable["until"] = _number(said.get("until", ""))
        usable["after"] = _place(said.get("after", ""))
        usable["segment"] = said["segment"] if "=" in said.get("segment", "") else ""
        usable["q"] = said.get("q", "")[:_TEXT]
        return cls(**usable)  # type: ignore[arg-type]  # as was just checked

    def runs(self) -> Window:
        """The runs that are shown; the window has whole hours, in which figures are kept."""
        until = ceil((time.time() if self.until is None else self.until) / _HOUR) * _HOUR
        name, equals, value = self.segment.partition("=")
        return Window(since=until - _LENGTHS[self.window], until=until, segment={name: value} if equals else {})

    @property
    def bucket(self) -> float:
        """Seconds of a bucket of its charts."""
        return _BUCKETS[self.window]

    def href(self, path: str, **changes: object) -> str:
        """Address of a page with these filters, some of them changed."""
        changed = replace(self, **changes)  # type: ignore[arg-type] # fields of this class
        said = {each.name: getattr(changed, each.name) for each in fields(self)}
        said = {name: value for name, value in said.items() if value and value != getattr(Filters(), name)}
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
