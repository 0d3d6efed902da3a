"""What else changes when a fact does: all its mentions, and all that follows from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.facts.dependency import Dependency
from trail_callbacks.canary.facts.facts import Fact, facts
from trail_callbacks.canary.facts.figures import Figure
from trail_callbacks.canary.facts.kept import of_last_corpus
from trail_callbacks.canary.facts.locked import conversions, locked
from trail_callbacks.canary.facts.pages import pages
from trail_callbacks.canary.facts.rounding import restatements
from trail_callbacks.canary.facts.sums import dependencies

__all__ = ["Consequences", "consequences"]

_MANY = 8  # mentions; what is stated more often follows from nothing
_ROUNDS = 12  # how often sums of sums are worked out; tables have two or three


class Consequences:
    """The relations between the figures of a corpus.

    Args:
        corpus: The documents.

    Attributes:
        locked: Figures that follow from what no number can repair, with the reason.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.locked: dict[Figure, str] = {}
        self._fact = {figure: fact for fact in facts(corpus) for figure in fact.figures}
        self._by_part: dict[Figure, list[Dependency]] = defaultdict(list)
        self._results: dict[Figure, list[Dependency]] = defaultdict(list)
        for page in pages(corpus):
            self.locked.update(locked(page))
            for each in dependencies(page):
                self._note(each)
            for before, inside in conversions(page):
                known = {figure for each in self.touching(inside) for figure in (each.result, *each.parts)}
                if not known.intersection(before) or len(before) + len(inside) > 2:  # noqa: PLR2004 - a pair
                    why = "it stands again in brackets, as what no rule works out"
                    self.locked.update(dict.fromkeys((*before, *inside), why))
        for each in restatements(corpus):
            if not any(set(each.parts) & {other.result, *other.parts} for other in self.touching((each.result,))):
                self._note(each)

    def _note(self, dependency: Dependency) -> None:
        self._results[dependency.result].append(dependency)
        for part in dependency.parts:
            self._by_part[part].append(dependency)

    def derived(self, fact: Fact) -> bool:
        """Whether it follows from other facts, and therefore changes with them only."""
        return any(figure in self._results for figure in fact.figures)

    def touching(self, figures: Iterable[Figure]) -> list[Dependency]:
        """The relations of which a figure is a part or the result."""
        found: dict[Dependency, None] = {}
        for figure in figures:
            found.update(dict.fromkeys((*self._by_part.get(figure, ()), *self._results.get(figure, ()))))
        return list(found)

    def of(self, fact: Fact, factor: float) -> Mapping[Figure, float] | None:
        """Works out what changes with a fact.

        Args:
            fact: The fact.
            factor: Its new value by the real one.

        Returns:
            The new values of all its mentions, and then of all that follows, in base units; None if what follows
            cannot be written, or two relations want different values.
        """
        direct = set(fact.figures)
        new = {figure: figure.quantity.value * factor for figure in fact.figures}
        waiting = list(fact.figures)
        for _ in range(_ROUNDS):
            following = dict.fromkeys(each for figure in waiting for each in self._by_part.get(figure, ()))
            waiting = []
            for each in following:
                if each.holds(new):
                    continue
                value = _rounded(each, new)
                follows = self._fact[each.result]
                if value is None or not each.result.quantity.value or follows is fact or len(follows.figures) > _MANY:
                    return None
                change = value / each.result.quantity.value
                for mention in follows.figures:
                    if mention in direct:
                        return None
                    if mention is not each.result and mention in self._results:
                        continue  # follows from what stands beside it
                    new[mention] = mention.quantity.value * change
                    waiting.append(mention)
            if not waiting:
                break
        return new if not waiting and all(each.holds(new) for each in self.touching(new)) else None


@of_last_corpus
def consequences(corpus: Corpus) -> Consequences:
    """Finds what follows from what in a corpus."""
    return Consequences(corpus)


def _rounded(dependency: Dependency, new: Mapping[Figure, float]) -> float | None:
    """The value of a result in the digits that it is written with."""
    numeral = dependency.result.numeral
    value = dependency.value(new)
    if numeral is None or not abs(value) < float("inf"):
        return None
    return round(value / numeral.factor, numeral.decimals) * numeral.factor
