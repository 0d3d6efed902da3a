"""Documents with their figures: numbers that state something, and what is said around them.

Numbers that name (a section, a version, a phone number) and what stands in code, links or markup are no figures.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from trail_callbacks.canary.corpus import Document
from trail_callbacks.canary.facts.protected import Spans, fixed, labels
from trail_callbacks.evidence.spans import tables
from trail_callbacks.language.terms import keys, stem, terms, vocabulary
from trail_callbacks.language.values import DAYS, EXACT, MONTHS, Quantity, quantities
from trail_callbacks.language.values.quantity import CURRENCIES, UNITS
from trail_callbacks.language.values.writing import Numeral, Writing
from trail_callbacks.text import sentences

_LIGHT = vocabulary(
    """take last cost need make get have be go come give use keep hold let say see per total overall number amount about
    around least most more less up day time year good new first second third only also every each available include
    allow offer provide require must will valu rate fee price minimum maximum limit period level than between during
    within under over after before"""
) | {stem(name) for name in (*UNITS, *CURRENCIES)}  # stems that say nothing of what a number is of
_COUNTED = vocabulary("people men women children teeth feet mice species fish sheep")
_CONTEXT = 8_000  # characters of a sentence that are looked at
_WRAPPED = re.compile(r"[^\n|]{40,}[^\n.!?:;|}\]]\n[ \t]*(?=[\d$\u20ac\u00a3(])(?!\(?\d{1,3}(?:\.\d{1,3}){0,5}[.)]\s)")
_TAG = re.compile(r"<[^<>]{0,2000}>")
_NOUN = re.compile(r"[ \u00a0\u202f-]?([^\W\d_]+)")
_HEAD = re.compile(r"[ \u00a0-](?!(?:was|is|has|does|as|its|us|this|plus|less|his|thus)\b)[^\W\d_]{2,}s\b")
_NAME = re.compile(r"[\w,][ \u00a0]([A-Za-z]{0,3}[A-Z][\w'-]{1,40})[ \u00a0]$")
_NO_NAME: frozenset[str] = frozenset({*MONTHS, *DAYS, *(code.upper() for code in CURRENCIES)})
_LOOK_BACK = 44  # characters before a number in which the word of a name stands
_CUTS = {each: re.compile(rf'"(?:[^"]|"")*+"|({each})') for each in "\t;,"} | {"|": re.compile(r"\\.|(\|)")}

Cells = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class PageFigure:
    """A number that states something."""

    page: Page
    quantity: Quantity
    numeral: Numeral | None
    line: int
    row: int | None

    @property
    def value(self) -> float:
        """In the base unit of its kind."""
        return self.quantity.value

    @property
    def start(self) -> int:
        """Where it begins, a currency sign included."""
        return min(self.quantity.start, self.numeral.start) if self.numeral else self.quantity.start

    @property
    def words(self) -> str:
        """As a person would write it: with its unit, or with the noun that is counted."""
        text, end = self.page.text, self.quantity.end
        noun = _NOUN.match(text, end) if self.quantity.kind == "count" and self.quantity.noun else None
        if noun and noun[1].casefold() == self.quantity.noun and terms(noun[1])[0].kind != "function":
            # Behind an adjective the thing counted is a plural.
            head = None if self._is_plural else _HEAD.match(text, noun.end())
            end = head.end() if head else noun.end()
        return text[self.start : end]

    @property
    def _is_plural(self) -> bool:
        noun = self.quantity.noun
        return noun.endswith("s") or noun in _COUNTED or self.page.writing.language != "en"

    def written(self, new: str) -> str:
        """The same words with another numeral."""
        assert self.numeral is not None  # noqa: S101 - only those that can be written anew are
        words, at = self.words, self.numeral.start - self.start
        return words[:at] + new + words[at + self.numeral.end - self.numeral.start :]

    @property
    def tells(self) -> bool:
        """Whether it can be asked for by itself: it has a unit, counts something, or a column says what it is of."""
        quantity = self.quantity
        if quantity.kind == "count" and self.row is None:
            return quantity.value >= 0 and (quantity.noun.endswith("s") or quantity.noun in _COUNTED)
        return True

    @property
    def noun(self) -> str:
        """Stem of what it counts; empty for a unit."""
        return stem(self.quantity.noun) if self.quantity.noun else ""

    @property
    def context(self) -> frozenset[str]:
        """Stems of what is said around it: in its sentence, or in its table row."""
        if self.row is None:
            return self.page.lines[self.line].about
        start, end = self.page.rows[self.row][:2]
        return _said(self.page.text[start:end][:_CONTEXT]) or _said(" ".join(self.page.headings(self.start)))


@dataclass(frozen=True, eq=False)
class Saying:
    """A sentence or list item of a document."""

    page: Page
    start: int
    end: int
    text: str

    @cached_property
    def keys(self) -> frozenset[str]:
        """Stems of its content words."""
        return frozenset(keys(_TAG.sub(" ", self.text)))

    @cached_property
    def about(self) -> frozenset[str]:
        """Those that say what its numbers are of."""
        return _telling(self.keys)

    @cached_property
    def is_whole(self) -> bool:
        """Whether nothing in it is code, a link or markup, and it begins and ends like a sentence."""
        ends = self.text.rstrip().endswith((".", "\u3002", "\u0964")) and not set("\n|") & set(self.text.strip())
        begins = self.text[0].isupper() or not self.text[0].isascii()
        return ends and begins and not self.page.fixed.overlap(self.start, self.end)


class Page:
    """A document with its figures, in order; `number` is its place in the corpus."""

    def __init__(self, document: Document, number: int = 0) -> None:
        self.id, self.text, self.number = document.id, document.text, number
        self.fixed = fixed(self.text)
        self.grids = _grids(self.text)
        self.rows = sorted(
            (row[0][0], row[-1][1], i, k) for i, grid in enumerate(self.grids) for k, row in enumerate(grid)
        )  # the last two are the numbers of the table and in it
        # A line that was wrapped before a number goes on.
        found = sentences(_WRAPPED.sub(lambda found: found[0].replace("\n", " "), self.text))
        told = [each for each in found if re.search(r"\w", each.text)]
        self.lines = [Saying(self, each.start, each.end, self.text[each.start : each.end]) for each in told]

    @cached_property
    def writing(self) -> Writing:
        """How it writes numbers."""
        return Writing(_legible(self.text, self.grids))

    @cached_property
    def numbers(self) -> Sequence[Quantity]:
        """All its numbers, those too that name something or stand in code."""
        return quantities(_legible(self.text, self.grids))

    @cached_property
    def dated(self) -> Sequence[Quantity]:
        """Parts of its dates and times of day."""
        free = (each for each in self.numbers if not self.fixed.overlap(each.start, each.end))
        return [each for each in free if each.kind in EXACT - {"rank"} or each.bound == "during"]

    @cached_property
    def weekdays(self) -> frozenset[int]:
        """Numbers of the sentences that name a day of the week."""
        return frozenset(self.line_of(each.start) for each in self.dated if each.kind == "weekday")

    @cached_property
    def figures(self) -> Sequence[PageFigure]:
        """Its numbers that state something."""
        found = []
        for each in self.numbers:
            named = self.fixed.overlap(each.start, each.end) or self.labels.overlap(each.start, each.end)
            row = self.row_of(each.start)
            bare = each.kind == "count" and row is None and self._is_name(each)
            if not (each.kind in EXACT or each.bound == "during" or named or bare):
                found.append(PageFigure(self, each, self.writing.numeral(each), self.line_of(each.start), row))
        return found

    @cached_property
    def labels(self) -> Spans:
        """Where numbers name something and count nothing."""
        return labels(self.text)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Stems of all its words that say something."""
        return _said(self.text)

    def line_of(self, offset: int) -> int:
        """Number of the sentence at an offset."""
        return max(0, bisect_right(self.lines, offset, key=lambda line: line.start) - 1)

    def saying_at(self, offset: int) -> Saying | None:
        """The sentence at an offset; None if it is in none."""
        saying = self.lines[self.line_of(offset)] if self.lines else None
        return saying if saying and saying.start <= offset < saying.end else None

    def row_of(self, offset: int) -> int | None:
        """Number of the table row at an offset; None outside of tables."""
        at = bisect_right(self.rows, offset, key=lambda row: row[0]) - 1
        return at if at >= 0 and offset < self.rows[at][1] else None

    def figures_in(self, start: int, end: int) -> Sequence[PageFigure]:
        """The figures that begin in a stretch of the text."""
        first, last = (bisect_right(self.figures, at - 1, key=lambda each: each.start) for at in (start, end))
        return self.figures[first:last]

    def headings(self, offset: int) -> tuple[str, ...]:
        """What names a cell: the heads of its column and of its row, without itself; nothing outside of tables."""
        row = self.row_of(offset)
        if row is None:
            return ()
        grid = self.grids[self.rows[row][2]]
        cells, head = grid[self.rows[row][3]], grid[0]
        column = bisect_right(cells, offset, key=lambda cell: cell[1])
        named = [cells[0], *head[column : column + 1]]
        return tuple(self.text[start:end] for start, end in named if not start <= offset < end)

    def _is_name(self, quantity: Quantity) -> bool:
        """Whether a number is a piece of a name: `a Boeing 747`."""
        before = _NAME.search(self.text[max(0, quantity.start - _LOOK_BACK) : quantity.start])
        return before is not None and before[1] not in _NO_NAME and not quantity.noun.endswith("s")


