"""Tables inside a text: Markdown with or without outer pipes, CSV and TSV blocks, as rows with their header."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

_PIPE = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"^[\s|:+=-]*-[\s|:+=-]*$")
_NUMBER = re.compile(r"^[\W\d]*\d[\W\d]*$")
_DIGIT = re.compile(r"\d")
_CELL = re.compile(r"[|\t]")
_CSV_ROWS = 3  # fewer lines with equally many commas are coincidence
_CAPTION = 160  # characters of the line above a table that are kept with its header
_HEAD = 400  # characters of the header itself


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A row of a table.

    Attributes:
        start: Offset of its first character in the text, without surrounding whitespace.
        end: Offset after its last character.
        number: From 1; 0 is the header: above a rule, or names above values.
        head: The line above the table, if there is one, and the first line unless it holds values; empty for that line.
    """

    start: int
    end: int
    number: int
    head: str

    @property
    def address(self) -> str:
        """`row 3`, or `head`."""
        return f"row {self.number}" if self.number else "head"

    def lead(self, text: str) -> str:  # noqa: ARG002 - same signature as Field.lead
        """The header, which says what the cells mean."""
        return self.head


@dataclass(frozen=True, slots=True)
class Table:
    """Whole lines of a text that form a table.

    Attributes:
        start: Offset of the first line.
        end: Offset after the last line.
        rows: The header and the rows, without separator lines.
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

    Two consecutive lines with pipes or tabs are a table; lines with commas or semicolons need to be three, with equally
    many cells, no space after a delimiter, and a header without numbers.
    """
    part = text[start:end]
    if not any(delimiter in part for delimiter in "|\t,;"):
        return ()
    found = []
    before = ""
    for delimiter, group in groupby(_lines(part, start), key=lambda line: _delimiter(line.text)):
        lines = list(group)
        found += [_table(block, before) for block in (_blocks(lines, delimiter) if delimiter else ())]
        before = lines[-1].text
    return tuple(found)


def labelled(head: str, row: str) -> str | None:
    """Writes a row as `column: cell; ...`; None if it does not have as many cells as the header."""
    found = pairs(head, row)
    return None if found is None else "; ".join(f"{name}: {cell}" if name else cell for name, cell in found if cell)


def pairs(head: str, row: str) -> list[tuple[str, str]] | None:
    """The cells of a row with the names of their columns; None if it does not have as many cells as the header."""
    delimiter = _delimiter(row.strip())
    names, cells = _cells(head, delimiter), _cells(row, delimiter)
    return list(zip(names, cells, strict=True)) if delimiter and len(names) == len(cells) else None


def _cells(line: str, delimiter: str) -> list[str]:
    line = line.strip()
    if delimiter == "|":
        return [cell.strip() for cell in _PIPE.split(line.removeprefix("|").removesuffix("|"))]
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])] if delimiter else []


def _lines(text: str, start: int) -> Iterator[_Line]:
    for line in text.splitlines(keepends=True):
        yield _Line(start, line)
        start += len(line)


def _delimiter(line: str) -> str:
    """The delimiter of the cells of a line, if it may be a row; else empty."""
    stripped = line.strip()
    if "+" in stripped and _RULE.match(stripped):
        return "|"
    if "|" in stripped:
        return "|" if _PIPE.search(stripped[1:]) else ""
    if "\t" in stripped:
        return "\t"
    for delimiter in ";,":
        if delimiter in stripped and f"{delimiter} " not in stripped and not stripped.endswith((".", delimiter)):
            return delimiter
    return ""


def _blocks(lines: Sequence[_Line], delimiter: str) -> Iterator[Sequence[_Line]]:
    """The tables among consecutive lines with the same delimiter."""
    if delimiter in {"|", "\t"}:
        if len(lines) > 1:
            yield lines
        return
    for width, group in groupby(lines, key=lambda line: _width(line.text, delimiter)):
        block = list(group)
        head = block[0].text.strip().split(delimiter)
        if width > 1 and len(block) >= _CSV_ROWS and not any(_NUMBER.match(cell) or not cell for cell in head):
            yield block


def _width(line: str, delimiter: str) -> int:
    try:
        return len(next(csv.reader([line.strip()], delimiter=delimiter), []))
    except csv.Error:  # a cell beyond the reader's limit
        return 0


def _table(lines: Sequence[_Line], before: str) -> Table:
    stripped = [line.text.strip() for line in lines]
    rules = [_RULE.match(each) is not None for each in stripped]
    first = rules.index(False) if False in rules else 0
    ruled = any(rules[first + 1 : first + 2])
    named = ruled or not any(_NUMBER.match(cell[:_HEAD]) for cell in _CELL.split(stripped[first]))
    strict = _delimiter(stripped[first]) in {",", ";"}  # lines with these are a table only below a header
    headed = ruled or (named and (strict or any(map(_DIGIT.search, stripped[first + 1 :]))))
    head = caption = before.strip()[:_CAPTION]
    rows: list[Row] = []
    for line, own, rule in zip(lines, stripped, rules, strict=True):
        if rule:
            continue
        at = line.start + line.text.index(own)
        rows.append(Row(at, at + len(own), len(rows) + (not headed), "" if named and not rows else head))
        if named and len(rows) == 1:
            head = "\n".join(part for part in (caption, own[:_HEAD]) if part)
    return Table(lines[0].start, lines[-1].start + len(lines[-1].text), tuple(rows))
