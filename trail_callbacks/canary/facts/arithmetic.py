"""Numbers that follow from others beside them: totals, shares, changes, products, rounded ones.

A relation is taken for one if the arithmetic is right and the text gives a reason to expect it: a word (`in total`,
`each`), a label of a row or column, parentheses, or so many or such large numbers that chance is no explanation. One
that is seen wrongly costs little: a number more is changed, and still agrees with all that is said of it.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise, permutations

from trail_callbacks.canary.facts.pages import Figure, Page

__all__ = ["TOTAL", "Relation", "in_brackets", "locked", "relations_in"]

TOTAL = re.compile(
    r"\b(?:in total|total\w*|totall?ing|sums?|altogether|together|in all|overall|combined|add(?:s|ed|ing)? up|"
    r"of which|of these|of them|including|consist\w*|compris\w*|made up|sub-?total|remain\w*|left|rest|difference|"
    r"balance|net|insgesamt|gesamt\w*|summe|zusammen|davon|en tout|au total|somme|dont|in totale|complessiv\w*|suma|"
    r"totaal|samen|waarvan|\u0438\u0442\u043e\u0433\u043e|\u0432\u0441\u0435\u0433\u043e)\b",
    re.IGNORECASE,
)
"""Words that announce a total, its parts or what is left of it."""
_CUES = {
    "sum": TOTAL,
    "change": re.compile(
        r"\b(?:rose|risen|rises?|grew|grown|grows?|increas\w+|gain\w*|fell|fallen|falls?|declin\w+|drop\w*|decreas\w+|"
        r"reduc\w+|fewer|higher|lower|growth|raised|stieg\w*|sank|wuchs)\b",
        re.IGNORECASE,
    ),
    "product": re.compile(
        r"\b(?:each|per|apiece|every|times|at|je|cada|rows? of|sets? of|for)\b|[\u00d7*]|\bx\b", re.IGNORECASE
    ),
}
_SINCE = re.compile(
    r"\b(?:old|since|ago|later|earlier|after|before|anniversary|aged?|means|making|until|alt|seit|nach|depuis|desde)\b",
    re.IGNORECASE,
)
_NEARLY = re.compile(r"\b(?:nearly|almost|not quite|knapp|fast|presque|casi|quasi|bijna)\s$", re.IGNORECASE)
_BESIDE = re.compile(r"\s?[(\[=/,]\s?(?:=|i\.e\.,?|or|about|approximately|approx\.?|ca\.?|~|≈)?\s?", re.IGNORECASE)
_REACH = 16  # figures before or after a total that may be its parts
_LINE = 10  # figures of one sentence that are tried with each other
_CELLS, _COLUMNS = 8, 10  # of a table, that are compared with each other
_MANY, _LARGE = 3, 10  # so many numbers, or two so large, do not add up by chance
_PRODUCT = 100  # a smaller product of two cells may be chance
_WHOLE, _HALF, _EXACT = 100.0, 0.5 + 1e-6, 1e-6
_YEAR, _MINUTE = 31557600.0, 60.0  # seconds


def _share(values: Sequence[float]) -> float:
    whole = sum(values[1:])
    return _WHOLE * values[0] / whole if whole else math.inf


_RULES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "share": _share,
    "change": lambda values: _WHOLE * abs(values[1] - values[0]) / abs(values[0]) if values[0] else math.inf,
    "product": lambda values: values[0] * values[1],
}


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """A figure that follows from others.

    Attributes:
        result: The figure that follows.
        parts: What it follows from; of a share the part and then what make the whole, of a change the earlier value
            first.
        rule: How: a name in `_RULES`, or `rounded`.
    """

    result: Figure
    parts: Sequence[Figure]
    rule: str

    def value(self, new: Mapping[Figure, float]) -> float:
        """Works the result out, not rounded; infinite where it would be divided by 0 or rise instead of fall.

        Args:
            new: New values, in base units; figures that are not in it keep theirs.
        """
        real = [each.quantity.value for each in self.parts]
        values = [new.get(each, each.quantity.value) for each in self.parts]
        if self.rule == "change" and (values[0] < values[1]) != (real[0] < real[1]):
            return math.inf
        return _rounded(values[0], self.result) if self.rule == "rounded" else _RULES[self.rule](values)

    def holds(self, new: Mapping[Figure, float]) -> bool:
        """Whether the result is what the rule gives, as far as its digits tell."""
        numeral, value = self.result.numeral, new.get(self.result, self.result.quantity.value)
        digit = abs(numeral.factor) * 10.0**-numeral.decimals if numeral else 1e-9 * abs(value)
        return abs(self.value(new) - value) <= digit * (_EXACT if self.rule in {"sum", "product", "rounded"} else _HALF)

    def repaired(self, new: Mapping[Figure, float]) -> float | None:
        """The value of the result in the digits that it is written with; None if it cannot be written."""
        numeral, value = self.result.numeral, self.value(new)
        if numeral is None or not abs(value) < math.inf:
            return None
        return round(value / numeral.factor, numeral.decimals) * numeral.factor


def _rounded(value: float, like: Figure) -> float:
    """A value in the digits of a rounder one: below it behind `over`, above it behind `nearly`."""
    steps = value / like.quantity.step
    if like.quantity.bound == "over":
        steps = math.ceil(steps - _EXACT) - 1
    elif like.quantity.bound == "under" or _NEARLY.search(like.page.text[max(0, like.start - 12) : like.start]):
        steps = math.floor(steps + _EXACT) + 1
    return round(steps) * like.quantity.step


def relations_in(page: Page) -> list[Relation]:
    """Finds the figures of a document that follow from others of it. Time is linear in the number of figures."""
    found = (*_in_tables(page), *_in_prose(page))
    return list({(each.result, each.rule, frozenset(each.parts)): each for each in found}.values())


def locked(page: Page) -> Iterator[tuple[Figure, str]]:
    """Finds figures which follow from what no number can repair, with the reason."""
    yield from ((each, "it follows from the dates beside it") for each in _between_dates(page))
    yield from ((each, "it is a share, and all shares beside it make 100 %") for each in _all_shares(page))


def _equal(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))


def _value(figure: Figure) -> float:
    return figure.quantity.value


def _is_whole(figure: Figure) -> bool:
    return figure.quantity.kind == "percent" and _value(figure) == _WHOLE


def _in_prose(page: Page) -> Iterator[Relation]:
    prose = [each for each in page.figures if each.row is None and _value(each) > 0]
    lines: dict[int, list[Figure]] = defaultdict(list)
    kinds: dict[str, list[Figure]] = defaultdict(list)
    for each in prose:
        lines[each.line].append(each)
        kinds[each.quantity.kind].append(each)
    for line, figures in lines.items():
        cues = {name for name, cue in _CUES.items() if cue.search(page.lines[line].text)}
        for figure in figures if "sum" in cues else ():
            alike = kinds[figure.quantity.kind]
            at = bisect_left(alike, figure.start, key=lambda each: each.start)
            yield from _total(figure, alike[max(0, at - _REACH) : at][::-1])
            yield from _total(figure, alike[at + 1 : at + 1 + _REACH])
        for figure in figures[:_LINE]:
            if not _is_whole(figure):
                yield from _in_sentence(figure, [each for each in figures[:_LINE] if each is not figure], cues)


def _total(figure: Figure, parts: Sequence[Figure]) -> Iterator[Relation]:
    """The figure as the sum of those nearest to it on one side."""
    for n, value in enumerate(accumulate(map(_value, parts)), 1):
        if n > 1 and _equal(value, _value(figure)) and not _is_whole(figure):
            yield Relation(figure, tuple(parts[:n]), "sum")
            return


def _in_sentence(result: Figure, others: Sequence[Figure], cues: set[str]) -> Iterator[Relation]:
    alike = [each for each in others if each.quantity.kind == result.quantity.kind]
    for first, last in combinations(range(len(alike) + 1), 2):
        run = alike[first:last]
        sure = cues & {"sum", "change"} or len(run) >= _MANY or min(map(_value, run)) >= _LARGE
        if len(run) > 1 and sure and _equal(sum(map(_value, run)), _value(result)):
            yield Relation(result, tuple(run), "sum")
    for one, other in permutations(others, 2):
        if result.quantity.kind == "percent":
            if one.quantity.kind == other.quantity.kind != "percent":
                rules = ["share"] * (_value(one) < _value(other)) + ["change"] * ("change" in cues)
                yield from (each for rule in rules if (each := Relation(result, (one, other), rule)).holds({}))
        elif "product" in cues and one.quantity.kind == "count" and other.quantity.kind == result.quantity.kind:
            yield from _product(result, one, other)


def _product(result: Figure, one: Figure, other: Figure) -> Iterator[Relation]:
    if min(_value(one), _value(other)) > 1 and _equal(_value(one) * _value(other), _value(result)):
        yield Relation(result, (one, other), "product")


def _in_tables(page: Page) -> Iterator[Relation]:
    """Sums of rows and columns, products in rows, and shares of the columns."""
    for grid in page.grids:
        columns: dict[int, list[tuple[int, Figure]]] = defaultdict(list)
        head = [page.text[start:end] for start, end in grid[0]]
        for i, row in enumerate(grid):
            cells = _cells(page, row)
            last = max(cells, default=0)
            yield from _summed(
                list(cells.values()), labelled=bool(TOTAL.search(head[last] if last < len(head) else ""))
            )
            told = list(cells.values())[:_CELLS]
            for result in (each for each in told if _value(each) >= _PRODUCT and not _is_whole(each)):
                for one, other in combinations((each for each in told if each is not result), 2):
                    yield from _product(result, one, other)
            for k, each in cells.items():
                columns[k].append((i, each))
        wholes: list[tuple[dict[int, Figure], tuple[Figure, ...]]] = []
        for _, column in sorted(columns.items()):
            last, result = column[-1]
            label = page.text[slice(*grid[last][0])]
            found = list(_summed([each for _, each in column], labelled=bool(TOTAL.search(label))))
            yield from found
            wholes.append((dict(column[: -1 if found else None]), (result,) if found else ()))
        for (parts, total), (shares, _) in permutations(wholes[:_COLUMNS], 2):
            yield from _column_shares(parts, total, shares)


def _cells(page: Page, row: Sequence[tuple[int, int]]) -> dict[int, Figure]:
    """The figures of the cells of a row that have one, by column."""
    found = {}
    for k, (start, end) in enumerate(row):
        at = bisect_left(page.figures, start, key=lambda each: each.start)
        here = [each for each in page.figures[at : at + 2] if each.quantity.end <= end]
        if len(here) == 1:
            found[k] = here[0]
    return found


def _summed(figures: Sequence[Figure], *, labelled: bool) -> Iterator[Relation]:
    if len(figures) >= (_MANY if labelled else _MANY + 1):
        *parts, result = figures
        alike = all(each.quantity.kind == result.quantity.kind for each in parts) and not _is_whole(result)
        if alike and _value(result) and _equal(sum(map(_value, parts)), _value(result)):
            yield Relation(result, tuple(parts), "sum")


def _column_shares(
    parts: Mapping[int, Figure], total: tuple[Figure, ...], shares: Mapping[int, Figure]
) -> Iterator[Relation]:
    if len(parts) > 1 and (total or len(parts) == len(shares)):
        found = [
            Relation(share, (parts[i], *(total or parts.values())), "share")
            for i, share in shares.items()
            if i in parts and share.quantity.kind in {"percent", "count"} and parts[i].quantity.kind != "percent"
        ]
        if len(found) > 1 and all(each.holds({}) for each in found):
            yield from found


def _between_dates(page: Page) -> Iterator[Figure]:
    """Times that are those between two dates of their sentence, or years that are told from one."""
    apart: dict[int, set[float]] = defaultdict(set)
    for part in page.dated:
        if part.kind in {"year", "clock"}:
            apart[page.line_of(part.start)].add(part.value * (_YEAR if part.kind == "year" else _MINUTE))
    for figure in page.figures:
        quantity = figure.quantity
        if quantity.kind == "time" and quantity.raw and (dated := sorted(apart.get(figure.line, ()))):
            unit = quantity.value / quantity.raw
            spans = (later - earlier for earlier, later in combinations(dated[:_LINE], 2))
            since = _equal(unit, _YEAR) and _SINCE.search(page.lines[figure.line].text)
            if since or any(abs(quantity.value - each) <= _HALF * unit for each in spans):
                yield figure


def _all_shares(page: Page) -> Iterator[Figure]:
    """Shares that make a whole with those beside them: in a sentence or the next, in a row or column."""
    percents = [each for each in page.figures if each.quantity.kind == "percent" and not _is_whole(each)]
    runs = [percents]
    for grid in page.grids if percents else ():
        columns: dict[int, list[Figure]] = defaultdict(list)
        for row in grid:
            for k, each in _cells(page, row).items():
                columns[k].append(each)
        runs += [[each for each in column if each in percents] for column in columns.values()]
    for run in runs:
        for first in range(len(run)):
            for n, value in enumerate(accumulate(map(_value, run[first : first + _LINE])), 1):
                near = all(b.line - a.line <= 1 for a, b in pairwise(run[first : first + n])) or run is not percents
                if n > 1 and near and _equal(value, _WHOLE):
                    yield from run[first : first + n]


def in_brackets(page: Page) -> Iterator[tuple[Figure, Figure]]:
    """Figures that stand again in brackets, in another unit or as a share: `400 °F (205 °C)`; ranges with both ends."""
    for i, (one, other) in enumerate(pairwise(page.figures)):
        gap = page.text[max(one.quantity.end, one.start + len(one.words)) : other.start]
        if gap.lstrip()[:1] not in {"(", "["} or not _BESIDE.fullmatch(gap):
            continue
        if one.quantity.within and other.quantity.within and i:
            yield page.figures[i - 1], other
            yield one, page.figures[i + 2] if i + 2 < len(page.figures) else other
        if ")" in page.text[other.quantity.end : other.quantity.end + 6] or other.quantity.within:
            yield one, other
