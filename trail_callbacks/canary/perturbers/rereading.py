"""Reads a twin as its reader will: edits of which it says two things, or that break what follows, are refused."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from trail_callbacks.canary.corpus import Document
from trail_callbacks.canary.facts.names import WORD
from trail_callbacks.canary.facts.pages import Page, PageFigure
from trail_callbacks.canary.facts.reading import FactReading
from trail_callbacks.canary.twin import Edit, Replacement, applied
from trail_callbacks.language.values import Quantity, quantities

_CLOSE = 1e-9
_STEM, _ENDING = 4, 2  # letters that forms of a name have in common at least, and that a shorter one has beside them
_FORM = re.compile(r"\w{0,2}?(?:e?s|e?ns?|n?ers?|i?ans?|ese|ish|ic|ists?|isms?|y|sche?[nrs]?)")
_OTHERWISE = "in the twin, a place of it would be read as something else"


class Rereading:
    """The twin of a corpus as it is read."""

    def __init__(self, real: FactReading, edits: Sequence[Edit], known: dict[str, Page]) -> None:
        self._real, self._edits, self._known = real, edits, known
        places: dict[str, list[Replacement]] = defaultdict(list)
        for edit in edits:
            for place in edit.replacements:
                places[place.document].append(place)
        self._moved: dict[Replacement, int] = {}
        self._texts: dict[str, str] = {}
        for page in real.pages:
            self._texts[page.id], moved = applied(page.text, places[page.id])
            self._moved |= moved

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the twin, case-folded."""
        return frozenset(word for text in self._texts.values() for word in WORD.findall(text.casefold()))

    @cached_property
    def capitalised(self) -> Mapping[str, Sequence[str]]:
        """The words of the corpus with a capital, case-folded, by their first letters."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for word in (word for page in self._real.pages for word in WORD.findall(page.text) if word[0].isupper()):
            found[word[:_STEM].casefold()][word.casefold()] = None
        return {begin: list(words) for begin, words in found.items()}

    @cached_property
    def _now(self) -> Mapping[PageFigure, float]:
        """The new values of figures."""
        return {
            figure: quantity.value
            for edit in self._edits
            if edit.kind in {"number", "inconsistent"}
            for place in edit.replacements
            if (figure := self._figure(place))
            and (quantity := self.read(place))
            and quantity.kind == figure.quantity.kind
        }

    def page(self, document: str) -> Page:
        """A document of the twin."""
        known = self._known.get(document)
        if known is None or known.text != self._texts[document]:
            known = self._known[document] = Page(Document(document, self._texts[document]))
        return known

    def _figure(self, place: Replacement) -> PageFigure | None:
        """The figure of the corpus at a place."""
        figures = self._real.by_id[place.document].figures
        at = bisect_left(figures, place.start, key=lambda each: each.quantity.end - 1)
        return figures[at] if at < len(figures) and figures[at].start <= place.start else None

    def read(self, place: Replacement, *, dated: bool = False) -> Quantity | None:
        """What number, or part of a date, the twin has at a place."""
        start, page = self._moved[place], self.page(place.document)
        found = page.dated if dated else page.numbers
        at = bisect_left(found, start, key=lambda each: each.end)
        hits = [each for each in found[at : at + 2] if each.start < start + len(place.new) and each.end > start]
        return hits[0] if hits else None

    def broken(self, edit: Edit) -> bool:
        """Whether a relation of its figures does not hold any more."""
        own = [figure for place in edit.replacements if (figure := self._figure(place))]
        return not all(each.holds(self._now) for each in self._real.relations(own))


def values_hold(edit: Edit, twin: Rereading) -> str:
    """Why a number or unit does not hold in the twin; empty if it does."""
    meant = [each for words in (edit.fictive, edit.also) if words for one in quantities(words) for each in one.readings]
    for place in (place for i, place in enumerate(edit.replacements) if i not in edit.repairs):
        read = twin.read(place)
        if read is None or not any(_alike(one, other) for one in read.readings for other in meant):
            return _OTHERWISE
    if edit.kind == "number" and twin.broken(edit):
        return "in the twin, a number that follows from it would not be true, or a range be out of order"
    return ""


def dates_stand(edit: Edit, twin: Rereading) -> str:
    """Why a date is none in the twin; empty if all its places are read as dates."""
    return "" if all(twin.read(place, dated=True) for place in edit.replacements) else _OTHERWISE


def names_are_gone(edit: Edit, twin: Rereading) -> str:
    """Why a name still stands in the twin, in this form or another (`Haldener` of `Halden`); empty if it does not."""
    own = dict.fromkeys(place.old.casefold() for place in edit.replacements)
    for old in own:
        if old in twin.words:
            return "in the twin, it would still stand somewhere"
        near = (each for each in twin.capitalised.get(old[:_STEM], ()) if each not in own)
        if other := next((each for each in near if _is_form(each, old)), ""):
            return f"it also stands as {other!r}, another form of it"
    return ""


def _is_form(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    shared = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return shared >= max(_STEM, len(short) - _ENDING) and _FORM.fullmatch(long, shared) is not None


def _alike(one: Quantity, other: Quantity) -> bool:
    if one.kind != other.kind:
        return "count" in {one.kind, other.kind} and abs(one.raw - other.raw) <= _CLOSE * abs(other.raw)
    return abs(one.value - other.value) <= _CLOSE * abs(other.value)
