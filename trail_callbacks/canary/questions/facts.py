"""The sentences that state what an edit changes, as a reader sees them, and the same with that left open."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from trail_callbacks.canary.twin import TURNS, Edit, Replacement, Twin
from trail_callbacks.evidence.spans import Row, Span, pairs, spans
from trail_callbacks.language.detect import language
from trail_callbacks.splitting.marks import clean, marker

VALUE: Final = "\ue000"
"""Stands for the value in `EditedSentence.opened`: a private character, which is taken out of texts."""
OTHER: Final = "\ue001"
"""Likewise for what other edits change."""

_SIGNS: Final = re.compile(f"[{VALUE}{OTHER}]")
_WORDED: Final = re.compile(r"[^\W\d_]{2}")
_HEADING: Final = re.compile(r"#{1,6}\s|<h\d", re.IGNORECASE)
_TITLE: Final = 120  # characters of the first line of a document that names it
_ABOVE: Final = 40  # passages above one among which its heading is looked for
_MOST: Final = 12  # sentences of an edit that are looked at
_TELLING: Final = 40  # characters that tell a language
_CODE: Final = 2000  # characters that decide about the language of a document


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: how it is asked for (`VALUE` in its place), the head of its table, and the name of its row."""

    asks: str
    head: str
    row: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedSentence:
    """A sentence, or a row of a table, that an edit changes.

    Attributes:
        edit: The edit.
        document: Id of the document.
        real: The sentence, verbatim.
        fictive: What the twin has in its place, verbatim; empty if nothing is left, or the cut is not clear.
        text: The real sentence without markup.
        opened: The same with `VALUE` for the value and `OTHER` for what other edits change.
        turned: The same with the words of this edit only replaced.
        said: The value as this sentence has it, and what the twin has in its place; None where it was removed.
        foreign: What other edits change in it, each where `opened` has `OTHER`.
        before: The sentence before it in its paragraph, without markup; empty if there is none, or an edit changes it.
        heading: The nearest heading above it, or else the first line of the document if that is a title; likewise.
        cell: Where the value stands, if it is a row of a table whose header no edit changes.
        row: Whether it is a row of a table.
        language: ISO 639-1 code of the sentence, or else of the document; empty if unknown.
    """

    edit: Edit
    document: str
    real: str
    fictive: str
    text: str
    opened: str
    turned: str
    said: tuple[str, str | None]
    foreign: Sequence[str] = ()
    before: str = ""
    heading: str = ""
    cell: Cell | None = None
    row: bool = False
    language: str = "en"


class EditedSentences:
    """Finds the sentences of the edits of a twin; reads each document once."""

    def __init__(self, twin: Twin) -> None:
        self._twin = twin
        self._places: dict[str, list[tuple[Replacement, Edit]]] = defaultdict(list)
        for edit in twin.edits:
            for each in edit.replacements:
                self._places[each.document].append((each, edit))
        self._pages: dict[str, _Page] = {}

    def of(self, edit: Edit) -> Iterator[EditedSentence]:
        """Yields the sentences with the value of an edit, and not its repairs, in the order of the corpus."""
        own = [each for at, each in enumerate(edit.replacements) if at not in set(edit.repairs)]
        places: list[tuple[_Page, int]] = []
        for document, group in groupby(own, key=lambda each: each.document):
            if document not in self._pages:
                text = self._twin.real[document].text
                self._pages[document] = _Page(document, text, self._places[document])
            page = self._pages[document]
            places += [(page, at) for at in dict.fromkeys(map(page.holding, group)) if page.passages]
        for page, at in places[:_MOST]:
            if (found := page.sentence(edit, at)) is not None:
                yield found


