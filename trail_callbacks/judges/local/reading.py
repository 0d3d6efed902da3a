"""A text, read once for all comparisons, and words that are related by their form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.language.detect import is_english
from trail_callbacks.language.terms import Term, terms
from trail_callbacks.language.values import Quantity, quantities

__all__ = ["Reading", "related"]

_PREFIX = 6  # letters; words that share them and little else differ are forms of one word (`approval`, `approve`)
_ENDING = 4  # letters that may follow the shared ones


@dataclass(frozen=True)
class Reading:
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
        taken = [(quantity.start, quantity.end) for quantity in self.quantities]
        return tuple(
            term
            for term in self.terms
            if term.kind in {"word", "name"} and not any(a <= term.start < b for a, b in taken)
        )

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

    @cached_property
    def _starts(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for term in self.content:
            if len(term.stem) >= _PREFIX and term.stem.isascii():
                found.setdefault(term.stem[:_PREFIX], []).append(term.stem)
        return found

    def has(self, term: Term) -> bool:
        """Tells whether this text holds a word, or a form of it."""
        if term.form in self._known or term.stem in self._known:
            return True
        if term.kind == "name":
            return False
        return any(related(term.stem, other) for other in self._starts.get(term.stem[:_PREFIX], ()))


def related(a: str, b: str) -> bool:
    """Tells whether two stems are forms of one word by their beginning: `approval`, `approve`."""
    if len(a) < _PREFIX or len(b) < _PREFIX or a[:_PREFIX] != b[:_PREFIX]:
        return False
    shared = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return max(len(a), len(b)) - shared <= _ENDING