def _telling(found: Iterable[str]) -> frozenset[str]:
    return frozenset(key for key in found if not key[0].isdigit() and key not in _LIGHT)


def _said(text: str) -> frozenset[str]:
    return _telling(keys(_TAG.sub(" ", text)))


def _grids(text: str) -> tuple[Sequence[Cells], ...]:
    """The cells of tables in Markdown, CSV and tabs, in order."""
    found = ([_cells(text, row.start, row.end) for row in table.rows] for table in tables(text))
    rows = ([row for row in grid if row] for grid in found)
    return tuple(grid for grid in rows if grid)


def _legible(text: str, found: Sequence[Sequence[Cells]]) -> str:
    """The text with tabs for the commas between cells, character for character: `12,3` is two numbers there."""
    parts, at = [], 0
    for row in (row for grid in found for row in grid):
        for (_, end), (start, _) in pairwise(row):
            if start == end + 1 and text[end] == "," and end >= at:
                parts += [text[at:end], "\t"]
                at = start
    return "".join((*parts, text[at:]))


def _cells(text: str, start: int, end: int) -> list[tuple[int, int]]:
    mark = next((each for each in "|\t;," if each in text[start:end]), "|")
    cuts = [found.start() for found in _CUTS[mark].finditer(text, start, end) if found[1]]
    edges = [start - 1, *cuts, end]
    bare = mark == "|"  # what is outside of the outer pipes is no cell
    first, last = bare and text.startswith("|", start), bare and text.endswith("|", start, end)
    return [(a + 1, b) for a, b in pairwise(edges)][first : len(cuts) + 1 - last]
