"""Numbers in text as comparable values: digits and English words, magnitudes, units, money, years and dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

__all__ = ["Quantity", "quantities"]

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORD_VALUES = {word: float(i) for i, word in enumerate(_ONES)}
_WORD_VALUES |= {word: float(20 + 10 * i) for i, word in enumerate(_TENS)}
_WORD_VALUES |= {"dozen": 12.0, "hundred": 100.0}
_ORDINALS = {
    word: float(i)
    for i, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)
}
_FRACTIONS = {"half": 0.5, "third": 1 / 3, "thirds": 1 / 3, "quarter": 0.25, "quarters": 0.25, "fifth": 0.2}
_FRACTIONS |= {"fifths": 0.2, "tenth": 0.1, "tenths": 0.1}
_MAGNITUDES = {"thousand": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3}
_MAGNITUDES |= {"mn": 1e6, "mln": 1e6, "bn": 1e9, "hundred": 100.0, "dozen": 12.0, "lakh": 1e5, "crore": 1e7}
_MAGNITUDES |= {"millionen": 1e6, "milliarden": 1e9, "millones": 1e6}
_MONTHS = (
    "January February March April May June July August September October November December".split()
)  # fmt: skip
_MONTH = {name: float(i) for i, name in enumerate(_MONTHS, 1)}
_MONTH |= {name[:3]: value for name, value in _MONTH.items()} | {"Sept": 9.0}
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_WEEKDAY = {name: float(i) for i, name in enumerate(_DAYS, 1)}
_CURRENCIES = {
    "$": "usd", "us$": "usd", "usd": "usd", "dollar": "usd", "dollars": "usd", "€": "eur", "eur": "eur",
    "euro": "eur", "euros": "eur", "£": "gbp", "gbp": "gbp", "¥": "jpy", "yen": "jpy", "₹": "inr",
    "rupees": "inr", "crowns": "crown", "francs": "chf", "chf": "chf",
}  # fmt: skip
_UNITS: dict[str, tuple[str, float]] = {}
for _dimension, _table in {
    "percent": {"% percent percents pct prozent": 1.0},
    "length": {
        "mm millimetre millimetres millimeter millimeters": 0.001, "cm centimetre centimetres centimeter centimeters": 0.01,
        "m metre metres meter meters": 1.0, "km kilometre kilometres kilometer kilometers": 1000.0,
        "inch inches": 0.0254, "ft foot feet": 0.3048, "yd yard yards": 0.9144, "mile miles mi": 1609.344,
    },
    "mass": {
        "mg milligram milligrams": 1e-6, "microgram micrograms": 1e-9, "g gram grams": 0.001,
        "kg kilogram kilograms kilo kilos": 1.0, "tonne tonnes": 1000.0, "lb lbs": 0.4536, "oz ounce ounces": 0.02835,
    },
    "time": {
        "ms millisecond milliseconds": 0.001, "s sec second seconds": 1.0, "min mins minute minutes": 60.0,
        "h hr hrs hour hours": 3600.0, "day days": 86400.0, "week weeks": 604800.0,
        "month months": 2629800.0, "year years": 31557600.0, "decade decades": 315576000.0,
        "century centuries": 3155760000.0,
    },
    "temperature": {"°c celsius": 1.0}, "fahrenheit": {"°f fahrenheit": 1.0},
    "power": {"w watt watts": 1.0, "kw kilowatt kilowatts": 1e3, "mw megawatt megawatts": 1e6, "gw gigawatt gigawatts": 1e9},
    "energy": {"kwh": 1.0, "mwh": 1e3, "gwh": 1e6},
    "speed": {"km/h kph kmh": 1.0, "mph": 1.609344, "m/s": 3.6},
    "data": {"kb": 1e3, "mb megabyte megabytes": 1e6, "gb gigabyte gigabytes": 1e9, "tb terabyte terabytes": 1e12},
    "volume": {"ml millilitre millilitres": 0.001, "l litre litres liter liters": 1.0},
    "area": {"km² km2": 1e6, "m² m2": 1.0, "hectare hectares ha": 1e4, "acre acres": 4046.86},
}.items():  # fmt: skip
    for _names, _factor in _table.items():
        for _name in _names.split():
            _UNITS[_name] = (_dimension, _factor)

_NUMERAL = r"(?:\d{1,3}(?:[,.'\u2009\u202f\u00a0]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
_WORDS = "|".join(sorted({*_WORD_VALUES}, key=len, reverse=True))
_SPELT = rf"(?:{_WORDS})(?:(?:[\s-]+and)?[\s-]+(?:{_WORDS}))*"
_PATTERN = re.compile(
    rf"""
    (?P<money>us\$|[$€£¥₹]|\b(?:usd|eur|gbp|chf)\b)?[ \u00a0]?
    (?<![a-z\d_.\u00c0-\u024f\u0370-\u058f\u0600-\u06ff])(?P<sign>[-\u2212](?=\d))?
    (?:(?P<date>\d{{4}}-\d\d-\d\d)|(?P<clock>[0-2]?\d:[0-5]\d)(?!\d)
      |(?P<of>\d+|{_WORDS})(?:\s+in\s+)(?P<per>\d[\d,]*|ten|hundred)(?=\s+(?:people|persons?|users|patients|women|men)\b)
      |(?P<num>{_NUMERAL})|\b(?P<word>{_SPELT})\b)
    (?P<ordinal>(?:st|nd|rd|th)\b)?
    (?:[ \u00a0-]?(?P<scale>thousand|millions?|billion|trillion|hundred|dozen|lakh|crore|millionen|milliarden|millones|mn|mln|bn|k)\b)?
    |\b(?P<month>(?:{"|".join(_MONTHS)}))\b
    |\b(?P<weekday>(?:{"|".join(_DAYS)}))s?\b
    |\b(?P<rank>{"|".join(_ORDINALS)})\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FRACTION = re.compile(r"[\s-]+(?P<part>half|thirds?|quarters?|fifths?|tenths?)\b", re.IGNORECASE)
