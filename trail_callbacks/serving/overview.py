"""The first page: what is wrong now, since when, and at which stage."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import ceil
from typing import Any

from trail_callbacks.observations import SIGNALS, FigureName, SignalName, Tally
from trail_callbacks.report.scoring import wilson
from trail_callbacks.serving.charts import Chart, Line, Mark, Point
from trail_callbacks.serving.filters import Filters
from trail_callbacks.store import Store
from trail_callbacks.store.series import Mean, Window, breaks, by_value, rollouts, series

__all__ = ["PARTS", "interval", "overview"]

PARTS = ("release", "model", "prompt", "retriever", "reranker", "index", "chunker")
"""Versions of which a new value is a rollout."""

_FIGURES: Mapping[str, tuple[FigureName, ...]] = {
    "QC": ("query_coverage",),
    "EO": ("evidence_overlap", "selection"),
    "AC": ("answer_coverage",),
    "CC": ("citation_recall",),
}
_HUES = {"unsupported": "other", "contradiction": "bad", "abstention": "odd", "undecided": "plain"}
_FIGURE_HUES = {"QC": "plain", "EO": "odd", "AC": "good", "CC": "other"}
_COUNTED: tuple[SignalName, ...] = ("unsupported", "contradiction", "abstention", "undecided")
_CLASSES = 20

_Bucket = tuple[dict[SignalName, Tally], dict[str, Mean]]


def interval(tally: Tally) -> tuple[float, float] | tuple[None, None]:
    """Wilson interval of the share of a tally, on its effective number of runs."""
    if tally.share is None:
        return None, None
    return wilson(tally.share, max(1, round(tally.effective)))


def overview(store: Store, filters: Filters) -> dict[str, Any]:
    """Returns what the page shows."""
    window, seconds = filters.runs(), filters.bucket
    count = ceil((window.until - window.since) / seconds)
    whole = Window(since=window.since - count * seconds, until=window.until, segment=window.segment)
    signals = list(SIGNALS.values())
    with store.connected() as connection:
        found = series(connection, signals, _FIGURES, whole, seconds)
        stages, diagnosed = breaks(connection, window)
        new = rollouts(connection, PARTS, window)
        classes = by_value(connection, "query_class", [], _FIGURES, window)
    marks = [Mark(at=each.at, text=f"{each.name} {each.value}") for each in new]
    shown = [found.get(count + n, ({}, {})) for n in range(count)]
    before = [found.get(n, ({}, {})) for n in range(count)]
    chart = partial(Chart, since=window.since, until=window.until, bucket=seconds, marks=marks)
    return {
        "cards": [_card(filters, name, shown, before) for name in SIGNALS],
        "charts": [
            chart(
                title="Bad runs",
                about="share of the runs of which it is known",
                lines=[_counted(name, shown, window.since, seconds) for name in _COUNTED],
            ),
            chart(
                title="Coverage",
                about="mean of QC (question), EO (evidence kept), AC (answer) and CC (citations)",
                lines=[_averaged(name, shown, window.since, seconds) for name in _FIGURES],
            ),
        ],
        "classes": [
            {
                "name": name,
                "means": [means[each] for each in _FIGURES],
                "href": filters.href("/", segment=f"query_class={name}"),
            }
            for name, (_, means) in sorted(classes.items())[:_CLASSES]
        ],
        "figures": list(_FIGURES),
        "stages": [
            {
                "name": name,
                "n": n,
                "value": n / diagnosed,
                "low": wilson(n / diagnosed, diagnosed)[0],
                "high": wilson(n / diagnosed, diagnosed)[1],
                "href": filters.href("/runs", stage=name),
            }
            for name, n in sorted(stages.items(), key=lambda pair: -pair[1])
        ],
    }


def _sum(buckets: list[_Bucket], name: SignalName) -> Tally:
    tallies = [tallies[name] for tallies, _ in buckets if name in tallies]
    names = ("runs", "decided", "bad", "weight", "bad_weight", "squares")
    return Tally(**{each: sum(getattr(tally, each) for tally in tallies) for each in names})


def _card(filters: Filters, name: SignalName, shown: list[_Bucket], before: list[_Bucket]) -> dict[str, Any]:
    now = _sum(shown, name)
    low, high = interval(now)
    then = _sum(before, name)
    _, most = interval(then)
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


def _counted(name: SignalName, buckets: list[_Bucket], since: float, seconds: float) -> Line:
    points = []
    for n, (tallies, _) in enumerate(buckets):
        tally = tallies.get(name, Tally())
        low, high = interval(tally)
        points.append(Point(at=since + n * seconds, value=tally.share, low=low, high=high, n=tally.decided))
    return Line(name=name.replace("_", " "), hue=_HUES[name], points=points)


def _averaged(name: str, buckets: list[_Bucket], since: float, seconds: float) -> Line:
    points = []
    for n, (_, means) in enumerate(buckets):
        mean = means.get(name, Mean())
        low, high = mean.interval or (None, None)
        points.append(Point(at=since + n * seconds, value=mean.value, low=low, high=high, n=mean.n))
    return Line(name=name, hue=_FIGURE_HUES[name], points=points)
