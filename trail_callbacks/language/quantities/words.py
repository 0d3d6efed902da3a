"""Numbers in words: English number words, ordinals and fractions, and magnitudes (`Mio.`) behind digits."""

from __future__ import annotations

import re

from trail_callbacks.language.quantities.numerals import Style

__all__ = ["FRACTIONS", "LARGE", "MAGNITUDES", "NUMBER_WORDS", "ORDINALS", "SPELT", "magnitude", "spelt"]

_ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_RANKS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
    fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"""
NUMBER_WORDS = {word: float(i) for i, word in enumerate(_ONES.split())} | {"dozen": 12.0, "hundred": 100.0}
NUMBER_WORDS |= {word: float(20 + 10 * i) for i, word in enumerate(_TENS.split())}
ORDINALS = {word: float(i) for i, word in enumerate(_RANKS.split(), 1)} | {"thirtieth": 30.0, "thirty-first": 31.0}
ORDINALS |= {f"twenty-{word}": float(20 + i) for i, word in enumerate(_RANKS.split()[:9], 1)}
FRACTIONS = {"half": 0.5, "third": 1 / 3, "quarter": 0.25, "fifth": 0.2, "eighth": 0.125, "tenth": 0.1}
FRACTIONS |= {f"{word}s": value for word, value in FRACTIONS.items() if word != "half"}
LARGE = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
"""Words that multiply all that stands before them."""
MAGNITUDES = LARGE | {"hundred": 100.0, "dozen": 12.0, "k": 1e3, "mn": 1e6, "mln": 1e6, "bn": 1e9}
MAGNITUDES |= {"lakh": 1e5, "crore": 1e7, "billionen": 1e12, "billones": 1e12, "mil millones": 1e9, "mil milhões": 1e9}
for _value, _names in {
    1e3: "tsd tausend duizend тыс тысяч тысячи тысяча",
    1e6: """mio millions millionen millones millón milioni milione milhões milhão miljoen млн миллион миллиона
        миллионов""",
    1e9: """mrd mld billions milliarden milliarde milliard milliards miliardi miliardo miljard bilhões bilhão млрд
        миллиард миллиарда миллиардов""",
}.items():
    MAGNITUDES |= dict.fromkeys(_names.split(), _value)
_SHORT = frozenset({"mio", "mrd", "tsd", "mld", "млн", "млрд", "тыс"})  # a point belongs to them
_EAST = {"千": 1e3, "万": 1e4, "萬": 1e4, "億": 1e8, "亿": 1e8, "만": 1e4, "억": 1e8}

_NEXT = "|".join((*NUMBER_WORDS, *LARGE))
_FIRST = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
SPELT = rf"(?:(?:{_FIRST})(?:(?:[\s-]+and)?[\s-]+(?:{_NEXT}))*|(?<=\ba\s)(?:{'|'.join(LARGE)}))"
"""A number in words, as a pattern without groups."""
_SCALE = re.compile(rf"[ \u00a0\u202f-]?(?:(?P<east>[{''.join(_EAST)}])|(?P<word>(?P<first>[^\W\d_]+)(?: [^\W\d_]+)?))")
_THOUSAND = frozenset({"mil", "mille", "mila"})
_TEENS = (10, 20)
_CENTURY = 100


def spelt(words: str) -> tuple[float, bool]:
    """Reads a number in words.

    Args:
        words: A match of `SPELT`, in whatever case.

    Returns:
        Its value, and whether it is read as a year: `nineteen eighty-four`.
    """
    parts = [part for part in re.split(r"[\s-]+", words.casefold()) if part != "and"]
    values = [NUMBER_WORDS.get(part, 0.0) for part in parts]
    rest = sum(values[1:])
    in_teens = len(parts) > 1 and _TEENS[0] <= values[0] <= _TEENS[1] and values[1] >= _TEENS[0]
    if in_teens and all(0 < value < _CENTURY for value in values[1:]) and rest < _CENTURY:
        return _CENTURY * values[0] + rest, True
    total = part = 0.0
    for word in parts:
        if word in {"hundred", "dozen"}:
            part = (part or 1.0) * NUMBER_WORDS[word]
        elif word in LARGE:
            total, part = total + (part or 1.0) * LARGE[word], 0.0
        else:
            part += NUMBER_WORDS[word]
    return total + part, False


def magnitude(text: str, end: int, style: Style) -> tuple[float, int]:
    """Reads a magnitude (`Mio.`, `millones`) behind a number.

    `mil` is one where the language writes a decimal comma, and a German or French `Billion` is a million millions.

    Returns:
        Its factor and where it ends; 1.0 and `end` if there is none.
    """
    match = _SCALE.match(text, end)
    if match is None:
        return 1.0, end
    if match["east"]:
        return _EAST[match["east"]], match.end("east")
    both, first = match["word"].casefold(), match["first"].casefold()
    if both in MAGNITUDES:
        return MAGNITUDES[both], match.end()
    stop = match.end("first")
    if first in _THOUSAND and style.decimal_mark == ",":
        return 1e3, stop
    if first not in MAGNITUDES or (first == "k" and match.start("first") > end):
        return 1.0, end
    factor = 1e12 if first == "billion" and style.language in {"de", "fr"} else MAGNITUDES[first]
    return factor, stop + (first in _SHORT and text[stop : stop + 1] == ".")
