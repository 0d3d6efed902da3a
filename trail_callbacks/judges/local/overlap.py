"""Overlap: which words, names and numbers of a claim stand in passages, weighed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.judges.local.checks.entity import known
from trail_callbacks.judges.local.checks.number import stated
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.language.terms import Term, stem, vocabulary
from trail_callbacks.language.values import Quantity

__all__ = ["Item", "Overlap"]

_NAME = 1.5
_NUMBER = 1.5
_LIGHT = 0.4
_ABOUT = 0.3  # share of the claim's words that make a passage be about it
_HALF = 0.5
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
    """A word, name or number of the claim.

    Attributes:
        words: As written in the claim.
        kind: `word`, `name` or `number`.
        weight: How much of the claim it makes, in words.
        span: Offsets in the claim.
        term: The word, or the first of the name; None for a number.
        name: All words of the name.
        quantity: The number.
        beside: For a number, the content words nearest to it: what it is a number of.
    """

    words: str
    kind: str
    weight: float
    span: tuple[int, int]
    term: Term | None = None
    name: tuple[Term, ...] = ()
    quantity: Quantity | None = None
    beside: tuple[Term, ...] = ()

    @property
    def required(self) -> bool:
        """Whether a claim cannot be supported without it: a name, or a number that is not just `one` or `first`."""
        return self.kind == "name" or (
            self.quantity is not None and self.quantity.kind != "rank" and self.quantity.raw != 1
        )

    def is_in(self, passage: Reading, claim: Reading) -> bool:
        """Tells whether a passage has it."""
        if self.quantity is not None:
            return stated(self.quantity, claim, passage)
        if self.name:
            return known(self.name, passage)
        return self.term is not None and passage.has(self.term)


@dataclass(frozen=True)
class Overlap:
    """How a claim and its passages overlap.

    Attributes:
        claim: The claim.
        passages: Its passages.
        before: For each passage the text before it; see `Passage.before`.
        tabular: For each passage whether it is a row or field, so that the text before it names its cells.
        nodes: For each passage the id of the node that holds it.
    """

    claim: Reading
    passages: Sequence[Reading]
    before: Sequence[Reading]
    tabular: Sequence[bool]
    nodes: Sequence[str]

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The distinct words, names and numbers of the claim."""
        distinct: dict[str, Item] = {}
        for item in _items(self.claim):
            distinct.setdefault(f"{item.kind}/{item.words.casefold()}", item)
        return tuple(distinct.values())

    @cached_property
    def held(self) -> tuple[frozenset[int], ...]:
        """For each passage the indices of the items it has.

        A long source has nearly any number: one counts in a passage that is about the claim, or that has a word
        beside it. A row has the words of its header, but not the numbers; a sentence has the names before it,
        unless it begins with its own.
        """
        held = []
        for passage, before, tabular in zip(self.passages, self.before, self.tabular, strict=True):
            has = frozenset(i for i, item in enumerate(self.items) if item.is_in(passage, self.claim))
            if self.on_another(passage):
                has = frozenset(i for i in has if self.items[i].kind == "name")
            elif before.text and (tabular or not _subject(passage)):
                kinds = {"name", "word"} if tabular else {"name"}
                has |= {i for i, item in enumerate(self.items) if item.kind in kinds and item.is_in(before, self.claim)}
            about = self.weight(has, numbers=False) >= _ABOUT * self._words
            held.append(has if about else self._attached(has, passage))
        return tuple(held)

    @cached_property
    def _words(self) -> float:
        return self.weight(self.everything, numbers=False)

    def on_another(self, passage: Reading) -> bool:
        """Tells whether claim and passage begin with two different names: then the passage is about another."""
        mine, other = _subject(self.claim), _subject(passage)
        return bool(mine and other) and not known(mine, passage) and not known(other, self.claim)

    @cached_property
    def attached(self) -> tuple[frozenset[int], ...]:
        """As `held`, but a number counts only with a word that is beside it in the claim."""
        return tuple(self._attached(held, passage) for held, passage in zip(self.held, self.passages, strict=True))

    def _attached(self, held: frozenset[int], passage: Reading) -> frozenset[int]:
        return frozenset(i for i in held if not (near := self.items[i].beside) or any(map(passage.has, near)))

    def weight(self, indices: frozenset[int], *, numbers: bool = True) -> float:
        """Returns the sum of the weights of items."""
        return sum(self.items[i].weight for i in indices if numbers or self.items[i].kind != "number")

    @cached_property
    def everything(self) -> frozenset[int]:
        """All items."""
        return frozenset(range(len(self.items)))

    def together(self, p: int, wanted: frozenset[int], excluded: Collection[int] = ()) -> tuple[int, ...]:
        """Returns a passage and up to two others that add most of the wanted items that it lacks.

        Those of other nodes must be on the same subject, as any text has some of the words that are missing; a row must
        add a word, as the numbers of another row are of another thing.

        Args:
            p: Index of the passage.
            wanted: Indices of items.
            excluded: Indices of passages that must not be among the others.
        """
        free = [i for i in range(len(self.held)) if i not in excluded and self.same_subject(p, i)]
        chosen, have = [p], self.held[p] & wanted
        for _ in range(_OTHERS):
            added = {i: (self.held[i] & wanted) - have for i in free}
            gains = [
                (self.weight(new), -i)
                for i, new in added.items()
                if not self.tabular[i] or self.weight(new, numbers=False) > 0
            ]
            gain, index = max(gains, default=(0.0, 0))
            if gain <= 0:
                break
            chosen.append(-index)
            have |= added[-index]
        return tuple(chosen)

    def same_subject(self, p: int, other: int) -> bool:
        """Tells whether two passages are of one node, share a name of the claim, or one has half of it and no name."""
        if self.nodes[p] == self.nodes[other]:
            return True
        if any(self.items[i].kind == "name" for i in self.held[p] & self.held[other]):
            return True
        half = self.weight(self.held[other], numbers=False) >= _HALF * self._words
        return half and all(known(name, self.claim) for name in self.passages[other].names)

    def covered(self, passages: Sequence[int], *, attached: bool = False) -> frozenset[int]:
        """Returns the items that some passages, given by index, have together."""
        have = self.attached if attached else self.held
        return frozenset().union(*(have[p] for p in passages))

    def share(self, have: frozenset[int], of: frozenset[int]) -> float:
        """Returns the share by weight, 0.0 to 1.0, of some items that are had; 0.0 for no items."""
        total = self.weight(of)
        return self.weight(have & of) / total if total else 0.0


def _subject(reading: Reading) -> tuple[Term, ...]:
    """The name that a sentence begins with, if it does."""
    first = min((term.start for term in reading.content), default=None)
    return next((name for name in reading.names if name[0].start == first), ())


def _items(claim: Reading) -> Iterator[Item]:
    named = {term.start for name in claim.names for term in name}
    for name in claim.names:
        span = (name[0].start, name[-1].end)
        yield Item(claim.text[span[0] : span[1]], "name", _NAME, span, name[0], name)
    for term in claim.content:
        if term.start not in named:
            weight = _LIGHT if term.stem in _LIGHT_STEMS else 1.0
            yield Item(claim.text[term.start : term.end], "word", weight, (term.start, term.end), term)
    for quantity in claim.quantities:
        span = (quantity.start, quantity.end)
        before = [term for term in claim.content if term.end <= quantity.start]
        after = [term for term in claim.content if term.start >= quantity.end]
        weight = _NUMBER if quantity.kind != "rank" else 1.0
        beside = (*before[-1:], *after[:1])
        yield Item(claim.text[span[0] : span[1]], "number", weight, span, quantity=quantity, beside=beside)
