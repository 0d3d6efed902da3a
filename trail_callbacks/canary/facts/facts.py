"""Which figures state the same fact, and therefore change together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.facts.figures import Figure, Page
from trail_callbacks.canary.facts.kept import of_last_corpus
from trail_callbacks.canary.facts.neighbours import neighbours
from trail_callbacks.canary.facts.pages import pages

__all__ = ["Fact", "facts"]

_FEW = 3  # documents that share what says of which thing a sentence speaks
_PAIRED = 12  # words of one context that are paired with each other
_NAMED = 4  # characters before a number
_PLACES = 9  # significant digits in which equal values are equal


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """What several figures state.

    Attributes:
        figures: All its mentions, in the order of documents and offsets.
    """

    figures: Sequence[Figure]

    @property
    def kind(self) -> str:
        """Kind of the quantity; of a bare number and one with a unit, that of the unit."""
        return next((each.quantity.kind for each in self.figures if each.quantity.kind != "count"), "count")

    @property
    def named(self) -> Figure:
        """The mention that says most plainly what it is: in prose, with a unit or noun."""
        return max(self.figures, key=_plainness)


def _plainness(figure: Figure) -> tuple[bool, bool, int]:
    quantity = figure.quantity
    return (quantity.kind != "count" or bool(quantity.noun), figure.row is None, len(figure.context))


@of_last_corpus
def facts(corpus: Corpus) -> Sequence[Fact]:
    """Joins the figures of a corpus which state the same fact.

    Two figures of the same value are mentions of one fact if

    - they stand in the same document, outside of tables, with the same unit or noun, or one of them with none; or
    - they have the same unit or noun, and their documents are about the same (see `neighbours`); or
    - what is said around them shares a word that at most three documents have, or two words that no more than one
      document would have by chance, and they have the same unit or noun.

    Values are compared in base units, so that `forty minutes`, `40 min` and `2,400 s` are equal; counts with different
    nouns, and one with a unit beside a bare number that its column or label names, need a shared word. That is
    meant to join too much rather than too little: two facts changed alike still agree with all that is said of them,
    one that is changed in one place and not in another does not.

    Args:
        corpus: The documents.

    Returns:
        All facts in the order of their first mention; each figure is in one of them.
    """
    read = pages(corpus)
    spread = Counter(key for page in read for key in page.keys)
    near = neighbours(corpus)
    groups: dict[tuple[str, str], list[Figure]] = defaultdict(list)
    figures = [figure for page in read for figure in page.figures]
    order = {id(figure): i for i, figure in enumerate(figures)}
    for figure in figures:
        for key in _values(figure):
            groups[key].append(figure)
    joined = _Joined(len(figures))
    for (kind, _), group in groups.items():
        numbered = [(order[id(figure)], figure) for figure in group]
        for one, other in _related(numbered, spread, near, same=kind != "raw"):
            joined.join(one, other)
    found: dict[int, list[Figure]] = defaultdict(list)
    for i, figure in enumerate(figures):
        found[joined.root(i)].append(figure)
    return tuple(Fact(tuple(group)) for group in found.values())


def _values(figure: Figure) -> Iterator[tuple[str, str]]:
    """What it is compared by: its kind and value, for bare counts also the value as written."""
    quantity = figure.quantity
    yield quantity.kind, f"{quantity.value:.{_PLACES}g}"
    if quantity.kind != "count" or quantity.noun or figure.row is not None or _named_before(figure):
        yield "raw", f"{quantity.raw:.{_PLACES}g}"


def _named_before(figure: Figure) -> bool:
    """Whether a bare number stands behind what names it: `minutes: 40`."""
    return figure.page.text[max(0, figure.start - _NAMED) : figure.start].rstrip(" \"'").endswith((":", "=", "\uff1a"))


def _related(
    group: Sequence[tuple[int, Figure]],
    spread: Counter[str],
    near: Mapping[Page, Sequence[Page]],
    *,
    same: bool,
) -> Iterator[tuple[int, int]]:
    """Pairs of figures of one value that state the same fact; enough of them to join all."""
    first: dict[object, tuple[int, Figure]] = {}

    def meet(key: object, i: int, figure: Figure) -> Iterator[tuple[int, int]]:
        one, other = first.setdefault(key, (i, figure))
        if one != i and (same or _may_be_one(other, figure)):
            yield one, i

    bare = {figure.page for _, figure in group if same and not figure.noun and figure.row is None}
    for i, figure in group:
        page, noun = figure.page, figure.noun if same else ""
        context = sorted(figure.context - {figure.noun})
        if same and figure.row is None:
            yield from meet((page, "" if page in bare else noun), i, figure)
            yield from ((first[other, noun][0], i) for other in near[page] if (other, noun) in first)
            first.setdefault((page, noun), (i, figure))
        rarest = sorted(context, key=lambda word: (spread[word], word))[:_PAIRED]
        for word in rarest:
            if spread[word] <= _FEW:
                yield from meet(("word", word), i, figure)
        for one, other in combinations(rarest, 2):
            if spread[one] * spread[other] <= len(near):
                yield from meet((one, other, noun), i, figure)


def _may_be_one(one: Figure, other: Figure) -> bool:
    """Whether two numbers are of the same unit, or one of them is bare."""
    a, b = one.quantity, other.quantity
    if a.kind == b.kind:
        return a.value == b.value and (a.noun == b.noun or not a.noun or not b.noun)
    return (a.kind == "count" and not a.noun) or (b.kind == "count" and not b.noun)


class _Joined:
    """Sets of numbers that grow together."""

    def __init__(self, n: int) -> None:
        self._above = list(range(n))

    def root(self, i: int) -> int:
        while self._above[i] != i:
            self._above[i] = self._above[self._above[i]]
            i = self._above[i]
        return i

    def join(self, i: int, j: int) -> None:
        i, j = sorted((self.root(i), self.root(j)))
        self._above[j] = i
