"""Where changed words stand in documents, which of them a passage of any chunker has, and its text after them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from trail_callbacks.canary.corpus import Document
from trail_callbacks.canary.edit import Replacement
from trail_callbacks.canary.passages.html_text import looks_like_html, text_of_html
from trail_callbacks.canary.passages.letters import Letters, letters, letters_of_html

__all__ = ["SHORTEST", "Change", "Places", "changes_in", "shown_part", "swapped"]

SHORTEST = 12
"""Letters and digits of the shortest passage that is found without knowing its document."""
_GRAM = 8  # letters and digits of an entry of the index
_STRIDE = 4
_CANDIDATES = 8  # documents looked at of those that share the surroundings of a changed place with a passage
_SEED = 12  # letters and digits that a passage and a document must share in a row
_REPEATS = 8  # places of a seed in one document that are tried
_GAP = 8  # characters of whitespace and punctuation that one of an edit may stand for
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Change:
    """What is put in place of a part of a passage.

    Attributes:
        edit: Id of the edit.
        start: Offset in the passage.
        end: Offset after it.
        new: The words to put there.
        old: The words of the document that it replaces.
        whole: The passage has all of them.
    """

    edit: str
    start: int
    end: int
    new: str
    old: str = ""
    whole: bool = True


@dataclass(frozen=True, slots=True)
class _Run:
    """Letters and digits that a passage and a document share in a row: indices in the passage, and in the document."""

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

    Raises:
        KeyError: If a replacement is in no document.
    """

    def __init__(self, documents: Iterable[Document], replacements: Iterable[tuple[str, Replacement]]) -> None:
        self._texts = {document.id: document.text for document in documents}
        self._spots: dict[str, list[tuple[str, Replacement]]] = {}
        for edit, each in replacements:
            if each.document not in self._texts:
                raise KeyError(each.document)
            self._spots.setdefault(each.document, []).append((edit, each))
        self.views = lru_cache(maxsize=256)(self._views)
        self._grams: dict[str, dict[str, None]] = {}
        for id_, spots in self._spots.items():
            spots.sort(key=lambda spot: (spot[1].start, spot[1].end))
            for view in self._views(id_):
                self._index(id_, view)

    def text(self, document: str) -> str | None:
        """Returns the text of a document; None if there is none of that id."""
        return self._texts.get(document)

    def edited(self, document: str) -> bool:
        """Tells whether a document has changed places."""
        return document in self._spots

    def spots(self, document: str) -> Sequence[tuple[str, Replacement]]:
        """Returns the changed places of a document in order, with the ids of their edits."""
        return self._spots.get(document, ())

    def near(self, passage: Letters) -> list[str]:
        """Returns the documents of which a passage has the surroundings of changed places, most of them first."""
        folded = passage.folded
        hits: Counter[str] = Counter()
        for at in range(max(1, len(folded) - _GRAM + 1)):
            hits.update(list(self._grams.get(folded[at : at + _GRAM], ())))
        return [id_ for id_, _ in hits.most_common(_CANDIDATES)]

    def holders(self, passage: Letters) -> Iterator[str]:
        """Yields the documents that have all of a passage: all of them are searched, also those without a change."""
        for id_, views in self._everything.items():
            if any(passage.folded in view for view in views):
                yield id_

    def whole(self, document: str, passage: Letters) -> Iterator[tuple[Letters, _Run]]:
        """Yields the places at which all of a passage stands in a document, with how the document was read."""
        for view in self.views(document):
            at = -1
            while (at := view.folded.find(passage.folded, at + 1)) >= 0:
                yield view, _Run(0, len(passage.folded), at)

    def parts(self, document: str, passage: Letters, start: int, end: int) -> tuple[Letters, list[_Run]]:
        """Returns the runs which a part of a passage shares with a document, as read where they cover most."""
        found = [(view, _runs(passage.folded, start, end, view.folded)) for view in self.views(document)]
        return max(found, key=lambda each: sum(run.end - run.start for run in each[1]))

    @cached_property
    def _everything(self) -> dict[str, list[str]]:
        return {id_: [view.folded for view in self._views(id_)] for id_ in self._texts}

    def _views(self, document: str) -> tuple[Letters, ...]:
        text = self._texts[document]
        return (letters(text), letters_of_html(text)) if looks_like_html(text) else (letters(text),)

    def _index(self, document: str, view: Letters) -> None:
        last = max(0, len(view.folded) - _GRAM)
        for _, spot in self._spots[document]:
            start, end = view.between(spot.start, spot.end)
            low, high = min(max(start - _GRAM + 1, 0), last), max(min(end - 1, last), 0)
            for at in {*range(low, high, _STRIDE), high}:
                self._grams.setdefault(view.folded[at : at + _GRAM], {})[document] = None


