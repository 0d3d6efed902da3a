"""Finds the numbers of a text: dates, times and fractions, then numerals and number words with what they are of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

from trail_callbacks.language.terms import vocabulary
from trail_callbacks.language.values.dates import DAYS, MONTHS, dates, times
from trail_callbacks.language.values.numerals import (
    FRACTIONS,
    LARGE,
    NUMBER_WORDS,
    NUMERAL,
    ORDINALS,
    SPELT,
    Number,
    Style,
    ascii_digits,
    grouped,
    magnitude,
    number,
    spelt,
)
from trail_callbacks.language.values.quantity import (
    Quantity,
    Unit,
    bound,
    currency_before,
    exact,
    is_unit,
    joined,
    unit_after,
    year_bound,
)
from trail_callbacks.slices import current

_VULGAR = "".join(chr(code) for code in (0xBC, 0xBD, 0xBE, *range(0x2150, 0x215F)))
_PARTS = frozenset({2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 25, 32, 50, 64, 100, 1000})  # `24/7` is not a fraction
_FRACTION = re.compile(
    rf"(?<![\w./,])(?:(?P<whole>\d{{1,4}})\s?)?(?:(?P<vulgar>[{_VULGAR}])"
    r"|(?<![\d/])(?P<over>\d{1,3})\s?[/\u2044]\s?(?P<under>\d{1,4}))(?![\w/]|[.,]\d)"
)
_SHARE = re.compile(rf"[\s-]+(?P<part>{'|'.join(FRACTIONS)})\b", re.IGNORECASE)
_AND_HALF = re.compile(r"\s+and\s+a\s+(?P<part>half|quarter)\b", re.IGNORECASE)
_NOT_ONE = re.compile(r"\s+(?:of|another|by|day|time|side|can|could|may|must|should|who|that|is|was|might|has)\b")
_PLUS = re.compile(r"\+(?!\s?\d)")
_MINUS = re.compile(
    r"(?<!\w)(?:minus|negative) $|(?<![a-z\d_.\u00c0-\u024f\u0370-\u058f\u0600-\u06ff])[-\u2212]$", re.IGNORECASE
)
_IN_WORD = re.compile(r"[a-z\d_.\u00c0-\u024f\u0370-\u058f\u0600-\u06ff]", re.IGNORECASE)
_LINK = re.compile(r"(?:https?://|www\.)[^\s<>\"')\]]{1,2000}|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_GLUED = re.compile(r"[a-z]+", re.IGNORECASE)
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_STARTS = frozenset({*NUMBER_WORDS, *LARGE, *(name.partition("-")[0] for name in ORDINALS)})
_NAMED = {month: ("month", float(i)) for i, month in enumerate(MONTHS, 1)}
_NAMED |= {day + ending: ("weekday", float(i)) for i, day in enumerate(DAYS, 1) for ending in ("", "s")}
_COUNTED = vocabulary("people men women children sheep cattle staff personnel police troops")
_YEARS = (1000, 2199)
_LONGEST = 300  # digits that a float holds


def quantities(text: str) -> tuple[Quantity, ...]:
    """Finds the numbers of a text, in order.

    Digits are read in every script. Number words are English; magnitudes and units also the commonest of German,
    Spanish, French, Italian, Portuguese and Dutch; months in these and Russian. Time is linear in the text.

    Args:
        text: Any text.

    Returns:
        Non-overlapping quantities with offsets.
    """
    if (slices := current.get()) is not None:
        slices.pause()
    text = ascii_digits(text)
    style = Style(text)
    text = grouped(text, style)
    rest = _masked(text, (match.span() for match in _LINK.finditer(text)))
    found: list[Quantity] = []
    for notation in _NOTATIONS:
        taken, end = [], 0
        for start, stop, parts in sorted(notation(rest, style), key=lambda each: (each[0], -each[1])):
            if start >= end:
                found += parts
                taken.append((start, stop))
                end = stop
        rest = _masked(rest, taken)
    found += _numbers(rest, text, style)
    return tuple(joined(sorted(found, key=lambda each: (each.start, each.end)), text))


def _masked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with other characters in place of what has been read, character for character."""
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], "\0" * (end - start)]
        at = end
    return "".join((*parts, text[at:])) if parts else text


@cache
def _pattern() -> re.Pattern[str]:
    """Compiles at first use, to keep the import of the package short."""
    words = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
    return re.compile(
        rf"""
        (?P<rank>{"|".join(sorted(ORDINALS, key=len, reverse=True))})\b
        |(?:(?P<of>\d{{1,9}}|{words})(?:\s+(?:people|persons?|users|patients|women|men))?
           \s+(?:in|out\s+of(?:\s+every)?)\s+(?P<per>1[0,]{{1,12}}|20|five|six|eight|ten|twelve|hundred|[2-9])\b
           (?!\s+(?:of|hours?|days?|weeks?|months?|years?|minutes?|seconds?)\b)
          |(?P<num>{NUMERAL})|\b(?P<word>{SPELT})\b)
        (?P<ordinal>(?:st|nd|rd|th)\b)?
        """,
        re.VERBOSE | re.IGNORECASE,
    )


