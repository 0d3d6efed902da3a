"""Stretches of a text that do not overlap."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable

__all__ = ["Spans"]


class Spans:
    """A set of stretches `(start, end)` of one text.

    Args:
        spans: What it begins with; may overlap each other.
    """

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        self._spans: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if self._spans and start < self._spans[-1][1]:
                self._spans[-1] = (self._spans[-1][0], max(end, self._spans[-1][1]))
            else:
                self._spans.append((start, end))

    def add(self, start: int, end: int) -> None:
        """Adds a stretch that overlaps none."""
        insort(self._spans, (start, end))

    def overlap(self, start: int, end: int) -> tuple[int, int] | None:
        """The first stretch that shares a character with this one; two empty ones at the same offset overlap."""
        at = bisect_right(self._spans, (start, end))
        for a, b in self._spans[max(0, at - 1) : at + 1]:
            if (a < end and start < b) or (a, b) == (start, end):
                return a, b
        return None