def _runs(passage: str, start: int, end: int, document: str) -> list[_Run]:
    """The longest shared runs from left to right; one of 17 letters is never missed."""
    runs: list[_Run] = []
    at, done = start, start
    while at + _SEED <= end:
        best = _Run(at, at, 0)
        place, tried = -1, 0
        while tried < _REPEATS and (place := document.find(passage[at : at + _SEED], place + 1)) >= 0:
            tried += 1
            before = _shared(passage[done:at][::-1], document[max(0, place - (at - done)) : place][::-1])
            after = _shared(passage[at:end], document[place : place + end - at])
            if before + after > best.end - best.start:
                best = _Run(at - before, at + after, place - before)
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
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def changes_in(
    places: Places, document: str, text: str, passage: Letters, parts: Sequence[tuple[int, int]], *, context: int = 0
) -> tuple[list[Change], list[tuple[int, int]]]:
    """Returns the changes of parts of a passage by one document, and which parts of it the document does not have.

    Args:
        places: The changed places.
        document: The document.
        text: The passage.
        passage: Its letters.
        parts: Ranges of its letters which are looked at.
        context: Letters that a run must share beside those of a changed place; else it is not taken for that place.
    """
    if list(parts) == [(0, len(passage.folded))]:
        for view, run in places.whole(document, passage):
            return of_run(places.spots(document), view, run, text, passage), []
    changes: list[Change] = []
    rest: list[tuple[int, int]] = []
    for start, end in parts:
        view, found = places.parts(document, passage, start, end)
        at = start
        for run in found:
            made = of_run(places.spots(document), view, run, text, passage)
            own = max((len(letters(text[each.start : each.end]).folded) for each in made), default=0)
            if not made or run.end - run.start - own >= context:
                changes.extend(made)
                rest.append((at, run.start))
                at = run.end
        rest.append((at, end))
    return changes, [(start, end) for start, end in rest if start < end]


def of_run(
    spots: Sequence[tuple[str, Replacement]], view: Letters, run: _Run, text: str, passage: Letters
) -> list[Change]:
    """Returns the changes of the part of a passage that stands in a document."""
    found: list[Change] = []
    stop, shift, size = run.at + run.end - run.start, run.start - run.at, len(passage.folded)
    first_offset = int(view.offsets[run.at]) if run.at < len(view.offsets) else 0
    for edit, spot in spots[bisect_left(spots, first_offset, key=lambda each: each[1].end) :]:
        start, end = view.between(spot.start, spot.end)
        first, last = max(start, run.at), min(end, stop)
        if start >= stop:
            break
        if first >= last:
            continue
        if (first, last) == (start, end):
            at_edge = (start == run.at and run.start > 0) or (end == stop and run.end < size)
            if not (at_edge and _says_new(spot, passage, start + shift)):
                found.append(_around((edit, spot), view, start + shift, text, passage))
        # Elsewhere than at the border the passage says something else here, perhaps what the twin says.
        elif (first == start or run.start == 0) and (last == end or run.end == size):
            cut = (
                0 if first == start else int(view.offsets[first]) - spot.start,
                len(spot.old) if last == end else int(view.offsets[last - 1]) + 1 - spot.start,
            )
            inner = (
                int(passage.offsets[first + shift]) if first == start else 0,
                int(passage.offsets[last - 1 + shift]) + 1 if last == end else len(text),
            )
            found.append(Change(edit, *inner, shown_part(spot.old, spot.new, *cut), spot.old, whole=False))
    return found


def _says_new(spot: Replacement, passage: Letters, at: int) -> bool:
    """True if what looks like the old words is a part of the new ones, as `is` of `is not`."""
    old, new = letters(spot.old).folded, letters(spot.new).folded
    inside = new.find(old)
    return inside >= 0 and at >= inside and passage.folded.startswith(new, at - inside)


def _around(place: tuple[str, Replacement], view: Letters, at: int, text: str, passage: Letters) -> Change:
    """A change of words, with the punctuation and whitespace that the edit takes with them."""
    edit, spot = place
    first, last = view.between(spot.start, spot.end)
    start, end = int(passage.offsets[at]), int(passage.offsets[at + last - first - 1]) + 1
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    parts = spot.old[: int(view.offsets[first]) - spot.start], spot.old[int(view.offsets[last - 1]) + 1 - spot.start :]
    new = spot.new
    if view.of_page and spot.old not in text:  # the passage is what a page shows, without its tags and entities
        parts, new = (text_of_html(parts[0])[0], text_of_html(parts[1])[0]), text_of_html(new)[0]
    for character in reversed(parts[0]):
        start -= _taken(text[max(0, start - _GAP) : start][::-1], character)
    for character in parts[1]:
        end += _taken(text[end : end + _GAP], character)
    return Change(edit, start, end, new, spot.old)


def _taken(text: str, character: str) -> int:
    """How many characters at the beginning of a text stand for one; whitespace may be longer, or missing."""
    blank = len(text) - len(text.lstrip())
    if character.isspace():
        return blank
    return blank + 1 if text[blank : blank + 1] == character else 0


def shown_part(old: str, new: str, start: int, end: int) -> str:
    """Returns what stands for `old[start:end]` where the border of a passage cuts the rest off.

    Whole words only, so that no real word and no half of a fictive one is shown, and two passages that share a border
    show no word twice. If both have as many words, each stands for the one in its place: of `40 minutes` and `53
    minutes`, a passage that ends after `40` shows `53`. Otherwise the passage with the whole first word shows all of
    `new`. A word that the border cuts through is shown on neither side.

    Args:
        old: The words of the real text.
        new: The words of the other.
        start: Offset in `old` of the first character that the passage has.
        end: Offset after its last one.
    """
    inside = [start <= word.start() and word.end() <= end for word in _WORD.finditer(old)]
    others = _WORD.findall(new)
    if len(others) == len(inside):
        return " ".join(word for word, shown in zip(others, inside, strict=True) if shown)
    return new if inside and inside[0] else ""


def swapped(text: str, changes: Iterable[Change]) -> str:
    """Returns a text after changes; of two that overlap the first one counts."""
    parts: list[str] = []
    at = 0
    for change in sorted(changes, key=lambda each: (each.start, each.end)):
        if change.start >= at:
            parts += (text[at : change.start], change.new)
            at = change.end
    return "".join((*parts, text[at:]))
