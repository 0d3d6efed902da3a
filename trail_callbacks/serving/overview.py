"""The first page: what is wrong now, since when, and at which stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from math import ceil
from typing import Any

from trail_callbacks.observations import SIGNALS, SignalName, Tally
from trail_callbacks.serving.charts import Chart, Line, Point, RolloutMark
from trail_callbacks.serving.filters import Filters
from trail_callbacks.statistics.intervals import joined, wilson
from trail_callbacks.store import Store
from trail_callbacks.store.hours import AVERAGED, HOUR, HourSums
from trail_callbacks.store.series import Window, by_value, rollouts

__all__ = ["PARTS", "overview", "releases", "segments"]

PARTS = ("release", "model", "prompt", "retriever", "reranker", "index", "chunker")
"""Versions of which a new value is a rollout."""

_HUES = {"unsupported": "other", "contradiction": "bad", "abstention": "odd", "undecided": "plain"}
_FIGURE_HUES = {"QC": "plain", "EO": "odd", "AC": "good", "CC": "other"}
_COUNTED: tuple[SignalName, ...] = ("unsupported", "contradiction", "abstention", "undecided")
_CLASS, _CLASSES = "query_class", 20


def overview(store: Store, filters: Filters) -> dict[str, Any]:
    """Returns what the page shows."""
    window, seconds = filters.runs(), filters.bucket
    count = ceil((window.until - window.since) / seconds)
    earlier = Window(since=window.since - count * seconds, until=window.since, segment=window.segment)
    shown = _buckets(store, window, seconds, count)
    before = _sum(_buckets(store, earlier, seconds, count))
    now = _sum(shown)
    with store.connected() as connection:
        new = rollouts(connection, PARTS, window)
    marks = [RolloutMark(at=each.at, text=f"{each.name} {each.value}") for each in new]
    chart = partial(Chart, since=window.since, until=window.until, bucket=seconds, marks=marks)
    return {
        "cards": [_card(filters, name, now.tally(name), before.tally(name)) for name in SIGNALS],
        "charts": [
            chart(
                title="Bad runs",
                about="share of the runs of which it is known",
                lines=[_counted(name, shown, window.since, seconds) for name in _COUNTED],
            ),
            chart(
                title="Coverage",
                about="mean of QC (question), EO (evidence kept), AC (answer) and CC (citations)",
                lines=[_averaged(name, shown, window.since, seconds) for name in AVERAGED],
            ),
        ],
        "classes": list(_classes(store, filters, window)),
        "figures": list(AVERAGED),
        "stages": list(_stages(filters, now)),
    }


def _buckets(store: Store, window: Window, seconds: float, count: int) -> list[HourSums]:
    """The figures of a window by bucket; a bucket is some whole hours."""
    found = [HourSums() for _ in range(count)]
    for hour, figures in store.figures(window).items():
        place = int((hour * HOUR - window.since) // seconds)
        if 0 <= place < count:
            found[place] += figures
    return found


def _sum(buckets: Iterable[HourSums]) -> HourSums:
    whole = HourSums()
    for each in buckets:
        whole += each
    return whole


def _classes(store: Store, filters: Filters, window: Window) -> Iterator[dict[str, Any]]:
    """The coverage of each kind of question, if not one segment is looked at anyway."""
    for name in store.segments().get(_CLASS, ())[:_CLASSES] if not window.segment else ():
        segment = {_CLASS: name}
        whole = _sum(store.figures(replace(window, segment=segment)).values())
        if whole.runs:
            href = filters.href("/", segment=f"{_CLASS}={name}")
            yield {"name": name, "means": [whole.mean(each) for each in AVERAGED], "href": href}


def _stages(filters: Filters, now: HourSums) -> Iterator[dict[str, Any]]:
    for name, n in now.breaks.most_common():
        low, high = wilson(n / now.diagnosed, now.diagnosed)
        href = filters.href("/runs", stage=name)
        yield {"name": name, "n": n, "value": n / now.diagnosed, "low": low, "high": high, "href": href}


def _card(filters: Filters, name: SignalName, now: Tally, then: Tally) -> dict[str, Any]:
    low, high = now.interval or (None, None)
    _, most = then.interval or (None, None)
    return {
        "title": name.replace("_", " "),
        "about": SIGNALS[name].about,
        "owner": SIGNALS[name].owner.replace("_", " "),
        "value": now.share,
        "low": low,
        "high": high,
        "n": now.decided,
        "before": then.share,
        "worse": low is not None and most is not None and low > most,
        "href": filters.href("/runs", signal=name),
    }


def _counted(name: SignalName, buckets: list[HourSums], since: float, seconds: float) -> Line:
    points = []
    for n, figures in enumerate(buckets):
        tally = figures.tally(name)
        low, high = tally.interval or (None, None)
        points.append(Point(at=since + n * seconds, value=tally.share, low=low, high=high, n=tally.decided))
    return Line(name=name.replace("_", " "), hue=_HUES[name], points=points)


def _averaged(name: str, buckets: list[HourSums], since: float, seconds: float) -> Line:
    points = []
    for n, figures in enumerate(buckets):
        mean = figures.mean(name)
        low, high = mean.interval or (None, None)
        points.append(Point(at=since + n * seconds, value=mean.value, low=low, high=high, n=mean.n))
    return Line(name=name, hue=_FIGURE_HUES[name], points=points)


_DEFAULT: SignalName = "unsupported"
_ROWS = 200


def segments(store: Store, filters: Filters) -> dict[str, Any]:
    """The values of a segment, worst first by the lower end of the interval."""
    names = list(store.segments())
    preferred = [name for name in ("query_class", "tenant", "release", *names) if name in names]
    by = filters.by if filters.by in names else next(iter(preferred), "")
    signal = filters.chosen_signal() or SIGNALS[_DEFAULT]
    with store.connected() as connection:
        found = by_value(connection, by, [signal], filters.runs()) if by else {}
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
        found = by_value(connection, "release", list(SIGNALS.values()), filters.runs())
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
