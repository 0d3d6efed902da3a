"""Figures that follow from what no number can repair: dates, shares that make a whole, conversions."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from trail_callbacks.canary.facts.dependency import by_line, equal, is_whole
from trail_callbacks.canary.facts.figures import Figure, Page
from trail_callbacks.canary.facts.table_sums import columns

__all__ = ["locked"]

_SPANS = {"year": 31557600.0, "clock": 60.0}  # seconds
_LINE = 10  # figures or dates of one sentence that are tried with each other
_HALF = 0.5 + 1e-6
_WHOLE = 100.0


def locked(page: Page) -> Mapping[Figure, str]:
    """Finds figures which follow from what no number can repair, with the reason."""
    found: dict[Figure, str] = {}
    apart: dict[int, list[float]] = {}
    for part in page.dated:
        if part.kind in _SPANS:
            apart.setdefault(page.line_of(part.start), []).append(part.value * _SPANS[part.kind])
    for figure in page.figures:
        if figure.quantity.kind == "time" and (dated := sorted(set(apart.get(figure.line, ())))):
            spans = (later - earlier for earlier, later in combinations(dated[:_LINE], 2))
            if any(
                abs(figure.quantity.value - each) <= _HALF * figure.quantity.value / figure.quantity.raw
                for each in spans
            ):
                found[figure] = "it follows from the dates beside it"
    percents = [each for each in page.figures if each.quantity.kind == "percent" and not is_whole(each)]
    for run in (*by_line(percents), *columns(page, percents)):
        for first, last in combinations(range(len(run[:_LINE]) + 1), 2):
            if last - first > 1 and equal(sum(each.quantity.value for each in run[first:last]), _WHOLE):
                found |= dict.fromkeys(run[first:last], "it is a share, and all shares beside it make 100 %")
    return found
