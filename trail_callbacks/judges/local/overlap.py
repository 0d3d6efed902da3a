"""Overlap: which words, names and numbers of a text stand in others, weighed, and whether those state it by that.

Localisation asks which of many outputs carries a claim that the sources do not support: there the best guess is worth
more than silence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.judges.local.decision import laid_beside, mismatches
from trail_callbacks.judges.local.names import known
from trail_callbacks.judges.local.numbers import stated
from trail_callbacks.judges.local.reading import Reading
from trail_callbacks.language.quantities import Quantity
from trail_callbacks.language.terms import Term, stem, vocabulary

__all__ = ["Item", "Overlap"]

_HEAVY = 1.5  # a name or number, in words
_LIGHT = 0.4
_ABOUT = 0.3  # share of the claim's words that make a passage be about it
_CLOSE = 0.8  # passages with at least this share of the best overlap are about the same subject as the best
_ENOUGH = 0.65  # share of the claim's words that makes a statement of it
_MOST = 4  # passages that are compared
_OTHERS = 2  # passages that may add to one
# Words that say little about the subject. Weights are fixed rather than counted in the passages: a verdict must not
# change because more passages came along.
_LIGHT_STEMS = frozenset(
    stem(form)
    for form in vocabulary(
        """make take get have give use provide include become go come say tell call know see show find work set
    put keep need want like well new good great many much several various different important main part way thing year
    day time first last number one two people person name known called located based including according following well
    able available possible there currently total overall respectively approximately around about"""
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """A word or name of a text (`name`), or a number: its weight in words, and its offsets."""

    weight: float
    span: tuple[int, int]
    name: tuple[Term, ...] = ()
    quantity: Quantity | None = None

    @property
    def is_name(self) -> bool:
        """Whether it is a name."""
        return bool(self.name) and self.name[0].kind == "name"

    @property
    def required(self) -> bool:
        """Whether a claim cannot be supported without it: a name, or a number that is not just `one` or `first`."""
        return self.is_name or (self.quantity is not None and self.quantity.kind != "rank" and self.quantity.raw != 1)

    def is_in(self, passage: Reading, claim: Reading) -> bool:
        """Tells whether a passage has it."""
        if self.quantity is not None:
            return stated(self.quantity, claim, passage)
        return known(self.name, passage) if self.is_name else passage.has(self.name[0])


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
    def items(self) -> tuple[Item, ...]:
        """The distinct words, names and numbers of the claim."""
        distinct: dict[str, Item] = {}
        for item in _items(self.claim):
            distinct.setdefault(self.claim.text[slice(*item.span)].casefold(), item)
        return tuple(distinct.values())

    @cached_property
    def held(self) -> tuple[frozenset[int], ...]:
        """For each passage the indices of the items it has.

        A long source has nearly any number: one counts in a passage that is about the claim. A row has the words of its
        header, but not the numbers; a sentence has the names before it, unless it begins with its own.
        """
        held = []
        least = _ABOUT * self.weight(frozenset(range(len(self.items))), numbers=False)
        mine = _subject(self.claim)
        for passage, before, tabular in zip(self.passages, self.before, self.tabular, strict=True):
            has = frozenset(i for i, item in enumerate(self.items) if item.is_in(passage, self.claim))
            its = _subject(passage)
            if mine and its and not known(mine, passage) and not known(its, self.claim):
                has = frozenset(i for i in has if self.items[i].is_name)  # it is about another
            elif before.text and (tabular or not its):
                more = (i for i, item in enumerate(self.items) if item.is_name or (tabular and item.name))
                has |= {i for i in more if self.items[i].is_in(before, self.claim)}
            if self.weight(has, numbers=False) < least:
                has = frozenset(i for i in has if self.items[i].name)
            held.append(has)
        return tuple(held)

    def weight(self, indices: frozenset[int], *, numbers: bool = True) -> float:
        """Returns the sum of the weights of items."""
        return sum(self.items[i].weight for i in indices if numbers or self.items[i].name)

    def stating(self, names: Sequence[str], *, alone: bool = False) -> tuple[int, ...]:
        """Returns passages, by index, that together state the claim by their words; none if it departs from each.

        Args:
            names: What counts as departing, see `decision.MISMATCHES`.
            alone: Whether one passage must have it all.
        """
        everything = frozenset(range(len(self.items)))
        for p in self._closest:
            group = (p,) if alone else self._together(p)
            have = frozenset().union(*(self.held[i] for i in group))
            if any(self.items[i].required for i in everything - have):
                continue
            if self.weight(have) < _ENOUGH * self.weight(everything) or not have:
                continue
            aligned = laid_beside(self.claim, [self.passages[p]], self.passages)
            if not any(found for one in aligned.values() for found in mismatches(one, names)):
                return group
        return ()

    @property
    def _closest(self) -> list[int]:
        """The passages most about the claim, numbers aside: a number alone is not a common subject."""
        shares = [self.weight(held, numbers=False) for held in self.held]
        order = sorted(range(len(shares)), key=lambda p: (-shares[p], -self.weight(self.held[p]), p))
        return [p for p in order if shares[p] >= _CLOSE * shares[order[0]]][:_MOST]

    def _together(self, p: int) -> tuple[int, ...]:
        """A passage and up to two others that add most of what it lacks; a row must add a word."""
        chosen, have = [p], self.held[p]
        for _ in range(_OTHERS):
            added = [held - have for held in self.held]
            gains = [
                (self.weight(new), -i)
                for i, new in enumerate(added)
                if not self.tabular[i] or self.weight(new, numbers=False) > 0
            ]
            gain, index = max(gains, default=(0.0, 0))
            if gain <= 0:
                break
            chosen.append(-index)
            have |= added[-index]
        return tuple(chosen)


def _subject(reading: Reading) -> tuple[Term, ...]:
    """The name that a sentence begins with, if it does."""
    first = min((term.start for term in reading.content), default=None)
    return next((name for name in reading.names if name[0].start == first), ())


def _items(claim: Reading) -> Iterator[Item]:
    named = {term.start for name in claim.names for term in name}
    for name in claim.names:
        yield Item(_HEAVY, (name[0].start, name[-1].end), name)
    for term in claim.content:
        if term.start not in named:
            yield Item(_LIGHT if term.stem in _LIGHT_STEMS else 1.0, (term.start, term.end), (term,))
    for quantity in claim.quantities:
        weight = _HEAVY if quantity.kind != "rank" else 1.0
        yield Item(weight, (quantity.start, quantity.end), quantity=quantity)
