"""The first page: what is wrong now, since when, and at which stage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from math import ceil
from operator import methodcaller
from typing import Any

from trail_callbacks.monitor import SIGNALS, SignalName, Tally
from trail_callbacks.serving.charts import Chart, Line, Point
from trail_callbacks.serving.filters import Filters
from trail_callbacks.statistics.intervals import joined, wilson
from trail_callbacks.store import Store
from trail_callbacks.store.counting import AVERAGED, HOUR, Mean, Sums, Window, by_value, rollouts

__all__ = ["PARTS", "overview", "releases", "segments"]

PARTS = ("release", "model", "prompt", "retriever", "reranker", "index", "chunker")
"""Versions of which a new value is a rollout."""

_COUNTED = {"unsupported": "other", "contradiction": "bad", "abstention": "odd", "undecided": "plain"}  # their hues
_AVERAGED = {"QC": "plain", "EO": "odd", "AC": "good", "CC": "other"}
_ROWS = 200
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
    chart = partial(Chart, since=window.since, until=window.until, bucket=seconds, marks=new)

    def line(name: str, hue: str, counted: Callable[[Sums], Tally | Mean]) -> Line:
        points = [Point(at=window.since + n * seconds, **_shown(counted(each))) for n, each in enumerate(shown)]
        return Line(name=name.replace("_", " "), hue=hue, points=points)

    return {
        "cards": [_card(filters, name, now.tally(name), before.tally(name)) for name in SIGNALS],
        "charts": [
            chart(
                title="Bad runs",
                about="share of the runs of which it is known",
                lines=[line(name, hue, methodcaller("tally", name)) for name, hue in _COUNTED.items()],
            ),
            chart(
                title="Coverage",
                about="mean of QC (question), EO (evidence kept), AC (answer) and CC (citations)",
                lines=[line(name, hue, methodcaller("mean", name)) for name, hue in _AVERAGED.items()],
            ),
        ],
        "classes": list(_classes(store, filters, window)),
        "figures": list(AVERAGED),
        "stages": list(_stages(filters, now)),
    }


def _buckets(store: Store, window: Window, seconds: float, count: int) -> list[Sums]:
    """The figures of a window by bucket; a bucket is some whole hours."""
    found = [Sums() for _ in range(count)]
    for hour, figures in store.figures(window).items():
        place = int((hour * HOUR - window.since) // seconds)
        if 0 <= place < count:
            found[place] = found[place] + figures
    return found


def _sum(buckets: Iterable[Sums]) -> Sums:
    return sum(buckets, Sums())


def _classes(store: Store, filters: Filters, window: Window) -> Iterator[dict[str, Any]]:
    """The coverage of each kind of question, if not one segment is looked at anyway."""
    for name in store.segments().get(_CLASS, ())[:_CLASSES] if not window.segment else ():
        segment = {_CLASS: name}
        whole = _sum(store.figures(replace(window, segment=segment)).values())
        if whole.runs:
            href = filters.href("/", segment=f"{_CLASS}={name}")
            yield {"name": name, "means": [whole.mean(each) for each in AVERAGED], "href": href}


def _stages(filters: Filters, now: Sums) -> Iterator[dict[str, Any]]:
    for name, n in now.breaks.most_common():
        low, high = wilson(n / now.diagnosed, now.diagnosed)
        href = filters.href("/runs", stage=name)
        yield {"name": name, "n": n, "value": n / now.diagnosed, "low": low, "high": high, "href": href}


def _card(filters: Filters, name: SignalName, now: Tally, then: Tally) -> dict[str, Any]:
    _, most = then.interval or (None, None)
    return {
        **_shown(now),
        "title": name.replace("_", " "),
        "about": SIGNALS[name].about,
        "owner": SIGNALS[name].owner.replace("_", " "),
        "before": then.share,
        "worse": most is not None and now.at_least > most,
        "href": filters.href("/runs", signal=name),
    }


def _shown(found: Tally | Mean) -> dict[str, Any]:
    """A share or a mean with its interval and n."""
    low, high = found.interval or (None, None)
    value, n = (found.share, found.decided) if isinstance(found, Tally) else (found.value, found.n)
    return {"value": value, "low": low, "high": high, "n": n}


def segments(store: Store, filters: Filters) -> dict[str, Any]:
    """The values of a segment, worst first by the lower end of the interval."""
    names = list(store.segments())
    preferred = [name for name in ("query_class", "tenant", "release", *names) if name in names]
    by = filters.by if filters.by in names else next(iter(preferred), "")
    signal = filters.chosen_signal() or SIGNALS["unsupported"]
    with store.connected() as connection:
        found = by_value(connection, by, filters.runs(), [signal.name]) if by else {}
    rows = []
    for value, sums in found.items():
        tally = sums.tally(signal.name)
        href = filters.href("/runs", segment=f"{by}={value}", signal=signal.name, by="")
        rows.append({**_shown(tally), "name": value, "runs": tally.runs, "href": href})
    rows.sort(key=lambda row: (-1.0 if row["low"] is None else row["low"], row["n"]), reverse=True)
    return {"rows": rows[:_ROWS], "names": names, "by": by, "signal": signal, "signals": list(SIGNALS.values())}


def releases(store: Store, filters: Filters) -> dict[str, Any]:
    """Two releases side by side, every signal with its difference; by default the newest and the one before."""
    with store.connected() as connection:
        found = by_value(connection, "release", filters.runs())
    names = list(found)  # oldest first
    b = filters.b if filters.b in names else next((name for name in reversed(names) if name != filters.a), "")
    a = filters.a if filters.a in names else next((name for name in reversed(names) if name != b), "")
    rows = [_row(name, found[a].tally(name), found[b].tally(name)) for name in SIGNALS] if a and b else []
    return {"rows": rows, "releases": names, "chosen": {"a": a, "b": b}}


def _row(name: str, a: Tally, b: Tally) -> dict[str, Any]:
    difference = low = high = None
    if a.share is not None and a.interval and b.share is not None and b.interval:
        difference, (low, high) = b.share - a.share, joined(a.share, a.interval, b.share, b.interval)
    return {"name": name, "a": _shown(a), "b": _shown(b), "difference": difference, "low": low, "high": high}
