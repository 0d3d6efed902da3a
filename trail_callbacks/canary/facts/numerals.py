"""How a number is written, so that another can be written in its place: separators, decimals, digits, words."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass

from trail_callbacks.language.quantities import Quantity
from trail_callbacks.language.quantities.numerals import (
    NUMBER_WORDS,
    NUMERAL,
    SPELT,
    Style,
    ascii_digits,
    grouped,
    magnitude,
    number,
)
from trail_callbacks.language.quantities.numerals import spelt as read_words

__all__ = ["Numeral", "Writing", "in_words"]

_DIGITS = re.compile(NUMERAL)
_WORDS = re.compile(rf"\b{SPELT}\b", re.IGNORECASE)
_BARE = re.compile(r"(?:hundred|thousand|million|billion|trillion|dozen)\b", re.IGNORECASE)
_INDIAN = re.compile(r"\d{1,2}(?:,\d\d)+,\d{3}$")
_ONES = [word for word, value in NUMBER_WORDS.items() if value < 20 and word != "dozen"]  # noqa: PLR2004
_TENS = [word for word, value in NUMBER_WORDS.items() if 20 <= value < 100]  # noqa: PLR2004
_LARGE = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred"))
_LARGEST = 10**15
_GROUPED = 1000
_EXACT = 1e-9


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number as written, without its unit.

    Attributes:
        start: Offset of the digits or words.
        end: Offset after them.
        value: What they say by themselves, above 0: 1.5 of `1.5 million`.
        factor: What one of it is in the base unit of its quantity, magnitude and sign included.
        decimals: Digits behind the decimal mark.
        mark: The decimal mark, or nothing.
        separator: Between thousands, or nothing.
        zero: The zero of its script; empty for words.
        capital: Whether words begin with a capital.
    """

    start: int
    end: int
    value: float
    factor: float
    decimals: int = 0
    mark: str = ""
    separator: str = ""
    zero: str = ""
    capital: bool = False
    indian: bool = False

    def write(self, value: float) -> str | None:
        """Writes another value, in base units, the same way; None if that would need more digits or another sign."""
        bare = value / self.factor
        rounded = round(bare, self.decimals)
        if rounded <= 0 or rounded >= _LARGEST or abs(rounded - bare) > _EXACT * abs(bare):
            return None
        if not self.zero:
            words = in_words(int(rounded))
            return words.capitalize() if self.capital else words
        whole, _, part = f"{rounded:.{self.decimals}f}".partition(".")
        if self.value < _GROUPED <= rounded and rounded >= 10 * _GROUPED:
            return None  # whether it would be grouped is not shown
        written = _group(whole, self.separator, indian=self.indian) + (self.mark + part if part else "")
        if self.zero == "0":
            return written
        return "".join(chr(ord(self.zero) + int(each)) if each.isdigit() else each for each in written)

    @property
    def grain(self) -> float:
        """Steps in which another value is as round as this one, in base units: 1,000 for 12,000, 1 for 40."""
        grain = 10.0**-self.decimals
        if not self.decimals:
            least = 1 if not self.zero else 10
            while self.value % (grain * 10) == 0 and self.value / (grain * 10) >= least and grain < self.value:
                grain *= 10
            if not self.zero:  # words have no room for more digits
                grain = max(1.0, grain) if self.value >= 100 else 1.0  # noqa: PLR2004 - below, all words are short
        return grain * abs(self.factor)


class Writing:
    """How the numbers of a text are written.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._style = Style(ascii_digits(text))
        self._plain = grouped(self._style.text, self._style)

    @property
    def language(self) -> str:
        """ISO 639-1 code, or nothing unless it is certain."""
        return self._style.language

    def numeral(self, quantity: Quantity) -> Numeral | None:
        """Finds the digits or words of a quantity; None if it is a fraction, a share or ambiguous."""
        if any(kind == quantity.kind and value != -quantity.value for kind, value in quantity.also):
            return None
        found = _DIGITS.search(self._plain, quantity.start, quantity.end)
        return self._digits(quantity, found) if found else self._words(quantity)

    def _digits(self, quantity: Quantity, found: re.Match[str]) -> Numeral | None:
        read = number(found[0], self._style)
        if read is None or not read.value or not quantity.raw:
            return None
        scale, _ = magnitude(self._plain, found.end(), self._style)
        ratio = abs(quantity.raw) / read.value
        shared = quantity.within is not None and ratio >= _GROUPED and math.log10(ratio).is_integer()
        if not (_close(ratio, 1.0) or _close(ratio, scale) or shared):
            return None
        step = abs(quantity.step * quantity.raw / quantity.value) / ratio
        decimals = max(0, round(-math.log10(step))) if step else 0
        written = self._text[found.start() : found.end()]
        mark, separator = _marks(written, decimals)
        first = written[0]
        zero = chr(ord(first) - unicodedata.decimal(first))
        indian = _INDIAN.match(found[0].partition(".")[0]) is not None
        factor = quantity.value / read.value
        return Numeral(*found.span(), read.value, factor, decimals, mark, separator, zero, indian=indian)

    def _words(self, quantity: Quantity) -> Numeral | None:
        found = _WORDS.search(self._plain, quantity.start, quantity.end)
        if found is None:
            return None
        value, is_year = read_words(found[0])
        start = found.start()
        if is_year or not value or not _close(abs(quantity.raw) / value, 1.0):
            return None
        if _BARE.match(found[0]):
            if self._text[start - 2 : start].casefold() != "a " or self._text[start - 3 : start - 2].isalnum():
                return None
            start -= 2
        return Numeral(start, found.end(), value, quantity.value / value, capital=self._text[start].isupper())


def in_words(value: int) -> str:
    """Writes a whole number from 0 to a thousand trillion in English words."""
    if value < len(_ONES):
        return _ONES[value]
    if value < 100:  # noqa: PLR2004
        tens, ones = divmod(value, 10)
        return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")
    size, name = next((size, name) for size, name in _LARGE if value >= size)
    many, rest = divmod(value, size)
    joint = " and " if name == "hundred" else " "
    return f"{in_words(many)} {name}" + (f"{joint}{in_words(rest)}" if rest else "")


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= _EXACT * abs(other)


def _marks(written: str, decimals: int) -> tuple[str, str]:
    """Decimal mark and separator of thousands of digits as written."""
    marks = [each for each in written if not each.isdecimal()]
    mark = marks.pop() if decimals and marks else ""
    return mark, marks[0] if marks else ""


def _group(whole: str, separator: str, *, indian: bool) -> str:
    if not separator or len(whole) <= 3:  # noqa: PLR2004
        return whole
    size = 2 if indian else 3
    parts, rest = [whole[-3:]], whole[:-3]
    while rest:
        parts.append(rest[-size:])
        rest = rest[:-size]
    return separator.join(reversed(parts))
