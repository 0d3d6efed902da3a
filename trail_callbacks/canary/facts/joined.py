"""Things that belong together, by pairs of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

Thing = TypeVar("Thing", bound=Hashable)


def joined(things: Sequence[Thing], pairs: Iterable[tuple[Thing, Thing]]) -> list[list[Thing]]:
    """The sets of things that pairs join, each in the order of the things, by their first members."""
    sets = {thing: [thing] for thing in things}
    for one, other in pairs:
        small, large = sorted((sets[one], sets[other]), key=len)
        if small is not large:
            large += small
            sets |= dict.fromkeys(small, large)
    place = {thing: i for i, thing in enumerate(things)}
    return [sorted(each, key=place.__getitem__) for each in {id(each): each for each in sets.values()}.values()]
