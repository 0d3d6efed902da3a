"""The sentences of a corpus, and which of them say the same."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from trail_callbacks.canary.corpus import Corpus, Document
from trail_callbacks.canary.facts.kept import of_last_corpus
from trail_callbacks.canary.facts.protected import fixed_in
from trail_callbacks.canary.facts.spans import Spans
from trail_callbacks.language.terms import keys
from trail_callbacks.text import sentences

__all__ = ["Saying", "Sayings", "sayings_of"]

_SAME: Final = 0.8  # share of their words that two sentences have in common that say the same
_KINDRED: Final = 0.5  # and of two that may speak of the same fact
_FEW: Final = 40  # sentences: a word in more of them tells nothing
_WORD = re.compile(r"\w")


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
    whole: bool


class Sayings:
    """Finds sentences that say the same.

    Args:
        corpus: The documents.

    Attributes:
        found: All sentences in their order.
    """

    def __init__(self, corpus: Corpus) -> None:
        kept = fixed_in(corpus)
        self.found: Sequence[Saying] = [
            saying for document in corpus for saying in _sayings(document, kept[document.id])
        ]
        self._starts: dict[str, list[int]] = defaultdict(list)
        self._numbers: dict[str, list[int]] = defaultdict(list)
        for number, saying in enumerate(self.found):
            self._starts[saying.document].append(saying.start)
            self._numbers[saying.document].append(number)
        self._sizes = [len(saying.keys) for saying in self.found]
        self._same: dict[Saying, tuple[Sequence[Saying], Sequence[Saying]]] = {}
        spread = Counter(key for saying in self.found for key in saying.keys)
        self._rare: dict[str, list[int]] = defaultdict(list)
        for number, saying in enumerate(self.found):
            for key in sorted(saying.keys):
                if spread[key] <= _FEW:
                    self._rare[key].append(number)

    def at(self, document: str, offset: int) -> Saying | None:
        """The sentence at an offset of a document; None if it is in none."""
        at = bisect_right(self._starts.get(document, []), offset) - 1
        saying = self.found[self._numbers[document][at]] if at >= 0 else None
        return saying if saying is not None and offset < saying.end else None

    def same(self, saying: Saying) -> tuple[Sequence[Saying], Sequence[Saying]]:
        """Finds what says the same.

        Returns:
            All sentences that say the same in almost the same words, the given one among them; and those that may speak
            of the same fact in other words. Both in order.
        """
        if saying not in self._same:
            self._same[saying] = self._compared(saying)
        return self._same[saying]

    def _compared(self, saying: Saying) -> tuple[Sequence[Saying], Sequence[Saying]]:
        near = Counter(chain.from_iterable(self._rare.get(key, ()) for key in saying.keys))
        own = len(saying.keys)
        common = sum(key not in self._rare for key in saying.keys)
        likely = []
        for number, rare in near.items():
            least, most = min(own, self._sizes[number]), rare + common  # if it has all the common words
            if most >= _KINDRED * least and (most > 1 or least == 1):
                likely.append(number)
        same, kindred = [], []
        for number in sorted(likely):
            other = self.found[number]
            shared = len(saying.keys & other.keys)
            if shared >= _SAME * len(saying.keys | other.keys):
                same.append(other)
            elif shared >= max(2, _KINDRED * min(own, len(other.keys))):
                kindred.append(other)
        return same or [saying], kindred


@of_last_corpus
def sayings_of(corpus: Corpus) -> Sayings:
    """Finds the sentences of a corpus."""
    return Sayings(corpus)


def _sayings(document: Document, kept: Spans) -> Iterator[Saying]:
    text = document.text
    for each in sentences(text):
        said = text[each.start : each.end]
        if not _WORD.search(said):
            continue
        whole = (
            not kept.overlap(each.start, each.end)
            and "\n" not in said.strip()
            and "|" not in said
            and said.rstrip().endswith((".", "\u3002", "\u0964"))
            and (said[0].isupper() or not said[0].isascii())
        )
        yield Saying(document.id, each.start, each.end, said, frozenset(keys(said)), whole)
