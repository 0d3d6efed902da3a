"""Strategies, judges or other ways against each other, paired by the items that they have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from trail_callbacks.statistics.intervals import needed_for_difference
from trail_callbacks.statistics.rates import Hits, Paired, holm, paired

ALPHA = 0.05
"""The error probability, over all comparisons together, below which two differ."""
_LEAST = 0.05  # smaller differences are not planned for


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Two ways by one measure."""

    measure: str
    a: str  # name of the one
    b: str  # name of the other
    pairs: Paired  # what their common items say, b minus a
    adjusted: float | None = None  # `pairs.p` after Holm over all comparisons; None without common items
    comparisons: int = 1  # how many these are

    @property
    def verdict(self) -> Literal["differ", "tie", "unpaired"]:
        """`differ` if `adjusted` is below 0.05; otherwise a `tie`, or `unpaired` without common items."""
        if self.adjusted is None:
            return "unpaired"
        return "differ" if self.adjusted < ALPHA else "tie"

    @property
    def words(self) -> str:
        """The verdict as a sentence; names neither of the two."""
        found = self.pairs
        if found.difference is None or found.low is None or found.high is None:
            return "cannot be compared: nothing counts under both"
        span = f"[{100 * found.low:+.1f}, {100 * found.high:+.1f}] points"
        if self.verdict == "tie":
            return f"cannot be told apart at n = {found.n:,}: difference within {span}"
        return f"differ by {100 * found.difference:+.1f} points {span}, p = {self.adjusted:.2g} after Holm"

    @property
    def needed(self) -> int | None:
        """Documents (answers, probes) that would tell a tie apart: of this difference, or of 5 points if it is less."""
        found = self.pairs
        if self.verdict != "tie" or found.difference is None:
            return None
        points = max(abs(found.difference), _LEAST)
        apart = max(points, (found.first + found.second) / found.n)
        items = needed_for_difference(points, apart, comparisons=self.comparisons, design=found.design)
        return max(found.documents + 1, math.ceil(items * found.documents / found.n))

    def as_data(self) -> dict[str, Any]:
        """JSON-like."""
        names = ("n", "both", "first", "second", "difference", "low", "high", "design", "p")
        data = {name: getattr(self, name) for name in ("measure", "a", "b", "adjusted", "verdict", "needed")}
        return data | {name: getattr(self.pairs, name) for name in names}


def contrasted(
    counted: Mapping[str, Mapping[str, Hits]], names: Sequence[str], clusters: Mapping[str, str]
) -> tuple[Contrast, ...]:
    """Compares each two of the names by each measure, by their hits; Holm's correction is over all comparisons."""
    pairs = [
        (measure, a, b, paired(hits.get(a, {}), hits.get(b, {}), clusters))
        for measure, hits in counted.items()
        for a, b in combinations(names, 2)
    ]
    adjusted = holm([each.p for *_, each in pairs])
    tested = sum(each is not None for each in adjusted)
    return tuple(
        Contrast(measure=measure, a=a, b=b, pairs=each, adjusted=p, comparisons=tested)
        for (measure, a, b, each), p in zip(pairs, adjusted, strict=True)
    )
