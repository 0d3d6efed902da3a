"""The figures of a corpus: numbers that state something, with what is said around them.

Numbers that name (a section, a version, a phone number) and what stands in code, links or markup are no figures.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from trail_callbacks.canary.corpus import Document
from trail_callbacks.canary.facts.grids import Grid, grids, legible
from trail_callbacks.canary.facts.protected import labels
from trail_callbacks.canary.facts.spans import Spans
from trail_callbacks.language.terms import keys, stem, terms, vocabulary
from trail_callbacks.language.values import Numeral, Quantity, Writing
from trail_callbacks.language.values.units import CURRENCIES, UNITS
from trail_callbacks.text import Sentence, sentences

__all__ = ["Figure", "Page", "telling", "tells"]

_COUNTED = vocabulary("people men women children teeth feet mice species fish sheep")
_LIGHT = vocabulary(
    """take last cost need make get have be go come give use keep hold let say see per total overall number amount about
    around least most more less up day time year good new first second third only also every each available include
    including allow offer provide require must will up valu rate fee price minimum maximum limit period level
    than between during within under over after before"""
)
_UNITS = frozenset(stem(name) for name in (*UNITS, *CURRENCIES))
_TELLING = 64  # words of a document
_CONTEXT = 8_000  # characters of a sentence that are looked at
_WRAPPED = re.compile(r"[ \t]*\n[ \t]*(?=[\d$\u20ac\u00a3(])(?!\(?\d{1,3}(?:\.\d{1,3}){0,5}[.)]\s)")
_WRAPPED_AT = 40  # characters; nobody wraps prose at less
_TAG = re.compile(r"<[^<>]{0,2000}>")
_NOUN = re.compile(r"[ \u00a0\u202f-]?([^\W\d_]+)")
_HEAD = re.compile(r"[ \u00a0-](?!(?:was|is|has|does|as|its|us|this|plus|less|his|thus)\b)[^\W\d_]{2,}s\b")
_NEED = vocabulary("need belong count want use take make live work come go stay remain")


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A number that states something.

    Attributes:
        page: Where it stands.
        quantity: What it says.
        numeral: How it is written; None where it cannot be written anew (fractions, shares, two readings).
        line: Number of its sentence, list item or table row in the page.
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
        if word in _NEED:
            return self.quantity.end
        head = _HEAD.match(self.page.text, noun.end())
        return head.end() if head else noun.end()

    def written(self, new: str) -> str:
        """The same words with another numeral."""
        assert self.numeral is not None  # noqa: S101 - only those that can be written anew are
        words, at = self.words, self.numeral.start - self.start
        return words[:at] + new + words[at + self.numeral.end - self.numeral.start :]

    @property
    def context(self) -> frozenset[str]:
        """Stems of what is said around it: in its sentence, or in its table row."""
        return self.page.context(self)

    @property
    def noun(self) -> str:
        """Stem of what it counts; empty for a unit."""
        return stem(self.quantity.noun) if self.quantity.noun else ""


@dataclass(eq=False)
class Page:
    """A document with its figures, in order.

    Attributes:
        document: The document.
        number: Its place in the corpus.
        figures: Its numbers other than dates and times of day, in order.
        dated: Parts of its dates and times of day, in order.
        numbers: All its numbers, those too that name something or stand in code.
        fixed: Where nothing may be edited.
        writing: How it writes numbers.
    """

    document: Document
    number: int = 0
    figures: Sequence[Figure] = ()
    dated: Sequence[Quantity] = ()
    numbers: Sequence[Quantity] = ()
    fixed: Spans = field(default_factory=Spans)

    @property
    def text(self) -> str:
        """The text of the document."""
        return self.document.text

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
        """Its sentences, list items and table rows; a line that was wrapped before a number goes on."""
        found: list[Sentence] = []
        for each in sentences(self.text):
            last = found[-1] if found else None
            if last and _WRAPPED.match(self.text, last.end) and _goes_on(last.text):
                found[-1] = Sentence(last.start, each.end, self.text[last.start : each.end])
            else:
                found.append(each)
        return tuple(found)

    @cached_property
    def grids(self) -> tuple[Grid, ...]:
        """Its tables."""
        return grids(self.text)

    @cached_property
    def rows(self) -> tuple[tuple[int, int, int, int], ...]:
        """Offsets of the rows of its tables, headers included, with the numbers of their tables and in these."""
        return tuple(
            sorted(
                (row[0][0], row[-1][1], i, k)
                for i, grid in enumerate(self.grids)
                for k, row in enumerate(grid.rows)
                if row
            )
        )

    def headings(self, offset: int) -> tuple[str, ...] | None:
        """What names a cell: the heads of its column and of its row, without itself; None outside of tables."""
        row = self.row_of(offset)
        if row is None:
            return None
        grid = self.grids[self.rows[row][2]]
        cells, head = grid.rows[self.rows[row][3]], grid.rows[0]
        column = bisect_right(cells, offset, key=lambda cell: cell[1])
        named = [cells[0], *head[column : column + 1]]
        return tuple(self.text[start:end] for start, end in named if not start <= offset < end)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Stems of all its words that say something."""
        return _said(self.text)

    @cached_property
    def index(self) -> Mapping[Figure, int]:
        """Places of its figures among each other."""
        return {figure: i for i, figure in enumerate(self.figures)}

    @cached_property
    def raws(self) -> frozenset[str]:
        """All its numbers as written, without units."""
        return frozenset(f"{each.raw:.9g}" for each in self.numbers)

    def line_of(self, offset: int) -> int:
        """Number of the sentence at an offset."""
        return max(0, bisect_right(self._line_starts, offset) - 1)

    def row_of(self, offset: int) -> int | None:
        """Number of the table row at an offset; None outside of tables."""
        at = bisect_right(self._row_starts, offset) - 1
        return at if at >= 0 and offset < self.rows[at][1] else None

    def context(self, figure: Figure) -> frozenset[str]:
        """Stems of what is said around a figure."""
        if figure.row is not None:
            if figure.row not in self._row_contexts:
                start, end, *_ = self.rows[figure.row]
                said = _said(self.text[start:end][:_CONTEXT])
                self._row_contexts[figure.row] = said or _said(" ".join(self.headings(figure.start) or ()))
            return self._row_contexts[figure.row]
        return self.said(figure.line)

    def said(self, line: int) -> frozenset[str]:
        """Stems of what a sentence says."""
        if line not in self._contexts:
            self._contexts[line] = _said(self.lines[line].text[:_CONTEXT] if self.lines else "")
        return self._contexts[line]

    @cached_property
    def _contexts(self) -> dict[int, frozenset[str]]:
        return {}

    @cached_property
    def _row_contexts(self) -> dict[int, frozenset[str]]:
        return {}

    @cached_property
    def _line_starts(self) -> list[int]:
        return [line.start for line in self.lines]

    @cached_property
    def _row_starts(self) -> list[int]:
        return [row[0] for row in self.rows]


