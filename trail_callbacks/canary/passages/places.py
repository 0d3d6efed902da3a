"""Where changed words stand in documents, and where a passage of any chunker has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from trail_callbacks.canary.corpus import Document
from trail_callbacks.canary.edit import Replacement
from trail_callbacks.canary.passages.html_text import looks_like_html
from trail_callbacks.canary.passages.letters import Letters, letters, letters_of_html

__all__ = ["Places", "Run", "Spot"]

GRAM = 8
"""Letters and digits of an entry of the index."""
SHORTEST = GRAM + 4
"""Letters and digits of the shortest passage that is found without knowing its document."""
_STRIDE = 4
_CANDIDATES = 8  # documents looked at of those that share the surroundings of a changed place with a passage
_SEED = 12  # letters and digits that a passage and a document must share in a row
_REPEATS = 8  # places of a seed in one document that are tried


@dataclass(frozen=True, slots=True)
class Spot:
    """A changed place of a document.

    Attributes:
        edit: Id of the edit.
        start: Offset in the document.
        end: Offset after it.
        old: What stands there.
        new: What stands there in the other version.
    """

    edit: str
    start: int
    end: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Run:
    """Letters and digits that a passage and a document share in a row.

    Attributes:
        start: Index in the passage's folded letters.
        end: Index after the last.
        at: Index in the document's.
    """

    start: int
    end: int
    at: int


class Places:
    """Finds passages in the documents that have changed places.

    Only surroundings of changed places are indexed: a passage without any has nothing to be changed. Memory is about
    a kilobyte for each changed place, beside the documents, which `holders` keeps once more.

    Args:
        documents: The texts in which places are given.
        replacements: What is changed, with the id of the edit; those of unknown documents are an error.

    Attributes:
        spots: Changed places of each document, in order.

    Raises:
        KeyError: If a replacement is in no document.
    """

    def __init__(self, documents: Iterable[Document], replacements: Iterable[tuple[str, Replacement]]) -> None:
        self._texts = {document.id: document.text for document in documents}
        found: dict[str, list[Spot]] = {}
        for edit, each in replacements:
            spot = Spot(edit, each.start, each.end, each.old, each.new)
            found.setdefault(each.document, []).append(spot)
        self.spots = {
            id_: sorted(found[id_], key=lambda spot: (spot.start, spot.end)) for id_ in self._texts if id_ in found
        }
        if lost := found.keys() - self.spots.keys():
            raise KeyError(min(lost))
        self.views = lru_cache(maxsize=256)(self._views)
        self._grams: dict[str, list[str]] = {}
        self._tiny: dict[str, list[str]] = {}
        for id_, spots in self.spots.items():
            for view in self._views(id_):
                self._index(id_, view, spots)

    def text(self, document: str) -> str | None:
        """Returns the text of a document; None if there is none of that id."""
        return self._texts.get(document)

    def near(self, passage: Letters) -> list[str]:
        """Returns the documents of which a passage has the surroundings of changed places, most of them first."""
        folded = passage.folded
        hits: Counter[str] = Counter()
        for at in range(len(folded) - GRAM + 1):
            if ids := self._grams.get(folded[at : at + GRAM]):
                hits.update(ids)
        hits.update(self._tiny.get(folded, ()))
        return [id_ for id_, _ in hits.most_common(_CANDIDATES)]

    def holders(self, passage: Letters) -> Iterator[str]:
        """Yields the documents that have all of a passage: all of them are searched, also those without a change."""
        for id_, views in self._everything.items():
            if any(passage.folded in view for view in views):
                yield id_

    @cached_property
    def _everything(self) -> dict[str, list[str]]:
        return {id_: [view.folded for view in self._views(id_)] for id_ in self._texts}

    def within(self, document: str, text: str) -> Iterator[int]:
        """Yields the offsets at which a text stands in a document word for word."""
        whole, at = self._texts[document], -1
        while (at := whole.find(text, at + 1)) >= 0:
            yield at

    def whole(self, document: str, passage: Letters) -> Iterator[tuple[Letters, Run]]:
        """Yields the places at which all of a passage stands in a document, with how the document was read."""
        for view in self.views(document):
            at = -1
            while (at := view.folded.find(passage.folded, at + 1)) >= 0:
                yield view, Run(0, len(passage.folded), at)

    def parts(self, document: str, passage: Letters, start: int, end: int) -> tuple[Letters, list[Run]]:
        """Returns the runs which a part of a passage shares with a document, as read where they cover most."""
        found = [(view, _runs(passage.folded, start, end, view.folded)) for view in self.views(document)]
        return max(found, key=lambda each: sum(run.end - run.start for run in each[1]))

    def _views(self, document: str) -> tuple[Letters, ...]:
        text = self._texts[document]
        return (letters(text), letters_of_html(text)) if looks_like_html(text) else (letters(text),)

    def _index(self, document: str, view: Letters, spots: Sequence[Spot]) -> None:
        last = len(view.folded) - GRAM
        if last < 0:
            _add(self._tiny, view.folded, document)
            return
        for spot in spots:
            start, end = view.between(spot.start, spot.end)
            # Without letters of its own it is between two: what ends or begins there counts as its surroundings.
            low, high = (start - GRAM + 1, end - 1) if start < end else (start - GRAM, start)
            low, high = min(max(low, 0), last), max(min(high, last), 0)
            for at in {*range(low, high, _STRIDE), high}:
                _add(self._grams, view.folded[at : at + GRAM], document)


def _add(index: dict[str, list[str]], key: str, document: str) -> None:
    listed = index.setdefault(key, [])
    if not listed or listed[-1] != document:
        listed.append(document)


def _runs(passage: str, start: int, end: int, document: str) -> list[Run]:
    """The longest shared runs from left to right; one of 17 letters is never missed."""
    runs: list[Run] = []
    at, done = start, start
    while at + _SEED <= end:
        best = Run(at, at, 0)
        place, tried = -1, 0
        while tried < _REPEATS and (place := document.find(passage[at : at + _SEED], place + 1)) >= 0:
            tried += 1
            before = _shared(passage[done:at][::-1], document[max(0, place - (at - done)) : place][::-1])
            after = _shared(passage[at:end], document[place : place + end - at])
            if before + after > best.end - best.start:
                best = Run(at - before, at + after, place - before)
        if best.end > best.start:
            runs.append(best)
            at = done = best.end
        else:
            at += _SEED // 2
    return runs


def _shared(one: str, other: str) -> int:
    """Length of the common beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def gaps(runs: Sequence[Run], end: int) -> list[tuple[int, int]]:
    """Returns what of a passage's letters is in no run; runs do not overlap."""
    edges = [(0, 0), *sorted((run.start, run.end) for run in runs), (end, end)]
    return [(left, right) for (_, left), (right, _) in pairwise(edges) if left < right]
