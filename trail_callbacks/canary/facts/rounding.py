"""Rounded restatements: `about 1.2 million` beside 1,187,300."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import isclose, log10

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.facts.dependency import Dependency
from trail_callbacks.canary.facts.figures import Figure, Page
from trail_callbacks.canary.facts.neighbours import neighbours
from trail_callbacks.canary.facts.pages import pages

__all__ = ["restatements"]

_FAR, _NEAR = 0.1, 0.025  # relative distance from what is said to be rounded, and from what only looks so
_TRIED = 64  # figures of about the same value that are compared with one


def restatements(corpus: Corpus) -> Iterator[Dependency]:
    """Finds figures that round another one of their document, or of one that is about the same.

    They are of the same unit or noun, what is said around them shares a word (two, where no word such as `about` says
    that it is rounded), and the rounder one is what the other gives in its digits: below it behind `over`, above it
    behind `nearly`.

    Args:
        corpus: The documents.

    Yields:
        A dependency for each pair, the rounder one its result.
    """
    near = neighbours(corpus)
    by_value: dict[tuple[Page, str], list[Figure]] = defaultdict(list)
    for page in pages(corpus):
        for figure in sorted(page.figures, key=lambda each: each.quantity.value):
            by_value[page, figure.quantity.kind].append(figure)
    for (page, kind), figures in by_value.items():
        known = {other: by_value[other, kind] for other in (page, *near[page]) if (other, kind) in by_value}
        for figure in figures:
            for exact in _close(figure, known):
                if _rounds(figure, exact):
                    yield Dependency(figure, (exact,), "rounded")


def _close(figure: Figure, known: Mapping[Page, Sequence[Figure]]) -> Iterator[Figure]:
    value = figure.quantity.value
    if value <= 0 or not figure.quantity.step:
        return
    for figures in known.values():
        low = bisect_left(figures, value * (1 - _FAR), key=lambda each: each.quantity.value)
        high = bisect_right(figures, value * (1 + _FAR), key=lambda each: each.quantity.value)
        yield from figures[low : min(high, low + _TRIED)]


def _rounds(round_: Figure, exact: Figure) -> bool:
    a, b = round_.quantity, exact.quantity
    if not 0 < b.step < a.step or a.value == b.value or (round_.noun and exact.noun and round_.noun != exact.noun):
        return False
    said = a.bound in {"about", "over", "under"}
    if abs(a.value - b.value) > (_FAR if said else _NEAR) * a.value:
        return False
    if len((round_.context & exact.context) - {round_.noun, exact.noun}) < (1 if said else 2):
        return False
    if round_.page is not exact.page and not _in_one_unit(round_, exact):
        return False
    return Dependency(round_, (exact,), "rounded").holds({})


def _in_one_unit(one: Figure, other: Figure) -> bool:
    """Whether two figures are of one unit, but for thousands and millions."""
    a, b = one.quantity, other.quantity
    ratio = log10(abs(a.value / a.raw) / abs(b.value / b.raw))
    return isclose(ratio, round(ratio), abs_tol=1e-9)
