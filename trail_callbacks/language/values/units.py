"""Units and currencies: what a number is of.

Units are listed where texts convert between several of a dimension. One that is missing is read as a counted noun, and
equal to itself alone. Names: English, and the commonest of German, Spanish, French, Italian, Portuguese and Dutch.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from trail_callbacks.language.terms import vocabulary

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
