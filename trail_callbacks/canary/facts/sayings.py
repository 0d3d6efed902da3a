"""The sentences of a corpus, and which of them say the same."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.facts.pages import of_last_corpus, pages
from trail_callbacks.language.terms import keys
from trail_callbacks.text import sentences

__all__ = ["Saying", "Sayings", "sayings_of"]

_SAME: Final = 0.8  # share of their words that two sentences have in common that say the same
_KINDRED: Final = 0.5  # and of two that may speak of the same fact
_FEW: Final = 40  # sentences: a word in more of them tells nothing


@dataclass(frozen=True, slots=True, eq=False)
class Saying:
    """A sentence of a document.

    Attributes:
        document: Id of the document.
        start: Offset.
        end: Offset after it.
        text: Its words.
        keys: Stems of its content words.
        whole: Nothing in it is code, a link or markup, and it begins and ends like a sentence.
    """

    document: str
    start: int
    end: int
    text: str
    keys: frozenset[str]
    whole: bool = False


class Sayings:
    """Finds sentences that say the same.

    Args:
        corpus: The documents.

    Attributes:
        found: All sentences in their order.
        of: Those of each document, by its id.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.of: dict[str, list[Saying]] = {}
        for page in pages(corpus):
            said = [(each.start, each.end, page.text[each.start : each.end]) for each in sentences(page.text)]
            self.of[page.document.id] = [
                Saying(page.document.id, start, end, text, frozenset(keys(text)), whole)
                for start, end, text in said
                if re.search(r"\w", text)
                for whole in (_is_whole(text) and not page.fixed.overlap(start, end),)
            ]
        self.found: Sequence[Saying] = list(chain.from_iterable(self.of.values()))
        spread = Counter(key for saying in self.found for key in saying.keys)
        self._rare: dict[str, list[int]] = defaultdict(list)
        for number, saying in enumerate(self.found):
            for key in sorted(saying.keys):
                if spread[key] <= _FEW:
                    self._rare[key].append(number)
        self._same: dict[Saying, tuple[Sequence[Saying], Sequence[Saying]]] = {}

    def at(self, document: str, offset: int) -> Saying | None:
        """The sentence at an offset of a document; None if it is in none."""
        at = bisect_right(self.of[document], offset, key=lambda each: each.start) - 1
        saying = self.of[document][at] if at >= 0 else None
        return saying if saying is not None and offset < saying.end else None

    def same(self, saying: Saying) -> tuple[Sequence[Saying], Sequence[Saying]]:
        """Finds what says the same.

        Returns:
            All sentences that say the same in almost the same words, the given one among them; and those that may speak
            of the same fact in other words. Both in order.
        """
        if saying not in self._same:
            near = Counter(chain.from_iterable(self._rare.get(key, ()) for key in saying.keys))
            same, kindred = [], []
            for other in (self.found[number] for number in sorted(near)):
                shared = len(saying.keys & other.keys)
                if shared >= _SAME * len(saying.keys | other.keys):
                    same.append(other)
                elif shared >= max(2, _KINDRED * min(len(saying.keys), len(other.keys))):
                    kindred.append(other)
            self._same[saying] = same or [saying], kindred
        return self._same[saying]


def _is_whole(said: str) -> bool:
    return (
        "\n" not in said.strip()
        and "|" not in said
        and said.rstrip().endswith((".", "\u3002", "\u0964"))
        and (said[0].isupper() or not said[0].isascii())
    )


@of_last_corpus
def sayings_of(corpus: Corpus) -> Sayings:
    """Finds the sentences of a corpus."""
    return Sayings(corpus)
