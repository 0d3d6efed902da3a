"""Tables of a text cell by cell: Markdown, CSV, tabs and HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from trail_callbacks.evidence.tables import tables

__all__ = ["Grid", "grids", "legible"]

_PIPE = re.compile(r"(?<!\\)\|")
_CELLS = {
    each: re.compile(rf'\s*"(?:[^"]|"")*+"[^{each}]*|[^{each}]+|(?<={each})(?={each})') for each in ("\t", ";", ",")
}
_TAG = re.compile(r"<(/?)(table|tr|td|th)\b[^<>]{0,2000}>", re.IGNORECASE)

Grid = Sequence[Sequence[tuple[int, int]]]
"""The offsets of the cells of each row of a table, header included."""


def grids(text: str) -> tuple[Grid, ...]:
    """Finds the tables of a text with their cells, in order. Time is linear in the text."""
    plain = ([_cells(text, row.start, row.end) for row in table.rows] for table in tables(text))
    found = [[row for row in grid if row] for grid in (*plain, *(_marked(text) if "<" in text else ()))]
    return tuple(sorted((grid for grid in found if grid), key=lambda grid: grid[0][0]))


def legible(text: str, found: Sequence[Grid]) -> str:
    """The text with tabs for the commas between cells, character for character: `12,3` is two numbers there."""
    parts, at = [], 0
    for row in (row for grid in found for row in grid):
        for (_, end), (start, _) in pairwise(row):
            if start == end + 1 and text[end] == "," and end >= at:
                parts += [text[at:end], "\t"]
                at = start
    return "".join((*parts, text[at:]))


def _cells(text: str, start: int, end: int) -> list[tuple[int, int]]:
    row = text[start:end]
    delimiter = next((each for each in "|\t;," if each in row), "")
    if delimiter == "|":
        cuts = [start - 1, *(match.start() for match in _PIPE.finditer(text, start, end)), end]
        spans = [(a + 1, b) for a, b in pairwise(cuts)]
        return spans[row.startswith("|") : len(spans) - row.endswith("|")]
    return [match.span() for match in _CELLS[delimiter].finditer(text, start, end)] if delimiter else [(start, end)]


def _marked(text: str) -> Iterator[list[list[tuple[int, int]]]]:
    """Tables of HTML; a row or cell ends where the next begins, if not before."""
    rows: list[list[tuple[int, int]]] = []
    cell = -1
    for tag in _TAG.finditer(text):
        name, closes = tag[2].casefold(), bool(tag[1])
        if cell >= 0 and rows:
            rows[-1].append((cell, tag.start()))
            cell = -1
        if name == "table" and rows:
            yield rows
            rows = []
        elif name == "tr" and not closes:
            rows.append([])
        elif name in {"td", "th"} and not closes and rows:
            cell = tag.end()
    if rows:
        yield rows
