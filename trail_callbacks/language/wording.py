"""A text, read once for all comparisons: its words and its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.language.terms import Term, terms
from trail_callbacks.language.values import Quantity, quantities


@dataclass(frozen=True)
class ReadText:
    """A text with its words and numbers, found when first asked for."""

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
    def content(self) -> tuple[Term, ...]:
        """Words and names, without function words and without what belongs to a number."""
        found = (term for term in self.terms if term.kind in {"word", "name"})
        return tuple(term for term in found if not any(q.start <= term.start < q.end for q in self.quantities))