def _goes_on(sentence: str) -> bool:
    line = sentence.rpartition("\n")[2]
    return len(line) >= _WRAPPED_AT and line[-1] not in ".!?:;|}]" and len(sentence) < _CONTEXT and "|" not in line


def _said(text: str) -> frozenset[str]:
    found = frozenset(keys(_TAG.sub(" ", text) if "<" in text else text))
    return frozenset(key for key in found if not key[0].isdigit() and key not in _LIGHT and key not in _UNITS)


def telling(page: Page, spread: Mapping[str, int], most: int) -> Sequence[str]:
    """The words of a document that say what it is about: those that it shares with few others, the rarest first.

    Args:
        page: The document.
        spread: How many documents have each word.
        most: Most documents that may have a word.

    Returns:
        At most 64 words.
    """
    shared = (word for word in page.keys if 1 < spread[word] <= most)
    return sorted(shared, key=lambda word: (spread[word], word))[:_TELLING]


def tells(figure: Figure) -> bool:
    """Whether a figure can be asked for by itself: it has a unit, or counts something."""
    quantity = figure.quantity
    if quantity.kind == "count":
        return quantity.value >= 0 and (quantity.noun.endswith("s") or quantity.noun in _COUNTED)
    return any(not each.isdigit() and each not in ".,- " for each in figure.words)
