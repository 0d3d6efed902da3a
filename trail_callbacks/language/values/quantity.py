"""A number in a text: what it is of, what else it may mean, and what the words or numbers beside it make of it.

Units are listed where texts convert between several of a dimension. One that is missing is read as a counted noun, and
equal to itself alone. Names: English, and the commonest of German, Spanish, French, Italian, Portuguese and Dutch.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from trail_callbacks.language.terms import vocabulary
from trail_callbacks.language.values.numerals import MAGNITUDES

_SIGNS = {
    "$": "usd", "us$": "usd", "a$": "aud", "au$": "aud", "c$": "cad", "ca$": "cad", "hk$": "hkd", "nz$": "nzd",
    "s$": "sgd", "r$": "brl", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr", "₽": "rub", "₩": "krw", "₺": "try",
    "₪": "ils", "฿": "thb", "₫": "vnd", "₦": "ngn", "₱": "php",
}  # fmt: skip
_CODES = """
usd eur gbp chf jpy cny inr rub krw ils thb vnd ngn php pln aud cad hkd nzd sgd brl sek nok dkk czk huf zar mxn aed sar
egp idr myr twd uah ron bgn isk ars clp pkr bdt kes btc eth
"""
CURRENCIES = _SIGNS | {code: code for code in _CODES.split()}
CURRENCIES |= {
    "dollar": "usd", "dollars": "usd", "dólares": "usd", "dollari": "usd", "euro": "eur", "euros": "eur", "yen": "jpy",
    "yuan": "cny", "rmb": "cny", "元": "cny", "円": "jpy", "rupee": "inr", "rupees": "inr", "rubles": "rub",
    "roubles": "rub", "рублей": "rub", "francs": "chf", "franken": "chf", "zł": "pln", "zloty": "pln",
    "crown": "crown", "crowns": "crown", "крон": "crown",
}  # fmt: skip
"""Currency by its sign, code or case-folded name."""

UNITS: dict[str, tuple[str, float]] = {}
"""Dimension and factor to its base unit, by case-folded name."""
for _dimension, _table in {
    "percent": {"% percent percents pct prozent procent процента процентов": 1.0, "‰": 0.1},
    "length": {
        "nm nanometre nanometres nanometer nanometers": 1e-9,
        "µm μm micrometre micrometres micrometer micrometers": 1e-6,
        "mm millimetre millimetres millimeter millimeters milímetros": 0.001,
        "cm centimetre centimetres centimeter centimeters zentimeter centímetros centimètres centimetri": 0.01,
        "m metre metres meter meters metern metros mètre mètres metri метров": 1.0,
        "km kilometre kilometres kilometer kilometers kilometern kilómetros kilomètres chilometri quilômetros км": 1e3,
        "inch inches": 0.0254, "ft foot feet": 0.3048, "yd yard yards": 0.9144,
        "mile miles mi meilen millas": 1609.344,
    },
    "mass": {
        "mg milligram milligrams": 1e-6, "microgram micrograms mcg µg μg": 1e-9, "g gram grams gramm": 0.001,
        "kg kilogram kilograms kilo kilos kilogramm kilogramos кг": 1.0,
        "tonne tonnes ton tons tonnen toneladas tonnellate": 1000.0, "lb lbs": 0.4536, "oz ounce ounces": 0.02835,
    },
    "time": {
        "ms millisecond milliseconds": 0.001,
        "s sec secs second seconds sekunde sekunden segundos secondes secondi": 1.0,
        "min mins minute minutes minuten minutos minuti": 60.0,
        "h hr hrs hour hours stunde stunden horas heures ore uur": 3600.0,
        "day days tag tage tagen día días jours giorni dias dagen": 86400.0,
        "week weeks woche wochen semanas semaines settimane weken": 604800.0,
        "month months monat monate monaten meses mois mesi maanden": 2629800.0,
        "year years yr yrs jahr jahre jahren año años ans années anni anos jaar": 31557600.0,
        "decade decades": 315576000.0, "century centuries": 3155760000.0,
    },
    "temperature": {"°c celsius": 1.0}, "fahrenheit": {"°f fahrenheit": 1.0},
    "power": {
        "w watt watts": 1.0, "kw kilowatt kilowatts": 1e3, "mw megawatt megawatts": 1e6, "gw gigawatt gigawatts": 1e9,
        "hp horsepower": 745.7,
    },
    "energy": {
        "kwh": 1.0, "wh": 1e-3, "mwh": 1e3, "gwh": 1e6, "twh": 1e9, "kj kilojoules": 1 / 3600, "mj megajoules": 1 / 3.6,
        "kcal kilocalories": 4184 / 3.6e6,
    },
    "speed": {"km/h kph kmh": 1.0, "mph": 1.609344, "m/s": 3.6},
    "data": {
        "byte bytes": 1.0, "kb kilobyte kilobytes": 1e3, "mb megabyte megabytes": 1e6, "gb gigabyte gigabytes": 1e9,
        "tb terabyte terabytes": 1e12, "kib": 2.0**10, "mib": 2.0**20, "gib": 2.0**30, "tib": 2.0**40,
    },
    "volume": {
        "ml millilitre millilitres milliliter milliliters": 0.001, "dl": 0.1, "cl": 0.01,
        "l litre litres liter liters litros litri": 1.0, "gal gallon gallons": 3.785411784, "m³ m3": 1000.0,
    },
    "area": {"km² km2": 1e6, "m² m2": 1.0, "cm² cm2": 1e-4, "hectare hectares ha hektar": 1e4, "acre acres": 4046.86},
    "pressure": {"pa pascal pascals": 1.0, "hpa mbar": 100.0, "kpa": 1e3, "mpa": 1e6, "psi": 6894.757},
    "frequency": {"hz hertz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9},
}.items():  # fmt: skip
    UNITS |= {name: (_dimension, factor) for names, factor in _table.items() for name in names.split()}
_RATES = {("length", "time"): ("speed", 3.6)}  # what one dimension by another is called where it has a name

_AFTER = re.compile(
    r"[ \u00a0\u202f-]?(?P<unit>°[cf]|%|‰|km/h|m/s|[dcmk]?m[²2³3]\b|us\$|[€£$¥₹₽₩₺₪฿₫₦₱]|[^\W\d_]+)", re.IGNORECASE
)
_PER = re.compile(r"(?:\s?/\s?|\s+(?:per|pro|par|por)\s+)(?P<unit>(?:[cmd]?m|km)[²2³3]\b|[^\W\d_]+)", re.IGNORECASE)
_CENT = re.compile(r"\s+(?:cent|ciento|cento)\b", re.IGNORECASE)
_OF = re.compile(r"\s+(?:de|di|of|d')\s*(?P<unit>[^\W\d_]+)", re.IGNORECASE)
_DEGREES = re.compile(r"\s+(?P<scale>fahrenheit|celsius)\b", re.IGNORECASE)
_NO_NOUN = vocabulary(
    """and but for from has was were the are with that than out per until till through because which more less bis und
    hasta tot até"""
)


class Unit(NamedTuple):
    """What follows a number.

    Attributes:
        kind: Of the quantity.
        factor: To the base unit.
        noun: What is counted, where that is not a unit.
        end: Where the expression ends.
    """

    kind: str
    factor: float
    noun: str
    end: int


def is_unit(text: str, end: int) -> bool:
    """Tells whether a unit or currency follows what ends there."""
    after = _AFTER.match(text, end)
    return after is not None and (after["unit"].casefold() in UNITS or after["unit"].casefold() in CURRENCIES)


def currency_before(text: str, start: int) -> tuple[str, int]:
    """The currency before a number, empty if there is none, and where the expression begins."""
    at = start - 1 if text[start - 1 : start] in {" ", "\u00a0", "\u202f"} else start
    for n in range(min(3, at), 0, -1):
        sign, before = text[at - n : at], text[max(0, at - n - 1) : at - n]
        known = sign.casefold() in _SIGNS or (sign.isupper() and sign.casefold() in CURRENCIES)
        if known and not (sign[0].isalpha() and before.isalpha()):
            return CURRENCIES[sign.casefold()], at - n
    return "", start


def unit_after(text: str, end: int) -> Unit:  # noqa: PLR0911 - one exit a notation
    """Reads the unit, currency or counted noun behind a number."""
    after = _AFTER.match(text, end)
    if after is None:
        return Unit("count", 1.0, "", end)
    word = after["unit"].casefold()
    if word in CURRENCIES:
        return Unit(f"money:{CURRENCIES[word]}", 1.0, "", after.end())
    if word in {"per", "pour", "por"} and (cent := _CENT.match(text, after.end())):
        return Unit("percent", 1.0, "", cent.end())
    if word in {"degrees", "degree", "grad"}:
        scale = _DEGREES.match(text, after.end())
        kind = UNITS[scale["scale"].casefold()][0] if scale else "temperature"
        return Unit(kind, 1.0, "", (scale or after).end())
    if word in {"de", "di", "d"} and (of := _OF.match(text, end)) and of["unit"].casefold() in CURRENCIES:
        return Unit(f"money:{CURRENCIES[of['unit'].casefold()]}", 1.0, "", of.end())
    if word in UNITS and not (len(word) == 1 and text[end : end + 1] == "-"):
        return _rate(text, *UNITS[word], after.end())
    noun = word if len(word) > 2 and word not in _NO_NOUN else ""  # noqa: PLR2004 - `of`, `to`, `in` are not nouns
    return Unit("count", 1.0, noun, end)


def _rate(text: str, kind: str, factor: float, end: int) -> Unit:
    """A unit, by another where one follows: `mg/dL`, `miles per hour`."""
    per = _PER.match(text, end)
    below = UNITS.get(per["unit"].casefold()) if per else None
    if per is None or below is None or kind == "percent":
        return Unit(kind, factor, "", end)
    name, scale = _RATES.get((kind, below[0]), (f"{kind}/{below[0]}", 1.0))
    return Unit(name, factor / below[1] * scale, "", per.end())


EXACT = frozenset({"year", "month", "weekday", "day", "rank", "clock", "quarter"})
"""Kinds that are equal or different, never near: nothing is rounded, added up or converted."""

_BOUNDS = {
    words: name
    for name, listed in {
        "about": """about,around,roughly,approximately,approx.,approx,some,nearly,almost,close to,circa,ca,ca.,c.,
            estimated,~,≈,etwa,rund,ungefähr,environ,unos,quase,ongeveer""",
        "over": "over,more than,above,exceed,exceeds,exceeded,exceeding,at least,upwards of,greater than,>,≥,über",
        "under": "under,less than,below,fewer than,at most,up to,as many as,no more than,<,≤,unter",
    }.items()
    for words in map(str.strip, listed.split(","))
}
_YEAR_BOUNDS = {"after": "over", "later than": "over", "before": "under", "prior to": "under", "earlier than": "under"}
_REACH = 24  # characters before a number in which such words stand

_TO = re.compile(r"\s*(?:to|until|till|through|bis|à|al?|hasta|tot|até|-|\u2013|\u2014)\s*", re.IGNORECASE)
_AND = re.compile(r"\s*(?:and|or|und|y|et|e|en)\s*", re.IGNORECASE)
_FROM = re.compile(
    r"\b(?:from|between|zwischen|von|entre|de|tra|fra|da|tussen|van|desde)\s+(?:the\s+)?\W?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text.

    Attributes:
        raw: As written, magnitude applied but without its unit.
        value: In the base unit of its kind: metres, kilograms, seconds, watts, percent, plain count, month 1-12.
        kind: `count`, `year`, `month`, `day`, `weekday`, `clock` (minutes after midnight), `quarter`, `rank`,
            `money:<code>` or a dimension such as `length`; values of different kinds are not comparable.
        noun: For a count, the word behind the number, case-folded; otherwise empty.
        bound: `exact`, or what the words before it make of it: `about`, `over`, `under`; `during` for a decade, of
            which `value` is the first year.
        step: Size of the last digit written, in base units: how coarse the number is. 0 for spelt-out numbers.
        start: Offset in the text.
        end: Offset after it, unit included.
        also: Kind and value of what it may stand for as well: `1.000` where nothing tells whether the point separates
            thousands, `03/04/2020`, `5:30` without a half of the day.
        within: First and last value of the range or decade that it is an end of, in base units.
    """

    raw: float
    value: float
    kind: str
    noun: str
    bound: str
    step: float
    start: int
    end: int
    also: tuple[tuple[str, float], ...] = ()
    within: tuple[float, float] | None = None

    @property
    def readings(self) -> tuple[Quantity, ...]:
        """It and what else it may stand for, each as a quantity that can mean one thing only."""
        if not self.also:
            return (self,)
        factor = self.raw / self.value if self.value else 1.0
        others = [
            replace(self, raw=value * factor if kind == self.kind else value, value=value, kind=kind, also=())
            for kind, value in self.also
        ]
        return (replace(self, also=()), *others)

    def may_be(self, other: Quantity) -> bool:
        """Tells whether one leaves open that it is the other: a year in a decade, a number in a range, 3 April.

        That is not a reason to call the other stated, only one not to call it wrong.
        """
        return any(
            mine.kind == its.kind and (mine.value == its.value or _holds(mine, its) or _holds(its, mine))
            for mine in self.readings
            for its in other.readings
        )


