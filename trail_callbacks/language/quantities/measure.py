"""What a number is of: unit, currency, counted noun, and the words before it that make it a limit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from trail_callbacks.language.quantities.numeral import Number
from trail_callbacks.language.quantities.quantity import Quantity
from trail_callbacks.language.quantities.units import (
    CASED_UNITS,
    CURRENCIES,
    FRACTIONS,
    MAGNITUDES,
    RATES,
    SHORT_MAGNITUDES,
    UNITS,
)
from trail_callbacks.language.terms import vocabulary

__all__ = ["Measure", "bound", "dated", "measured", "scale_after", "unit_after"]

_AFTER = re.compile(
    r"[ \u00a0\u202f-]?(?P<unit>°[cf]|%|‰|km/h|m/s|[dcmk]?m[²2³3]\b|us\$|[€£$¥₹₽₩₺₪฿₫₦₱]|z\u0142|[^\W\d_]+)",
    re.IGNORECASE,
)
_PER = re.compile(
    r"(?:\s?/\s?|\s+per\s+|\s+pro\s+|\s+par\s+|\s+por\s+)(?P<unit>(?:[cmd]?m|km)[²2³3]\b|[^\W\d_]+)", re.IGNORECASE
)
_HALF = re.compile(r"\s+and\s+a\s+(?P<part>half|quarter)\b", re.IGNORECASE)
_SCALE = re.compile(r"[ \u00a0\u202f-]?(?P<word>(?P<first>[^\W\d_]+)(?: [^\W\d_]+)?)")
_PERCENT = re.compile(r"\s+(?:cent|ciento|cento|mille)\b", re.IGNORECASE)
_OF = re.compile(r"\s+(?:de|di|of|d')\s*(?P<unit>[^\W\d_]+)", re.IGNORECASE)
_MORE = re.compile(r"\s+(?P<next>[^\W\d_]{3,})")
_HEDGES = {
    hedge: name
    for name, hedges in {
        "about": """about,around,roughly,approximately,approx.,approx,some,nearly,almost,close to,circa,ca,ca.,c.,
            estimated,~,≈,etwa,rund,ungefähr,fast,environ,
            alrededor de,unos,unas,aproximadamente,quase,ongeveer,bijna""",
        "over": """over,more than,above,exceed,exceeds,exceeded,exceeding,at least,upwards of,greater than,>,≥,
            über,mehr als,mindestens,plus de,au moins,más de,al menos,più di,almeno,mais de,
            pelo menos,meer dan,minstens""",
        "under": """under,less than,below,fewer than,at most,up to,as many as,no more than,<,≤,
            unter,weniger als,höchstens,bis zu,moins de,jusqu'à,menos de,hasta,meno di,até,minder dan""",
    }.items()
    for hedge in map(str.strip, hedges.split(","))
}
_DATED = {"after": "over", "later than": "over", "before": "under", "prior to": "under", "earlier than": "under"}
_PLUS = re.compile(r"\+(?!\s?\d)")
_AGED = dict.fromkeys(("aged", "age", "age of", "ages"), "aged")
_REACH = 24  # signs ahead of a number in which a hedge stands
_NO_NOUN = vocabulary("and but for from has was were the are with that than out per until because which more less")


class Measure(NamedTuple):
    """What stands behind a number.

    Attributes:
        kind: Of the quantity.
        factor: To the base unit.
        noun: What is counted, where that is no unit.
        end: Where the expression ends.
    """

    kind: str
    factor: float
    noun: str
    end: int


def measured(text: str, said: Number, span: tuple[int, int], money: str | None = None) -> Quantity:
    """Makes a quantity of a number and what stands around it.

    Args:
        text: The text.
        said: The number, magnitude applied.
        span: Where the number stands.
        money: The sign of a currency before it.
    """
    value, step, other = said
    start, end = span
    half = _HALF.match(text, end)
    end = half.end() if half else end
    kind, factor, noun, end = _unit(text, end, money)
    if half is None and kind != "count" and (half := _HALF.match(text, end)):
        end = half.end()
    value += FRACTIONS[half["part"].casefold()] if half else 0.0
    if kind == "count" and not noun and _hedge(text[max(0, start - _REACH) : start], _AGED):
        kind, factor = "time", UNITS["years"][1]
    limit = bound(text, start)
    if kind in {"count", "percent"} and (plus := _PLUS.match(text, end)):
        limit, end = "over", plus.end()
    also = [] if other is None else [(kind, other * factor)]
    if kind == "fahrenheit":
        also.append(("temperature", (value - 32) * 5 / 9))
    if kind == "percent" and value < 0:  # `a change of -5 %`, `it fell by 5 %`
        also.append((kind, -value))
    return Quantity(value, value * factor, kind, noun, limit, step * factor, start, end, tuple(also))


