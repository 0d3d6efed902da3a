"""Numbers in text as comparable values: digits and English words, magnitudes, units, money, years and dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from trail_callbacks.terms import vocabulary
from trail_callbacks.units import (
    CURRENCIES,
    DAY_VALUES,
    DAYS,
    FRACTIONS,
    MAGNITUDES,
    MONTH_VALUES,
    MONTHS,
    NUMBER_WORDS,
    ORDINALS,
    UNITS,
)

__all__ = ["Quantity", "quantities"]

_NUMERAL = r"(?:\d{1,3}(?:[,.'\u2009\u202f\u00a0]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
_WORDS = "|".join(sorted({*NUMBER_WORDS}, key=len, reverse=True))
_SPELT = rf"(?:{_WORDS})(?:(?:[\s-]+and)?[\s-]+(?:{_WORDS}))*"
_PATTERN = rf"""
    (?P<money>us\$|[$€£¥₹]|\b(?:usd|eur|gbp|chf)\b)?[ \u00a0]?
    (?<![a-z\d_.\u00c0-\u024f\u0370-\u058f\u0600-\u06ff])(?P<sign>[-\u2212](?=\d))?
    (?:(?P<date>\d{{4}}-\d\d-\d\d)|(?P<clock>[0-2]?\d:[0-5]\d)(?!\d)
      |(?P<of>\d+|{_WORDS})(?:\s+(?:people|persons?|users|patients|women|men))?\s+in\s+(?P<per>1[0,]+|20|five|six|eight|ten|twelve|hundred|[2-9])\b
       (?!\s+(?:of|hours?|days?|weeks?|months?|years?|minutes?|seconds?)\b)
      |(?P<num>{_NUMERAL})|\b(?P<word>{_SPELT})\b)
    (?P<ordinal>(?:st|nd|rd|th)\b)?
    (?:[ \u00a0-]?(?P<scale>{"|".join(MAGNITUDES)})\b)?
    |\b(?P<month>(?:{"|".join(MONTHS)}))\b
    |\b(?P<weekday>(?:{"|".join(DAYS)}))s?\b
    |\b(?P<rank>{"|".join(ORDINALS)})\b
    """
_FRACTION = re.compile(r"[\s-]+(?P<part>half|thirds?|quarters?|fifths?|tenths?)\b", re.IGNORECASE)
_HALF = re.compile(r"\s+and\s+a\s+(?P<part>half|quarter)\b", re.IGNORECASE)
_AFTER = re.compile(r"[ \u00a0-]?(?P<unit>°[cf]|%|km/h|m/s|[km]m?[²2]\b|€|£|\$|[^\W\d_]+)", re.IGNORECASE)
_HALF_DAY = re.compile(r"[ \u00a0]?(?P<half>[ap])\.?m\b\.?", re.IGNORECASE)
_CENT = re.compile(r"\s+cent\b", re.IGNORECASE)
_MORE = re.compile(r"\s+(?P<next>[^\W\d_]{3,})")
_NOT_ONE = re.compile(r"\s+(?:of|another|by|day|time|side|can|could|may|must|should|who|that|is|was|might|has)\b")
_HEDGE = re.compile(
    r"\b(?P<about>about|around|roughly|approximately|some|nearly|almost|close to|circa|ca\.?|estimated|~|≈)\s*$"
    r"|\b(?P<over>over|more than|above|exceed(?:s|ed|ing)?|at least|upwards of|greater than)\s*$"
    r"|\b(?P<under>under|less than|below|fewer than|at most|up to|as many as|no more than)\s*$",
    re.IGNORECASE,
)
_DATED = re.compile(r"\b(?:(?P<over>after|later than)|(?P<under>before|prior to|earlier than))\s*$", re.IGNORECASE)
_NO_NOUN = vocabulary("and but for from has was were the are with that than out per until because which more less")
_MONTH_AFTER = re.compile(rf"\s+(?:of\s+)?(?:{'|'.join(MONTHS)})\b")
_MONTH_BEFORE = re.compile(rf"\b(?:{'|'.join(MONTHS)})\s+(?:the\s+)?$")
_TO = re.compile(r"\s*(?:to|and|or|-|\u2013|\u2014)\s*")
_YEARS = (1000, 2199)
_NOON = 12


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text.

    Attributes:
        raw: As written, magnitude applied but without its unit.
        value: In the base unit of its kind: metres, kilograms, seconds, watts, percent, plain count, month 1-12.
        kind: `count`, `year`, `month`, `day`, `weekday`, `clock`, `rank`, `money:<code>` or a dimension such as
            `length`; values of different kinds are not comparable.
        noun: For a count, the word behind the number, case-folded; otherwise empty.
        bound: `exact`, or what the words before it make of it: `about`, `over`, `under`.
        step: Size of the last digit written, in base units: how coarse the number is. 0 for spelt-out numbers.
        start: Offset in the text.
        end: Offset after it, unit included.
    """

    raw: float
    value: float
    kind: str
    noun: str
    bound: str
    step: float
    start: int
    end: int


