"""Finds the numbers of a text: first those with a notation of their own, then plain numerals and number words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

from trail_callbacks.language.quantities.calendar import ENGLISH_MONTHS
from trail_callbacks.language.quantities.clock import times
from trail_callbacks.language.quantities.dates import dates, part
from trail_callbacks.language.quantities.digits import plain
from trail_callbacks.language.quantities.identifiers import identifiers, skipped
from trail_callbacks.language.quantities.joined import joined
from trail_callbacks.language.quantities.measure import bound, dated, measured, scale_after, unit_after
from trail_callbacks.language.quantities.notations import Written, written
from trail_callbacks.language.quantities.numeral import NUMERAL, Number, Style, grouped, number
from trail_callbacks.language.quantities.periods import periods
from trail_callbacks.language.quantities.quantity import Quantity
from trail_callbacks.language.quantities.relative import resolved
from trail_callbacks.language.quantities.roman import labels
from trail_callbacks.language.quantities.units import (
    CURRENCIES,
    DAY_VALUES,
    DAYS,
    FRACTIONS,
    MONTH_VALUES,
    ORDINALS,
    SIGNS,
)
from trail_callbacks.language.quantities.words import LARGE, SPELT, WORDS, spelt

__all__ = ["quantities"]

_FRACTION = re.compile(r"[\s-]+(?P<part>half|thirds?|quarters?|fifths?|tenths?|eighths?)\b", re.IGNORECASE)
_NOT_ONE = re.compile(r"\s+(?:of|another|by|day|time|side|can|could|may|must|should|who|that|is|was|might|has)\b")
_BLANKS = frozenset({" ", "\u00a0", "\u202f"})
_DASHES = frozenset({"-", "\u2212"})
_MONTH_AFTER = re.compile(rf"\s+(?:of\s+)?(?:{'|'.join(ENGLISH_MONTHS)})\b")
_THOUSAND = re.compile(r"[ \u00a0\u202f]?(?:mil|mille|mila)\b", re.IGNORECASE)
_GLUED = re.compile(r"(?P<unit>[a-z]+)", re.IGNORECASE)
_COUNTED = frozenset(
    {"people", "men", "women", "children", "sheep", "cattle", "staff", "personnel", "police", "troops"}
)
_YEARS = (1000, 2199)
_LONGEST = 300  # digits that a float holds


def quantities(text: str) -> tuple[Quantity, ...]:
    """Finds the numbers of a text, in order.

    Digits are read in every script, also where invisible signs or letters that look like digits stand among them.
    Number words, magnitudes and units are read in English, and the commonest in German, Spanish, French, Italian,
    Portuguese and Dutch; dates in these and Russian, Chinese, Japanese and Korean. Time is linear in the text.

    Args:
        text: Any text.

    Returns:
        Non-overlapping quantities with offsets.
    """
    clean, places = plain(text)
    found = _found(clean)
    if places is None:
        return tuple(found)
    return tuple(replace(each, start=places[each.start], end=places[each.end - 1] + 1) for each in found)


_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_STARTS = frozenset({*WORDS, *LARGE, *(name.partition("-")[0] for name in ORDINALS)})
_CAPITAL_STARTS = frozenset({*ENGLISH_MONTHS, *DAYS, *(day + "s" for day in DAYS)})
_BOUND_BEFORE = re.compile(r"[a-z\d_.\u00c0-\u024f\u0370-\u058f\u0600-\u06ff]", re.IGNORECASE)
_MINUS = re.compile(r"(?<!\w)(?:minus|negative) $", re.IGNORECASE)


@cache
def _pattern() -> re.Pattern[str]:
    """Compiles at first use, to keep the import of the package short."""
    return re.compile(
        rf"""
        (?:(?P<of>\d{{1,9}}|{"|".join(WORDS)})(?:\s+(?:people|persons?|users|patients|women|men))?
           \s+(?:in|out\s+of(?:\s+every)?)\s+(?P<per>1[0,]{{1,12}}|20|five|six|eight|ten|twelve|hundred|[2-9])\b
           (?!\s+(?:of|hours?|days?|weeks?|months?|years?|minutes?|seconds?)\b)
          |(?P<num>{NUMERAL})|\b(?P<word>{SPELT})\b)
        (?P<ordinal>(?:st|nd|rd|th)\b)?
        |(?P<rank>{"|".join(sorted(ORDINALS, key=len, reverse=True))})\b
        """,
        re.VERBOSE | re.IGNORECASE,
    )


def _found(text: str) -> list[Quantity]:
    style = Style(text)
    text = grouped(text, style)
    found, rest = _special(text, style)
    found += _plain_ones(rest, text, style)
    if len(found) > 1:
        found.sort(key=lambda each: (each.start, each.end))
        found = joined(found, text)
    return resolved(found, text)


def _special(text: str, style: Style) -> tuple[list[Quantity], str]:
    """What has a notation of its own, and the text without it, sign for sign."""
    rest = _masked(text, skipped(text))
    found: list[Quantity] = []

    def take(finds: Iterable[tuple[int, int, tuple[Quantity, ...]]]) -> None:
        nonlocal rest
        taken, end = [], 0
        for start, stop, parts in sorted(finds, key=lambda each: (each[0], -each[1])):
            if start >= end:
                found.extend(parts)
                taken.append((start, stop))
                end = stop
        rest = _masked(rest, taken)

    take(periods(rest, style.words))
    take(dates(rest, style))
    take((each.start, each.end, (each,)) for each in identifiers(rest, style.words))
    take(times(rest))
    take(labels(rest, style.words))
    take(_written(written(rest, style), text, style))
    return found, rest


def _masked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], "\0" * (end - start)]
        at = end
    return "".join((*parts, text[at:])) if parts else text


def _written(finds: Iterator[Written], text: str, style: Style) -> Iterator[tuple[int, int, tuple[Quantity, ...]]]:
    for value, step, start, end, is_share in finds:
        factor, stop = _large(text, end, style)
        money, begin = _money_before(text, start)
        quantity = measured(text, Number(value * factor, step * factor), (begin, stop), money)
        if is_share and quantity.kind == "count" and factor == 1:
            quantity = _share(value, text, start, end)
        yield quantity.start, quantity.end, (quantity,)


def _money_before(text: str, start: int) -> tuple[str | None, int]:
    """The currency before a number, and where it begins."""
    at = start - 1 if text[start - 1 : start] in _BLANKS else start
    if text[at - 1 : at].isalpha():
        code = text[max(0, at - 3) : at]
        known = code.casefold() in CURRENCIES and code.isupper() and not text[max(0, at - 4) : at - 3].isalpha()
        return (code, at - 3) if known else (None, start)
    for n in (3, 2, 1):
        sign = text[max(0, at - n) : at]
        if (
            len(sign) == n
            and sign.casefold() in SIGNS
            and not (sign[0].isalpha() and text[at - n - 1 : at - n].isalpha())
        ):
            return sign, at - n
    return None, start


def _large(text: str, end: int, style: Style) -> tuple[float, int]:
    """The magnitude behind a number; `mil` only where English is ruled out, `Billion` as its language has it."""
    factor, stop = scale_after(text, end)
    if stop == end and style.custom == "," and (match := _THOUSAND.match(text, end)):
        return 1e3, match.end()
    if style.language in {"de", "fr"} and "billion" in text[end:stop].casefold():
        factor = 1e12
    if text[end:stop].casefold() == "k" and text[stop - 2 : stop - 1].isspace():
        return 1.0, end
    return factor, stop


def _plain_ones(rest: str, text: str, style: Style) -> Iterator[Quantity]:
    at = 0
    for token in _TOKEN.finditer(rest):
        start, word = token.start(), token[0]
        if start < at:
            continue
        if word in _CAPITAL_STARTS:  # "may" and "march" are verbs, "May" is a month
            at = token.end()
            kind, table = ("month", MONTH_VALUES) if word in MONTH_VALUES else ("weekday", DAY_VALUES)
            yield part(kind, table[word if word in table else word[:-1]], token.span())
        elif word[0].isdigit() or word.casefold() in _STARTS:
            match = _pattern().match(rest, start)
            if match is None or (word[0].isdigit() and _BOUND_BEFORE.match(rest[start - 1 : start])):
                at = token.end()
                continue
            at = match.end()
            found = _one(match, text, style)
            if found is not None:
                yield _day(found, text)
                at = max(at, found.end)


def _day(found: Quantity, text: str) -> Quantity:
    """A small bare number beside a month is a day of it."""
    if found.kind not in {"count", "rank"} or not 1 <= found.value <= 31:  # noqa: PLR2004 - days of a month
        return found
    before = text[max(0, found.start - 15) : found.start].removesuffix("the ").split()
    if _MONTH_AFTER.match(text, found.end) or (before and before[-1] in MONTH_VALUES):
        return replace(found, kind="day", noun="")
    return found


def _one(match: re.Match[str], text: str, style: Style) -> Quantity | None:  # noqa: PLR0911 - one exit a notation
    start, end = match.span()
    if match["rank"]:
        return part("rank", ORDINALS[match["rank"].casefold()], (start, end))
    if match["of"]:
        total = _simple(match["per"])
        return _share(_simple(match["of"]) / total, text, start, end) if total else None
    read = _value(match, style)
    if read is None or _is_pronoun(match, text):
        return None
    value, step, other = read
    if match["ordinal"]:
        return None if _is_code(match, text, end) else part("rank", value, (start, end))
    factor, scaled = _large(text, end, style)
    share = _FRACTION.match(text, end)
    if share and scaled == end:
        return _share(value * FRACTIONS[share["part"].casefold()], text, start, share.end())
    if scaled == end and _is_code(match, text, end):
        return None
    if other and scaled > end:  # nobody writes `1,325 billion` for a thousand billions and more
        value, other, step = min(value, other), max(value, other), 0.001
    sign, start = _signed(match, text)
    money, start = _money_before(text, start)
    factor *= sign
    other = other and other * factor
    found = measured(text, Number(value * factor, abs(step * factor), other), (start, scaled), money)
    if found.kind == "count" and scaled == end and sign > 0 and _is_year(match, value, found.noun):
        return Quantity(value, value, "year", "", dated(text, start), 1.0, start, end)
    return found


def _signed(match: re.Match[str], text: str) -> tuple[float, int]:
    """The sign before a numeral, and where the number begins with it."""
    start = match.start()
    if match["num"] and text[start - 1 : start] in _DASHES:
        sign = start - 1
        if not _BOUND_BEFORE.match(text[sign - 1 : sign]) if sign else True:
            return -1.0, sign
    if match["num"] and (minus := _MINUS.search(text[max(0, start - 10) : start])):
        return -1.0, start - len(minus[0])
    return 1.0, start


def _share(share: float, text: str, start: int, end: int) -> Quantity:
    return Quantity(100 * share, 100 * share, "percent", "", bound(text, start), 0.0, start, end)


def _is_pronoun(match: re.Match[str], text: str) -> bool:
    return (match["word"] or "").casefold() == "one" and _NOT_ONE.match(text, match.end()) is not None


def _value(match: re.Match[str], style: Style) -> Number | None:
    if match["num"]:
        return number(match["num"], style) if len(match["num"]) <= _LONGEST else None
    value, _ = spelt(match["word"])
    return Number(value, 0.0)


def _simple(written_: str) -> float:
    return float(written_.replace(",", "")) if written_[0].isdigit() else spelt(written_)[0]


def _is_code(match: re.Match[str], text: str, end: int) -> bool:
    """A number inside a name: `7b`, `FL-7`, `4.1.2`. It names, it does not count."""
    if not match["num"] or match["ordinal"]:
        return False
    first = match.start("num")
    if text[first - 1 : first] in {"-", "#", "/"} and text[max(0, first - 2) : first - 1].isalpha():
        return True
    glued = _GLUED.match(text, end)
    if glued and not unit_after(text, end) and glued["unit"].casefold() != "s":
        return True
    return text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit()


def _is_year(match: re.Match[str], value: float, noun: str) -> bool:
    if not _YEARS[0] <= value <= _YEARS[1] or noun.endswith("s") or noun in _COUNTED:
        return False
    if match["word"]:
        return spelt(match["word"])[1]
    return match["num"].isdigit() and len(match["num"]) == len("1889")
