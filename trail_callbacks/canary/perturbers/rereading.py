"""Reads a twin as its reader will: edits of which it says two things, or that break what follows, are refused."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence

from trail_callbacks.canary.corpus import Document
from trail_callbacks.canary.facts.names import WORD
from trail_callbacks.canary.facts.pages import Page, PageFigure
from trail_callbacks.canary.facts.reading import FactReading
from trail_callbacks.canary.twin import Edit, Replacement, applied
from trail_callbacks.language.terms import stem
from trail_callbacks.language.values import Quantity, quantities

_CLOSE = 1e-9
_STEM = 4  # letters that forms of a name have in common at least
_FORM = re.compile(r"\w{0,2}?(?:e?s|e?ns?|n?ers?|i?ans?|ese|ish|ic|ists?|isms?|y|sche?[nrs]?)")
_GONE = "in the twin, the real value would still stand beside the new one"


class Rereading:
    """The twin of a corpus as it is read."""

    def __init__(self, real: FactReading, edits: Sequence[Edit], known: dict[str, Page]) -> None:
        self._real = real
        self._known = known
        places: dict[str, list[Replacement]] = defaultdict(list)
        for edit in edits:
            for place in edit.replacements:
                places[place.document].append(place)
        self._moved: dict[Replacement, int] = {}
        self._texts: dict[str, str] = {}
        for page in real.pages:
            self._texts[page.id], moved = applied(page.text, places[page.id])
            self._moved |= moved
        named = any(edit.kind in {"name", "nonce"} for edit in edits)
        words = (word for text in self._texts.values() for word in WORD.findall(text.casefold()) if named)
        self.words = frozenset(words)
        self.forms: dict[str, dict[str, None]] = defaultdict(dict)  # words with a capital, by their first letters
        for word in (word for page in real.pages for word in WORD.findall(page.text) if named and word[0].isupper()):
            self.forms[word[:_STEM].casefold()][word.casefold()] = None
        self.now: Mapping[PageFigure, float] = {
            figure: quantity.value
            for edit in edits
            if edit.kind in {"number", "inconsistent"}
            for place in edit.replacements
            if (figure := self.figure(place))
            and (quantity := self.read(place))
            and quantity.kind == figure.quantity.kind
        }

    def page(self, document: str) -> Page:
        """A document of the twin."""
        known = self._known.get(document)
        if known is None or known.text != self._texts[document]:
            known = self._known[document] = Page(Document(document, self._texts[document]))
        return known

    def figure(self, place: Replacement) -> PageFigure | None:
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
        own = [figure for place in edit.replacements if (figure := self.figure(place))]
        return not all(each.holds(self.now) for each in self._real.relations(own))


def values_hold(edit: Edit, twin: Rereading) -> str:
    """Why a number or unit does not hold in the twin; empty if it does."""
    meant = [each for words in (edit.fictive, edit.also) if words for one in quantities(words) for each in one.readings]
    for i, place in enumerate(edit.replacements):
        read = None if i in edit.repairs else twin.read(place)
        if i not in edit.repairs and (read is None or not any(_alike(read, each) for each in meant)):
            return "in the twin, a place of it would be read as something else"
    if edit.kind == "number" and twin.broken(edit):
        return "in the twin, a number that follows from it would not be true, or a range be out of order"
    return is_gone(edit, twin)


def is_gone(edit: Edit, twin: Rereading) -> str:
    """Why the real value of an edit still stands in a document that it changes; empty if it does not."""
    real = next(iter(quantities(edit.real)), None)
    if real is None or (real.kind == "count" and not real.noun):
        return ""
    said = (real.kind, f"{real.value:.9g}", stem(real.noun))
    for document in dict.fromkeys(place.document for place in edit.replacements):
        page = twin.page(document)
        prose = (each for each in page.numbers if page.row_of(each.start) is None)
        if any((each.kind, f"{each.value:.9g}", stem(each.noun)) == said for each in prose):
            return _GONE
    return ""


def dates_stand(edit: Edit, twin: Rereading) -> str:
    """Why a date is none in the twin; empty if all its places are read as dates."""
    read = all(twin.read(place, dated=True) for place in edit.replacements)
    return "" if read else "in the twin, a place of it would be read as something else"


def names_are_gone(edit: Edit, twin: Rereading) -> str:
    """Why a name still stands in the twin, in this form or another; empty if it does not."""
    own = dict.fromkeys(place.old.casefold() for place in edit.replacements)
    for old in own:
        if old in twin.words:
            return "in the twin, it would still stand somewhere"
        if other := next((each for each in twin.forms[old[:_STEM]] if each not in own and _is_form(each, old)), ""):
            return f"it also stands as {other!r}, another form of it"
    return ""


def _is_form(one: str, other: str) -> bool:
    """Whether a word looks like another form of a name: `haldener` of `halden`, `portuguese` of `portugal`."""
    short, long = sorted((one, other), key=len)
    shared = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return shared >= max(_STEM, len(short) - 2) and _FORM.fullmatch(long, shared) is not None


def _alike(one: Quantity, other: Quantity) -> bool:
    if one.kind == other.kind:
        return any(abs(each.value - other.value) <= _CLOSE * abs(other.value) for each in one.readings)
    bare = "count" in {one.kind, other.kind}
    return bare and any(abs(each.raw - other.raw) <= _CLOSE * abs(other.raw) for each in one.readings)
