"""Figures that follow from what no number can repair: dates, shares that make a whole, conversions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from trail_callbacks.canary.facts.dependency import by_line, equal, is_whole
from trail_callbacks.canary.facts.figures import Figure, Page
from trail_callbacks.canary.facts.table_sums import columns

__all__ = ["conversions", "locked"]

_SPANS = {"year": 31557600.0, "clock": 60.0}  # seconds
_LINE = 10  # figures or dates of one sentence that are tried with each other
_SHARES = 4  # of neighbouring sentences that may make a whole
_HALF = 0.5 + 1e-6
_WHOLE = 100.0
_SINCE = re.compile(
    r"\b(?:old|since|ago|later|earlier|after|before|anniversary|aged?|means|making|outlived|until|alt|seit|nach|depuis|desde)\b",
    re.IGNORECASE,
)
_YEAR = _SPANS["year"]
_IN_BRACKETS = re.compile(
    r"\s?[(\[](?:about|approximately|approx\.?|around|roughly|nearly|ca\.?|or|=|~|\u2248)?\s?[$\u20ac\u00a3]?\d[\d.,]*"
    r"(?:\s?(?:to|-|\u2013)\s?[$\u20ac\u00a3]?\d[\d.,]*)?\s?[\u00b0\w.$\u20ac\u00a3/%]{0,12}(?:\s[\w.]{1,10})?[)\]]"
)


def locked(page: Page) -> Mapping[Figure, str]:
    """Finds figures which follow from what no number can repair, with the reason."""
    spans = dict.fromkeys(_between_dates(page), "it follows from the dates beside it")
    return spans | dict.fromkeys(_parts_of_all(page), "it is a share, and all shares beside it make 100 %")


def _between_dates(page: Page) -> Iterator[Figure]:
    """Times that are those between two dates of their sentence, or years that are told from one."""
    apart: dict[int, list[float]] = {}
    for part in page.dated:
        if part.kind in _SPANS:
            apart.setdefault(page.line_of(part.start), []).append(part.value * _SPANS[part.kind])
    for figure in page.figures:
        quantity = figure.quantity
        if quantity.kind != "time" or not (dated := sorted(set(apart.get(figure.line, ())))):
            continue
        unit = quantity.value / quantity.raw if quantity.raw else 0.0
        spans = (later - earlier for earlier, later in combinations(dated[:_LINE], 2))
        since = equal(unit, _YEAR) and _SINCE.search(page.lines[figure.line].text)
        if since or any(abs(quantity.value - each) <= _HALF * unit for each in spans):
            yield figure


def _parts_of_all(page: Page) -> Iterator[Figure]:
    """Shares that make a whole with those beside them."""
    percents = [each for each in page.figures if each.quantity.kind == "percent" and not is_whole(each)]
    for run in (*by_line(percents), *columns(page, percents)):
        for first, last in combinations(range(len(run[:_LINE]) + 1), 2):
            if last - first > 1 and equal(sum(each.quantity.value for each in run[first:last]), _WHOLE):
                yield from run[first:last]
    for i in range(len(percents)):
        for n in range(2, _SHARES + 1):
            run = percents[i : i + n]
            near = all(other.line - one.line <= 1 for one, other in pairwise(run))
            if near and equal(sum(each.quantity.value for each in run), _WHOLE):
                yield from run


def conversions(page: Page) -> Iterator[tuple[Sequence[Figure], Sequence[Figure]]]:
    """Finds figures that stand again in brackets, in another unit or as a share: `400 \u00b0F (205 \u00b0C)`.

    Yields:
        The figure, or both ends of a range, and those in the brackets.
    """
    for i, figure in enumerate(page.figures[:-1]):
        brackets = _IN_BRACKETS.match(page.text, max(figure.quantity.end, figure.start + len(figure.words)))
        if brackets is None:
            continue
        inside = [each for each in page.figures[i + 1 : i + 3] if each.quantity.end <= brackets.end()]
        low = page.figures[i - 1] if i else None
        both = low is not None and figure.quantity.within is not None and low.quantity.within == figure.quantity.within
        if inside:
            yield ((low, figure) if both and low is not None else (figure,)), inside
