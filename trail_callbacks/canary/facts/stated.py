"""The values that stand in a corpus or were put into its twin, so that no new value is one of them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from trail_callbacks.canary.facts.pages import Page
from trail_callbacks.language.terms import stem
from trail_callbacks.language.values import Quantity, quantities

__all__ = ["Stated", "implausible"]

_LEAST = {"temperature": -273.15, "fahrenheit": -459.67}


class Stated:
    """The values of a corpus."""

    def __init__(self, pages: Sequence[Page], near: Mapping[Page, Sequence[Page]]) -> None:
        self._near = near
        self._values: set[tuple[str, str, str]] = set()
        self._bare: dict[Page, set[str]] = defaultdict(set)
        for page in pages:
            for each in page.numbers:
                self._add(each, page)

    def _add(self, quantity: Quantity, page: Page) -> None:
        if quantity.kind == "count" and not quantity.noun:
            self._bare[page].add(f"{quantity.value:.9g}")
        else:
            self._values.add((quantity.kind, f"{quantity.value:.9g}", stem(quantity.noun)))

    def add(self, words: str, pages: Sequence[Page]) -> None:
        """Takes note of a new value of some documents."""
        for each in quantities(words):
            for page in pages:
                self._add(each, page)

    def has(self, kind: str, value: float, noun: str, page: Page) -> bool:
        """Whether the corpus has a value; of bare numbers, of which it may have all, the document or one like it."""
        if kind != "count" or noun:
            return (kind, f"{value:.9g}", noun) in self._values
        return any(f"{value:.9g}" in self._bare[each] for each in (page, *self._near[page]))


def implausible(real: Quantity, value: float) -> bool:
    """Says whether nobody would believe a value in the place of a real one. What that breaks too is no reason."""
    if value < _LEAST.get(real.kind, -math.inf) or (real.value > 0 >= value and real.kind not in _LEAST):
        return True
    return real.kind == "percent" and abs(real.value) <= 100 < abs(value)  # noqa: PLR2004 - the whole
