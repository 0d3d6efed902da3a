"""Why a fictive value cannot be used: it stands in the corpus, or nobody would believe it."""

from __future__ import annotations

import math
import re
from collections import defaultdict

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.edit import Edit
from trail_callbacks.canary.facts.facts import neighbours
from trail_callbacks.canary.facts.pages import Page, pages
from trail_callbacks.language.terms import stem
from trail_callbacks.language.values import Quantity, quantities

__all__ = ["Present", "implausible"]

_LEAST = {"temperature": -273.15, "fahrenheit": -459.67}
_NEAR = 40  # characters beside a number that say what it is of
_SAID = tuple(
    (re.compile(pattern, re.IGNORECASE), most)
    for pattern, most in (
        (r"\b(?:aged?|ages|years?[ -]old|jahre alt|âgée?)\b", 110.0),
        (r"\blatitude", 90.0),
        (r"\blongitude", 180.0),
        (r"\bpH\b", 14.0),
        (r"\bout of (?:10|ten)\b|\bmagnitude\b", 10.0),
        (r"\bout of (?:5|five)\b|\bstars?\b", 5.0),
        (r"\bdays? (?:a|per|each|of the) week\b", 6.0),
        (r"\bhours? (?:a|per|each|of the) day\b", 23.0),
        (r"\bmonths? (?:a|per|each|of the) year\b", 11.0),
        (r"\bdays? (?:a|per|each|of the) month\b", 30.0),
        (r"\b(?:humidity|probability|likelihood)\b", 100.0),
    )
)
"""What is said beside a number, and the greatest value that can then be believed."""


class Present:
    """The values that stand in a corpus, or were put into its twin.

    Args:
        corpus: The corpus.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._near = neighbours(corpus)
        self._values: set[tuple[str, str, str]] = set()
        self._bare: dict[Page, set[str]] = defaultdict(set)
        self._pages = {page.document.id: page for page in pages(corpus)}
        for page in self._pages.values():
            for each in page.numbers:
                self._add(each, page)

    def _add(self, quantity: Quantity, page: Page) -> None:
        if quantity.kind == "count" and not quantity.noun:
            self._bare[page].add(f"{quantity.value:.9g}")
        else:
            self._values.add(_key(quantity.kind, quantity.value, stem(quantity.noun)))

    def has(self, kind: str, value: float, noun: str, page: Page) -> bool:
        """Whether a value stands elsewhere.

        Args:
            kind: Kind of the quantity.
            value: In base units.
            noun: Stem of what is counted, or nothing.
            page: The document that would have it.

        Returns:
            Whether the corpus has it, of the same kind and for counts with the same noun; of bare numbers, of which a
            large corpus has all, whether the document has it, or one that is about the same.
        """
        if kind != "count" or noun:
            return _key(kind, value, noun) in self._values
        return any(f"{value:.9g}" in self._bare[each] for each in (page, *self._near[page]))

    def collides(self, edit: Edit) -> bool:
        """Whether the fictive value of a number or unit stands elsewhere."""
        read = [each for words in (edit.fictive, edit.also) if words for each in quantities(words)]
        own = [self._pages[id_] for id_ in dict.fromkeys(place.document for place in edit.replacements)]
        return any(self.has(each.kind, each.value, stem(each.noun), page) for each in read for page in own)

    def add(self, edit: Edit) -> None:
        """Takes note of the values of an edit that was made, so that no other edit uses them."""
        for words in (edit.fictive, edit.also):
            for each in quantities(words) if words else ():
                for id_ in dict.fromkeys(place.document for place in edit.replacements):
                    self._add(each, self._pages[id_])


def _key(kind: str, value: float, noun: str) -> tuple[str, str, str]:
    return kind, f"{value:.9g}", noun if kind == "count" else ""


def implausible(real: Quantity, value: float, text: str) -> bool:
    """Says whether nobody would believe a value in the place of a real one. What that breaks too is no reason.

    Args:
        real: The real quantity.
        value: The fictive value, in base units.
        text: The text in which the real one stands.
    """
    if value < _LEAST.get(real.kind, -math.inf) or (real.value > 0 >= value and real.kind not in _LEAST):
        return True
    if real.kind == "percent" and abs(real.value) <= 100 < abs(value):  # noqa: PLR2004 - the whole
        return True
    raw = value * real.raw / real.value if real.value else value
    around = text[max(0, real.start - _NEAR) : real.end + _NEAR]
    return any(abs(real.raw) <= most < abs(raw) and said.search(around) for said, most in _SAID)
