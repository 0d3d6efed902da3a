"""Tables behind numbers in text: number words, magnitudes, currencies, units, months."""

from __future__ import annotations

__all__ = [
    "CURRENCIES",
    "DAYS",
    "DAY_VALUES",
    "FRACTIONS",
    "MAGNITUDES",
    "MONTHS",
    "MONTH_VALUES",
    "NUMBER_WORDS",
    "ORDINALS",
    "UNITS",
]


def _listed(words: str) -> list[str]:
    return words.split()


_ONES = _listed(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen"""
)
_TENS = _listed("twenty thirty forty fifty sixty seventy eighty ninety")
NUMBER_WORDS = {word: float(i) for i, word in enumerate(_ONES)}
NUMBER_WORDS |= {word: float(20 + 10 * i) for i, word in enumerate(_TENS)}
NUMBER_WORDS |= {"dozen": 12.0, "hundred": 100.0}
ORDINALS = {
    word: float(i)
    for i, word in enumerate(_listed("first second third fourth fifth sixth seventh eighth ninth tenth"), 1)
}
FRACTIONS = {"half": 0.5, "third": 1 / 3, "thirds": 1 / 3, "quarter": 0.25, "quarters": 0.25, "fifth": 0.2}
FRACTIONS |= {"fifths": 0.2, "tenth": 0.1, "tenths": 0.1}
MAGNITUDES = {"thousand": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3}
MAGNITUDES |= {"mn": 1e6, "mln": 1e6, "bn": 1e9, "hundred": 100.0, "dozen": 12.0, "lakh": 1e5, "crore": 1e7}
MAGNITUDES |= {"millionen": 1e6, "milliarden": 1e9, "millones": 1e6}
MONTHS = _listed("January February March April May June July August September October November December")
MONTH_VALUES = {name: float(i) for i, name in enumerate(MONTHS, 1)}
DAYS = _listed("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
DAY_VALUES = {name: float(i) for i, name in enumerate(DAYS, 1)}
CURRENCIES = {
    "$": "usd", "us$": "usd", "usd": "usd", "dollar": "usd", "dollars": "usd", "€": "eur", "eur": "eur",
    "euro": "eur", "euros": "eur", "£": "gbp", "gbp": "gbp", "¥": "jpy", "yen": "jpy", "₹": "inr",
    "rupees": "inr", "crowns": "crown", "francs": "chf", "chf": "chf",
}  # fmt: skip
UNITS: dict[str, tuple[str, float]] = {}
for _dimension, _table in {
    "percent": {"% percent percents pct prozent": 1.0},
    "length": {
        "mm millimetre millimetres millimeter millimeters": 0.001,
        "cm centimetre centimetres centimeter centimeters": 0.01,
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
    "power": {
        "w watt watts": 1.0, "kw kilowatt kilowatts": 1e3, "mw megawatt megawatts": 1e6, "gw gigawatt gigawatts": 1e9,
    },
    "energy": {"kwh": 1.0, "mwh": 1e3, "gwh": 1e6},
    "speed": {"km/h kph kmh": 1.0, "mph": 1.609344, "m/s": 3.6},
    "data": {"kb": 1e3, "mb megabyte megabytes": 1e6, "gb gigabyte gigabytes": 1e9, "tb terabyte terabytes": 1e12},
    "volume": {"ml millilitre millilitres": 0.001, "l litre litres liter liters": 1.0},
    "area": {"km² km2": 1e6, "m² m2": 1.0, "hectare hectares ha": 1e4, "acre acres": 4046.86},
}.items():  # fmt: skip
    for _names, _factor in _table.items():
        for _name in _listed(_names):
            UNITS[_name] = (_dimension, _factor)
