"""Which figures of a corpus follow from which, and what they are when one changes."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.facts.arithmetic import Relation, in_brackets, locked, relations_in
from trail_callbacks.canary.facts.facts import Fact, facts, neighbours
from trail_callbacks.canary.facts.pages import Figure, Page, of_last_corpus, pages

__all__ = ["Relations", "relations"]

_FAR, _NEAR = 0.1, 0.025  # relative distance from what is said to be rounded, and from what only looks so
_TRIED = 64  # figures of about the same value that are compared with one
_MENTIONS = 8  # what is stated more often follows from nothing
_ROUNDS = 12  # how often sums of sums are worked out; tables have two or three


class Relations:
    """The relations between the figures of a corpus.

    Args:
        corpus: The documents.

    Attributes:
        locked: Figures that follow from what no number can repair, with the reason.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.locked: dict[Figure, str] = {}
        self._fact = {figure: fact for fact in facts(corpus) for figure in fact.figures}
        self._of: dict[Figure, dict[Relation, None]] = defaultdict(dict)
        self._by_part: dict[Figure, dict[Relation, None]] = defaultdict(dict)
        self._results: set[Figure] = set()
        for page in pages(corpus):
            for each in relations_in(page):
                self._note(each)
            self.locked |= dict(locked(page))
            for one, other in in_brackets(page):
                if not any(other in (each.result, *each.parts) for each in self._of[one]):
                    self.locked |= dict.fromkeys((one, other), "it stands again in brackets, as what no rule works out")
        for each in _restated(corpus):
            if not any(set(each.parts) & {other.result, *other.parts} for other in self.touching([each.result])):
                self._note(each)

    def _note(self, relation: Relation) -> None:
        self._results.add(relation.result)
        self._of[relation.result][relation] = None
        for figure in relation.parts:
            self._of[figure][relation] = self._by_part[figure][relation] = None

    def derived(self, fact: Fact) -> bool:
        """Whether it follows from other facts, and therefore changes with them only."""
        return any(figure in self._results for figure in fact.figures)

    def touching(self, figures: Iterable[Figure]) -> list[Relation]:
        """The relations of which a figure is a part or the result."""
        return list(dict.fromkeys(each for figure in figures for each in self._of.get(figure, ())))

    def of(self, fact: Fact, factor: float) -> Mapping[Figure, float] | None:
        """Works out what changes with a fact.

        Args:
            fact: The fact.
            factor: Its new value by the real one.

        Returns:
            The new values of all its mentions, and then of all that follows, in base units; None if what follows
            cannot be written, or two relations want different values.
        """
        new = {figure: figure.quantity.value * factor for figure in fact.figures}
        waiting = list(new)
        for _ in range(_ROUNDS):
            following = dict.fromkeys(each for figure in waiting for each in self._by_part.get(figure, ()))
            waiting = []
            for each in (one for one in following if not one.holds(new)):
                value, follows = each.repaired(new), self._fact[each.result]
                too_many = follows is fact or len(follows.figures) > _MENTIONS
                if value is None or not each.result.quantity.value or too_many:
                    return None
                for mention in follows.figures:
                    if mention is each.result or mention not in self._results:  # others follow from what is beside them
                        new[mention] = mention.quantity.value * value / each.result.quantity.value
                        waiting.append(mention)
            if not waiting:
                return new if all(each.holds(new) for each in self.touching(new)) else None
        return None


@of_last_corpus
def relations(corpus: Corpus) -> Relations:
    """Finds what follows from what in a corpus."""
    return Relations(corpus)


def _restated(corpus: Corpus) -> Iterator[Relation]:
    """Figures that round another one of their document, or of one that is about the same.

    They are of the same unit or noun, what is said around them shares a word (two, where no word such as `about` says
    that it is rounded), and the rounder one is what the other gives in its digits.
    """
    near = neighbours(corpus)
    by_kind: dict[tuple[Page, str], list[Figure]] = defaultdict(list)
    for page in pages(corpus):
        for figure in sorted(page.figures, key=lambda each: each.quantity.value):
            by_kind[page, figure.quantity.kind].append(figure)
    for (page, kind), figures in by_kind.items():
        known = [by_kind[other, kind] for other in (page, *near[page]) if (other, kind) in by_kind]
        for figure in figures:
            for sorted_ in known if figure.quantity.step and figure.quantity.value > 0 else ():
                low = bisect_left(sorted_, figure.quantity.value * (1 - _FAR), key=lambda each: each.quantity.value)
                high = bisect_right(sorted_, figure.quantity.value * (1 + _FAR), key=lambda each: each.quantity.value)
                for exact in sorted_[low : min(high, low + _TRIED)]:
                    if _rounds(figure, exact):
                        yield Relation(figure, (exact,), "rounded")


def _rounds(round_: Figure, exact: Figure) -> bool:
    a, b = round_.quantity, exact.quantity
    if not 0 < b.step < a.step or a.value == b.value or (round_.noun and exact.noun and round_.noun != exact.noun):
        return False
    said = a.bound in {"about", "over", "under"}
    shared = len((round_.context & exact.context) - {round_.noun, exact.noun})
    if abs(a.value - b.value) > (_FAR if said else _NEAR) * a.value or shared < (1 if said else 2):
        return False
    scale = math.log10(abs(a.value / a.raw) / abs(b.value / b.raw))  # of one unit, but for thousands and millions
    if round_.page is not exact.page and not math.isclose(scale, round(scale), abs_tol=1e-9):
        return False
    return Relation(round_, (exact,), "rounded").holds({})
