"""Numbers in digits: of any script, and which separator marks thousands and which the fraction."""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from typing import NamedTuple

from trail_callbacks.language.detect import language

__all__ = ["NUMERAL", "Number", "Style", "ascii_digits", "grouped", "number"]

_GROUP = r"[,.'\u2019\u2009\u202f\u00a0]"
NUMERAL = (
    rf"(?:\d{{1,3}}(?:{_GROUP}\d{{3}})+(?!\d)(?:[.,]\d+)?|\d{{1,2}}(?:,\d\d)+,\d{{3}}(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)?)"
)
"""Digits with their separators, as a pattern without groups."""

_OTHER = re.compile("(?![0-9])\\d|[\uff04\uff05\uff0b-\uff0f\uff1a\uffe1\uffe5\u066a-\u066c\u2010-\u2012\ufe63]")
_SAME = {"\u066a": "%", "\u066b": ",", "\u066c": "\u202f", "\u2010": "-", "\u2011": "-", "\u2012": "-"}
_MARKED = re.compile(rf"(?<![\d.,/:]){NUMERAL}(?![.,/:]?\d)")
_SPACED = re.compile(r"(?<![\d.,:/-])\d{1,3}(?: \d{3})+(?![\d/:]|[.,]\d{3}| \d)")
_BLANKS = re.compile("['\u2019\u2009\u202f\u00a0]")
_LETTERS = re.compile(r"[^\W\d_]+")
_THREE = 3
_COMMA = frozenset({"de", "es", "fr", "it", "nl", "pt", "ru"})  # languages that write 3,5
_POINT = frozenset({"en", "zh", "ja", "ko", "th", "hi", "he"})


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

    @cached_property
    def shown(self) -> str:
        """The decimal mark that other numbers of the text show; nothing where they show none, or both."""
        found = {mark for match in _MARKED.finditer(self.text) if (mark := _decimal(match[0]))}
        return found.pop() if len(found) == 1 else ""


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
    digits behind it. What they leave open (`2.375`, `1,250`) the other numbers of the text decide, or else its
    language. Two readings are left if those two disagree, if the language is not certain, and if the separator is its
    decimal mark: texts in it may still write thousands as others do.

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
    usual, shown = style.decimal_mark, style.shown
    sure = usual in {"", shown} if shown else usual not in {"", mark}
    if (shown or usual or ".") == mark:
        return part if sure else part._replace(other=whole.value)
    return whole if sure else whole._replace(other=part.value)


def _whole(digits: str) -> Number:
    return Number(float(digits), 10.0 ** (len(digits) - len(digits.rstrip("0")) if digits.strip("0") else 0))


def _fraction(whole: str, part: str) -> Number:
    return Number(float(f"{whole}.{part}"), 10.0 ** -len(part))


def _decimal(numeral: str) -> str:
    """The decimal mark that a numeral shows beyond doubt."""
    marks = [character for character in numeral if character in ".,"]
    if not marks:
        return ""
    if len(marks) > 1:
        return marks[-1] if marks[-1] != marks[0] else "." if marks[0] == "," else ","
    before, _, after = numeral.partition(marks[0])
    return marks[0] if len(after) != _THREE or before.startswith("0") else ""
