"""Numerals in digits and in words: separators, digits of any script, number words, ordinals, fractions, magnitudes."""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from typing import NamedTuple

from trail_callbacks.language.detect import language

_GROUP = r"[,.'\u2019\u2009\u202f\u00a0]"
NUMERAL = (
    rf"(?:\d{{1,3}}(?:{_GROUP}\d{{3}})+(?!\d)(?:[.,]\d+)?|\d{{1,2}}(?:,\d\d)+,\d{{3}}(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)?)"
)
"""Digits with their separators, as a pattern without groups."""

_OTHER = re.compile("(?![0-9])\\d|[\uff04\uff05\uff0b-\uff0f\uff1a\uffe1\uffe5\u066a-\u066c\u2010-\u2012\ufe63]")
_SAME = {"\u066a": "%", "\u066b": ",", "\u066c": "\u202f", "\u2010": "-", "\u2011": "-", "\u2012": "-"}
_SPACED = re.compile(r"(?<![\d.,:/-])\d{1,3}(?: \d{3})+(?![\d/:]|[.,]\d{3}| \d)")
_BLANKS = re.compile("['\u2019\u2009\u202f\u00a0]")
_LETTERS = re.compile(r"[^\W\d_]+")
_THREE = 3
_COMMA = frozenset({"de", "es", "fr", "it", "nl", "pt", "ru"})  # languages that write 3,5
_POINT = frozenset({"en", "zh", "ja", "ko", "th", "hi", "he"})

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


class Number(NamedTuple):
    """A number that was read.

    Attributes:
        value: Its value.
        step: Size of the last digit written; trailing zeros of a whole number are not counted. 0 for words.
        other: Its value if its only separator means the other thing; None where that is ruled out.
    """

    value: float
    step: float
    other: float | None = None


class Style:
    """How a text writes numbers.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def language(self) -> str:
        """ISO 639-1 code of the language, or nothing unless it is certain.

        Only words without a capital are asked: those that open a sentence and those in names mislead a short text (`A`
        is an English and a Portuguese article, `La Paz` is in no Spanish sentence).
        """
        return language(" ".join(word for word in _LETTERS.findall(self.text) if not word[0].isupper()))

    @cached_property
    def words(self) -> frozenset[str]:
        """Its case-folded words. Most texts have none that a notation needs, which is looked up once."""
        return frozenset(_LETTERS.findall(self.text.casefold()))

    @cached_property
    def decimal_mark(self) -> str:
        """The decimal mark that is usual in the language; nothing if the language is not certain."""
        return "," if self.language in _COMMA else "." if self.language in _POINT else ""


def ascii_digits(text: str) -> str:
    """Writes the digits and the marks of numbers in ASCII, character for character."""
    return text if text.isascii() else _OTHER.sub(_ascii, text)


def _ascii(match: re.Match[str]) -> str:
    digit = unicodedata.decimal(match[0], None)
    return _SAME.get(match[0]) or unicodedata.normalize("NFKC", match[0]) if digit is None else str(digit)


def grouped(text: str, style: Style) -> str:
    """Joins thousands that a blank separates, character for character: `12 500`.

    In a language that has no such habit only where the digits leave no doubt (`1 000`).
    """
    return _SPACED.sub(lambda match: _joined(match, style), text) if " " in text else text


def _joined(match: re.Match[str], style: Style) -> str:
    groups = match[0].split(" ")
    sure = groups[0][0] != "0" and (any(group[0] == "0" for group in groups[1:]) or style.decimal_mark == ",")
    return match[0].replace(" ", "\u202f") if sure else match[0]


def number(numeral: str, style: Style) -> Number | None:
    """Reads a numeral as its text means it.

    The digits decide wherever they can: two kinds of separators, one that is repeated, or one without exactly three
    digits behind it. What they leave open (`2.375`, `1,250`) the language of the text decides. Two readings are left
    if it is not certain, and if the separator is its decimal mark: texts in it may write thousands as others do.

    Args:
        numeral: A match of `NUMERAL`.
        style: How its text writes numbers.

    Returns:
        The number, or None for a version or something like it.
    """
    bare = _BLANKS.sub("", numeral)
    marks = [character for character in bare if character in ".,"]
    if len(marks) == 1:
        return _one_mark(bare, marks[0], style, grouped_otherwise=len(bare) != len(numeral))
    if not marks:
        return _whole(bare)
    point = marks[-1] if marks[-1] != marks[0] else ""
    whole, _, rest = bare.rpartition(point) if point else (bare, "", "")
    groups = re.split("[.,]", whole)
    if len(set(whole) & {".", ","}) != 1 or len(groups[-1]) != _THREE or len(groups[0]) > _THREE:
        return None
    return _fraction("".join(groups), rest) if point else _whole("".join(groups))


def _one_mark(bare: str, mark: str, style: Style, *, grouped_otherwise: bool) -> Number:
    before, _, after = bare.partition(mark)
    part = _fraction(before, after)
    if grouped_otherwise or len(after) != _THREE or len(before) > _THREE or before.startswith("0"):
        return part
    whole = _whole(before + after)
    if (style.decimal_mark or ".") == mark:
        return part._replace(other=whole.value)
    return whole if style.decimal_mark else whole._replace(other=part.value)


def _whole(digits: str) -> Number:
    return Number(float(digits), 10.0 ** (len(digits) - len(digits.rstrip("0")) if digits.strip("0") else 0))


def _fraction(whole: str, part: str) -> Number:
    return Number(float(f"{whole}.{part}"), 10.0 ** -len(part))


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
    if both != first and both in MAGNITUDES:
        return MAGNITUDES[both], match.end()
    stop = match.end("first")
    if first in _THOUSAND and style.decimal_mark == ",":
        return 1e3, stop
    if first not in MAGNITUDES or (first == "k" and match.start("first") > end):
        return 1.0, end
    factor = 1e12 if first == "billion" and style.language in {"de", "fr"} else MAGNITUDES[first]
    return factor, stop + (first in _SHORT and text[stop : stop + 1] == ".")
