"""The lines of an answer: paragraphs, list items under their lead-ins, table rows under their columns.

Headings, lead-ins that end in a colon, rules, code and display formulas state nothing by themselves. What they name
goes with the list items below that would be fragments without it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from trail_callbacks.splitting.marks import clean, is_reference, marker, visible
from trail_callbacks.splitting.sentences import sentences_of

__all__ = ["Piece", "pieces"]

_FENCE = re.compile(r"\s*(?:>\s*)*(```|~~~)")
_PROSE = frozenset({"markdown", "md", "text", "txt"})  # what a fence that holds prose may be called
_HEADING = re.compile(r"\s*(?:>\s*)*#{1,6}\s")
_BOLD = re.compile(r"\s*(\*\*|__)(?!\s)[^*_\n]{1,100}\1\s*$")
_RULER = re.compile(r"\s*(?:\|\s*)?:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*(?:\|\s*)?$")
_FORMULA = re.compile(r"^[ \t]*(?:\$\$.{0,2000}?\$\$|\\\[.{0,2000}?\\\])[ \t]*$", re.DOTALL | re.MULTILINE)
_CELL = re.compile(r"(?<!\\)\|")
_LETTER = re.compile(r"\w")
_CLOSING = frozenset(".!?:;\u3002\uff01\uff1f\u0964|}]")
_WRAPPED = 40  # characters; nobody wraps prose at less
_LEAD = 200  # characters; a longer lead-in is prose, and repeated for each item it could fill the memory
_NAME = 100  # characters of a column's name, for the same reason
_SOURCES = re.compile(
    r"\W*(?:references|sources|citations|bibliography|works cited|further reading|footnotes|quellen|fuentes|"
    r"fontes|fonti|bronnen|r\u00e9f\u00e9rences|\u53c2\u8003\u6587\u732e|\u51fa\u5178)\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A sentence, list item or table row: `answer[start:end]`.

    Attributes:
        start: Offset in the answer.
        end: Offset after it.
        lead: The line with a colon, or the heading, that a list item stands under.
        row: What a table row says, cell by cell under its columns; empty for anything else.
        line: Number of its line; the same for the sentences of one paragraph or list item.
        item: Whether it is a list item, or a sentence of one.
        reference: Whether it only names where something was found.
    """

    start: int
    end: int
    lead: str = ""
    row: str = ""
    line: int = 0
    item: bool = False
    reference: bool = False


def pieces(answer: str, language: str) -> Iterator[Piece]:
    """Finds what an answer may state: its sentences, list items and table rows.

    Args:
        answer: Any text.
        language: ISO 639-1 code.

    Yields:
        The pieces in order; they do not overlap.
    """
    page = _Page(language)
    lines = list(_lines(answer))
    hidden = _hidden(answer, lines)
    at = 0
    while at < len(lines):
        start, line = lines[at]
        rows = _table(lines, at)
        if at in hidden or _FENCE.match(line):
            at += 1
        elif rows:
            yield from _rows([lines[number] for number in rows])
            at = rows[-1] + 1
        else:
            until = at + 1
            while until < len(lines) and until not in hidden and _continues(lines[until - 1][1], lines[until][1]):
                until += 1
            whole = answer[start : lines[until - 1][0] + len(lines[until - 1][1])]
            deeper = until < len(lines) and _indent(lines[until][1]) > _indent(line) and marker(lines[until][1])[1]
            yield from page.read(whole, start, at, deeper)
            at = until


