"""Tables behind numbers in text: number words, magnitudes, currencies, units, months."""

from __future__ import annotations

__all__ = [
    "CASED_UNITS",
    "CURRENCIES",
    "DAYS",
    "DAY_VALUES",
    "FRACTIONS",
    "MAGNITUDES",
    "MONTHS",
    "MONTH_VALUES",
    "NUMBER_WORDS",
    "ORDINALS",
    "RATES",
    "SHORT_MAGNITUDES",
    "SIGNS",
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
_RANKS = _listed(
    """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
    sixteenth seventeenth eighteenth nineteenth twentieth"""
)
ORDINALS = {word: float(i) for i, word in enumerate(_RANKS, 1)}
ORDINALS |= {f"twenty-{word}": float(20 + i) for i, word in enumerate(_RANKS[:9], 1)} | {"thirtieth": 30.0}
ORDINALS |= {"thirty-first": 31.0}
FRACTIONS = {"half": 0.5, "third": 1 / 3, "thirds": 1 / 3, "quarter": 0.25, "quarters": 0.25, "fifth": 0.2}
FRACTIONS |= {"fifths": 0.2, "tenth": 0.1, "tenths": 0.1, "eighth": 0.125, "eighths": 0.125}
MAGNITUDES = {"thousand": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3}
MAGNITUDES |= {"mn": 1e6, "mln": 1e6, "bn": 1e9, "hundred": 100.0, "dozen": 12.0, "lakh": 1e5, "crore": 1e7}
MAGNITUDES |= dict.fromkeys(
    _listed("millionen millones millón milioni milione milhões milhão miljoen миллион миллиона миллионов"), 1e6
)
MAGNITUDES |= dict.fromkeys(
    _listed(
        "milliarden milliarde milliard milliards miliardi miliardo miljard bilhões bilhão миллиард миллиарда миллиардов"
    ),
    1e9,
)
MAGNITUDES |= {"mil millones": 1e9, "mil milhões": 1e9, "billions": 1e9, "billionen": 1e12, "billones": 1e12}
MAGNITUDES |= {"tausend": 1e3, "duizend": 1e3, "тысяч": 1e3, "тысячи": 1e3, "тысяча": 1e3}
SHORT_MAGNITUDES = {"mio": 1e6, "mrd": 1e9, "tsd": 1e3, "mld": 1e9, "млн": 1e6, "млрд": 1e9, "тыс": 1e3}
MONTHS = _listed("January February March April May June July August September October November December")
MONTH_VALUES = {name: float(i) for i, name in enumerate(MONTHS, 1)}
DAYS = _listed("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
DAY_VALUES = {name: float(i) for i, name in enumerate(DAYS, 1)}
CURRENCIES = {
    "$": "usd", "us$": "usd", "a$": "aud", "au$": "aud", "c$": "cad", "ca$": "cad", "hk$": "hkd", "nz$": "nzd",
    "s$": "sgd", "r$": "brl", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr", "₽": "rub", "₩": "krw", "₺": "try",
    "₪": "ils", "฿": "thb", "₫": "vnd", "₦": "ngn", "₱": "php", "zł": "pln", "元": "cny", "円": "jpy",
    "dollar": "usd", "dollars": "usd", "dólares": "usd", "dollari": "usd", "euro": "eur", "euros": "eur",
    "yen": "jpy", "yuan": "cny", "rmb": "cny", "won": "krw", "rupee": "inr", "rupees": "inr", "rubles": "rub",
    "roubles": "rub", "рублей": "rub", "крон": "crown", "crowns": "crown", "francs": "chf", "franken": "chf",
    "pounds sterling": "gbp", "zloty": "pln", "shekels": "ils",
}  # fmt: skip
CURRENCIES |= {
    code: code
    for code in _listed(
        """usd eur gbp chf jpy cny inr rub krw ils thb vnd ngn php pln aud cad hkd nzd sgd brl sek nok dkk czk huf zar
        mxn aed sar egp idr myr twd uah ron bgn isk ars clp pkr bdt kes btc eth"""
    )
}
del CURRENCIES["won"]  # more often a verb
SIGNS = [sign for sign in CURRENCIES if not sign.isalpha() and " " not in sign]
UNITS: dict[str, tuple[str, float]] = {}
for _dimension, _table in {
    "percent": {"% percent percents pct prozent procent процента процентов": 1.0, "‰": 0.1},
    "points": {"pp bps": 1.0},
    "length": {
        "nm nanometre nanometres nanometer nanometers": 1e-9,
        "µm μm micrometre micrometres micrometer micrometers": 1e-6,
        "mm millimetre millimetres millimeter millimeters milímetros": 0.001,
        "cm centimetre centimetres centimeter centimeters zentimeter centímetros centimètres centimetri": 0.01,
        "m metre metres meter meters metern metros mètre mètres metri метров": 1.0,
        "km kilometre kilometres kilometer kilometers kilometern kilómetros kilomètres chilometri quilômetros": 1000.0,
        "км": 1000.0,
        "inch inches": 0.0254, "ft foot feet": 0.3048, "yd yard yards": 0.9144,
        "mile miles mi meilen millas": 1609.344,
    },
    "mass": {
        "mg milligram milligrams": 1e-6, "microgram micrograms mcg µg μg": 1e-9, "g gram grams gramm": 0.001,
        "kg kilogram kilograms kilo kilos kilogramm kilogramos кг": 1.0,
        "tonne tonnes tonnen toneladas tonnellate": 1000.0, "lb lbs": 0.4536, "oz ounce ounces": 0.02835,
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
    "temperature": {"°c celsius": 1.0}, "fahrenheit": {"°f fahrenheit": 1.0}, "kelvin": {"kelvin kelvins": 1.0},
    "power": {
        "w watt watts": 1.0, "kw kilowatt kilowatts": 1e3, "mw megawatt megawatts": 1e6, "gw gigawatt gigawatts": 1e9,
        "hp horsepower": 745.7,
    },
    "energy": {
        "kwh": 1.0, "wh": 1e-3, "mwh": 1e3, "gwh": 1e6, "twh": 1e9, "joule joules": 1 / 3.6e6,
        "kj kilojoules": 1 / 3600,
        "mj megajoules": 1 / 3.6, "kcal kilocalories": 4184 / 3.6e6,
    },
    "speed": {"km/h kph kmh": 1.0, "mph": 1.609344, "m/s": 3.6},
    "data": {
        "kb kilobyte kilobytes": 1e3, "mb megabyte megabytes": 1e6, "gb gigabyte gigabytes": 1e9,
        "tb terabyte terabytes": 1e12, "pb petabyte petabytes": 1e15, "byte bytes": 1.0,
        "kib": 2.0**10, "mib": 2.0**20, "gib": 2.0**30, "tib": 2.0**40,
    },
    "bits": {"bit bits": 1.0, "kbit kbps": 1e3, "mbit mbps": 1e6, "gbit gbps": 1e9},
    "volume": {"ml millilitre millilitres milliliter milliliters": 0.001, "dl": 0.1, "cl": 0.01,
               "l litre litres liter liters litros litri": 1.0, "gallon gallons": 3.785411784, "m³ m3": 1000.0},
    "area": {"km² km2": 1e6, "m² m2": 1.0, "cm² cm2": 1e-4, "hectare hectares ha hektar": 1e4, "acre acres": 4046.86},
    "amount": {"mol": 1.0, "mmol": 1e-3, "µmol μmol": 1e-6},
    "frequency": {"hz hertz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9},
    "voltage": {"volt volts": 1.0, "kv": 1e3, "mv": 1e-3},
    "pressure": {"pa": 1.0, "hpa mbar": 100.0, "kpa": 1e3, "psi": 6894.76},
}.items():  # fmt: skip
    for _names, _factor in _table.items():
        for _name in _listed(_names):
            UNITS[_name] = (_dimension, _factor)
CASED_UNITS = {
    "mW": ("power", 1e-3),
    "Mb": ("bits", 1e6),
    "Gb": ("bits", 1e9),
    "kb": ("bits", 1e3),
    "mJ": ("energy", 1e-3 / 3.6e6),
}
"""Units in which the case of a letter decides; as written."""
RATES = {("length", "time"): ("speed", 3.6)}
"""What one dimension by another is called where it has a name, and the factor to its base unit."""