_HALF = re.compile(r"\s+and\s+a\s+(?P<part>half|quarter)\b", re.IGNORECASE)
_AFTER = re.compile(r"[ \u00a0-]?(?P<unit>°[cf]|%|km/h|m/s|[km]m?[²2]\b|€|£|\$|[^\W\d_]+)", re.IGNORECASE)
_MORE = re.compile(r"\s+(?P<next>[^\W\d_]{3,})")
_NOT_ONE = re.compile(r"\s+(?:of|another|by|day|time|side|can|could|may|must|should|who|that|is|was|might|has)\b")
_HEDGE = re.compile(
    r"\b(?P<about>about|around|roughly|approximately|some|nearly|almost|close to|circa|ca\.?|estimated|~|≈)\s*$"
    r"|\b(?P<over>over|more than|above|exceed(?:s|ed|ing)?|at least|upwards of|greater than)\s*$"
    r"|\b(?P<under>under|less than|below|fewer than|at most|up to|as many as|no more than)\s*$",
    re.IGNORECASE,
)
_NO_NOUN = frozenset(
    "and but for from has was were the are with that than out per until because which more less".split()
)
_MONTH_AFTER = re.compile(rf"\s+(?:of\s+)?(?:{'|'.join(_MONTHS)})\b")
_MONTH_BEFORE = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\s+(?:the\s+)?$")
_YEARS = range(1000, 2200)


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
    return tuple(_read(text))


