"""A text, read once for all comparisons: its words with their weight, its numbers and its names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from trail_callbacks.judges.local.markers import MARKERS
from trail_callbacks.language.detect import is_english
from trail_callbacks.language.terms import Term, stem, terms
from trail_callbacks.language.values import Quantity, follows, quantities

WEIGHTS = {"light": 0.05, "marker": 0.5, "word": 1.0, "name": 1.5, "number": 1.5}
_PREFIX = 6  # letters; words that share them and little else differ are forms of one word (`approval`, `approve`)
_ENDING = 4  # letters that may follow the shared ones
_ALIKE = {"may": "can", "shall": "must"}  # of rules and permissions both are used


@dataclass(frozen=True, slots=True)
class Word:
    """A word, name, code or number with its place, case-folded, and what its forms share.

    A `marker` is a word that a meaning turns on (`not`, `may`, `all`, `if`), `light` any other function word.
    """

    key: str
    form: str
    kind: Literal["word", "name", "number", "marker", "light"]
    start: int
    end: int
    quantity: Quantity | None = None

    @property
    def content(self) -> bool:
        """Whether it says something by itself."""
        return self.kind in {"word", "name", "number"}

    @property
    def weight(self) -> float:
        """How much of a sentence it makes, in words."""
        return WEIGHTS[self.kind]


@dataclass(frozen=True)
class Wording:
    """A text with everything that is compared, computed when first asked for."""

    text: str

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """All words in order."""
        return terms(self.text)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """All numbers in order."""
        return quantities(self.text)

    @cached_property
    def english(self) -> bool:
        """Whether English rules apply."""
        return is_english(self.text)

    @cached_property
    def content(self) -> tuple[Term, ...]:
        """Words and names, without function words and without what belongs to a number."""
        found = (term for term in self.terms if term.kind in {"word", "name"})
        return tuple(term for term in found if not any(q.start <= term.start < q.end for q in self.quantities))

    @cached_property
    def names(self) -> tuple[tuple[Term, ...], ...]:
        """Names, each as its adjacent words."""
        groups: list[list[Term]] = []
        for term in self.content:
            if term.kind != "name":
                continue
            if groups and self.text[groups[-1][-1].end : term.start] in {" ", "-"}:
                groups[-1].append(term)
            else:
                groups.append([term])
        return tuple(map(tuple, groups))

    @cached_property
    def named(self) -> frozenset[str]:
        """The words that are part of a name, case-folded."""
        return frozenset(term.form for term in self.terms if term.kind == "name")

    @cached_property
    def plain(self) -> frozenset[str]:
        """The words that are written in small letters."""
        return frozenset(term.form for term in self.terms if self.text[term.start : term.end] == term.form)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(key for term in self.terms for key in (term.form, term.stem))

    def has(self, term: Term) -> bool:
        """Tells whether this text holds a word, or a form of it."""
        if term.form in self._known or term.stem in self._known:
            return True
        return term.kind != "name" and any(_related(term.stem, other.stem) for other in self.content)

    def words(self, names: frozenset[str] = frozenset()) -> tuple[Word, ...]:
        """Returns all words; `names` are known to be names, also one at the beginning of a sentence."""
        found = [Word("", self.text[q.start : q.end], "number", q.start, q.end, q) for q in self.quantities]
        taken = [(word.start, word.end) for word in found]
        found += [_word(term, names) for term in self.terms if not any(a <= term.start < b for a, b in taken)]
        return tuple(_joined(sorted(found, key=lambda word: word.start), self.text))


def _word(term: Term, names: frozenset[str]) -> Word:
    form = term.form
    if form in {"not", "cannot"} or form.endswith(("n't", "n\u2019t")):
        return Word("not", "not", "marker", term.start, term.end)
    if form in MARKERS:
        return Word(_ALIKE.get(form, form), form, "marker", term.start, term.end)
    if term.kind == "function":
        return Word(form, form, "light", term.start, term.end)
    name = term.kind == "name" or form in names
    return Word(form if name else term.stem, form, "name" if name else "word", term.start, term.end)


def _joined(found: Sequence[Word], text: str) -> Iterator[Word]:
    """Joins the pieces of a code (`X100`, `7b`, `WM-1`) into a name, and `no longer` into one negation."""
    at = 0
    while at < len(found):
        word = found[at]
        at += 1
        while at < len(found) and _is_code(word, found[at], text):
            form = text[word.start : found[at].end].casefold()
            word = Word(form, form, "name", word.start, found[at].end)
            at += 1
        if word.form == "no" and at < len(found) and found[at].form == "longer":
            word = Word("not", "not", "marker", word.start, found[at].end)
            at += 1
        yield word


def _is_code(one: Word, other: Word, text: str) -> bool:
    if one.quantity or other.quantity or text[one.end : other.start] not in {"", "-"}:
        return False
    return text[one.end - 1].isdigit() != text[other.start].isdigit()


def _related(a: str, b: str) -> bool:
    """Whether two stems are forms of one word by their beginning: `approval`, `approve`."""
    if len(a) < _PREFIX or len(b) < _PREFIX or a[:_PREFIX] != b[:_PREFIX]:
        return False
    shared = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return max(len(a), len(b)) - shared <= _ENDING


def same(one: Word, other: Word) -> bool:
    """Tells whether two words, or what two numbers say, are the same."""
    if one.quantity is not None and other.quantity is not None:
        opposed = {one.quantity.bound, other.quantity.bound} == {"over", "under"}
        return not opposed and follows(one.quantity, other.quantity)  # what the claim says follows from what is given
    if one.quantity is not None or other.quantity is not None:
        return False
    related = one.kind == other.kind == "word" and _related(one.key, other.key)
    return one.form == other.form or one.key == other.key or related


class WordPlaces:
    """Where each word stands in a sentence."""

    def __init__(self, given: Sequence[Word]) -> None:
        self._given = given
        self._by_key: dict[str, set[int]] = defaultdict(set)
        for j, word in enumerate(given):
            if word.quantity is None:
                for key in {word.form, word.key} | ({stem(word.form)} if word.content else set()):
                    self._by_key[key].add(j)

    def of(self, word: Word) -> set[int]:
        """Returns the indices of a word, in any of its forms."""
        if word.quantity is not None:
            return {j for j, other in enumerate(self._given) if other.quantity and same(word, other)}
        found = self._by_key.get(word.form, set()) | self._by_key.get(word.key, set())
        if not found and word.kind == "word":
            found = {j for j, other in enumerate(self._given) if other.kind == "word" and same(word, other)}
        if not found and word.kind == "name":
            found = self._by_key.get(stem(word.form), set())
        return found

    def held(self, words: Sequence[Word]) -> frozenset[int]:
        """Returns the indices of those words of content that the sentence has in any order."""
        return frozenset(i for i, word in enumerate(words) if word.content and self.of(word))
