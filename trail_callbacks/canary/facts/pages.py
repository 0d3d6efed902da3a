"""The documents of a corpus with their figures: numbers that state something, and what is said around them.

Numbers that name (a section, a version, a phone number) and what stands in code, links or markup are no figures.
"""

from __future__ import annotations

import re
import weakref
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import TypeVar

from trail_callbacks.canary.corpus import Corpus, Document
from trail_callbacks.canary.facts.protected import Spans, fixed, labels
from trail_callbacks.canary.facts.tables import grids, legible
from trail_callbacks.language.terms import keys, stem, terms, vocabulary
from trail_callbacks.language.values import DAYS, EXACT, MONTHS, Numeral, Quantity, Writing, quantities
from trail_callbacks.language.values.units import CURRENCIES, UNITS
from trail_callbacks.text import Sentence, sentences

__all__ = ["Figure", "Page", "of_last_corpus", "pages"]

_T = TypeVar("_T")
_LIGHT = vocabulary(
    """take last cost need make get have be go come give use keep hold let say see per total overall number amount about
    around least most more less up day time year good new first second third only also every each available include
    allow offer provide require must will valu rate fee price minimum maximum limit period level than between during
    within under over after before"""
)  # stems that say nothing of what a number is of
_UNITS = frozenset(stem(name) for name in (*UNITS, *CURRENCIES))
_COUNTED = vocabulary("people men women children teeth feet mice species fish sheep")
_CONTEXT = 8_000  # characters of a sentence that are looked at
_WRAPPED = re.compile(r"[ \t]*\n[ \t]*(?=[\d$\u20ac\u00a3(])(?!\(?\d{1,3}(?:\.\d{1,3}){0,5}[.)]\s)")
_WRAPPED_AT = 40  # characters; nobody wraps prose at less
_TAG = re.compile(r"<[^<>]{0,2000}>")
_NOUN = re.compile(r"[ \u00a0\u202f-]?([^\W\d_]+)")
_HEAD = re.compile(r"[ \u00a0-](?!(?:was|is|has|does|as|its|us|this|plus|less|his|thus)\b)[^\W\d_]{2,}s\b")
_NEED = vocabulary("need belong count want use take make live work come go stay remain")
_NAME = re.compile(r"(?:^|[^\w.!?:;|\n\"(\[{>,*])[ \u00a0]?([A-Za-z]{0,3}[A-Z][\w'-]{1,40})[ \u00a0]$")
_NO_NAME = vocabulary(
    """In At On By To From Of For With About Over Under Around The A An And Or But Only Some Between Until Till After
    Before Within Up Nearly Almost Roughly Approximately Every Each Another All Than More Less Least Most"""
) | {*MONTHS, *DAYS, *(code.upper() for code in CURRENCIES)}
_NAMED = re.compile(r"[A-Z][a-z]+[ \u00a0][A-Z][a-z]")  # `the Ten Commandments`
_LOOK_BACK = 44  # characters before a number in which the word of a name stands
_ENUMERATED = re.compile(r",\s|,?\s(?:and|or|by)\s|\s?[x\u00d7]\s?")


