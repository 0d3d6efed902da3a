"""Numbers written in digits: which sign parts thousands, and which the fraction."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from trail_callbacks.language.detect import language

__all__ = ["NUMERAL", "Number", "Style", "grouped", "number"]

_GROUP = r"[,.'\u2019\u2009\u202f\u00a0]"
NUMERAL = (
    rf"(?:\d{{1,3}}(?:{_GROUP}\d{{3}})+(?!\d)(?:[.,]\d+)?|\d{{1,2}}(?:,\d\d)+,\d{{3}}(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)?)"
)
"""Digits with their separators, as a pattern without groups."""

_MARKED = re.compile(rf"(?<![\d.,/:]){NUMERAL}(?![.,/:]?\d)")
_SPACED = re.compile(r"(?<![\d.,:/-])\d{1,3}(?: \d{3})+(?![\d/:]|[.,]\d{3}| \d)")
_BLANKS = re.compile("['\u2019\u2009\u202f\u00a0]")
_LETTERS = re.compile(r"[^\W\d_]+")
_THREE = 3
_COMMA = frozenset({"de", "es", "fr", "it", "nl", "pt", "ru"})  # languages that write 3,5
_POINT = frozenset({"en", "zh", "ja", "ko", "th", "hi", "he"})


class Number(NamedTuple):
    """What a numeral says.

    Attributes:
        value: Its value.
        step: Size of the last digit written; trailing zeros of a whole number are not counted.
        other: The value it has if its only separator means the other thing; None where that is ruled out.
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
        """ISO 639-1 code, or nothing; see `trail_callbacks.language.detect`."""
        return language(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its case-folded words. Most texts have none that a notation needs: that is found out once."""
        return frozenset(_LETTERS.findall(self.text.casefold()))

    @cached_property
    def custom(self) -> str:
        """The decimal mark that is usual in the language; nothing if that is unknown."""
        return "," if self.language in _COMMA else "." if self.language in _POINT else ""

    @cached_property
    def shown(self) -> str:
        """The decimal mark that other numbers of the text show; nothing where they show none, or both."""
        found = {mark for match in _MARKED.finditer(self.text) if (mark := _decimal(match[0]))}
        return found.pop() if len(found) == 1 else ""


def grouped(text: str, style: Style) -> str:
    """Joins thousands that a blank parts, sign for sign: `12 500`; in English only where the digits leave no doubt."""
    return _SPACED.sub(lambda match: _joined(match, style), text) if " " in text else text


def _joined(match: re.Match[str], style: Style) -> str:
    groups = match[0].split(" ")
    sure = any(group[0] == "0" for group in groups[1:]) and groups[0][0] != "0"
    return match[0].replace(" ", "\u202f") if sure or (style.custom == "," and groups[0][0] != "0") else match[0]


def number(numeral: str, style: Style) -> Number | None:
    """Reads a numeral as its text means it.

    One point or comma with three digits behind it is ambiguous. Other numbers of the text decide, where they agree with
    its language or that is unknown; then the language alone decides for a separator that it uses for thousands. What
    is left has two readings.

    Args:
        numeral: A match of `NUMERAL`.
        style: How its text writes numbers.

    Returns:
        The number, or None for a version or something like it.
    """
    bare = _BLANKS.sub("", numeral)
    marks = [sign for sign in bare if sign in ".,"]
    if len(marks) == 1:
        return _one_mark(bare, marks[0], style, sure=len(bare) != len(numeral))
    if not marks:
        return _whole(bare)
    point = marks[-1] if marks[-1] != marks[0] else ""
    whole, _, rest = bare.rpartition(point) if point else (bare, "", "")
    groups = re.split("[.,]", whole)
    if len(set(whole) & {".", ","}) != 1 or len(groups[-1]) != _THREE or len(groups[0]) > _THREE:
        return None
    return _fraction("".join(groups), rest) if point else _whole("".join(groups))


def _one_mark(bare: str, mark: str, style: Style, *, sure: bool) -> Number:
    before, _, after = bare.partition(mark)
    part = _fraction(before, after)
    if sure or len(after) != _THREE or len(before) > _THREE or before.startswith("0"):
        return part
    whole = _whole(before + after)
    if style.shown and style.custom in {"", style.shown}:
        return part if style.shown == mark else whole
    if not style.custom or style.shown:
        return whole._replace(other=part.value)
    return part._replace(other=whole.value) if style.custom == mark else whole


def _whole(digits: str) -> Number:
    return Number(float(digits), 10.0 ** (len(digits) - len(digits.rstrip("0")) if digits.strip("0") else 0))


def _fraction(whole: str, part: str) -> Number:
    return Number(float(f"{whole}.{part}"), 10.0 ** -len(part))


def _decimal(numeral: str) -> str:
    """The decimal mark that a numeral shows beyond doubt."""
    marks = [sign for sign in numeral if sign in ".,"]
    if not marks:
        return ""
    if len(marks) > 1:
        return marks[-1] if marks[-1] != marks[0] else "." if marks[0] == "," else ","
    before, _, after = numeral.partition(marks[0])
    return marks[0] if len(after) != _THREE or before.startswith("0") else ""
