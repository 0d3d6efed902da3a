"""The sentences that state what an edit changes, as a reader sees them, with the places of the values in them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from trail_callbacks.canary.edit import TURNS, Edit, Replacement
from trail_callbacks.canary.questions.marking import MARKS, OWN, bare, joined, marked, parsed
from trail_callbacks.canary.twin import Twin
from trail_callbacks.language.detect import language
from trail_callbacks.retrieval.passages import Span, spans
from trail_callbacks.retrieval.tables import Row, pairs
from trail_callbacks.splitting.marks import clean

__all__ = ["Cell", "Fact", "Facts", "called"]

_WORDED: Final = re.compile(r"[^\W\d_]{2}")
_HEADING: Final = re.compile(r"#{1,6}\s|<h\d", re.IGNORECASE)
_TITLE: Final = 120  # characters of the first line of a document that names it
_MOST: Final = 12  # sentences of an edit that are looked at
_TELLING: Final = 40  # characters that tell a language
_CODE: Final = 2000  # characters that decide about the language


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    Attributes:
        caption: The line above the table; may be empty.
        columns: The names of the columns.
        column: Name of its column.
        key: The cell of its row by which people call the row.
        head: The caption and the header, verbatim.
        row: That cell, verbatim.
    """

    caption: str
    columns: str
    column: str
    key: str
    head: str
    row: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A sentence, or a row of a table, that an edit changes.

    Attributes:
        edit: The edit.
        document: Id of the document.
        real: The sentence, verbatim.
        fictive: What the twin has in its place, verbatim; empty if nothing is left, or the cut is not clear.
        text: The real sentence without markup.
        turned: The same with the words of this edit only replaced.
        said: The value as this sentence has it, and what the twin has in its place; None where it was removed.
        values: Where in `text` the words are that the edit changes.
        others: Where words are that other edits change.
        before: The sentence before it in its paragraph, without markup; empty if there is none, or an edit changes it.
        heading: The nearest heading above it, or else the first line of the document if that is a title; empty if there
            is none, or an edit changes it.
        cell: Where the value stands, if it is a row of a table whose header no edit changes.
        row: Whether it is a row of a table.
        language: ISO 639-1 code of the sentence, or else of the document; empty if unknown.
    """

    edit: Edit
    document: str
    real: str
    fictive: str
    text: str
    turned: str
    said: tuple[str, str | None]
    values: Sequence[tuple[int, int]]
    others: Sequence[tuple[int, int]] = ()
    before: str = ""
    heading: str = ""
    cell: Cell | None = None
    row: bool = False
    language: str = "en"

    @property
    def foreign(self) -> list[str]:
        """The words in it that other edits change."""
        return [self.text[start:end] for start, end in self.others]


@dataclass(frozen=True, slots=True)
class _Page:
    """A document, cut into passages, and what is replaced in it."""

    text: str
    language: str
    passages: Sequence[Span]
    starts: Sequence[int]
    places: Sequence[tuple[Replacement, str]]
    offsets: Sequence[int]
    heads: Mapping[int, int]


class Facts:
    """Finds the facts of edits; reads each document once.

    Args:
        twin: The twin.
    """

    def __init__(self, twin: Twin) -> None:
        self._twin = twin
        self._places: dict[str, list[tuple[Replacement, str]]] = defaultdict(list)
        for edit in twin.edits:
            for each in edit.replacements:
                self._places[each.document].append((each, edit.id))
        self._pages: dict[str, _Page] = {}

    def of(self, edit: Edit) -> Iterator[Fact]:
        """Yields the facts of an edit, those of its value and not of repairs, in the order of the corpus."""
        own = [each for at, each in enumerate(edit.replacements) if at not in set(edit.repairs)]
        found = 0
        for document, group in groupby(own, key=lambda each: each.document):
            page = self._page(document)
            seen = -1
            for each in group:
                at = max(0, bisect_right(page.starts, each.start) - 1)
                if at == seen or found >= _MOST or not page.passages:
                    continue
                seen, found = at, found + 1
                if (fact := _fact(edit, document, page, at)) is not None:
                    yield fact

    def _page(self, document: str) -> _Page:
        if document not in self._pages:
            text = self._twin.real[document].text
            passages = list(spans(text))
            places = sorted(self._places[document], key=lambda each: (each[0].start, each[0].end))
            self._pages[document] = _Page(
                text,
                language(text[:_CODE]),
                passages,
                [each.start for each in passages],
                places,
                [each.start for each, _ in places],
                _heads(passages),
            )
        return self._pages[document]


def _heads(passages: Sequence[Span]) -> dict[int, int]:
    """For each row of a table, by index, the passage that is its header."""
    found: dict[int, int] = {}
    head = 0
    for at, passage in enumerate(passages):
        if isinstance(passage.place, Row):
            head = head if passage.place.number else at
            found[at] = head
    return found


def _fact(edit: Edit, document: str, page: _Page, at: int) -> Fact | None:
    passage = page.passages[at]
    inside = _inside(page, passage)
    told = marked(page.text, passage, [(each, id_ == edit.id) for each, id_ in inside], edit.real)
    read = parsed(bare(clean(told)))
    if read is None or not read[1]:
        return None
    text, values, others = read
    whole_value = joined(text, values, edit.real)
    taken = values if edit.kind in TURNS else whole_value  # what is said of a thing may hold another edit's value
    others = [each for each in others if not any(start < each[1] and each[0] < end for start, end in taken)]
    values = whole_value
    own = [each for each, id_ in inside if id_ == edit.id]
    whole = all(passage.start <= each.start and each.end <= passage.end for each, _ in inside)
    return Fact(
        edit=edit,
        document=document,
        real=page.text[passage.start : passage.end],
        fictive=_changed(page.text, passage, [each for each, _ in inside]) if whole else "",
        text=text,
        turned=bare(clean(_changed(page.text, passage, own))) if whole else "",
        said=_said(page.text, passage, own, edit),
        values=values,
        others=others,
        before=_before(page, at),
        heading=_heading(page, at),
        cell=_cell(page, at, told),
        row=isinstance(passage.place, Row),
        language=_language(text, page.language),
    )


def _language(text: str, page: str) -> str:
    """The language of a sentence: its own where it is long enough to tell, else that of its document."""
    return (language(text) if len(text) >= _TELLING else "") or page


def _inside(page: _Page, passage: Span) -> list[tuple[Replacement, str]]:
    """What is replaced in a passage, also in part."""
    first = bisect_left(page.offsets, passage.start)
    if first and page.places[first - 1][0].end > passage.start:
        first -= 1
    return list(page.places[first : bisect_left(page.offsets, passage.end)])


def _said(text: str, passage: Span, own: Sequence[Replacement], edit: Edit) -> tuple[str, str | None]:
    """The value as a sentence has it: the first words that are replaced, and those beside them that belong to it."""
    last = 0
    while last + 1 < len(own) and text[own[last].end : own[last + 1].start].isspace():
        last += 1
    start, end = own[0].start, own[last].end
    at = text.find(edit.real, max(passage.start, end - len(edit.real)), min(passage.end, start + len(edit.real)))
    if at >= 0:
        start, end = min(start, at), max(end, at + len(edit.real))
    parts, done = [], start
    for each in own:
        if start <= each.start and each.end <= end:
            parts += [text[done : each.start], each.new]
            done = each.end
    return text[start:end], None if edit.fictive is None else "".join((*parts, text[done:end]))


def _changed(text: str, passage: Span, inside: Sequence[Replacement]) -> str:
    parts, at = [], passage.start
    for each in inside:
        parts += [text[at : each.start], each.new]
        at = each.end
    return "".join((*parts, text[at : passage.end])).strip()


def _before(page: _Page, at: int) -> str:
    """The sentence before, if it is of the same paragraph."""
    if not at or page.passages[at].place is not None or page.passages[at - 1].place is not None:
        return ""
    one, other = page.passages[at - 1], page.passages[at]
    if "\n" in page.text[one.end : other.start] or _inside(page, one):
        return ""
    return bare(clean(page.text[one.start : one.end]))


def _cell(page: _Page, at: int, told: str) -> Cell | None:
    """The cell of a row that holds what is replaced."""
    row = page.passages[at].place
    if not isinstance(row, Row) or not row.head or _inside(page, page.passages[page.heads.get(at, at)]):
        return None
    caption, _, head = row.head.rpartition("\n")
    found = pairs(head, told)
    if found is None:
        return None
    holding = [(name, cell) for name, cell in found if OWN in cell]
    first = called([cell for _, cell in found])
    name, key = clean(holding[0][0]) if holding else "", clean(first)
    if len(holding) != 1 or MARKS.search(first) or not name or not key:
        return None
    columns = ", ".join(clean(column) for column, _ in found if column)
    return Cell(bare(clean(caption)), columns, name, key, row.head, first)


def called(cells: Sequence[str]) -> str:
    """The cell by which people call a row: the first one in words, or else the first."""
    return next((cell for cell in cells if _WORDED.search(cell)), cells[0])


def _heading(page: _Page, at: int) -> str:
    for earlier in range(at - 1, max(-1, at - 40), -1):
        passage = page.passages[earlier]
        if _HEADING.match(page.text, passage.start):
            return "" if _inside(page, passage) else bare(clean(page.text[passage.start : passage.end]))
    first = page.passages[0]  # a title, if it is no sentence
    title = at and first.place is None and first.end - first.start <= _TITLE and not _inside(page, first)
    text = bare(clean(page.text[first.start : first.end])) if title else ""
    return "" if text.endswith((".", "!", "?")) else text