class _Page:
    """A document, cut into passages, and what is replaced in it."""

    def __init__(self, document: str, text: str, places: Sequence[tuple[Replacement, Edit]]) -> None:
        self.document, self.text = document, text
        self.passages = list(spans(text))
        self._language = language(text[:_CODE])
        self._starts = [each.start for each in self.passages]
        self._places = sorted(places, key=lambda each: (each[0].start, each[0].end))
        self._offsets = [each.start for each, _ in self._places]
        self._heads: dict[int, int] = {}  # of each row of a table the passage that is its header
        for at, passage in enumerate(self.passages):
            if isinstance(passage.place, Row):
                self._heads[at] = self._heads.get(at - 1, at) if passage.place.number else at

    def holding(self, place: Replacement) -> int:
        """Index of the passage in which something is replaced."""
        return max(0, bisect_right(self._starts, place.start) - 1)

    def sentence(self, edit: Edit, at: int) -> EditedSentence | None:
        """What a passage says of an edit; None if that is lost with its markup."""
        passage, inside = self.passages[at], self._inside(at)
        own = [each for each, of in inside if of is edit]
        values = self._values(own, passage, edit)
        others = [
            (max(each.start, passage.start), min(each.end, passage.end))
            for each, of in inside
            if of is not edit and not any(start < each.end and each.start < end for start, end in values)
        ]
        stray = _SIGNS.finditer(self.text, passage.start, passage.end)
        signs = [(*each, VALUE) for each in values] + [(*each, OTHER) for each in others]
        told = self._with(passage, [*signs, *((match.start(), match.end(), " ") for match in stray)])
        opened = _bare(told)
        if not values or any(opened.count(sign) != told.count(sign) for sign in (VALUE, OTHER)):
            return None
        start, end = values[0]
        real = self.text[passage.start : passage.end]
        text = _bare(real)
        whole = all(passage.start <= each.start and each.end <= passage.end for each, _ in inside)
        return EditedSentence(
            edit=edit,
            document=self.document,
            real=real,
            fictive=self._changed(passage, [each for each, _ in inside]).strip() if whole else "",
            text=text,
            opened=opened,
            turned=_bare(self._changed(passage, own)) if whole else "",
            said=(self.text[start:end], None if edit.fictive is None else self._changed(Span(start, end), own)),
            foreign=[self.text[start:end] for start, end in others],
            before=self._before(at),
            heading=self._heading(at),
            cell=self._cell(at, told),
            row=isinstance(passage.place, Row),
            language=(language(text) if len(text) >= _TELLING else "") or self._language,
        )

    def _inside(self, at: int) -> list[tuple[Replacement, Edit]]:
        """What is replaced in a passage, also in part."""
        passage, first = self.passages[at], bisect_left(self._offsets, self.passages[at].start)
        if first and self._places[first - 1][0].end > passage.start:
            first -= 1
        return self._places[first : bisect_left(self._offsets, passage.end)]

    def _values(self, own: Sequence[Replacement], passage: Span, edit: Edit) -> list[tuple[int, int]]:
        """Where the value stands: the words that are replaced, and those beside them that belong to it.

        A name whose words are replaced one by one is one value; of a sentence that is removed, only the value is.
        """
        found: list[tuple[int, int]] = []
        for each in own:
            start, end = max(each.start, passage.start), min(each.end, passage.end)
            if edit.kind not in TURNS:
                size = len(edit.real)
                low, high = min(start, end - size), max(end, start + size)
                at = self.text.find(edit.real, max(passage.start, low), min(passage.end, high))
                start, end = (at, at + size) if at >= 0 else (start, end)
            if found and (start <= found[-1][1] or self.text[found[-1][1] : start].isspace()):
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((start, end))
        return found

    def _with(self, passage: Span, places: Iterable[tuple[int, int, str]]) -> str:
        """A passage with other words at some places."""
        parts, at = [], passage.start
        for start, end, new in (*sorted(places), (passage.end, passage.end, "")):
            parts += [self.text[at : max(at, start)], new]
            at = max(at, end)
        return "".join(parts)

    def _changed(self, passage: Span, inside: Sequence[Replacement]) -> str:
        whole = (each for each in inside if passage.start <= each.start and each.end <= passage.end)
        return self._with(passage, [(each.start, each.end, each.new) for each in whole])

    def _before(self, at: int) -> str:
        """The sentence before, if it is of the same paragraph."""
        one, other = self.passages[max(0, at - 1)], self.passages[at]
        if not at or one.place is not None or other.place is not None or self._inside(at - 1):
            return ""
        return "" if "\n" in self.text[one.end : other.start] else _bare(self.text[one.start : one.end])

    def _heading(self, at: int) -> str:
        first = self.passages[0]
        titled = at and first.place is None and first.end - first.start <= _TITLE
        for above in (*range(at - 1, max(-1, at - _ABOVE), -1), *([0] if titled else ())):
            if _HEADING.match(self.text, self.passages[above].start) or (titled and not above):
                text = _bare(self.text[self.passages[above].start : self.passages[above].end])
                return "" if self._inside(above) or text.endswith((".", "!", "?")) else text.rstrip(" :")
        return ""

    def _cell(self, at: int, told: str) -> Cell | None:
        """The cell of a row that holds the value."""
        row = self.passages[at].place
        if not isinstance(row, Row) or not row.head or self._inside(self._heads[at]):
            return None
        caption, _, head = row.head.rpartition("\n")
        found = pairs(head, told) or []
        holding = [clean(name or "") for name, cell in found if VALUE in cell]
        first = called([cell for _, cell in found]) if found else ""
        if len(holding) != 1 or not holding[0] or _SIGNS.search(first) or not clean(first):
            return None
        table = _bare(caption) or ", ".join(clean(column) for column, _ in found if column)
        return Cell(f"{table}: {clean(first)}, {holding[0]}: {VALUE}", row.head, first)


def called(cells: Sequence[str]) -> str:
    """The cell by which people call a row: the first one in words, or else the first."""
    return next((cell for cell in cells if _WORDED.search(cell)), cells[0])


def _bare(line: str) -> str:
    """A line without markup, and without what makes it a list item or a heading."""
    line = clean(line)
    line = line.lstrip("# ") if line.startswith("#") else line
    return line[marker(line)[0] :].strip()
