"""Overlap: how much of a text others hold in any order, and whether they state it by that.

Localisation asks which of many outputs carries a claim that the sources do not support: there the best guess is worth
more than silence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.judges.local.alignment import Token, held, tokens
from trail_callbacks.judges.local.decision import laid_beside, mismatches
from trail_callbacks.judges.local.reading import Reading

__all__ = ["Overlap"]

_ABOUT = 0.3  # share of the claim's words that make a passage be about it
_CLOSE = 0.8  # passages with at least this share of the best overlap are about the same subject as the best
_ENOUGH = 0.6  # share of the claim that makes a statement of it
_MOST = 4  # passages that are compared
_OTHERS = 2  # passages that may add to one


@dataclass(frozen=True)
class Overlap:
    """What the passages of one text have of a claim.

    Attributes:
        claim: The claim.
        passages: The passages.
        before: For each the text before it; see `Passage.before`.
        tabular: For each whether it is a row or field, so that the text before it names its cells.
    """

    claim: Reading
    passages: Sequence[Reading]
    before: Sequence[Reading]
    tabular: Sequence[bool]

    @cached_property
    def words(self) -> tuple[Token, ...]:
        """The words of the claim."""
        return tokens(self.claim, self.claim.named)

    @cached_property
    def held(self) -> tuple[frozenset[int], ...]:
        """For each passage the words of content of the claim, by index, that it has.

        A long source has nearly any number: one counts in a passage that is about the claim. A row has the words of its
        header, but not the numbers; a sentence has the names before it.
        """
        found = []
        for passage, before, tabular in zip(self.passages, self.before, self.tabular, strict=True):
            has = held(self.words, tokens(passage)) | {i for i, t in enumerate(self.words) if t.form in passage.plain}
            kinds = {"name", "word"} if tabular else {"name"}
            has |= {i for i in held(self.words, tokens(before)) if self.words[i].kind in kinds}
            has &= self._content
            if self.weight(has, numbers=False) < _ABOUT * self.weight(self._content, numbers=False):
                has = frozenset(i for i in has if self.words[i].quantity is None)
            found.append(has)
        return tuple(found)

    @property
    def _content(self) -> frozenset[int]:
        return frozenset(i for i, token in enumerate(self.words) if token.content)

    def weight(self, indices: frozenset[int], *, numbers: bool = True) -> float:
        """Returns the sum of the weights of words."""
        return sum(self.words[i].weight for i in indices if numbers or self.words[i].quantity is None)

    def lacks(self, have: frozenset[int]) -> bool:
        """Tells whether a name is missing in some words of the claim, or a number that is not just `one` or `first`."""
        missing = (self.words[i] for i in self._content - have)
        return any(
            token.kind == "name"
            if token.quantity is None
            else token.quantity.kind != "rank" and token.quantity.raw != 1
            for token in missing
        )

    def stating(self, names: Sequence[str], *, alone: bool = False) -> tuple[int, ...]:
        """Returns passages, by index, that together state the claim by their words; none if it departs from each.

        Args:
            names: What counts as departing, see `decision.MISMATCHES`.
            alone: Whether one passage must have it all.
        """
        for p in self._closest:
            group = (p,) if alone else self._together(p)
            have = frozenset().union(*(self.held[i] for i in group))
            if not have or self.lacks(have) or self.weight(have) < _ENOUGH * self.weight(self._content):
                continue
            aligned = laid_beside(self.claim, [self.passages[p]], self.passages)
            if not any(found for one in aligned.values() for found in mismatches(one, names)):
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
