"""Things that belong together, by pairs of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

Thing = TypeVar("Thing", bound=Hashable)


def joined(things: Sequence[Thing], pairs: Iterable[tuple[Thing, Thing]]) -> list[list[Thing]]:
    """The sets of things that pairs join, each in the order of the things, by their first members."""
    place = {thing: i for i, thing in enumerate(things)}
    above = dict(enumerate(range(len(things))))

    def root(i: int) -> int:
        while above[i] != i:
            above[i] = i = above[above[i]]
        return i

    for one, other in pairs:
        low, high = sorted((root(place[one]), root(place[other])))
        above[high] = low
    sets: dict[int, list[Thing]] = defaultdict(list)
    for i, thing in enumerate(things):
        sets[root(i)].append(thing)
    return list(sets.values())
