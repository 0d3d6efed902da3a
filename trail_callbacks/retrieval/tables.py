"""Tables inside a text: Markdown with or without outer pipes, CSV and TSV blocks, as rows under their head."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

__all__ = ["Row", "Table", "labelled", "tables"]

_PIPE = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"^[\s|:+=-]*-[\s|:+=-]*$")
_NUMBER = re.compile(r"^[\W\d]*\d[\W\d]*$")
_CSV_ROWS = 3  # fewer lines with as many commas are chance
_CAPTION = 160  # signs of the line above a table that are shown with its head
_HEAD = 400  # signs of the head itself


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A row of a table.

    Attributes:
        start: Offset in the text, blanks around it left out.
        end: Offset after it.
        number: From 1; 0 is the head.
        head: The line above the table, where there is one, and its head; empty for the head.
    """

    start: int
    end: int
    number: int
    head: str

    @property
    def address(self) -> str:
        """`row 3`, or `head`."""
        return f"row {self.number}" if self.number else "head"

    def lead(self, text: str) -> str:  # noqa: ARG002 - as of every passage that knows its place
        """What tells the meaning of the cells: the head."""
        return self.head


@dataclass(frozen=True, slots=True)
class Table:
    """A stretch of whole lines that is a table.

    Attributes:
        start: Offset.
        end: Offset after it.
        rows: The head and the rows; lines that only rule it off are none.
    """

    start: int
    end: int
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str


def tables(text: str, start: int = 0, end: int | None = None) -> tuple[Table, ...]:
    """Finds the tables of a text, or of a part of it, in order.

    Lines with pipes or tabs in a row are a table from two lines on; lines with commas or semicolons from three on, if
    they have as many cells each, no blank behind a comma, and a head without numbers.
    """
    part = text[start:end]
    if not any(sign in part for sign in "|\t,;"):
        return ()
    found = []
    before = ""
    for sign, group in groupby(_lines(part, start), key=lambda line: _sign(line.text)):
        lines = list(group)
        found += [_table(block, before) for block in (_blocks(lines, sign) if sign else ())]
        before = lines[-1].text
    return tuple(found)


def labelled(head: str, row: str) -> str | None:
    """Reads a row as a sentence, each cell behind the head of its column; None if they do not match."""
    sign = _sign(row.strip())
    names, cells = _cells(head, sign), _cells(row, sign)
    if not sign or len(names) != len(cells):
        return None
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, cells, strict=True) if cell)


def _cells(line: str, sign: str) -> list[str]:
    line = line.strip()
    if sign == "|":
        return [cell.strip() for cell in _PIPE.split(line.removeprefix("|").removesuffix("|"))]
    return [cell.strip() for cell in next(csv.reader([line], delimiter=sign), [])] if sign else []


def _lines(text: str, start: int) -> Iterator[_Line]:
    for line in text.splitlines(keepends=True):
        yield _Line(start, line)
        start += len(line)


def _sign(line: str) -> str:
    """What parts the cells of a line, if it may be a row."""
    stripped = line.strip()
    if "|" in stripped:
        return "|" if _PIPE.search(stripped[1:]) else ""
    if "\t" in stripped:
        return "\t"
    for sign in ";,":
        if sign in stripped and f"{sign} " not in stripped and not stripped.endswith((".", sign)):
            return sign
    return ""


def _blocks(lines: Sequence[_Line], sign: str) -> Iterator[Sequence[_Line]]:
    """The tables among neighbouring lines with one sign."""
    if sign in {"|", "\t"}:
        if len(lines) > 1:
            yield lines
        return
    for width, group in groupby(lines, key=lambda line: _width(line.text, sign)):
        block = list(group)
        head = block[0].text.strip().split(sign)
        if width > 1 and len(block) >= _CSV_ROWS and not any(_NUMBER.match(cell) or not cell for cell in head):
            yield block


def _width(line: str, sign: str) -> int:
    try:
        return len(next(csv.reader([line.strip()], delimiter=sign), []))
    except csv.Error:  # a cell beyond the reader's limit
        return 0


def _table(lines: Sequence[_Line], before: str) -> Table:
    head = ""
    rows: list[Row] = []
    for line in lines:
        stripped = line.text.strip()
        if _RULE.match(stripped):
            continue
        at = line.start + line.text.index(stripped)
        rows.append(Row(at, at + len(stripped), len(rows), head))
        if not head:
            caption = before.strip()[:_CAPTION]
            head = "\n".join(part for part in (caption, stripped[:_HEAD]) if part)
    return Table(lines[0].start, lines[-1].start + len(lines[-1].text), tuple(rows))