def _read(text: str) -> Iterator[Quantity]:
    at = 0
    while match := _PATTERN.search(text, at):
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
    end = match.end()
    named = _named(match, start, end)
    if named is not None or match["month"] or match["weekday"] or match["rank"]:
        return named
    if match["of"]:
        total = _parse(match["per"])
        share = 100 * _parse(match["of"]) / total if total else 0.0
        return Quantity(share, share, "percent", "", _bound(text, start), 0.0, start, end)
    value, step = _value(match)
    if value is None:
        return None
    word = match["word"]
    if word and word.casefold() == "one" and _NOT_ONE.match(text, end):
        return None  # a pronoun or an article
    scale = (match["scale"] or "").casefold()
    if scale == "k" and text[end - 2 : end - 1].isspace():
        scale, end = "", end - 2
    if scale:
        value, step = value * _MAGNITUDES[scale], step * _MAGNITUDES[scale]
    elif part := _FRACTION.match(text, end):
        end = part.end()
        share = 100 * value * _FRACTIONS[part["part"].casefold()]
        return Quantity(share, share, "percent", "", _bound(text, start), 0.0, start, end)
    if match["sign"]:
        value = -value
    if _is_code(match, text, end, scale):
        return None
    if match["ordinal"]:
        return Quantity(value, value, "rank", "", "exact", 0.0, start, end)
    if half := _HALF.match(text, end):
        value, end = value + _FRACTIONS[half["part"].casefold()], half.end()
    kind, factor, noun, end = _unit(match, text, end)
    if half is None and kind not in {"count", "year"} and (half := _HALF.match(text, end)):
        value, end = value + _FRACTIONS[half["part"].casefold()], half.end()
    if kind == "count" and _is_year(match, value, scale, noun):
        return Quantity(value, value, "year", "", _bound(text, start), 1.0, start, match.end())
    return Quantity(value, value * factor, kind, noun, _bound(text, start), step * factor, start, end)


def _named(match: re.Match[str], start: int, end: int) -> Quantity | None:
    """Months, weekdays, ranks and clock times."""
    for group, table in (("month", _MONTH), ("weekday", _WEEKDAY)):
        if match[group]:  # "may" and "march" are verbs, "May" is a month
            value = table.get(match[group])
            return _exact(value, group, start, end) if value else None
    if match["rank"]:
        return _exact(_ORDINALS[match["rank"].casefold()], "rank", start, end)
    if match["clock"]:
        hours, minutes = match["clock"].split(":")
        return _exact(60.0 * int(hours) + int(minutes), "clock", start, end)
    return None


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
            total = (total or 1.0) * _WORD_VALUES[word]
        elif word != "and":
            total += _WORD_VALUES[word]
    return total


def _unit(match: re.Match[str], text: str, end: int) -> tuple[str, float, str, int]:
    """Kind, factor to the base unit, counted noun, and where the expression ends."""
    after = _AFTER.match(text, end)
    word = after["unit"].casefold() if after else ""
    if match["money"]:
        return f"money:{_CURRENCIES[match['money'].casefold()]}", 1.0, "", end
    if after and word in _CURRENCIES:
        return f"money:{_CURRENCIES[word]}", 1.0, "", after.end()
    if after and word == "per" and re.match(r"\s+cent\b", text[after.end() :]):
        return "percent", 1.0, "", after.end() + 5
    if after and word in {"degrees", "degree"}:
        scale = _MORE.match(text, after.end())
        if scale and scale["next"].casefold() == "fahrenheit":
            return "fahrenheit", 1.0, "", scale.end()
        return "temperature", 1.0, "", after.end()
    if after and word in _UNITS and not (len(word) == 1 and text[end : end + 1] == "-"):
        kind, factor = _UNITS[word]
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
    if glued and after is not None and after["unit"].casefold() not in {*_UNITS, *_CURRENCIES, "s"}:
        return True
    return text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit()


def _is_year(match: re.Match[str], value: float, scale: str, noun: str) -> bool:
    bare = match["num"] is not None and match["num"].isdigit() and len(match["num"]) == 4 and not scale  # noqa: PLR2004
    return bare and value in _YEARS and not noun.endswith("s")


def _bound(text: str, start: int) -> str:
    hedge = _HEDGE.search(text[max(0, start - 24) : start])
    return hedge.lastgroup or "exact" if hedge else "exact"
