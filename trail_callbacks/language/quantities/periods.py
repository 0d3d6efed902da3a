"""Stretches of years with one name: decades, centuries, years before Christ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from trail_callbacks.language.quantities.calendar import CENTURY
from trail_callbacks.language.quantities.quantity import Quantity
from trail_callbacks.language.quantities.roman import ROMAN, roman
from trail_callbacks.language.quantities.units import ORDINALS

__all__ = ["DECADES", "periods"]

DECADES = ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties")
"""English names of decades."""

_CENTURY, _DECADES = frozenset(CENTURY), frozenset(DECADES)
_ROMANCE = frozenset({"siglo", "siglos", "secolo", "s\u00e9culo"})
_BEFORE = r"(?P<before>B\.?\s?C\.?(?:\s?E\.?)?|v\.\s?Chr\.?|av\.\s?J\.?-C\.?|a\.\s?C\.|avanti\s+Cristo)(?!\w)"
_AFTER = r"(?:A\.?\s?D\.?|C\.?\s?E\.?|n\.\s?Chr\.?|ap\.\s?J\.?-C\.?|d\.\s?C\.)(?!\w)"


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Compiles at first use, to keep the import of the package short."""
    century, ordinals = "|".join(CENTURY), "|".join(sorted(ORDINALS, key=len, reverse=True))
    return (
        re.compile(
            rf"\b(?:(?P<number>\d\d?)(?:st|nd|rd|th|e|\u00e8me|\.)?|(?P<spelt>{ordinals})|(?P<roman>{ROMAN})(?:e|\u00e8me)?)"
            rf"[\s-]+(?:{century})\b(?:\s*{_BEFORE}|\s*{_AFTER})?",
            re.IGNORECASE,
        ),
        re.compile(
            rf"\b(?:siglo|secolo|s\u00e9culo|siglos)\s+(?:(?P<roman>{ROMAN})|(?P<number>\d\d?))\b(?:\s*{_BEFORE}|\s*{_AFTER})?",
            re.IGNORECASE,
        ),
        re.compile(
            r"(?<![\w.,/-])(?P<decade>1\d{2}0|20\d0)(?:['\u2019]?s|er)\b"
            r"|(?<![\w\u2019'])['\u2019](?P<tick>\d0)s\b|(?<=\b[Tt]he )(?:early |late |mid[- ])?(?P<two>[2-9]0)s\b"
        ),
        re.compile(
            rf"\bthe\s+(?:(?:roaring|swinging|early|late)\s+|mid[-\s])?(?:nineteen[-\s])?(?P<named>{'|'.join(DECADES)})\b",
            re.IGNORECASE,
        ),
        re.compile(rf"(?<![\w.,/-])(?P<year>\d{{1,4}}|\d{{1,2}},\d{{3}})\s?(?:{_BEFORE}|{_AFTER})"),
        re.compile(r"(?<!\w)(?:AD|A\.D\.)\s?(?P<year>\d{1,4})\b(?![.,]\d)"),
    )


def periods(text: str, words: frozenset[str]) -> Iterator[tuple[int, int, tuple[Quantity, ...]]]:
    """Finds decades, centuries and years with an era, as years; a period holds all its years.

    Args:
        text: The text.
        words: Its case-folded words.
    """
    centuries, romance, digits, named, era, anno = _patterns()
    asked = [digits, era]
    asked += [centuries] if words & _CENTURY else []
    asked += [romance] if words & _ROMANCE else []
    asked += [named] if words & _DECADES else []
    asked += [anno] if "ad" in words or "A.D" in text else []
    for pattern in asked:
        for match in pattern.finditer(text):
            found = _one(match)
            if found is not None:
                yield match.start(), match.end(), (found,)


def _one(match: re.Match[str]) -> Quantity | None:
    groups = match.groupdict()
    span = match.span()
    before = bool(groups.get("before"))
    if groups.get("year"):
        value = float(match["year"].replace(",", ""))
        return Quantity(value, -value if before else value, "year", "", "exact", 1.0, *span)
    if "decade" in groups:
        short = float(groups["decade"] or groups["tick"] or groups["two"])
        first = short if short >= 1000 else 1900 + short  # noqa: PLR2004 - a year in full
        return _period(first, first, 10, span)
    if "named" in groups:
        first = 1920.0 + 10 * DECADES.index(match["named"].casefold())
        return _period(first, first, 10, span)
    nth = float(groups["number"] or 0) if groups.get("number") else roman(groups["roman"]) if groups.get("roman") else 0
    nth = nth or ORDINALS.get((groups.get("spelt") or "").casefold(), 0.0)
    if not 1 <= nth <= 30:  # noqa: PLR2004 - centuries that people speak of
        return None
    first = -100.0 * nth if before else 100.0 * (nth - 1) + 1
    return _period(nth, first, 100, span)


def _period(raw: float, first: float, years: int, span: tuple[int, int]) -> Quantity:
    # A century begins in the year 1 and is meant from the year 0: 1900 is in the 20th century for most who write of it.
    last = first + years - 1
    low = first - 1 if years == 100 and first > 0 else first  # noqa: PLR2004 - a century
    return Quantity(raw, first, "year", "", "during", 0.0, *span, within=(low, last))
