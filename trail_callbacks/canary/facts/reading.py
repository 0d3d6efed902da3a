"""A corpus read once: its documents, which are about the same, and what they state, with every place that states it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import log

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.facts.joined import joined
from trail_callbacks.canary.facts.names import Names
from trail_callbacks.canary.facts.pages import Page, PageFigure, Saying
from trail_callbacks.canary.facts.relations import Relation, relations_in
from trail_callbacks.language.terms import stem
from trail_callbacks.language.values import Quantity, quantities

_COLDEST = {"temperature": -273.15, "fahrenheit": -459.67}


class Stated:
    """The values of a corpus."""

    def __init__(self, pages: Sequence[Page], near: Mapping[Page, Sequence[Page]]) -> None:
        self._near = near
        self._values: set[tuple[str, str, str]] = set()
        self._bare: dict[Page, set[str]] = defaultdict(set)
        for page in pages:
            for each in page.numbers:
                self._add(each, page)

    def _add(self, quantity: Quantity, page: Page) -> None:
        if quantity.kind == "count" and not quantity.noun:
            self._bare[page].add(f"{quantity.value:.9g}")
        else:
            self._values.add((quantity.kind, f"{quantity.value:.9g}", stem(quantity.noun)))

    def add(self, words: str, pages: Sequence[Page]) -> None:
        """Takes note of a new value of some documents."""
        for each in quantities(words):
            for page in pages:
                self._add(each, page)

    def has(self, kind: str, value: float, noun: str, page: Page) -> bool:
        """Whether the corpus has a value; of bare numbers, of which it may have all, the document or one like it."""
        if kind != "count" or noun:
            return (kind, f"{value:.9g}", noun) in self._values
        return any(f"{value:.9g}" in self._bare[each] for each in (page, *self._near[page]))


def implausible(real: Quantity, value: float) -> bool:
    """Says whether nobody would believe a value in the place of a real one. What that breaks too is no reason."""
    if value < _COLDEST.get(real.kind, -math.inf) or (real.value > 0 >= value and real.kind not in _COLDEST):
        return True
    return real.kind == "percent" and abs(real.value) <= 100 < abs(value)  # noqa: PLR2004 - the whole


_LEAST, _MOST, _PART = 3, 40, 10  # documents that may have a word which says what they are about: a tenth of all
_ALIKE = 0.15  # share of the weight of their words that two documents have in common
_FEW = 3  # documents that share what says of which thing a sentence speaks
_SAME = 0.8  # share of their words that two sentences have in common that say the same
_KINDRED = 0.5  # and of two that may speak of the same fact
_COMMON = 40  # sentences: a word in more of them tells nothing
_MENTIONS = 8  # what is stated more often follows from nothing
_ROUNDS = 12  # how often sums of sums are worked out; tables have two or three


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """What several figures state."""

    figures: Sequence[PageFigure]

    @property
    def named(self) -> PageFigure:
        """The mention that says most plainly what it is: in prose, with a unit or noun."""

        def plainness(figure: PageFigure) -> tuple[bool, bool, int]:
            quantity = figure.quantity
            return (quantity.kind != "count" or bool(quantity.noun), figure.row is None, len(figure.context))

        return max(self.figures, key=plainness)


class FactReading:
    """What a corpus says."""

    def __init__(self, corpus: Corpus) -> None:
        self.pages: Sequence[Page] = [Page(document, i) for i, document in enumerate(corpus)]
        self.by_id: Mapping[str, Page] = {page.id: page for page in self.pages}
        self._same: dict[Saying, tuple[Sequence[Saying], Sequence[Saying]]] = {}

    @cached_property
    def names(self) -> Names:
        """Its names."""
        return Names(self.pages)

    @cached_property
    def stated(self) -> Stated:
        """Its values, and those of its twin as far as it is made."""
        return Stated(self.pages, self.near)

    @cached_property
    def near(self) -> Mapping[Page, Sequence[Page]]:
        """For each document the others that are about the same.

        Words weigh more the fewer documents have them; two documents are about the same if they have 15 % of the weight
        of the words in common that say what the lighter one is about. Time is linear in the words of the corpus.
        """
        having: dict[str, list[int]] = defaultdict(list)
        for page in self.pages:
            for word in sorted(page.keys):
                having[word].append(page.number)
        most = max(_LEAST, min(_MOST, len(self.pages) // _PART))
        weight = [0.0] * len(self.pages)
        shared: dict[tuple[int, int], float] = defaultdict(float)
        for those in having.values():
            if 1 < len(those) <= most:
                tells = log((len(self.pages) + 1) / len(those))
                for i in those:
                    weight[i] += tells
                for pair in combinations(those, 2):
                    shared[pair] += tells
        found: dict[Page, list[Page]] = {page: [] for page in self.pages}
        for (i, j), tells in sorted(shared.items()):
            if tells >= _ALIKE * min(weight[i], weight[j]):
                found[self.pages[i]].append(self.pages[j])
                found[self.pages[j]].append(self.pages[i])
        return found

    @cached_property
    def facts(self) -> Sequence[Fact]:
        """Figures which state the same fact, in the order of the first of them; each figure is in one fact.

        Figures of the same value in base units are mentions of one fact if

        - they stand in the same document, outside of tables, with the same unit or noun, or one of them with none; or
        - they have the same unit or noun, and their documents are about the same (see `near`); or
        - what is said around them shares a word that at most three documents have.

        That is meant to join too much rather than too little: two facts changed alike still agree with the text.
        """
        figures = [figure for page in self.pages for figure in page.figures]
        groups: dict[tuple[str, str], list[PageFigure]] = defaultdict(list)
        for figure in figures:
            for key in _values(figure):
                groups[key].append(figure)
        pairs = chain.from_iterable(self._related(group, same=kind != "raw") for (kind, _), group in groups.items())
        return [Fact(tuple(group)) for group in joined(figures, pairs)]

    @cached_property
    def _spread(self) -> Counter[str]:
        return Counter(key for page in self.pages for key in page.keys)

    def _related(self, group: Sequence[PageFigure], *, same: bool) -> Iterator[tuple[PageFigure, PageFigure]]:
        """Pairs of figures of one value that state the same fact; enough of them to join all."""
        first: dict[Hashable, PageFigure] = {}

        def meet(key: Hashable, figure: PageFigure) -> Iterator[tuple[PageFigure, PageFigure]]:
            one = first.setdefault(key, figure)
            if one is not figure and (same or _may_be_one(one, figure)):
                yield one, figure

        bare = {figure.page for figure in group if same and not figure.noun and figure.row is None}
        for figure in group:
            page, noun = figure.page, figure.noun if same else ""
            if same and figure.row is None:
                yield from meet((page, "" if page in bare else noun), figure)
                yield from ((first[other, noun], figure) for other in self.near[page] if (other, noun) in first)
                first.setdefault((page, noun), figure)
            for word in sorted(figure.context - {figure.noun}):
                if self._spread[word] <= _FEW:
                    yield from meet(word, figure)

    @cached_property
    def _relations(self) -> Mapping[PageFigure, Sequence[Relation]]:
        found: dict[PageFigure, list[Relation]] = defaultdict(list)
        for each in chain.from_iterable(map(relations_in, self.pages)):
            for figure in each.figures:
                found[figure].append(each)
        return found

    @cached_property
    def _fact_of(self) -> Mapping[PageFigure, Fact]:
        return {figure: fact for fact in self.facts for figure in fact.figures}

    def relations(self, figures: Iterable[PageFigure]) -> list[Relation]:
        """The relations that some figures are in."""
        return list(dict.fromkeys(each for figure in figures for each in self._relations.get(figure, ())))

    def is_derived(self, figure: PageFigure) -> bool:
        """Whether it follows from other figures, and therefore changes with them only."""
        return any(each.is_derived and each.result is figure for each in self._relations.get(figure, ()))

    def changed(self, fact: Fact, factor: float) -> Mapping[PageFigure, float] | None:
        """Works out what changes with a fact."""
        new = {figure: figure.value * factor for figure in fact.figures}
        for _ in range(_ROUNDS):
            wrong = [each for each in self.relations(new) if not each.holds(new)]
            if not wrong:
                return new
            for each in (one for one in wrong if not one.holds(new)):
                value = each.repaired(new) if each.is_derived else None
                follows = self._fact_of[each.result]
                if value is None or follows is fact or len(follows.figures) > _MENTIONS:
                    return None
                for mention in follows.figures:
                    if mention is each.result or not self.is_derived(mention):  # others follow from what is beside them
                        new[mention] = mention.value * value / each.result.value
        return None

    @cached_property
    def _rare(self) -> Mapping[str, Sequence[Saying]]:
        having: dict[str, list[Saying]] = defaultdict(list)
        for saying in (each for page in self.pages for each in page.lines):
            for key in saying.keys:
                having[key].append(saying)
        return {key: those for key, those in having.items() if len(those) <= _COMMON}

    def same(self, saying: Saying) -> tuple[Sequence[Saying], Sequence[Saying]]:
        """Finds what says the same."""
        if saying not in self._same:
            near = dict.fromkeys(chain.from_iterable(self._rare.get(key, ()) for key in saying.keys))
            same, kindred = [], []
            for other in sorted(near, key=lambda each: (each.page.number, each.start)):
                shared = len(saying.keys & other.keys)
                if shared >= _SAME * len(saying.keys | other.keys):
                    same.append(other)
                elif shared >= max(2, _KINDRED * min(len(saying.keys), len(other.keys))):
                    kindred.append(other)
            self._same[saying] = same or [saying], kindred
        return self._same[saying]


def _values(figure: PageFigure) -> Iterator[tuple[str, str]]:
    """What it is compared by: its kind and value, for bare counts also the value as written."""
    quantity = figure.quantity
    yield quantity.kind, f"{quantity.value:.9g}"
    if quantity.kind != "count" or quantity.noun or figure.row is not None:
        yield "raw", f"{quantity.raw:.9g}"


def _may_be_one(one: PageFigure, other: PageFigure) -> bool:
    """Whether two numbers are of the same unit, or one of them is bare."""
    a, b = one.quantity, other.quantity
    if a.kind == b.kind:
        return a.value == b.value and (a.noun == b.noun or not a.noun or not b.noun)
    return (a.kind == "count" and not a.noun) or (b.kind == "count" and not b.noun)
