"""Reads the figures of documents: which of their numbers state something."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from trail_callbacks.canary.corpus import Corpus, Document
from trail_callbacks.canary.facts.figures import Figure, Page
from trail_callbacks.canary.facts.grids import legible
from trail_callbacks.canary.facts.kept import of_last_corpus
from trail_callbacks.canary.facts.protected import fixed_in
from trail_callbacks.canary.facts.spans import Spans
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.language.values import DAYS, EXACT, MONTHS, Quantity, quantities
from trail_callbacks.language.values.units import CURRENCIES

__all__ = ["pages"]

_NAME = re.compile(r"(?:^|[^\w.!?:;|\n\"(\[{>,*])[ \u00a0]?([A-Za-z]{0,3}[A-Z][\w'-]{1,40})[ \u00a0]$")
_PLACE = vocabulary(
    """In At On By To From Of For With About Over Under Around The A An And Or But Only Some Between Until Till After
    Before Within Up Nearly Almost Roughly Approximately Every Each Another All Than More Less Least Most"""
) | {*MONTHS, *DAYS, *(code.upper() for code in CURRENCIES)}
_NAMED = re.compile(r"[A-Z][a-z]+[ \u00a0][A-Z][a-z]")  # `the Ten Commandments`
_BEFORE = re.compile(r"[a-z,]\s")
_LOOK_BACK = 44  # characters before a number in which the word of a name stands
_ENUMERATED = re.compile(r",\s|,?\s(?:and|or|by)\s|\s?[x\u00d7]\s?")


@of_last_corpus
def pages(corpus: Corpus) -> Sequence[Page]:
    """Reads the figures of all documents, in order."""
    kept = fixed_in(corpus)
    return [_page(document, i, kept[document.id]) for i, document in enumerate(corpus)]


def _page(document: Document, number: int, kept: Spans) -> Page:
    page = Page(document, number, fixed=kept)
    found = quantities(legible(document.text, page.grids))
    if found:
        page.numbers = found
        free = [each for each in _enumerated(found, document.text) if not page.fixed.overlap(each.start, each.end)]
        page.dated = [each for each in free if each.kind in EXACT - {"rank"} or each.bound == "during"]
        page.figures = list(_figures(page, free))
    return page


def _enumerated(found: Sequence[Quantity], text: str) -> list[Quantity]:
    """Lets the bare numbers of `20, 30 and 46 minutes` share the unit or noun of the last."""
    shared = list(found)
    for i in range(len(shared) - 2, -1, -1):
        one, other = shared[i : i + 2]
        bare = one.kind == "count" and not one.noun and not one.also
        named = (other.kind != "count" or other.noun) and other.kind not in EXACT and other.raw
        if bare and named and _ENUMERATED.fullmatch(text, one.end, other.start):
            factor = other.value / other.raw
            step = one.step * factor
            shared[i] = replace(one, kind=other.kind, noun=other.noun, value=one.raw * factor, step=step)
    return shared


def _figures(page: Page, found: Sequence[Quantity]) -> Iterator[Figure]:
    for each in found:
        if each.kind in EXACT or each.bound == "during" or page.labels.overlap(each.start, each.end):
            continue
        row = page.row_of(each.start)
        if each.kind == "count" and row is None and not each.noun.endswith("s") and _in_name(page.text, each.start):
            continue
        if (
            each.kind == "count"
            and _NAMED.match(page.text, each.start)
            and _BEFORE.search(page.text[: each.start][-2:])
        ):
            continue
        yield Figure(page, each, page.writing.numeral(each), page.line_of(each.start), row)


def _in_name(text: str, start: int) -> bool:
    """Whether the word before a number makes it a piece of a name: `Boeing 747`, `Route 66`."""
    before = _NAME.search(text[max(0, start - _LOOK_BACK) : start])
    return before is not None and before[1] not in _PLACE
