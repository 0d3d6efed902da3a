"""Numbers that follow from others: totals and shares, and what else would contradict a new value.

A relation is taken for one if the arithmetic is right and the text gives a reason to expect it: a word (`in total`),
a label of a row or column, or so many or such large numbers that chance is no explanation. One that is seen
wrongly costs little: a number more is changed, or left alone.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise, permutations

from trail_callbacks.canary.facts.pages import Page, PageFigure

_TOTAL = re.compile(
    r"\b(?:total\w*|sums?|altogether|together|in all|overall|combined|add(?:s|ed|ing)? up|of (?:which|these|them)"
    r"|consist\w*|compris\w*|including|sub-?total|remain\w*|left|rest|net|insgesamt|gesamt\w*|summe|zusammen|davon)\b",
    re.IGNORECASE,
)  # words that announce a total, its parts or what is left of it
_SINCE = re.compile(r"\b(?:old|since|ago|later|earlier|after|before|anniversary|aged?|until)\b", re.IGNORECASE)
_BESIDE = re.compile(r"\s?[(\[]\s?(?:=|i\.e\.,?|or|about|approx(?:\.|imately)?|ca\.?|~|≈)?\s?", re.IGNORECASE)
_OF = re.compile(r"\s+(?:out\s+)?(?:of|in|von|de|di|van|(?:up\s)?to)\s+(?:(?:the|its|all|about|over|den|les|los)\s+)?")
_REACH = 16  # figures before or after a total that may be its parts
_LINE = 10  # figures of one sentence, and columns of a table, that are tried with each other
_MANY, _LARGE = 3, 10  # so many numbers, or such large ones, do not add up by chance
_WIDER = 2.0  # how many times as wide a range may become: `20 to 30` and not `20 to 167`
_WHOLE, _HALF, _EXACT = 100.0, 0.5 + 1e-6, 1e-6
_YEAR, _MINUTE = 31557600.0, 60.0  # seconds


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """Figures of which one follows from the others, is greater than another, or cannot change."""

    result: PageFigure
    parts: Sequence[PageFigure]
    rule: str
    why: str = ""

    @property
    def figures(self) -> Sequence[PageFigure]:
        """All of them."""
        return (self.result, *self.parts)

    @property
    def is_derived(self) -> bool:
        """Whether the result can be worked out."""
        return self.rule in {"sum", "share", "product"}

    def holds(self, new: Mapping[PageFigure, float]) -> bool:
        """Whether the figures agree, as far as their digits tell; those without a new value keep theirs."""
        value, *values = [new.get(each, each.value) for each in self.figures]
        if self.rule == "fixed":
            return not any(each in new for each in self.figures)
        if self.rule == "order":
            wide = self.result.value / self.parts[0].value if self.parts[0].value > 0 else math.inf
            return values[0] < value and (self.result.quantity.within is None or value <= _WIDER * wide * values[0])
        numeral = self.result.numeral
        digit = abs(numeral.factor) * 10.0**-numeral.decimals if numeral else 1e-9 * abs(value)
        return abs(self._of(values) - value) <= digit * (_HALF if self.rule == "share" else _EXACT)

    def repaired(self, new: Mapping[PageFigure, float]) -> float | None:
        """The value of the result in the digits that it is written with; None if it cannot be written."""
        numeral = self.result.numeral
        value = self._of([new.get(each, each.value) for each in self.parts])
        if numeral is None or not self.result.value or not abs(value) < math.inf:
            return None
        return round(value / numeral.factor, numeral.decimals) * numeral.factor

    def _of(self, values: Sequence[float]) -> float:
        if self.rule != "share":
            return sum(values) if self.rule == "sum" else math.prod(values)
        return _WHOLE * values[0] / values[1] if values[1] else math.inf


def relations_in(page: Page) -> list[Relation]:
    """Finds the relations between the figures of a document. Time is linear in the number of figures."""
    derived = {(each.result, each.rule, frozenset(each.parts)): each for each in (*_in_tables(page), *_in_prose(page))}
    together = {(each.result, part) for each in derived.values() for part in each.figures}
    results = {each.result for each in derived.values()}
    shares = [each for each in page.figures if _is_share(each) and each not in results]
    return [
        *derived.values(),
        *(each for each in _beside(page) if not together & {each.figures[:2], each.figures[1::-1]}),
        *_between_dates(page),
        *_all_shares(shares),
    ]


def _fixed(figures: Sequence[PageFigure], why: str) -> Relation:
    return Relation(figures[0], tuple(figures[1:]), "fixed", why)


def _adds_up(parts: Sequence[PageFigure], result: float) -> bool:
    return math.isclose(sum(each.value for each in parts), result, rel_tol=1e-9)


def _is_share(figure: PageFigure) -> bool:
    return figure.quantity.kind == "percent" and figure.value != _WHOLE


def _in_prose(page: Page) -> Iterator[Relation]:
    lines: dict[int, list[PageFigure]] = defaultdict(list)
    kinds: dict[str, list[PageFigure]] = defaultdict(list)
    for each in page.figures:
        if each.row is None and each.value > 0:
            lines[each.line].append(each)
            kinds[each.quantity.kind].append(each)
    for line, figures in lines.items():
        totals = _TOTAL.search(page.lines[line].text)
        for result in (each for each in figures[:_LINE] if _is_share(each) or each.quantity.kind != "percent"):
            kind = result.quantity.kind
            at = bisect_left(kinds[kind], result.start, key=lambda each: each.start)
            sides = (kinds[kind][max(0, at - _REACH) : at][::-1], kinds[kind][at + 1 : at + 1 + _REACH])
            others = [each for each in figures[:_LINE] if each is not result]
            own = [each for each in others if each.quantity.kind == kind]
            runs = [side[:n] for side in sides for n in range(2, len(side) + 1) if totals]
            runs += [own[a:b] for a, b in combinations(range(len(own) + 1), 2) if b - a > 1]
            for run in runs:
                sure = totals or len(run) >= _MANY or min(each.value for each in run) >= _LARGE
                if sure and _adds_up(run, result.value):
                    yield Relation(result, tuple(run), "sum")
            yield from _of_two(result, others)


def _of_two(result: PageFigure, others: Sequence[PageFigure]) -> Iterator[Relation]:
    """What a figure is of two others of its sentence: one as a share of the other, or so many times it."""
    kind = result.quantity.kind
    for one, other in permutations(others, 2):
        share = Relation(result, (one, other), "share")
        alike = one.quantity.kind == other.quantity.kind != kind == "percent"
        if alike and one.value < other.value and share.holds({}):
            yield share
        counted = one.quantity.kind == "count" and other.quantity.kind == kind and one.value > 1 < other.value
        if counted and math.isclose(one.value * other.value, result.value):
            yield Relation(result, (one, other), "product")


def _in_tables(page: Page) -> Iterator[Relation]:
    """Sums of rows and columns; what stands in a table with a column of shares is fixed."""
    for grid in page.grids:
        columns: dict[int, list[PageFigure]] = defaultdict(list)
        total: object = None
        for row in grid:
            cells = {k: found[0] for k, cell in enumerate(row) if len(found := page.figures_in(*cell)) == 1}
            head = grid[0][max(cells, default=0) : max(cells, default=0) + 1]
            yield from _summed(list(cells.values()), any(_TOTAL.search(page.text[a:b]) for a, b in head))
            for k, figure in cells.items():
                columns[k].append(figure)
            total = _TOTAL.search(page.text[slice(*row[0])])
        for column in columns.values():
            yield from _summed(column, total)
        if any(len(each) > 1 and each[0].quantity.kind == "percent" for each in columns.values()):
            yield _fixed([each for column in columns.values() for each in column], "its table has a column of shares")


def _summed(figures: Sequence[PageFigure], labelled: object) -> Iterator[Relation]:
    if len(figures) >= (_MANY if labelled else _MANY + 1):
        *parts, result = figures
        kinds = {each.quantity.kind for each in figures}
        whole = kinds == {"percent"} and result.value == _WHOLE
        if len(kinds) == 1 and result.value and not whole and _adds_up(parts, result.value):
            yield Relation(result, tuple(parts), "sum")


def _between_dates(page: Page) -> Iterator[Relation]:
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
            since = math.isclose(unit, _YEAR) and _SINCE.search(page.lines[figure.line].text)
            if since or any(abs(quantity.value - each) <= _HALF * unit for each in spans):
                yield _fixed([figure], "it follows from the dates beside it")


def _all_shares(shares: Sequence[PageFigure]) -> Iterator[Relation]:
    """Shares beside each other that make a whole."""
    for first in range(len(shares)):
        for n, value in enumerate(accumulate(each.value for each in shares[first : first + _LINE]), 1):
            these = shares[first : first + n]
            whole = n > 1 and math.isclose(value, _WHOLE, rel_tol=1e-9)
            if whole and all(b.line - a.line <= 1 for a, b in pairwise(these)):
                yield _fixed(these, "it is a share, and all shares beside it make 100 %")


def _beside(page: Page) -> Iterator[Relation]:
    """Ends of ranges, parts beside their wholes (`12 of the 40`), and what stands again in brackets (`5 km (3 mi)`)."""
    for i, (one, other) in enumerate(pairwise(page.figures)):
        gap = page.text[max(one.quantity.end, one.start + len(one.words)) : other.start]
        within = (one.quantity.within, other.quantity.within)
        if _BESIDE.fullmatch(gap) and (within[1] or ")" in page.text[other.quantity.end :][:6]):
            others = (*page.figures[max(0, i - 1) : i], *page.figures[i + 2 : i + 3]) if all(within) else ()
            yield _fixed([one, other, *others], "it stands again in brackets, as what no rule works out")
        if one.quantity.kind == other.quantity.kind and one.value < other.value:
            ends = within[0] is not None and within[0][1] == other.value
            if ends or _OF.fullmatch(page.text, one.quantity.end, other.start):
                yield Relation(other, (one,), "order")
