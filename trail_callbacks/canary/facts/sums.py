"""Numbers that follow from others beside them: totals, shares, changes, products, means, conversions.

A relation is taken for one if the arithmetic is right and the text gives a reason to expect it: a word (`in total`,
`each`), a label of a row or column, parentheses, or so many or such large numbers that chance is no explanation. One
that is seen wrongly costs little: a number more is changed, and still agrees with all that is said of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise, permutations
from typing import Literal

from trail_callbacks.canary.facts.figures import Figure, Page
from trail_callbacks.canary.facts.grids import Grid

__all__ = ["Dependency", "dependencies", "locked"]

Rule = Literal["sum", "share", "change", "product", "mean", "same", "celsius", "fahrenheit"]

_TOTAL = re.compile(
    r"\b(?:in total|total\w*|totall?ing|sums?|altogether|together|in all|overall|combined|add(?:s|ed|ing)? up|of which|"
    r"of these|of them|including|consist\w*|compris\w*|made up|sub-?total|remain\w*|left|rest|difference|balance|net|"
    r"insgesamt|gesamt\w*|summe|zusammen|davon|en tout|au total|somme|dont|in totale|complessiv\w*|suma|"
    r"totaal|samen|waarvan|итого|всего)\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:rose|risen|rises?|grew|grown|grows?|increas\w+|gain\w*|fell|fallen|falls?|declin\w+|drop\w*|decreas\w+|"
    r"reduc\w+|fewer|higher|lower|growth|raised|stieg\w*|sank|wuchs)\b",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"\b(?:each|per|apiece|every|times|at|je|à|chacun\w*|cada|jeweils|rows? of|sets? of|for)\b|[\u00d7*]|\bx\b",
    re.IGNORECASE,
)
_MEAN = re.compile(
    r"\b(?:average\w*|mean|on average|durchschnitt\w*|im schnitt|moyenne|promedio|media)\b", re.IGNORECASE
)
_BESIDE = re.compile(r"\s?[(\[=/,]\s?(?:=|i\.e\.,?|or|about|approximately|approx\.?|ca\.?|~|\u2248)?\s?", re.IGNORECASE)
_REACH = 16  # figures before or after a total that may be its parts
_LINE = 10  # figures of one sentence that are tried with each other
_MANY, _LARGE = 3, 10  # so many numbers, or two so large, do not add up by chance
_CONVERTED = 0.05  # relative distance of a rounded conversion
_DEGREES = 1.0
_HALF = 0.5 + 1e-6
_WHOLE = 100.0
_SPANS = {"year": 31557600.0, "clock": 60.0}  # seconds


@dataclass(frozen=True, slots=True, eq=False)
class Dependency:
    """A figure that follows from others of its document.

    Attributes:
        result: The figure that follows.
        parts: What it follows from; of a share the part and then what make the whole, of a change the earlier value
            first.
        rule: How.
    """

    result: Figure
    parts: Sequence[Figure]
    rule: Rule

    def value(self, new: Mapping[Figure, float]) -> float:
        """Works the result out.

        Args:
            new: New values, in base units; figures that are not in it keep theirs.

        Returns:
            The value in base units, not rounded; infinite where it would be divided by 0 or rise instead of fall.
        """
        values = [new.get(each, each.quantity.value) for each in self.parts]
        if self.rule == "change" and (values[0] < values[1]) != self._rises:
            return float("inf")  # what rose would fall
        return _RULES[self.rule](values)

    @property
    def _rises(self) -> bool:
        return self.parts[0].quantity.value < self.parts[1].quantity.value

    def holds(self, new: Mapping[Figure, float]) -> bool:
        """Whether the result is what the rule gives, as far as its digits tell."""
        value = new.get(self.result, self.result.quantity.value)
        return abs(self.value(new) - value) <= _tolerance(self.result, self.rule)


def _share(values: Sequence[float]) -> float:
    whole = sum(values[1:])
    return _WHOLE * values[0] / whole if whole else float("inf")


def _change(values: Sequence[float]) -> float:
    return _WHOLE * abs(values[1] - values[0]) / abs(values[0]) if values[0] else float("inf")


_RULES: Mapping[Rule, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "share": _share,
    "change": _change,
    "product": lambda values: values[0] * values[1],
    "mean": lambda values: sum(values) / len(values),
    "same": lambda values: values[0],
    "celsius": lambda values: (values[0] - 32) * 5 / 9,
    "fahrenheit": lambda values: values[0] * 9 / 5 + 32,
}


def _tolerance(figure: Figure, rule: Rule) -> float:
    """How far a figure may be from the value that is meant, by its last digit."""
    if figure.numeral is None:
        return 1e-9 * abs(figure.quantity.value)
    digit = abs(figure.numeral.factor) * 10.0**-figure.numeral.decimals
    return 1e-6 * digit if rule in {"sum", "product"} else _HALF * digit


def dependencies(page: Page) -> tuple[Dependency, ...]:
    """Finds the figures of a document that follow from others of it.

    Args:
        page: The document.

    Returns:
        The relations, totals of tables first. Time is linear in the number of figures.
    """
    if len(page.figures) < 2:  # noqa: PLR2004
        return ()
    found: dict[tuple[Figure, Rule, frozenset[Figure]], Dependency] = {}
    for each in (*_in_tables(page), *_in_prose(page)):
        found.setdefault((each.result, each.rule, frozenset(each.parts)), each)
    return tuple(found.values())


def locked(page: Page) -> Mapping[Figure, str]:
    """Finds figures which follow from what no number can repair, with the reason."""
    found: dict[Figure, str] = {}
    apart: dict[int, list[float]] = {}
    for part in page.dated:
        if part.kind in _SPANS:
            apart.setdefault(page.line_of(part.start), []).append(part.value * _SPANS[part.kind])
    for figure in page.figures:
        if figure.quantity.kind == "time" and (dated := sorted(set(apart.get(figure.line, ())))):
            spans = (later - earlier for earlier, later in combinations(dated[:_LINE], 2))
            if any(
                abs(figure.quantity.value - each) <= _HALF * figure.quantity.value / figure.quantity.raw
                for each in spans
            ):
                found[figure] = "it follows from the dates beside it"
    percents = [each for each in page.figures if each.quantity.kind == "percent" and not _is_whole(each)]
    for run in (*_by_line(percents), *_columns(page, percents)):
        for first, last in combinations(range(len(run[:_LINE]) + 1), 2):
            if last - first > 1 and _equal(sum(each.quantity.value for each in run[first:last]), _WHOLE):
                found |= dict.fromkeys(run[first:last], "it is a share, and all shares beside it make 100 %")
    return found


def _in_prose(page: Page) -> Iterator[Dependency]:
    prose = [each for each in page.figures if each.row is None and each.quantity.value > 0]
    cued = {i for i in {each.line for each in prose} if page.lines and _TOTAL.search(page.lines[i].text)}
    kinds: dict[str, list[Figure]] = {}
    for each in prose:
        kinds.setdefault(each.quantity.kind, []).append(each)
    for alike in kinds.values():
        for i, figure in enumerate(alike):
            if figure.line in cued:
                yield from _total(figure, list(reversed(alike[max(0, i - _REACH) : i])))
                yield from _total(figure, alike[i + 1 : i + 1 + _REACH])
    for line in _by_line(prose):
        yield from _in_sentence(page, line[:_LINE])
    for one, other in pairwise(prose):
        yield from _conversion(page, one, other)


def _total(figure: Figure, parts: Sequence[Figure]) -> Iterator[Dependency]:
    """The figure as the sum of those nearest to it on one side."""
    for n, value in enumerate(accumulate(each.quantity.value for each in parts), 1):
        if n > 1 and _equal(value, figure.quantity.value) and not _is_whole(figure):
            yield Dependency(figure, tuple(parts[:n]), "sum")
            return


def _in_sentence(page: Page, line: Sequence[Figure]) -> Iterator[Dependency]:
    if len(line) < 2:  # noqa: PLR2004
        return
    text = page.lines[line[0].line].text if page.lines else ""
    total, changed, each_, mean = (pattern.search(text) for pattern in (_TOTAL, _CHANGED, _EACH, _MEAN))
    for result in line:
        if _is_whole(result):
            continue
        others = [each for each in line if each is not result]
        alike = [each for each in others if each.quantity.kind == result.quantity.kind]
        yield from _runs(result, alike, cued=bool(total or changed), mean=bool(mean))
        if result.quantity.kind == "percent":
            yield from _shares(result, others, changed=bool(changed))
        elif each_:
            yield from _products(result, others)


def _runs(result: Figure, alike: Sequence[Figure], *, cued: bool, mean: bool) -> Iterator[Dependency]:
    for first, last in combinations(range(len(alike) + 1), 2):
        run = alike[first:last]
        if len(run) < 2:  # noqa: PLR2004
            continue
        value = sum(each.quantity.value for each in run)
        sure = cued or len(run) >= _MANY or min(each.quantity.value for each in run) >= _LARGE
        if sure and _equal(value, result.quantity.value):
            yield Dependency(result, tuple(run), "sum")
        elif mean and abs(value / len(run) - result.quantity.value) <= _tolerance(result, "mean"):
            yield Dependency(result, tuple(run), "mean")


def _shares(result: Figure, others: Sequence[Figure], *, changed: bool) -> Iterator[Dependency]:
    for part, whole in permutations(others, 2):
        if part.quantity.kind != whole.quantity.kind or part.quantity.kind == "percent":
            continue
        small = part.quantity.value < whole.quantity.value
        for rule in ("share", "change"):
            found = Dependency(result, (part, whole), "share" if rule == "share" else "change")
            if (small if rule == "share" else changed) and found.holds({}):
                yield found


def _products(result: Figure, others: Sequence[Figure]) -> Iterator[Dependency]:
    for many, one in permutations(others, 2):
        if many.quantity.kind == "count" and one.quantity.kind == result.quantity.kind:
            values = many.quantity.value, one.quantity.value
            if min(values) > 1 and _equal(values[0] * values[1], result.quantity.value):
                yield Dependency(result, (many, one), "product")


def _conversion(page: Page, one: Figure, other: Figure) -> Iterator[Dependency]:
    if not _BESIDE.fullmatch(page.text, one.quantity.end, other.start) or one.numeral is None or other.numeral is None:
        return
    a, b = one.quantity, other.quantity
    if a.kind == b.kind and a.kind != "count" and not _equal(one.numeral.factor, other.numeral.factor):
        if abs(a.value - b.value) <= _CONVERTED * abs(a.value):
            yield Dependency(other, (one,), "same")
    elif {a.kind, b.kind} == {"temperature", "fahrenheit"}:
        found = Dependency(other, (one,), "celsius" if b.kind == "temperature" else "fahrenheit")
        if abs(found.value({}) - b.value) <= _DEGREES:
            yield found


def _by_line(figures: Sequence[Figure]) -> Iterator[list[Figure]]:
    lines: dict[tuple[int, int | None], list[Figure]] = {}
    for each in figures:
        lines.setdefault((each.line if each.row is None else -1, each.row), []).append(each)
    yield from lines.values()


def _is_whole(figure: Figure) -> bool:
    return figure.quantity.kind == "percent" and figure.quantity.value == _WHOLE


def _in_tables(page: Page) -> Iterator[Dependency]:
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


def _columns(page: Page, figures: Sequence[Figure]) -> Iterator[list[Figure]]:
    wanted = set(figures)
    for _, cells in _grids(page) if wanted else ():
        for column in _by_column(cells):
            yield [each for _, each in column if each in wanted]


def _totals(page: Page, grid: Grid, cells: Sequence[Sequence[Figure | None]]) -> Iterator[Dependency]:
    """Sums of rows and columns, and shares of the columns."""
    head = [page.text[start:end] for start, end in grid.rows[0]]
    for row in cells:
        last = max((i for i, each in enumerate(row) if each is not None), default=0)
        labelled = last < len(head) and _TOTAL.search(head[last]) is not None
        yield from _summed([each for each in row if each is not None], labelled=labelled)
    wholes: list[tuple[Mapping[int, Figure], Figure | None]] = []
    for column in _by_column(cells):
        last = column[-1][0]
        first = grid.rows[last][0]
        labelled = _TOTAL.search(page.text[first[0] : first[1]]) is not None
        found = list(_summed([each for _, each in column], labelled=labelled))
        yield from found
        wholes.append(({i: each for i, each in column if not found or i != last}, found[0].result if found else None))
    for (parts, total), (shares, _) in permutations(wholes[:_LINE], 2):
        yield from _column_shares(parts, total, shares)


def _summed(figures: Sequence[Figure], *, labelled: bool) -> Iterator[Dependency]:
    if len(figures) < (3 if labelled else _MANY + 1):
        return
    *parts, result = figures
    alike = all(each.quantity.kind == result.quantity.kind for each in parts) and not _is_whole(result)
    if alike and result.quantity.value and _equal(sum(each.quantity.value for each in parts), result.quantity.value):
        yield Dependency(result, tuple(parts), "sum")


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


def _equal(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))