def quantities(text: str) -> tuple[Quantity, ...]:
    """Finds the numbers of a text, in order.

    Digits are read in every script's decimal digits; number words, magnitudes and units in English.

    Args:
        text: Any text.

    Returns:
        Non-overlapping quantities with offsets.
    """
    found = list(_read(text))
    for i in range(len(found) - 1):
        if _TO.fullmatch(text, found[i].end, found[i + 1].start):
            found[i] = _range(found[i], found[i + 1], text)
    return tuple(found)


@cache
def _compiled() -> re.Pattern[str]:
    """Compiles at first use, to keep the import of the package short."""
    return re.compile(_PATTERN, re.VERBOSE | re.IGNORECASE)


def _range(low: Quantity, high: Quantity, text: str) -> Quantity:
    """The lower end of `2 to 8 km` or `EUR 3 to 4 million` takes over what is said once, behind the upper end."""
    if low.kind == "count" and not low.noun and high.kind not in {"year", "month", "day", "clock", "rank"} and high.raw:
        scale = _scale(text[high.start : high.end]) if not _scale(text[low.start : low.end]) else 1.0
        factor = (scale or 1.0) * high.value / high.raw
        return replace(
            low,
            raw=low.raw * (scale or 1.0),
            value=low.raw * factor,
            kind=high.kind,
            noun=high.noun,
            step=low.step * factor,
        )
    if low.kind.startswith("money") and not _scale(text[low.start : low.end]):
        scale = _scale(text[high.start : high.end]) or 1.0
        return replace(low, raw=low.raw * scale, value=low.value * scale, step=low.step * scale)
    return low


def _scale(written: str) -> float | None:
    return next((MAGNITUDES[word] for word in written.casefold().split() if word in MAGNITUDES), None)


def _read(text: str) -> Iterator[Quantity]:
    at = 0
    pattern = _compiled()
    while match := pattern.search(text, at):
        at = max(match.end(), match.start() + 1)
        if match["date"]:
            yield from _date(match)
            continue
        found = _one(match, text)
        if found is not None:
            yield _day(found, text)
            at = max(at, found.end)


def _date(match: re.Match[str]) -> Iterator[Quantity]:
    """An ISO date as its parts, so that it compares with `16 March 2026`."""
    at = match.start("date")
    for kind, first, last in (("year", 0, 4), ("month", 5, 7), ("day", 8, 10)):
        yield _exact(float(match["date"][first:last]), kind, at + first, at + last)


def _day(found: Quantity, text: str) -> Quantity:
    """A small bare number beside a month is a day of it."""
    if found.kind not in {"count", "rank"} or not 1 <= found.value <= 31:  # noqa: PLR2004 - days of a month
        return found
    if _MONTH_AFTER.match(text, found.end) or _MONTH_BEFORE.search(text[max(0, found.start - 12) : found.start]):
        return replace(found, kind="day", noun="")
    return found


def _one(match: re.Match[str], text: str) -> Quantity | None:  # noqa: PLR0911 - one exit a notation
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    if match["month"] or match["weekday"] or match["rank"] or match["clock"]:
        return _named(match, start)
    if match["of"]:
        total = _parse(match["per"])
        return _share(_parse(match["of"]) / total, text, start, match.end()) if total else None
    value, step = _value(match)
    if value is None or _is_pronoun(match, text):
        return None
    scale, end = (match["scale"] or "").casefold(), match.end()
    if scale == "k" and text[end - 2].isspace():  # `50 k` may be anything
        scale, end = "", end - 2
    part = _FRACTION.match(text, end)
    if part and not scale:
        return _share(value * FRACTIONS[part["part"].casefold()], text, start, part.end())
    if _is_code(match, text, end, scale):
        return None
    if match["ordinal"]:
        return _exact(value, "rank", start, end)
    factor = MAGNITUDES.get(scale, 1.0) * (-1.0 if match["sign"] else 1.0)
    return _measured(match, text, value * factor, abs(step * factor), (start, end))


def _measured(match: re.Match[str], text: str, value: float, step: float, span: tuple[int, int]) -> Quantity:
    """A number with what stands behind it: `and a half`, a unit, a counted noun."""
    start, end = span
    half = _HALF.match(text, end)
    end = half.end() if half else end
    kind, factor, noun, end = _unit(match, text, end)
    if half is None and kind != "count" and (half := _HALF.match(text, end)):
        end = half.end()
    value += FRACTIONS[half["part"].casefold()] if half else 0.0
    if kind == "count" and not match["scale"] and _is_year(match, value, noun):
        dated = _DATED.search(text[max(0, start - 24) : start])
        bound = (dated.lastgroup or "") if dated else _bound(text, start)
        return Quantity(value, value, "year", "", bound, 1.0, start, match.end())
    return Quantity(value, value * factor, kind, noun, _bound(text, start), step * factor, start, end)


def _share(share: float, text: str, start: int, end: int) -> Quantity:
    return Quantity(100 * share, 100 * share, "percent", "", _bound(text, start), 0.0, start, end)