def of_last_corpus(read: Callable[[Corpus], _T]) -> Callable[[Corpus], _T]:
    """Lets a function of a corpus keep its last result, as long as that corpus exists: several kinds read the same."""
    last: list[tuple[weakref.ref[Corpus], _T]] = []

    def forget(gone: weakref.ref[Corpus]) -> None:
        last[:] = [each for each in last if each[0] is not gone]

    @wraps(read)
    def kept(corpus: Corpus) -> _T:
        for known, result in last:
            if known() is corpus:
                return result
        result = read(corpus)
        last[:] = [(weakref.ref(corpus, forget), result)]
        return result

    return kept


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A number that states something.

    Attributes:
        page: Where it stands.
        quantity: What it says.
        numeral: How it is written; None where it cannot be written anew (fractions, shares, two readings).
        line: Number of its sentence or list item in the page.
        row: Number of its table row in the page; None outside of tables.
    """

    page: Page
    quantity: Quantity
    numeral: Numeral | None
    line: int
    row: int | None

    @property
    def start(self) -> int:
        """Where it begins, a currency sign included."""
        return min(self.quantity.start, self.numeral.start) if self.numeral else self.quantity.start

    @property
    def words(self) -> str:
        """As a person would write it: with its unit, or with the noun that is counted."""
        text, end = self.page.text, self.quantity.end
        if self.quantity.kind == "count" and self.quantity.noun:
            noun = _NOUN.match(text, end)
            if noun and noun[1].casefold() == self.quantity.noun and terms(noun[1])[0].kind != "function":
                end = self._counted(noun)
        return text[self.start : end]

    def _counted(self, noun: re.Match[str]) -> int:
        """Where the thing counted ends: in English, behind the plural that an adjective is of, and before a verb."""
        word = noun[1].casefold()
        if word.endswith("s") or word in _COUNTED or self.quantity.raw == 1 or self.page.writing.language != "en":
            return noun.end()
        head = _HEAD.match(self.page.text, noun.end())
        return self.quantity.end if word in _NEED else head.end() if head else noun.end()

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
        return self.row is not None or any(not each.isdigit() and each not in ".,- " for each in self.words)

    @property
    def noun(self) -> str:
        """Stem of what it counts; empty for a unit."""
        return stem(self.quantity.noun) if self.quantity.noun else ""

    @property
    def context(self) -> frozenset[str]:
        """Stems of what is said around it: in its sentence, or in its table row."""
        if self.row is None:
            return self.page.said(self.line)
        start, end = self.page.rows[self.row][:2]
        return _said(self.page.text[start:end][:_CONTEXT]) or _said(" ".join(self.page.headings(self.start)))


class Page:
    """A document with its figures, in order.

    Args:
        document: The document.
        number: Its place in the corpus.

    Attributes:
        document: The document.
        number: Its place in the corpus.
        text: Its text.
        fixed: Where nothing may be edited.
        numbers: All its numbers, those too that name something or stand in code.
        dated: Parts of its dates and times of day.
        figures: Its other numbers that state something.
    """

    def __init__(self, document: Document, number: int = 0) -> None:
        self.document = document
        self.number = number
        self.text = document.text
        self.fixed = fixed(self.text)
        self.grids = grids(self.text)
        self.numbers = self._enumerated(quantities(legible(self.text, self.grids)))
        free = [each for each in self.numbers if not self.fixed.overlap(each.start, each.end)]
        self.dated = [each for each in free if each.kind in EXACT - {"rank"} or each.bound == "during"]
        self.figures = list(self._figures(free))
        self.index = {figure: i for i, figure in enumerate(self.figures)}

    @cached_property
    def writing(self) -> Writing:
        """How it writes numbers."""
        return Writing(legible(self.text, self.grids))

    @cached_property
    def labels(self) -> Spans:
        """Where numbers name something and count nothing."""
        return labels(self.text)

    @cached_property
    def lines(self) -> tuple[Sentence, ...]:
        """Its sentences and list items; a line that was wrapped before a number goes on."""
        found: list[Sentence] = []
        for each in sentences(self.text):
            last = found[-1] if found else None
            if last and _WRAPPED.match(self.text, last.end) and _goes_on(last.text):
                found[-1] = Sentence(last.start, each.end, self.text[last.start : each.end])
            else:
                found.append(each)
        return tuple(found)

    @cached_property
    def rows(self) -> tuple[tuple[int, int, int, int], ...]:
        """Offsets of the rows of its tables, headers included, with the numbers of their tables and in these."""
        return tuple(
            sorted((row[0][0], row[-1][1], i, k) for i, grid in enumerate(self.grids) for k, row in enumerate(grid))
        )

    @cached_property
    def keys(self) -> frozenset[str]:
        """Stems of all its words that say something."""
        return _said(self.text)

    @cached_property
    def raws(self) -> frozenset[str]:
        """All its numbers as written, without units."""
        return frozenset(f"{each.raw:.9g}" for each in self.numbers)

    @cached_property
    def _said(self) -> dict[int, frozenset[str]]:
        return {}

    @cached_property
    def _starts(self) -> tuple[list[int], list[int]]:
        return [line.start for line in self.lines], [row[0] for row in self.rows]

    def line_of(self, offset: int) -> int:
        """Number of the sentence at an offset."""
        return max(0, bisect_right(self._starts[0], offset) - 1)

    def row_of(self, offset: int) -> int | None:
        """Number of the table row at an offset; None outside of tables."""
        at = bisect_right(self._starts[1], offset) - 1
        return at if at >= 0 and offset < self.rows[at][1] else None

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

    def said(self, line: int) -> frozenset[str]:
        """Stems of what a sentence says."""
        if line not in self._said:
            self._said[line] = _said(self.lines[line].text[:_CONTEXT] if self.lines else "")
        return self._said[line]

    def _enumerated(self, found: Sequence[Quantity]) -> list[Quantity]:
        """Its numbers; the bare ones of `20, 30 and 46 minutes` share the unit or noun of the last."""
        shared = list(found)
        for i in range(len(shared) - 2, -1, -1):
            one, other = shared[i : i + 2]
            named = (other.kind != "count" or other.noun) and other.kind not in EXACT and other.raw
            bare = one.kind == "count" and not one.noun and not one.also
            if bare and named and _ENUMERATED.fullmatch(self.text, one.end, other.start):
                factor = other.value / other.raw
                value, step = one.raw * factor, one.step * factor
                shared[i] = replace(one, kind=other.kind, noun=other.noun, value=value, step=step)
        return shared

    def _figures(self, found: Sequence[Quantity]) -> Iterator[Figure]:
        for each in found:
            if each.kind in EXACT or each.bound == "during" or self.labels.overlap(each.start, each.end):
                continue
            row = self.row_of(each.start)
            if each.kind == "count" and row is None and self._is_name(each):
                continue
            yield Figure(self, each, self.writing.numeral(each), self.line_of(each.start), row)

    def _is_name(self, quantity: Quantity) -> bool:
        """Whether a number is a piece of a name: `Boeing 747`, `Route 66`, `the Ten Commandments`."""
        if _NAMED.match(self.text, quantity.start) and quantity.start and self.text[quantity.start - 2].islower():
            return True
        before = _NAME.search(self.text[max(0, quantity.start - _LOOK_BACK) : quantity.start])
        return before is not None and before[1] not in _NO_NAME and not quantity.noun.endswith("s")


@of_last_corpus
def pages(corpus: Corpus) -> Sequence[Page]:
    """Reads the figures of all documents, in order."""
    return [Page(document, i) for i, document in enumerate(corpus)]


def _goes_on(sentence: str) -> bool:
    line = sentence.rpartition("\n")[2]
    return len(line) >= _WRAPPED_AT and line[-1] not in ".!?:;|}]" and len(sentence) < _CONTEXT and "|" not in line


def _said(text: str) -> frozenset[str]:
    found = frozenset(keys(_TAG.sub(" ", text) if "<" in text else text))
    return frozenset(key for key in found if not key[0].isdigit() and key not in _LIGHT and key not in _UNITS)