def _holds(one: Quantity, other: Quantity) -> bool:
    return one.within is not None and one.within[0] <= other.value <= one.within[1]


def exact(kind: str, value: float, span: tuple[int, int], *also: float) -> Quantity:
    """Makes a quantity of one of the kinds in `EXACT`, with the values it may have as well."""
    return Quantity(value, value, kind, "", "exact", 0.0, *span, also=tuple((kind, other) for other in also))


def bound(text: str, start: int) -> str:
    """Reads the words before a number: `about`, `over`, `under`, or `exact` if there are none."""
    return _last_words(text, start, _BOUNDS) or "exact"


def year_bound(text: str, start: int) -> str:
    """Reads the words before a year, which may also lie `before` or `after`."""
    return _last_words(text, start, _YEAR_BOUNDS) or bound(text, start)


def _last_words(text: str, start: int, table: Mapping[str, str]) -> str:
    """Looks up the last word before a number, or the last two or three; a mark may be glued to the number."""
    before = text[max(0, start - _REACH) : start]
    words = before.casefold().split()[-3:]
    for n in range(len(words)):
        if (name := table.get(" ".join(words[n:]).lstrip("([\"'"))) is not None:
            return name
    return table.get(before[-1:], "")


def joined(quantities: Sequence[Quantity], text: str) -> list[Quantity]:
    """Lets the ends of each range share unit, magnitude and limits.

    Args:
        quantities: In the order of the text.
        text: The text.
    """
    result = list(quantities)
    for i in range(len(result) - 1):
        low, high = result[i : i + 2]
        to = _TO.fullmatch(text, low.end, high.start)
        if to or _AND.fullmatch(text, low.end, high.start):
            low = _shared(low, high, text)
            is_range = to or _FROM.search(text[max(0, low.start - _REACH) : low.start])
            result[i : i + 2] = _limited(low, high) if is_range else (low, high)
    return result