def _is_pronoun(match: re.Match[str], text: str) -> bool:
    return (match["word"] or "").casefold() == "one" and _NOT_ONE.match(text, match.end()) is not None


def _named(match: re.Match[str], start: int) -> Quantity | None:
    """Months, weekdays, ranks and clock times."""
    end = match.end()
    for group, table in (("month", MONTH_VALUES), ("weekday", DAY_VALUES)):
        if match[group]:  # "may" and "march" are verbs, "May" is a month
            value = table.get(match[group])
            return _exact(value, group, start, end) if value else None
    if match["rank"]:
        return _exact(ORDINALS[match["rank"].casefold()], "rank", start, end)
    hours, minutes = map(int, match["clock"].split(":"))
    half = _HALF_DAY.match(match.string, end)
    if half and 1 <= hours <= _NOON:
        hours, end = hours % _NOON + (_NOON if half["half"] in "pP" else 0), half.end()
    return _exact(60.0 * hours + minutes, "clock", start, end)


def _exact(value: float, kind: str, start: int, end: int) -> Quantity:
    return Quantity(value, value, kind, "", "exact", 0.0, start, end)


def _value(match: re.Match[str]) -> tuple[float | None, float]:
    if match["num"]:
        digits = _plain(match["num"])
        if digits.count(".") > 1:  # a telephone number, a version
            return None, 0.0
        decimals = len(digits.partition(".")[2])
        trailing = len(digits) - len(digits.rstrip("0")) if not decimals else 0
        return float(digits), 10.0 ** (trailing - decimals)
    return _parse(match["word"]), 0.0


def _plain(numeral: str) -> str:
    """Undoes thousands separators: `1,500.5`, `1.500,5`, `1'500` and `1 500` become `1500.5` and `1500`."""
    numeral = re.sub(r"['\u2009\u202f\u00a0]", "", numeral)
    for group, point in ((",", "."), (".", ",")):
        if re.fullmatch(rf"\d{{1,3}}(?:\{group}\d{{3}})+(?:\{point}\d+)?", numeral) and not numeral.startswith("0"):
            return numeral.replace(group, "").replace(point, ".")
    return numeral.replace(",", ".")


def _parse(words: str) -> float:
    if words[0].isdigit():
        return float(words.replace(",", ""))
    total = 0.0
    for word in re.split(r"[\s-]+", words.casefold()):
        if word in {"hundred", "dozen"}:
            total = (total or 1.0) * NUMBER_WORDS[word]
        elif word != "and":
            total += NUMBER_WORDS[word]
    return total


def _unit(match: re.Match[str], text: str, end: int) -> tuple[str, float, str, int]:  # noqa: PLR0911 - as above
    """Kind, factor to the base unit, counted noun, and where the expression ends."""
    after = _AFTER.match(text, end)
    word = after["unit"].casefold() if after else ""
    if match["money"]:
        return f"money:{CURRENCIES[match['money'].casefold()]}", 1.0, "", end
    if after and word in CURRENCIES:
        return f"money:{CURRENCIES[word]}", 1.0, "", after.end()
    if after and word == "per" and (cent := _CENT.match(text, after.end())):
        return "percent", 1.0, "", cent.end()
    if after and word in {"degrees", "degree"}:
        scale = _MORE.match(text, after.end())
        if scale and scale["next"].casefold() == "fahrenheit":
            return "fahrenheit", 1.0, "", scale.end()
        return "temperature", 1.0, "", after.end()
    if after and word in UNITS and not (len(word) == 1 and text[end : end + 1] == "-"):
        kind, factor = UNITS[word]
        return kind, factor, "", after.end()
    noun = word if len(word) > 2 and word not in _NO_NOUN else ""  # noqa: PLR2004 - `of`, `to`, `in` are no nouns
    return "count", 1.0, noun, end


def _is_code(match: re.Match[str], text: str, end: int, scale: str) -> bool:
    """A number inside a name: `7b`, `FL-7`, `4.1.2`. It names, it does not count."""
    if not match["num"] or scale or match["ordinal"]:
        return False
    first = match.start("num")
    if text[first - 1 : first] in {"-", "#", "/"} and text[max(0, first - 2) : first - 1].isalpha():
        return True
    after = _AFTER.match(text, end)
    glued = (
        after is not None and after["unit"][0].isascii() and after.start("unit") == end and after["unit"][0].isalpha()
    )
    if glued and after is not None and after["unit"].casefold() not in {*UNITS, *CURRENCIES, "s"}:
        return True
    return text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit()


def _is_year(match: re.Match[str], value: float, noun: str) -> bool:
    bare = match["num"] is not None and match["num"].isdigit() and len(match["num"]) == len("1889")
    return bare and _YEARS[0] <= value <= _YEARS[1] and not noun.endswith("s")


def _bound(text: str, start: int) -> str:
    hedge = _HEDGE.search(text[max(0, start - 24) : start])
    return hedge.lastgroup or "exact" if hedge else "exact"
