"""Totals and shares in tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations

from trail_callbacks.canary.facts.dependency import Dependency, equal, is_whole
from trail_callbacks.canary.facts.figures import Figure, Page
from trail_callbacks.canary.facts.grids import Grid
from trail_callbacks.canary.facts.totals import TOTAL

__all__ = ["columns", "in_tables"]

_MANY = 3  # so many numbers do not add up by chance
_CELLS, _LEAST = 8, 100  # numbers of a row that are tried; a smaller product may be chance
_COLUMNS = 10  # of a table, that are compared with each other


def in_tables(page: Page) -> Iterator[Dependency]:
    """Finds sums of rows and columns, and shares of the columns."""
    for grid, cells in _grids(page):
        yield from _totals(page, grid, cells)


def _grids(page: Page) -> Iterator[tuple[Grid, list[list[Figure | None]]]]:
    """Tables with the figure of each cell; None where a cell has none, or several."""
    at = 0
    for grid in page.grids:
        cells: list[list[Figure | None]] = []
        for row in grid.rows:
            cells.append([])
            for start, end in row:
                while at < len(page.figures) and page.figures[at].start < start:
                    at += 1
                here = [each for each in page.figures[at : at + 2] if each.quantity.end <= end]
                cells[-1].append(here[0] if len(here) == 1 else None)
        yield grid, cells


def _by_column(cells: Sequence[Sequence[Figure | None]]) -> list[list[tuple[int, Figure]]]:
    """The figures of each column that has some, with the numbers of their rows."""
    columns: dict[int, list[tuple[int, Figure]]] = {}
    for i, row in enumerate(cells):
        for k, each in enumerate(row):
            if each is not None:
                columns.setdefault(k, []).append((i, each))
    return [column for _, column in sorted(columns.items())]


def columns(page: Page, figures: Sequence[Figure]) -> Iterator[list[Figure]]:
    """Those of some figures that stand in one column, for each column of the tables."""
    wanted = set(figures)
    for _, cells in _grids(page) if wanted else ():
        for column in _by_column(cells):
            yield [each for _, each in column if each in wanted]


def _totals(page: Page, grid: Grid, cells: Sequence[Sequence[Figure | None]]) -> Iterator[Dependency]:
    """Sums of rows and columns, and shares of the columns."""
    head = [page.text[start:end] for start, end in grid.rows[0]]
    for row in cells:
        last = max((i for i, each in enumerate(row) if each is not None), default=0)
        labelled = last < len(head) and TOTAL.search(head[last]) is not None
        told = [each for each in row if each is not None]
        yield from _summed(told, labelled=labelled)
        yield from _multiplied(told[:_CELLS])
    wholes: list[tuple[Mapping[int, Figure], Figure | None]] = []
    for column in _by_column(cells):
        last = column[-1][0]
        first = grid.rows[last][0]
        labelled = TOTAL.search(page.text[first[0] : first[1]]) is not None
        found = list(_summed([each for _, each in column], labelled=labelled))
        yield from found
        wholes.append(({i: each for i, each in column if not found or i != last}, found[0].result if found else None))
    for (parts, total), (shares, _) in permutations(wholes[:_COLUMNS], 2):
        yield from _column_shares(parts, total, shares)


def _summed(figures: Sequence[Figure], *, labelled: bool) -> Iterator[Dependency]:
    if len(figures) < (3 if labelled else _MANY + 1):
        return
    *parts, result = figures
    alike = all(each.quantity.kind == result.quantity.kind for each in parts) and not is_whole(result)
    if alike and result.quantity.value and equal(sum(each.quantity.value for each in parts), result.quantity.value):
        yield Dependency(result, tuple(parts), "sum")


def _multiplied(figures: Sequence[Figure]) -> Iterator[Dependency]:
    """A cell that is the product of two others of its row: pieces, price and sum."""
    for result in figures:
        if result.quantity.value < _LEAST or is_whole(result):
            continue
        for many, one in combinations((each for each in figures if each is not result), 2):
            values = many.quantity.value, one.quantity.value
            if min(values) > 1 and equal(values[0] * values[1], result.quantity.value):
                yield Dependency(result, (many, one), "product")


def _column_shares(
    parts: Mapping[int, Figure], total: Figure | None, shares: Mapping[int, Figure]
) -> Iterator[Dependency]:
    if len(parts) < 2 or (total is None and len(parts) != len(shares)):  # noqa: PLR2004
        return
    whole = (total,) if total is not None else tuple(parts.values())
    found = [
        Dependency(share, (parts[i], *whole), "share")
        for i, share in shares.items()
        if i in parts and share.quantity.kind in {"percent", "count"} and parts[i].quantity.kind != "percent"
    ]
    if len(found) > 1 and all(each.holds({}) for each in found):
        yield from found