@dataclass(slots=True)
class _Page:
    """What the lines above say about the next one."""

    language: str
    heading: str = ""
    sources: bool = False
    leads: list[tuple[int, str]] = field(default_factory=list)  # of outer and inner lists: indentation and words

    def read(self, text: str, start: int, number: int, deeper: bool) -> Iterator[Piece]:
        """The pieces of a paragraph, or nothing for a heading or lead-in, which is kept for what follows."""
        plain = clean(text)
        if not _LETTER.search(plain):
            return
        skip, item = marker(text)
        if _HEADING.match(text) or (_BOLD.match(text) and not item and plain[-1] not in ".!?"):
            self._head(plain.lstrip("# ").rstrip(":\uff1a "))
            return
        indent = _indent(text)
        while self.leads and (self.leads[-1][0] >= indent if item else not self._under(indent)):
            self.leads.pop()
        found = [
            (start + skip + sentence.start, start + skip + sentence.end)
            for sentence in sentences_of(text[skip:], self.language)
            if _LETTER.search(clean(sentence.text))
        ]
        if not found:
            return
        last = clean(text[found[-1][0] - start : found[-1][1] - start])
        leads = last.endswith((":", "\uff1a")) or (deeper and item and len(found) == 1 and last[-1:] not in ".!?")
        lead = self._lead() if item else ""
        if leads and _SOURCES.match(last):
            self._head(last.rstrip(":\uff1a "))
            return
        if leads:
            found.pop()
            self.leads.append((indent if item else -1, last.rstrip(":\uff1a ") if len(last) <= _LEAD else ""))
        elif _SOURCES.match(plain):
            self.sources = True
            return
        elif not item:
            self.sources = False
        for a, b in found:
            reference = (self.sources and item) or is_reference(clean(text[a - start : b - start]))
            yield Piece(start=a, end=b, lead=lead, line=number, item=item, reference=reference)

    def _head(self, words: str) -> None:
        self.leads.clear()
        self.sources = _SOURCES.match(words) is not None
        self.heading = words if len(words) <= _LEAD else ""

    def _under(self, indent: int) -> bool:
        """Whether a paragraph still belongs to a list: it is set in under its item."""
        return indent > 1 and bool(self.leads) and self.leads[-1][0] < indent and self.leads[-1][0] >= 0

    def _lead(self) -> str:
        words = [lead for _, lead in self.leads if lead] or [self.heading]
        joined = ": ".join(words)
        return joined if len(joined) <= _LEAD else words[-1]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their offsets."""
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, line
        start += len(line)


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def _continues(line: str, following: str) -> bool:
    """Whether a paragraph was merely wrapped here."""
    return (
        len(line.rstrip()) >= _WRAPPED
        and line.endswith(("\n", "\r"))
        and line.rstrip()[-1] not in _CLOSING
        and following.lstrip()[:1].islower()
        and not marker(following)[1]
        and not _FENCE.match(following)
        and not _HEADING.match(line)
    )


def _hidden(text: str, lines: Sequence[tuple[int, str]]) -> set[int]:
    """Numbers of the lines of code and display formulas; a fence that is never closed hides nothing."""
    fences = [number for number, (_, line) in enumerate(lines) if _FENCE.match(line)]
    hidden: set[int] = set()
    for first, last in zip(fences[::2], fences[1::2], strict=False):
        if lines[first][1].strip().strip("`~> ").casefold() not in _PROSE:
            hidden.update(range(first, last + 1))
    starts = [start for start, _ in lines]
    for formula in _FORMULA.finditer(text):
        hidden.update(range(bisect_right(starts, formula.start()) - 1, bisect_right(starts, formula.end() - 1)))
    return hidden


def _table(lines: Sequence[tuple[int, str]], at: int) -> range:
    """The lines of the table that begins here: rows in bars, or any rows with a ruler under the first."""

    def row(number: int) -> bool:
        line = visible(lines[number][1]).strip() if number < len(lines) else ""
        return line.startswith("|") and line.count("|") > 1

    end = at
    while row(end):
        end += 1
    if (
        end == at
        and at + 1 < len(lines)
        and "|" in lines[at][1]
        and "|" in lines[at + 1][1]
        and _RULER.match(lines[at + 1][1])
    ):
        end = at + 2
        while end < len(lines) and "|" in lines[end][1]:
            end += 1
    return range(at, end)


def _rows(lines: Sequence[tuple[int, str]]) -> Iterator[Piece]:
    """The rows of a table under the names of its columns; a table of one row has no such names."""
    rows = [(start, line) for start, line in lines if _LETTER.search(line)]
    header = [name[:_NAME] for name in _cells(rows[0][1])] if len(rows) > 1 else []
    for start, line in rows[1:] if header else rows:
        stripped = line.strip()
        at = start + line.index(stripped)
        said = _row(header, _cells(line))
        if said:
            yield Piece(start=at, end=at + len(stripped), row=said)


def _cells(line: str) -> list[str]:
    return [clean(cell.strip()) for cell in _CELL.split(line.strip().strip("|"))]


def _row(header: list[str], row: list[str]) -> str:
    names = header + [""] * len(row)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, row, strict=False) if cell)
