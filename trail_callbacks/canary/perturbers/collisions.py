"""Why a fictive value cannot be used: it stands in the corpus, is the real one, or nobody would believe it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.edit import Edit, EditKind
from trail_callbacks.canary.facts.figures import telling
from trail_callbacks.canary.facts.kept import of_last_corpus
from trail_callbacks.canary.facts.pages import pages
from trail_callbacks.language.terms import stem
from trail_callbacks.language.values import EXACT, Quantity, quantities

__all__ = ["Present", "collision", "implausible"]

_VALUES: frozenset[EditKind] = frozenset({"number", "unit"})
_NAMES: frozenset[EditKind] = frozenset({"name", "nonce"})
_WORD = re.compile(r"\w+")
_Key = tuple[str, str, str]  # kind, value as written, noun
_PLACES = 9
_FEW = 3  # documents
_LIMITS: dict[str, tuple[float, float]] = {
    "month": (1, 12),
    "day": (1, 31),
    "year": (1000, 2100),
    "clock": (0, 1440 - 1),
    "quarter": (1, 4),
    "temperature": (-273.15, 1e8),
    "fahrenheit": (-459.67, 1e8),
}
"""Least and greatest value of a kind."""
_NEAR = 40  # characters beside a number that say what it is of
_SAID: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), most)
    for pattern, most in (
        (r"\b(?:aged?|ages|years?[ -]old|jahre alt|\u00e2g\u00e9e?)\b", 110.0),
        (r"\blatitude|\bbreitengrad", 90.0),
        (r"\blongitude|\bl\u00e4ngengrad", 180.0),
        (r"\bpH\b", 14.0),
        (r"\bout of (?:10|ten)\b|\bmagnitude\b", 10.0),
        (r"\bout of (?:5|five)\b|\bstars?\b", 5.0),
        (r"\bdays? (?:a|per|each|of the) week\b", 6.0),
        (r"\bhours? (?:a|per|each|of the) day\b", 23.0),
        (r"\bmonths? (?:a|per|each|of the) year\b", 11.0),
        (r"\bdays? (?:a|per|each|of the) month\b", 30.0),
        (r"\bdays? (?:a|per|each|of the) year\b", 364.0),
        (r"\bweeks? (?:a|per|each|of the) year\b", 51.0),
        (r"\b(?:humidity|probability|likelihood)\b", 100.0),
    )
)
"""What is said beside a number, and the greatest value that can then be believed."""


class _Real:
    """The values of the real documents.

    Args:
        corpus: The documents.

    Attributes:
        values: Those with a unit, and those that count something.
        bare: Bare numbers by document.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.values: set[_Key] = set()
        self.bare: dict[str, set[str]] = {}
        self._near: dict[str, Sequence[str]] = {}
        read = pages(corpus)
        spread = Counter(word for page in read for word in page.keys)
        self._words = {page.document.id: telling(page, spread, _FEW) for page in read}
        self._documents: dict[str, list[str]] = defaultdict(list)
        for page in read:
            id_ = page.document.id
            for word in self._words[id_]:
                self._documents[word].append(id_)
            keys = {_key(each) for each in page.numbers}
            self.bare[id_] = {written for kind, written, noun in keys if kind == "count" and not noun}
            self.values |= {key for key in keys if key[0] != "count" or key[2]}

    def near(self, document: str) -> Sequence[str]:
        """A document and all that share a word with it which few have."""
        if document not in self._near:
            others = (id_ for word in self._words[document] for id_ in self._documents[word])
            self._near[document] = tuple(dict.fromkeys((document, *others)))
        return self._near[document]


@of_last_corpus
def _real(corpus: Corpus) -> _Real:
    return _Real(corpus)


