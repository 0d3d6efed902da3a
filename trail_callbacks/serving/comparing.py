"""Segments and releases beside each other."""

from __future__ import annotations

from typing import Any

from trail_callbacks.observations import SIGNALS, SignalName, Tally
from trail_callbacks.serving.filters import Filters
from trail_callbacks.statistics.intervals import joined
from trail_callbacks.store import Store
from trail_callbacks.store.series import by_value

__all__ = ["releases", "segments"]

_DEFAULT: SignalName = "unsupported"
_ROWS = 200


def segments(store: Store, filters: Filters) -> dict[str, Any]:
    """The values of a segment, worst first by the lower end of the interval."""
    names = list(store.segments())
    preferred = [name for name in ("query_class", "tenant", "release", *names) if name in names]
    by = filters.by if filters.by in names else next(iter(preferred), "")
    signal = filters.chosen_signal() or SIGNALS[_DEFAULT]
    with store.connected() as connection:
        found = by_value(connection, by, [signal], {}, filters.runs()) if by else {}
    rows = []
    for value, (tallies, _) in found.items():
        tally = tallies[signal.name]
        low, high = tally.interval or (None, None)
        href = filters.href("/runs", segment=f"{by}={value}", signal=signal.name, by="")
        rows.append(
            {
                "value": value,
                "share": tally.share,
                "low": low,
                "high": high,
                "n": tally.decided,
                "runs": tally.runs,
                "href": href,
            }
        )
    rows.sort(key=lambda row: (-1.0 if row["low"] is None else row["low"], row["n"]), reverse=True)
    return {"rows": rows[:_ROWS], "names": names, "by": by, "signal": signal, "signals": list(SIGNALS.values())}


def releases(store: Store, filters: Filters) -> dict[str, Any]:
    """Two releases side by side, every signal with its difference; by default the newest and the one before."""
    with store.connected() as connection:
        found = by_value(connection, "release", list(SIGNALS.values()), {}, filters.runs())
    names = list(found)  # oldest first
    b = filters.b if filters.b in names else next((name for name in reversed(names) if name != filters.a), "")
    a = filters.a if filters.a in names else next((name for name in reversed(names) if name != b), "")
    rows = [_row(name, found[a][0][name], found[b][0][name]) for name in SIGNALS] if a and b else []
    return {"rows": rows, "releases": names, "chosen": {"a": a, "b": b}}


def _row(name: str, a: Tally, b: Tally) -> dict[str, Any]:
    sides = []
    for tally in (a, b):
        low, high = tally.interval or (None, None)
        sides.append({"value": tally.share, "low": low, "high": high, "n": tally.decided})
    difference = low = high = None
    if a.share is not None and a.interval and b.share is not None and b.interval:
        difference, (low, high) = b.share - a.share, joined(a.share, a.interval, b.share, b.interval)
    return {"name": name, "a": sides[0], "b": sides[1], "difference": difference, "low": low, "high": high}
