"""Overlap: whether texts state a claim, by the words that they share with it in any order.

Localisation asks which of many outputs carries a claim that the sources do not support: there the best guess is worth
more than silence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.judges.local.alignment import laid_beside
from trail_callbacks.judges.local.decision import mismatches
from trail_callbacks.judges.local.wording import Word, Wording, WordPlaces

_ABOUT = 0.3  # share of the claim's words that make a passage be about it
_CLOSE = 0.8  # passages with at least this share of the best overlap are about the same subject as the best
_ENOUGH = 0.6  # share of the claim that makes a statement of it
_MOST = 4  # passages that are compared
_OTHERS = 2  # passages that may add to one


@dataclass(frozen=True)
class SharedWords:
    """What the passages of one text have of a claim, each with the text before it (see `Passage.before`).

    Of a row or field, which is `tabular`, that text names the cells.
    """

    claim: Wording
    passages: Sequence[Wording]
    before: Sequence[Wording]
    tabular: Sequence[bool]

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words of the claim."""
        return self.claim.words(self.claim.named)

    @cached_property
    def content(self) -> frozenset[int]:
        """Those that say something by themselves, by index."""
        return frozenset(i for i, word in enumerate(self.words) if word.content)

    @cached_property
    def own(self) -> tuple[frozenset[int], ...]:
        """For each passage those that it has by itself."""
        return tuple(WordPlaces(passage.words()).held(self.words) for passage in self.passages)

    @cached_property
    def held(self) -> tuple[frozenset[int], ...]:
        """For each passage those that it has, or the text before it.

        A long source has nearly any number: one counts in a passage that is about the claim. A row has the words of its
        header, but not the numbers; a sentence has the names before it.
        """
        found = []
        for own, passage, before, tabular in zip(self.own, self.passages, self.before, self.tabular, strict=True):
            kinds = {"name", "word"} if tabular else {"name"}
            has = own | {i for i in self.content if self.words[i].form in passage.plain}
            has |= {i for i in WordPlaces(before.words()).held(self.words) if self.words[i].kind in kinds}
            if self.weight(has, numbers=False) < _ABOUT * self.weight(self.content, numbers=False):
                has = frozenset(i for i in has if self.words[i].quantity is None)
            found.append(has)
        return tuple(found)

    def weight(self, indices: frozenset[int], *, numbers: bool = True) -> float:
        """Returns the sum of the weights of words."""
        return sum(self.words[i].weight for i in indices if numbers or self.words[i].quantity is None)

    def lacks(self, have: frozenset[int]) -> bool:
        """Tells whether a name is missing in some words of the claim, or a number that is not just `one` or `first`."""
        missing = (self.words[i] for i in self.content - have)
        return any(
            word.kind == "name" if word.quantity is None else word.quantity.kind != "rank" and word.quantity.raw != 1
            for word in missing
        )

    def stating(self, *, alone: bool = False) -> tuple[int, ...]:
        """Returns passages, by index, that together state the claim by their words; none if it departs from each.

        An output states a claim, also one that leaves out who said it. `alone`: one passage must have it all.
        """
        for p in self._closest:
            group = (p,) if alone else self._together(p)
            have = frozenset().union(*(self.held[i] for i in group))
            if not have or self.lacks(have) or self.weight(have) < _ENOUGH * self.weight(self.content):
                continue
            aligned = laid_beside(self.claim, [self.passages[p]], self.passages)
            if not any(found for one in aligned.values() for found in mismatches(one, views=False)):
                return group
        return ()

    @property
    def _closest(self) -> list[int]:
        """The passages most about the claim, numbers aside: a number alone is not a common subject."""
        shares = [self.weight(has, numbers=False) for has in self.held]
        order = sorted(range(len(shares)), key=lambda p: (-shares[p], -self.weight(self.held[p]), p))
        return [p for p in order if shares[p] >= _CLOSE * shares[order[0]]][:_MOST]

    def _together(self, p: int) -> tuple[int, ...]:
        """A passage and up to two others that add most of what it lacks; a row must add a word."""
        chosen, have = [p], self.held[p]
        for _ in range(_OTHERS):
            gains = [
                (self.weight(new), -i)
                for i, has in enumerate(self.held)
                if (new := has - have) and (not self.tabular[i] or self.weight(new, numbers=False) > 0)
            ]
            if not gains:
                break
            index = -max(gains)[1]
            chosen.append(index)
            have |= self.held[index]
        return tuple(chosen)