def _numbers(rest: str, text: str, style: Style) -> Iterator[Quantity]:
    """Reads what no other notation has taken: `rest` is the text without that."""
    at = 0
    for token in _TOKEN.finditer(rest):
        start, word = token.start(), token[0]
        if start < at:
            continue
        if word in _NAMED:  # `may` and `march` are verbs, `May` is a month
            at = token.end()
            yield exact(*_NAMED[word], token.span())
        elif word[0].isdigit() or word.casefold() in _STARTS:
            match = _pattern().match(rest, start)
            if match is None or (word[0].isdigit() and _IN_WORD.match(rest[start - 1 : start])):
                at = token.end()
                continue
            at = match.end()
            found = _one(match, text, style)
            if found is not None:
                yield found
                at = max(at, found.end)


def _one(match: re.Match[str], text: str, style: Style) -> Quantity | None:  # noqa: C901, PLR0911 - one exit a notation
    start, end = match.span()
    if match["rank"]:
        return exact("rank", ORDINALS[match["rank"].casefold()], (start, end))
    if match["of"]:
        total = _simple(match["per"])
        return _percent(_simple(match["of"]) / total, text, start, end) if total else None
    read = _value(match, style)
    if read is None or ((match["word"] or "").casefold() == "one" and _NOT_ONE.match(text, end)):
        return None
    in_digits = bool(match["num"])
    if match["ordinal"]:
        return exact("rank", read.value, (start, end))
    factor, scaled = magnitude(text, end, style)
    if scaled == end:
        if share := _SHARE.match(text, end):
            return _percent(read.value * FRACTIONS[share["part"].casefold()], text, start, share.end())
        if in_digits and _in_name(text, start, end):
            return None
    elif read.other:  # nobody writes `1,325 billion` for a thousand billions and more
        read = Number(min(read.value, read.other), 0.001, max(read.value, read.other))
    if in_digits and (minus := _MINUS.search(text[max(0, start - 10) : start])):
        factor, start = -factor, start - len(minus[0])
    found = _measured(text, read, factor, (start, scaled))
    if found.kind == "count" and scaled == end and factor > 0 and _is_year(match, read.value, found.noun):
        also = (("count", read.value),) if in_digits else ()  # `"passengers": 1850`
        return Quantity(read.value, read.value, "year", "", year_bound(text, start), 1.0, start, end, also)
    return found


def _measured(text: str, read: Number, factor: float, span: tuple[int, int]) -> Quantity:
    """Makes a quantity of a number, its magnitude and sign as a factor, and what stands around it."""
    value, other = read.value * factor, None if read.other is None else read.other * factor
    end = span[1]
    currency, start = currency_before(text, span[0])
    half = _AND_HALF.match(text, end)
    end = half.end() if half else end
    unit = Unit(f"money:{currency}", 1.0, "", end) if currency else unit_after(text, end)
    kind, end = unit.kind, unit.end
    if half is None and kind != "count" and (half := _AND_HALF.match(text, end)):
        end = half.end()
    value += FRACTIONS[half["part"].casefold()] if half else 0.0
    limit = bound(text, start)
    if kind in {"count", "percent"} and (plus := _PLUS.match(text, end)):
        limit, end = "over", plus.end()
    also = [] if other is None else [(kind, other * unit.factor)]
    if kind == "fahrenheit":
        also.append(("temperature", (value - 32) * 5 / 9))
    if kind == "percent" and value < 0:  # `a change of -5 %`, `it fell by 5 %`
        also.append((kind, -value))
    step = abs(read.step * factor) * unit.factor
    return Quantity(value, value * unit.factor, kind, unit.noun, limit, step, start, end, tuple(also))


def _percent(share: float, text: str, start: int, end: int) -> Quantity:
    return Quantity(100 * share, 100 * share, "percent", "", bound(text, start), 0.0, start, end)


def _value(match: re.Match[str], style: Style) -> Number | None:
    if match["num"]:
        return number(match["num"], style) if len(match["num"]) <= _LONGEST else None
    return Number(spelt(match["word"])[0], 0.0)


def _simple(written: str) -> float:
    return float(written.replace(",", "")) if written[0].isdigit() else spelt(written)[0]


def _is_year(match: re.Match[str], value: float, noun: str) -> bool:
    if not _YEARS[0] <= value <= _YEARS[1] or noun.endswith("s") or noun in _COUNTED:
        return False
    if match["word"]:
        return spelt(match["word"])[1]
    return match["num"].isdigit() and len(match["num"]) == len("1889")


def _in_name(text: str, start: int, end: int) -> bool:
    """Whether digits are a piece of a name or version, and do not count: `7b`, `FL-7`, `4.1.2`."""
    if text[start - 1 : start] in {"-", "#", "/"} and text[max(0, start - 2) : start - 1].isalpha():
        return True
    glued = _GLUED.match(text, end)
    if glued and not is_unit(text, end) and glued[0].casefold() != "s":
        return True
    return text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit()


def _fractions(text: str, _: Style) -> Iterator[tuple[int, int, tuple[Quantity, ...]]]:
    """`½ mile`, `2 1/2 cups`, and `1/3 of it` as a share."""
    for match in _FRACTION.finditer(text) if "/" in text or not text.isascii() else ():
        if match["vulgar"]:
            value = unicodedata.numeric(match["vulgar"])
        elif int(match["under"]) in _PARTS and int(match["over"]) < int(match["under"]):
            value = int(match["over"]) / int(match["under"])
        else:
            continue
        value += float(match["whole"] or 0)
        found = _measured(text, Number(value, 0.0), 1.0, match.span())
        if found.kind == "count" and value < 1:
            found = _percent(value, text, *match.span())
        yield found.start, found.end, (found,)


_NOTATIONS = (dates, times, _fractions)
