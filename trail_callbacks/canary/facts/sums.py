"""Numbers that follow from others beside them: totals, shares, changes, products, means, conversions.

A relation is taken for one if the arithmetic is right and the text gives a reason to expect it: a word (`in total`,
`each`), a label of a row or column, parentheses, or so many or such large numbers that chance is no explanation. One
that is seen wrongly costs little: a number more is changed, and still agrees with all that is said of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations, pairwise, permutations

from trail_callbacks.canary.facts.dependency import Dependency, Rule, by_line, equal, is_whole, tolerance
from trail_callbacks.canary.facts.figures import Figure, Page
from trail_callbacks.canary.facts.table_sums import in_tables
from trail_callbacks.canary.facts.totals import TOTAL

__all__ = ["dependencies"]

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
    for each in (*in_tables(page), *_in_prose(page)):
        found.setdefault((each.result, each.rule, frozenset(each.parts)), each)
    return tuple(found.values())


def _in_prose(page: Page) -> Iterator[Dependency]:
    prose = [each for each in page.figures if each.row is None and each.quantity.value > 0]
    cued = {i for i in {each.line for each in prose} if page.lines and TOTAL.search(page.lines[i].text)}
    kinds: dict[str, list[Figure]] = {}
    for each in prose:
        kinds.setdefault(each.quantity.kind, []).append(each)
    for alike in kinds.values():
        for i, figure in enumerate(alike):
            if figure.line in cued:
                yield from _total(figure, list(reversed(alike[max(0, i - _REACH) : i])))
                yield from _total(figure, alike[i + 1 : i + 1 + _REACH])
    for line in by_line(prose):
        yield from _in_sentence(page, line[:_LINE])
    for one, other in pairwise(prose):
        yield from _conversion(page, one, other)


def _total(figure: Figure, parts: Sequence[Figure]) -> Iterator[Dependency]:
    """The figure as the sum of those nearest to it on one side."""
    for n, value in enumerate(accumulate(each.quantity.value for each in parts), 1):
        if n > 1 and equal(value, figure.quantity.value) and not is_whole(figure):
            yield Dependency(figure, tuple(parts[:n]), "sum")
            return


def _in_sentence(page: Page, line: Sequence[Figure]) -> Iterator[Dependency]:
    if len(line) < 2:  # noqa: PLR2004
        return
    text = page.lines[line[0].line].text if page.lines else ""
    total, changed, each_, mean = (pattern.search(text) for pattern in (TOTAL, _CHANGED, _EACH, _MEAN))
    for result in line:
        if is_whole(result):
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
        if sure and equal(value, result.quantity.value):
            yield Dependency(result, tuple(run), "sum")
        elif mean and abs(value / len(run) - result.quantity.value) <= tolerance(result, "mean"):
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
            if min(values) > 1 and equal(values[0] * values[1], result.quantity.value):
                yield Dependency(result, (many, one), "product")


def _conversion(page: Page, one: Figure, other: Figure) -> Iterator[Dependency]:
    if not _BESIDE.fullmatch(page.text, one.quantity.end, other.start) or one.numeral is None or other.numeral is None:
        return
    a, b = one.quantity, other.quantity
    if a.kind == b.kind and a.kind != "count" and not equal(one.numeral.factor, other.numeral.factor):
        if abs(a.value - b.value) <= _CONVERTED * abs(a.value):
            yield Dependency(other, (one,), "same")
    elif {a.kind, b.kind} == {"temperature", "fahrenheit"}:
        found = Dependency(other, (one,), "celsius" if b.kind == "temperature" else "fahrenheit")
        if abs(found.value({}) - b.value) <= _DEGREES:
            yield found
