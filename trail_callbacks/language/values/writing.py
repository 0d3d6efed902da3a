"""How a number is written, so that another can be written in its place: separators, decimals, digits, words."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass

from trail_callbacks.language.values.numerals import (
    LARGE,
    NUMBER_WORDS,
    NUMERAL,
    SPELT,
    Style,
    ascii_digits,
    grouped,
    magnitude,
    number,
    spelt,
)
from trail_callbacks.language.values.quantity import Quantity

_DIGITS = re.compile(NUMERAL)
_WORDS = re.compile(rf"\b{SPELT}\b", re.IGNORECASE)
_BARE = re.compile(r"(?:hundred|thousand|million|billion|trillion|dozen)\b", re.IGNORECASE)
_ONES = [word for word, value in NUMBER_WORDS.items() if value < 20 and word != "dozen"]  # noqa: PLR2004
_TENS = [word for word, value in NUMBER_WORDS.items() if 20 <= value < 100]  # noqa: PLR2004
_SIZES = [*((int(value), name) for name, value in reversed(LARGE.items())), (100, "hundred")]
_LARGEST = 10**15
_GROUPED, _HUNDRED, _TEN = 1000, 100, 10
_CLOSE = 1e-9


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
        is_capital: Whether words begin with a capital.
    """

    start: int
    end: int
    value: float
    factor: float
    decimals: int = 0
    mark: str = ""
    separator: str = ""
    zero: str = ""
    is_capital: bool = False

    def write(self, value: float) -> str | None:
        """Writes another value, in base units, the same way; None if that would need more digits or another sign."""
        bare = value / self.factor
        rounded = round(bare, self.decimals)
        if rounded <= 0 or rounded >= _LARGEST or abs(rounded - bare) > _CLOSE * abs(bare):
            return None
        if not self.zero:
            words = in_words(int(rounded))
            return words.capitalize() if self.is_capital else words
        if self.value < _GROUPED <= rounded and rounded >= _TEN * _GROUPED:
            return None  # whether it would be grouped is not shown
        whole, _, part = f"{rounded:.{self.decimals}f}".partition(".")
        written = f"{int(whole):,}".replace(",", self.separator) if self.separator else whole
        written += self.mark + part if part else ""
        return "".join(chr(ord(self.zero) + int(each)) if each.isdigit() else each for each in written)

    @property
    def grain(self) -> float:
        """Steps in which another value is as round as this one, in base units: 1,000 for 12,000, 1 for 40."""
        grain = 10.0**-self.decimals
        if not self.decimals:
            least = _TEN if self.zero else 1
            while self.value % (grain * 10) == 0 and self.value / (grain * 10) >= least and grain < self.value:
                grain *= 10
            if not self.zero and self.value < _HUNDRED:  # words have no room for more digits, and all are short here
                grain = 1.0
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
        """Finds the digits or words of a quantity of the text; None if it is a fraction, a share or ambiguous."""
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
        marks = [each for each in written if not each.isdecimal()]
        mark = marks.pop() if decimals and marks else ""
        return Numeral(
            *found.span(),
            read.value,
            quantity.value / read.value,
            decimals,
            mark,
            marks[0] if marks else "",
            zero=chr(ord(written[0]) - unicodedata.decimal(written[0])),
        )

    def _words(self, quantity: Quantity) -> Numeral | None:
        found = _WORDS.search(self._plain, quantity.start, quantity.end)
        if found is None:
            return None
        value, is_year = spelt(found[0])
        start = found.start()
        if is_year or not value or not _close(abs(quantity.raw) / value, 1.0):
            return None
        if _BARE.match(found[0]):
            if self._text[start - 2 : start].casefold() != "a " or self._text[start - 3 : start - 2].isalnum():
                return None
            start -= 2
        return Numeral(start, found.end(), value, quantity.value / value, is_capital=self._text[start].isupper())


def in_words(value: int) -> str:
    """Writes a whole number from 0 to a thousand trillion in English words."""
    if value < len(_ONES):
        return _ONES[value]
    if value < _HUNDRED:
        tens, ones = divmod(value, _TEN)
        return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")
    size, name = next((size, name) for size, name in _SIZES if value >= size)
    many, rest = divmod(value, size)
    joint = " and " if name == "hundred" else " "
    return f"{in_words(many)} {name}" + (f"{joint}{in_words(rest)}" if rest else "")


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= _CLOSE * abs(other)
