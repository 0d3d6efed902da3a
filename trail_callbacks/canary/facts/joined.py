"""Sets of numbers that grow together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence


class Joined:
    """Sets that grow together; the first member stands for its set."""

    def __init__(self) -> None:
        self._above: dict[int, int] = {}

    def _root(self, i: int) -> int:
        while (above := self._above.get(i, i)) != i:
            self._above[i] = i = self._above.get(above, above)
        return i

    def join(self, i: int, j: int) -> None:
        """Makes one set of two."""
        i, j = sorted((self._root(i), self._root(j)))
        self._above[j] = i

    def sets(self, n: int) -> Sequence[Sequence[int]]:
        """The sets of the numbers below `n`, in the order of their first members."""
        found: dict[int, list[int]] = defaultdict(list)
        for i in range(n):
            found[self._root(i)].append(i)
        return list(found.values())