def unit_after(text: str, end: int) -> bool:
    """Tells whether a unit or currency is glued to what ends there."""
    after = _AFTER.match(text, end)
    return after is not None and (after["unit"].casefold() in UNITS or after["unit"].casefold() in CURRENCIES)


def scale_after(text: str, end: int) -> tuple[float, int]:
    """Reads a magnitude (`Mio.`, `millones`) behind a number: its factor, and where it ends."""
    match = _SCALE.match(text, end)
    if match is None:
        return 1.0, end
    two, one = match["word"].casefold(), match["first"].casefold()
    if two in MAGNITUDES:
        return MAGNITUDES[two], match.end()
    if one in MAGNITUDES:
        return MAGNITUDES[one], match.end("first")
    if one in SHORT_MAGNITUDES:
        stop = match.end("first")
        return SHORT_MAGNITUDES[one], stop + (text[stop : stop + 1] == ".")
    return 1.0, end


def bound(text: str, start: int) -> str:
    """What the words before a number make of it."""
    return _hedge(text[max(0, start - _REACH) : start], _HEDGES) or "exact"


def dated(text: str, start: int) -> str:
    """The same for a year, which may also lie `before` or `after`."""
    return _hedge(text[max(0, start - _REACH) : start], _DATED) or bound(text, start)


def _hedge(before: str, table: Mapping[str, str]) -> str:
    """What the last word says, or the last two or three; a sign may be glued to the number."""
    words = before.casefold().split()[-3:]
    for n in range(len(words)):
        if (found := table.get(" ".join(words[n:]).lstrip("([\"'"))) is not None:
            return found
    return table.get(before[-1:], "")


def _unit(text: str, end: int, money: str | None) -> Measure:  # noqa: PLR0911 - one exit a notation
    after = _AFTER.match(text, end)
    written = after["unit"] if after else ""
    word = written.casefold()
    if money:
        return Measure(f"money:{CURRENCIES[money.casefold()]}", 1.0, "", end)
    if after is None:
        return Measure("count", 1.0, "", end)
    if word in CURRENCIES:
        return Measure(f"money:{CURRENCIES[word]}", 1.0, "", after.end())
    if word in {"per", "pour", "por"} and (cent := _PERCENT.match(text, after.end())):
        return Measure("percent", 0.1 if "mille" in cent[0] else 1.0, "", cent.end())
    if word in {"degrees", "degree", "grad"}:
        scale = _MORE.match(text, after.end())
        if scale and scale["next"].casefold() in {"fahrenheit", "celsius"}:
            return Measure(UNITS[scale["next"].casefold()][0], 1.0, "", scale.end())
        return Measure("temperature", 1.0, "", after.end())
    if word in {"de", "di", "d"} and (of := _OF.match(text, end)) and of["unit"].casefold() in CURRENCIES:
        return Measure(f"money:{CURRENCIES[of['unit'].casefold()]}", 1.0, "", of.end())
    known = CASED_UNITS.get(written) or UNITS.get(word)
    if known and not (len(word) == 1 and text[end : end + 1] == "-"):
        return _rate(text, *known, after.end())
    noun = word if len(word) > 2 and word not in _NO_NOUN else ""  # noqa: PLR2004 - `of`, `to`, `in` are no nouns
    return Measure("count", 1.0, noun, end)


def _rate(text: str, kind: str, factor: float, end: int) -> Measure:
    """A unit, by another where one follows: `mg/dL`, `miles per hour`."""
    per = _PER.match(text, end)
    below = (CASED_UNITS.get(per["unit"]) or UNITS.get(per["unit"].casefold())) if per else None
    if per is None or below is None or kind == "percent":
        return Measure(kind, factor, "", end)
    name, scale = RATES.get((kind, below[0]), (f"{kind}/{below[0]}", 1.0))
    return Measure(name, factor / below[1] * scale, "", per.end())
