"""Which figures state the same fact, and therefore change together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.facts.pages import Figure, Page, of_last_corpus, pages

__all__ = ["Fact", "Joined", "facts", "neighbours"]

_LEAST, _MOST, _PART = 3, 40, 10  # documents that may have a word which says what they are about: a tenth of all
_ALIKE = 0.15  # share of the weight of their words that two documents have in common
_FEW = 3  # documents that share what says of which thing a sentence speaks
_PAIRED = 12  # words of one context that are paired with each other
_NAMED = 4  # characters before a number


class Joined:
    """Sets that grow together; the first member stands for its set."""

    def __init__(self) -> None:
        self._above: dict[int, int] = {}

    def root(self, i: int) -> int:
        """The first member of a set."""
        while (above := self._above.get(i, i)) != i:
            self._above[i] = i = self._above.get(above, above)
        return i

    def join(self, i: int, j: int) -> None:
        """Makes one set of two."""
        i, j = sorted((self.root(i), self.root(j)))
        self._above[j] = i


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """What several figures state.

    Attributes:
        figures: All its mentions, in the order of documents and offsets.
    """

    figures: Sequence[Figure]

    @property
    def named(self) -> Figure:
        """The mention that says most plainly what it is: in prose, with a unit or noun."""

        def plainness(figure: Figure) -> tuple[bool, bool, int]:
            quantity = figure.quantity
            return (quantity.kind != "count" or bool(quantity.noun), figure.row is None, len(figure.context))

        return max(self.figures, key=plainness)


@of_last_corpus
def neighbours(corpus: Corpus) -> Mapping[Page, Sequence[Page]]:
    """Finds for each document the others that are about the same.

    Words weigh more the fewer documents have them; two documents are about the same if they have 15 % of the weight of
    the words in common that say what the lighter one is about. Time is linear in the words of the corpus.
    """
    read = pages(corpus)
    having: dict[str, list[int]] = defaultdict(list)
    for page in read:
        for word in sorted(page.keys):
            having[word].append(page.number)
    most = max(_LEAST, min(_MOST, len(read) // _PART))
    weight = [0.0] * len(read)
    shared: dict[tuple[int, int], float] = defaultdict(float)
    for those in having.values():
        if 1 < len(those) <= most:
            tells = log((len(read) + 1) / len(those))
            for i in those:
                weight[i] += tells
            for pair in combinations(those, 2):
                shared[pair] += tells
    found: dict[Page, list[Page]] = {page: [] for page in read}
    for (i, j), tells in sorted(shared.items()):
        if tells >= _ALIKE * min(weight[i], weight[j]):
            found[read[i]].append(read[j])
            found[read[j]].append(read[i])
    return found


@of_last_corpus
def facts(corpus: Corpus) -> Sequence[Fact]:
    """Joins the figures of a corpus which state the same fact.

    Two figures of the same value are mentions of one fact if

    - they stand in the same document, outside of tables, with the same unit or noun, or one of them with none; or
    - they have the same unit or noun, and their documents are about the same (see `neighbours`); or
    - what is said around them shares a word that at most three documents have, or two words that no more than one
      document would have by chance, and they have the same unit or noun.

    Values are compared in base units, so that `forty minutes`, `40 min` and `2,400 s` are equal; one with a unit beside
    a bare number that its column or label names needs a shared word. That is meant to join too much rather than too
    little: two facts changed alike still agree with all that is said of them, one that is changed in one place and not
    in another does not.

    Args:
        corpus: The documents.

    Returns:
        All facts in the order of their first mention; each figure is in one of them.
    """
    read, near = pages(corpus), neighbours(corpus)
    spread = Counter(key for page in read for key in page.keys)
    figures = [figure for page in read for figure in page.figures]
    groups: dict[tuple[str, str], list[tuple[int, Figure]]] = defaultdict(list)
    for i, figure in enumerate(figures):
        for key in _values(figure):
            groups[key].append((i, figure))
    joined = Joined()
    for (kind, _), group in groups.items():
        for one, other in _related(group, spread, near, same=kind != "raw"):
            joined.join(one, other)
    found: dict[int, list[Figure]] = defaultdict(list)
    for i, figure in enumerate(figures):
        found[joined.root(i)].append(figure)
    return tuple(Fact(tuple(group)) for group in found.values())


def _values(figure: Figure) -> Iterator[tuple[str, str]]:
    """What it is compared by: its kind and value, for bare counts also the value as written."""
    quantity = figure.quantity
    yield quantity.kind, f"{quantity.value:.9g}"
    labelled = (
        figure.page.text[max(0, figure.start - _NAMED) : figure.start].rstrip(" \"'").endswith((":", "=", "\uff1a"))
    )
    if quantity.kind != "count" or quantity.noun or figure.row is not None or labelled:
        yield "raw", f"{quantity.raw:.9g}"


def _related(
    group: Sequence[tuple[int, Figure]], spread: Counter[str], near: Mapping[Page, Sequence[Page]], *, same: bool
) -> Iterator[tuple[int, int]]:
    """Pairs of figures of one value that state the same fact; enough of them to join all."""
    first: dict[Hashable, tuple[int, Figure]] = {}

    def meet(key: Hashable, i: int, figure: Figure) -> Iterator[tuple[int, int]]:
        one, other = first.setdefault(key, (i, figure))
        if one != i and (same or _may_be_one(other, figure)):
            yield one, i

    bare = {figure.page for _, figure in group if same and not figure.noun and figure.row is None}
    for i, figure in group:
        page, noun = figure.page, figure.noun if same else ""
        if same and figure.row is None:
            yield from meet((page, "" if page in bare else noun), i, figure)
            yield from ((first[other, noun][0], i) for other in near[page] if (other, noun) in first)
            first.setdefault((page, noun), (i, figure))
        rarest = sorted(figure.context - {figure.noun}, key=lambda word: (spread[word], word))[:_PAIRED]
        for word in rarest:
            if spread[word] <= _FEW:
                yield from meet(word, i, figure)
        for pair in combinations(rarest, 2):
            if spread[pair[0]] * spread[pair[1]] <= len(near):
                yield from meet((*pair, noun), i, figure)


def _may_be_one(one: Figure, other: Figure) -> bool:
    """Whether two numbers are of the same unit, or one of them is bare."""
    a, b = one.quantity, other.quantity
    if a.kind == b.kind:
        return a.value == b.value and (a.noun == b.noun or not a.noun or not b.noun)
    return (a.kind == "count" and not a.noun) or (b.kind == "count" and not b.noun)