class Present:
    """The values and words that stand in a corpus, or were put into its twin.

    Args:
        corpus: The corpus.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._real = _real(corpus)
        self._values: set[_Key] = set()
        self._bare: dict[str, set[str]] = defaultdict(set)
        self._spread: dict[str, list[int]] | None = None

    def value(self, kind: str, value: float, noun: str, document: str) -> bool:
        """Whether a value stands elsewhere.

        Args:
            kind: Kind of the quantity.
            value: In base units.
            noun: Stem of what is counted, or nothing.
            document: Id of the document that would have it.

        Returns:
            Whether the corpus has it, of the same kind and for counts with the same noun; of bare numbers, of which a
            large corpus has all, whether the document has it, or one that shares a word with it which few have.
        """
        written = f"{value:.{_PLACES}g}"
        if kind != "count" or noun:
            key = (kind, written, noun if kind == "count" else "")
            return key in self._real.values or key in self._values
        return any(
            written in self._real.bare[id_] or written in self._bare.get(id_, ()) for id_ in self._real.near(document)
        )

    def words(self, words: str) -> bool:
        """Whether words stand in the corpus one after the other, in whatever case."""
        found = [word.casefold() for word in _WORD.findall(words)]
        if not found:
            return False
        lists = [self._documents.get(word, []) for word in found]
        shortest = min(lists, key=len)
        rest = [set(each) for each in lists]
        pattern = re.compile(r"\b" + r"\W+".join(map(re.escape, found)) + r"\b", re.IGNORECASE)
        texts = self._corpus.documents
        return any(pattern.search(texts[i].text) for i in shortest if all(i in each for each in rest))

    def add(self, edit: Edit) -> None:
        """Takes note of the values of an edit that was made, so that no other edit uses them."""
        for words in (edit.fictive, edit.also):
            if edit.kind in _VALUES and words:
                for each in _read(words):
                    key = _key(each)
                    if key[0] == "count" and not key[2]:
                        for place in edit.replacements:
                            self._bare[place.document].add(key[1])
                    else:
                        self._values.add(key)

    @property
    def _documents(self) -> dict[str, list[int]]:
        """Documents by each of their words."""
        if self._spread is None:
            self._spread = defaultdict(list)
            for i, document in enumerate(self._corpus):
                for word in sorted({word.casefold() for word in _WORD.findall(document.text)}):
                    self._spread[word].append(i)
        return self._spread


@lru_cache(maxsize=64)  # each value is read when it is proposed, when it is taken and when it is noted
def _read(words: str) -> tuple[Quantity, ...]:
    return tuple(quantities(words))


def _key(quantity: Quantity) -> _Key:
    noun = stem(quantity.noun) if quantity.kind == "count" and quantity.noun else ""
    return quantity.kind, f"{quantity.value:.{_PLACES}g}", noun


def collision(edit: Edit, present: Present) -> str:
    """Says why an edit cannot be made.

    Args:
        edit: Any edit. Values of numbers and units are compared by kind and value, names by their words; dates are
            shifted together, so that one may take the place of another.
        present: What stands in the corpus.

    Returns:
        The reason; empty if there is none.
    """
    for fictive in filter(None, (edit.fictive, edit.also)):
        if fictive.casefold() == edit.real.casefold():
            return "the fictive value is the real one"
        if edit.kind in _VALUES and any(_found(fictive, edit, present)):
            return "the fictive value stands elsewhere in the corpus"
        if edit.kind in _NAMES and present.words(fictive):
            return "the fictive name stands elsewhere in the corpus"
    if edit.also is not None and edit.fictive is not None and edit.also.casefold() == edit.fictive.casefold():
        return "both fictive values are the same"
    return ""


def _found(words: str, edit: Edit, present: Present) -> Iterator[bool]:
    documents = dict.fromkeys(place.document for place in edit.replacements)
    for each in _read(words):
        for document in documents:
            yield present.value(each.kind, each.value, stem(each.noun) if each.noun else "", document)


def implausible(real: Quantity, value: float, text: str) -> str:
    """Says why nobody would believe a value in the place of a real one.

    Args:
        real: The real quantity.
        value: The fictive value, in base units.
        text: The text in which the real one stands.

    Returns:
        The reason; empty if it can be believed. What the real value breaks is no reason.
    """
    least, most = _LIMITS.get(real.kind, (float("-inf"), float("inf")))
    if not least <= value <= most:
        return f"no {real.kind} is {value:g}"
    if real.kind not in EXACT and real.value > 0 >= value and not real.kind.startswith(("temperature", "fahrenheit")):
        return "it would not be above 0"
    if real.kind == "percent" and abs(real.value) <= 100 < abs(value):  # noqa: PLR2004 - the whole
        return "a share cannot exceed 100 %"
    raw = value * real.raw / real.value if real.value else value
    around = text[max(0, real.start - _NEAR) : real.end + _NEAR]
    for pattern, limit in _SAID:
        if abs(real.raw) <= limit < abs(raw) and pattern.search(around):
            return f"{raw:g} is more than the {limit:g} that is possible there"
    return ""
