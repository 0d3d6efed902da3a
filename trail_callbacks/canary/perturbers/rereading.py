"""Reads a twin as its reader will: edits of which it says two things, or that break what follows, are refused."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate

from trail_callbacks.canary.corpus import Corpus, Document
from trail_callbacks.canary.edit import Edit, EditKind, Replacement
from trail_callbacks.canary.facts.pages import Figure, Page, pages
from trail_callbacks.canary.facts.relations import relations
from trail_callbacks.canary.perturbers.numbers import in_order
from trail_callbacks.language.terms import stem
from trail_callbacks.language.values import Quantity, quantities

__all__ = ["Rereading"]

_WORD = re.compile(r"[^\W\d_]+")
_VALUES: frozenset[EditKind] = frozenset({"number", "unit", "inconsistent"})
_NAMES: frozenset[EditKind] = frozenset({"name", "nonce"})
_CLOSE = 1e-9


class Rereading:
    """Compares what the twin of a corpus says with what its edits meant to say.

    Args:
        corpus: The real documents.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._real = {page.document.id: page for page in pages(corpus)}
        self._twin: dict[str, Page] = {}
        self._values: dict[str, set[tuple[str, str, str]]] = {}

    def refused(self, edits: Sequence[Edit], texts: Mapping[str, str]) -> Iterator[tuple[Edit, str]]:
        """Yields the edits that do not hold in the twin, with the reason.

        Args:
            edits: All edits of the twin.
            texts: Its texts by the ids of the documents.
        """
        places: dict[str, list[Replacement]] = defaultdict(list)
        for edit in edits:
            for place in edit.replacements:
                places[place.document].append(place)
        moved = {id_: _moving(listed) for id_, listed in places.items()}
        here = [edit for edit in edits if edit.kind in _VALUES and self._figure(edit.replacements[0])]
        self._read({place.document for edit in here for place in edit.replacements}, texts)
        now: dict[Figure, float] = {}
        figures: list[list[Figure]] = []
        for edit in here:
            read = [(place, self._read_at(place, moved)) for place in edit.replacements]
            why = self._disagree(edit, read)
            if why:
                yield edit, why
            pairs = [] if why else [(self._figure(place), quantity) for place, quantity in read]
            figures.append([figure for figure, _ in pairs if figure])
            now |= {each: one.value for each, one in pairs if each and one and one.kind == each.quantity.kind}
        for edit, own in zip(here, figures, strict=True):
            if edit.kind == "number" and not all(each.holds(now) for each in relations(self._corpus).touching(own)):
                yield edit, "in the twin, a number that follows from it would not be true"
            elif not in_order(own, now):
                yield edit, "in the twin, a range or a part and its whole would be out of order"
        yield from _left_names([edit for edit in edits if edit.kind in _NAMES], texts)

    def _read(self, documents: set[str], texts: Mapping[str, str]) -> None:
        for id_ in documents:
            if id_ not in self._twin or self._twin[id_].text != texts[id_]:
                page = self._twin[id_] = Page(Document(id_, texts[id_]), self._real[id_].number)
                said = ((each.quantity, each.noun) for each in page.figures if each.row is None)
                self._values[id_] = {(each.kind, f"{each.value:.9g}", noun) for each, noun in said}

    def _read_at(self, place: Replacement, moved: Mapping[str, Callable[[int], int]]) -> Quantity | None:
        """What the twin says at a place of an edit."""
        start = moved[place.document](place.start)
        found = self._twin[place.document].numbers
        at = bisect_left(found, start, key=lambda each: each.end)
        hits = [each for each in found[at : at + 2] if each.start < start + len(place.new) and each.end > start]
        return hits[0] if hits else None

    def _figure(self, place: Replacement) -> Figure | None:
        figures = self._real[place.document].figures
        at = bisect_left(figures, place.start, key=lambda each: each.quantity.end - 1)
        return figures[at] if at < len(figures) and figures[at].start <= place.start else None

    def _disagree(self, edit: Edit, read: Sequence[tuple[Replacement, Quantity | None]]) -> str:
        meant = [
            each for words in (edit.fictive, edit.also) if words for one in quantities(words) for each in one.readings
        ]
        for i, (_, quantity) in enumerate(read):
            if i not in edit.repairs and (quantity is None or not any(_alike(quantity, each) for each in meant)):
                return "in the twin, a place of it would be read as something else"
        real = next(iter(quantities(edit.real)), None)
        if real is None or (real.kind == "count" and not real.noun):
            return ""
        value = (real.kind, f"{real.value:.9g}", stem(real.noun))
        if any(value in self._values[place.document] for place, _ in read):
            return "in the twin, the real value would still stand beside the new one"
        return ""


def _alike(one: Quantity, other: Quantity) -> bool:
    if one.kind == other.kind:
        return any(abs(each.value - other.value) <= _CLOSE * abs(other.value) for each in one.readings)
    bare = "count" in {one.kind, other.kind}
    return bare and any(abs(each.raw - other.raw) <= _CLOSE * abs(other.raw) for each in one.readings)


def _moving(places: Sequence[Replacement]) -> Callable[[int], int]:
    """Where an offset of a real text is in the twin."""
    ordered = sorted(places, key=lambda place: place.start)
    ends = [place.end for place in ordered]
    shifts = [0, *accumulate(len(place.new) - len(place.old) for place in ordered)]

    def moved(offset: int) -> int:
        at = bisect_left(ends, offset + 1)
        return offset + shifts[at]

    return moved


def _left_names(edits: Sequence[Edit], texts: Mapping[str, str]) -> Iterator[tuple[Edit, str]]:
    words = {word for text in texts.values() for word in _WORD.findall(text.casefold())} if edits else set()
    for edit in edits:
        if any(place.old.casefold() in words for place in edit.replacements):
            yield edit, "in the twin, it would still stand somewhere"