def _shared(low: Quantity, high: Quantity, text: str) -> Quantity:
    """The lower end of `2 to 8 km` or `EUR 3 to 4 million` takes over what stands behind the upper end only."""
    scale = 1.0 if _magnitude(low, text) else _magnitude(high, text) or 1.0
    if low.kind == "count" and not low.noun and high.kind == "day" and low.value <= 31:  # noqa: PLR2004 - `4-6 March`
        return replace(low, kind="day")
    if low.kind == "count" and not low.noun and high.kind not in EXACT and high.raw:
        factor = scale * high.value / high.raw
        also = tuple((high.kind, value * factor) for _, value in low.also)
        shared = replace(low, raw=low.raw * scale, value=low.raw * factor, step=low.step * factor, also=also)
        return replace(shared, kind=high.kind, noun=high.noun)
    if low.kind.startswith("money"):
        return replace(low, raw=low.raw * scale, value=low.value * scale, step=low.step * scale)
    return low


def _limited(low: Quantity, high: Quantity) -> tuple[Quantity, Quantity]:
    """Lets the ends of a range know each other."""
    if low.kind != high.kind or low.value >= high.value:
        return low, high
    within = (low.value, high.within[1] if high.within else high.value)
    return replace(low, within=within), replace(high, within=within)


def _magnitude(quantity: Quantity, text: str) -> float | None:
    written = text[quantity.start : quantity.end].casefold().split()
    return next((MAGNITUDES[word] for word in written if word in MAGNITUDES), None)
