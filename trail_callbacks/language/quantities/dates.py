"""Dates as year, month and day, so that `March 4, 2020`, `4. März 2020` and `2020-03-04` are equal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from trail_callbacks.language.quantities.calendar import ENGLISH_MONTHS, MONTHS
from trail_callbacks.language.quantities.numeral import Style
from trail_callbacks.language.quantities.quantity import Quantity
from trail_callbacks.language.quantities.units import ORDINALS

__all__ = ["dates", "part"]

_MONTH_WORDS, _QUARTER_WORDS = frozenset(MONTHS), frozenset({"q", "quarter"})
_OF_MONTHS, _OF_QUARTERS = (0, 1, 2), 7  # places of the patterns that need such words
_MONTH_COUNT = 12
_LONGEST_MONTH = 31
_CENTURY_TURN = 50  # a year of two digits below it is of this century


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Compiles at first use, to keep the import of the package short."""
    month = rf"(?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b\.?"
    year = r"(?P<year>[12]\d{3})(?![\d%]|[.,]\d)"
    of = r"(?:of\s+|de\s+|d[ei]l?\s+|d')?"
    day = r"(?<![\w.,:/$€£-])(?P<day>[0-3]?\d)(?:st|nd|rd|th|er|\.|º|ª)?"
    return (
        re.compile(rf"{day}\s+{of}{month}(?:,?\s+(?:de[l]?\s+)?{year})?", re.IGNORECASE),
        re.compile(
            rf"\b{month}(?:\s+the)?\s+(?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?![\w%:/]|[.,]\d)(?:,?\s+{year})?",
            re.IGNORECASE,
        ),
        re.compile(rf"\b{month},?\s+(?:of\s+|del?\s+)?{year}", re.IGNORECASE),
        re.compile(
            r"(?<![\w.,/-])(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)(?=T\d\d:|(?![\w/]|-\d|[.,]\d))"
        ),
        re.compile(
            r"(?<![\w.,/-])(?P<a>\d\d?)(?P<mark>[/.-])\s?(?P<b>\d\d?)(?P=mark)\s?(?P<year>\d{4}|\d\d(?=\D|$))(?![\w/]|-\d|[.,]\d)"
        ),
        re.compile(r"(?P<year>\d{4})\s?[年년]\s?(?:(?P<month>\d\d?)\s?[月월])?\s?(?:(?P<day>\d\d?)\s?[日号號일])?"),
        re.compile(r"(?P<month>\d\d?)\s?[月월]\s?(?P<day>\d\d?)\s?[日号號일]"),
        re.compile(
            r"\bQ(?P<quarter>[1-4])\b(?:[\s/-]{0,2}(?:of\s+)?(?P<year>[12]\d{3})\b)?"
            rf"|\b(?:(?P<digit>[1-4])(?:st|nd|rd|th)|(?P<spelt>{'|'.join(list(ORDINALS)[:4])}|last))\s+(?:fiscal\s+)?quarter\b"
            r"(?!\s+of\s+(?:a|the)\b|\s*-?\s*(?:mile|hour|final|back))",
            re.IGNORECASE,
        ),
        re.compile(r"(?<![\w.,/-])(?P<year>1\d{3}|20\d\d)\s?[-\u2013/]\s?(?P<short>\d\d)(?![\w%/-]|[.,]\d)"),
    )


def dates(text: str, style: Style) -> Iterator[tuple[int, int, tuple[Quantity, ...]]]:
    """Finds dates and quarters.

    Yields:
        The span of a date with its parts; an ambiguous day or month has both readings.
    """
    months, quarters = style.words & _MONTH_WORDS, style.words & _QUARTER_WORDS
    for i, pattern in enumerate(_patterns()):
        if (i in _OF_MONTHS and not months) or (i == _OF_QUARTERS and not quarters):
            continue
        for match in pattern.finditer(text):
            parts = tuple(_parts(match, style))
            if parts:
                yield match.start(), match.end(), parts


def part(kind: str, value: float, span: tuple[int, int], *also: float) -> Quantity:
    """A part of a date."""
    return Quantity(value, value, kind, "", "exact", 0.0, *span, also=tuple((kind, other) for other in also))


def _parts(match: re.Match[str], style: Style) -> Iterator[Quantity]:
    groups = match.groupdict()
    if "a" in groups:
        yield from _numeric(match, style)
        return
    if "short" in groups:
        yield from _short(match)
        return
    if "quarter" in groups:
        yield from _quarter(match)
        return
    month, day = groups.get("month"), groups.get("day")
    value = MONTHS.get(month.casefold(), float(month) if month.isdigit() else 0.0) if month else 1.0
    if not 1 <= value <= _MONTH_COUNT or not 1 <= int(day or 1) <= _LONGEST_MONTH:
        return
    if (
        month
        and month.islower()
        and month.title() in ENGLISH_MONTHS
        and style.language in {"en", ""}
        and not groups.get("year")
    ):
        return  # `you may 5 times` names no month
    for kind, number in (("year", groups.get("year")), ("day", day)):
        if number:
            yield part(kind, float(number), match.span(kind))
    if month:
        yield part("month", value, match.span("month"))


def _numeric(match: re.Match[str], style: Style) -> Iterator[Quantity]:
    """`03/04/2020`: 3 April in most of the world, 4 March in the United States."""
    a, b, year = float(match["a"]), float(match["b"]), float(match["year"])
    if len(match["year"]) == 2:  # noqa: PLR2004 - digits
        if match["mark"] != "/" and style.custom != ",":
            return
        year += 2000 if year < _CENTURY_TURN else 1900
    days_first, months_first = b <= _MONTH_COUNT, a <= _MONTH_COUNT
    if not min(a, b) >= 1 or max(a, b) > _LONGEST_MONTH or not (days_first or months_first):
        return
    sure = match["mark"] == "." or (style.language not in {"en", ""}) or a == b
    american = months_first and not (days_first and sure)
    both = days_first and months_first and not sure
    day, month = ("b", "a") if american else ("a", "b")
    values = {"a": a, "b": b}
    yield part("year", year, match.span("year"))
    yield part("month", values[month], match.span(month), *([values[day]] if both else []))
    yield part("day", values[day], match.span(day), *([values[month]] if both else []))


def _short(match: re.Match[str]) -> Iterator[Quantity]:
    """`1932-35` and `2019/20`, as two years."""
    first, last = float(match["year"]), float(match["short"])
    if last > first % 100 or (first % 100 == 99 and last == 0):  # noqa: PLR2004 - the turn of a century
        last += first - first % 100 + (100 if last == 0 else 0)
        yield part("year", first, match.span("year"))
        yield part("year", last, match.span("short"))


def _quarter(match: re.Match[str]) -> Iterator[Quantity]:
    spelt = (match["spelt"] or "").casefold()
    value = float(match["quarter"] or match["digit"] or 0) or (4.0 if spelt == "last" else ORDINALS[spelt])
    group = "quarter" if match["quarter"] else "digit" if match["digit"] else "spelt"
    yield part("quarter", value, match.span(group))
    if match["year"]:
        yield part("year", float(match["year"]), match.span("year"))
