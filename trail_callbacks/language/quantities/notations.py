"""Numbers that are written otherwise than as one numeral: fractions, powers of ten, words of other languages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from trail_callbacks.language.quantities.numeral import NUMERAL, Style, number
from trail_callbacks.language.quantities.units import MAGNITUDES
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.text import encodable

__all__ = ["Written", "written"]

_HALVES = "".join(chr(code) for code in (0xBC, 0xBD, 0xBE, *range(0x2150, 0x215F), 0x2189))
_SIGN = r"(?P<sign>(?<![\w)])[-\u2212])?"
_PARTS = frozenset({2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 25, 32, 50, 64, 100, 1000})
_FRACTION = re.compile(
    rf"{_SIGN}(?<![\w./,])(?:(?P<whole>\d{{1,4}})\s?)?(?:(?P<sign_like>[{_HALVES}])"
    r"|(?<![\d/])(?P<over>\d{1,3})\s?[/\u2044]\s?(?P<under>\d{1,4}))(?![\w/]|[.,]\d)"
)
_SUPER = {ord(sign): str(i) for i, sign in enumerate("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")}
_SUPER |= {ord("\u207a"): "+", ord("\u207b"): "-"}
_POWER = re.compile(
    rf"{_SIGN}(?<![\w.])(?:(?P<factor>{NUMERAL})\s?(?:[\u00d7x*\u00b7]|\\times|\\cdot)\s?)?10"
    r"(?:\s?\^\s?\{?\s?(?P<plain>[-+\u2212]?\d{1,3})\}?|(?P<super>[\u207a\u207b]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{1,3}))(?!\w)"
    rf"|(?P<minus>(?<![\w)])[-\u2212])?(?<![\w.])(?P<mantissa>\d+(?:\.\d+)?)[eE](?P<exponent>[-+]?\d{{1,3}})(?![\w.])",
)
_EXPONENT = re.compile(r"\d[eE][-+]?\d")
_LARGEST = 300  # exponents that a float holds
_EAST = {
    "\u5341": 1e1, "\u767e": 1e2, "\u5343": 1e3, "\u4e07": 1e4, "\u842c": 1e4, "\u5104": 1e8, "\u4ebf": 1e8,
    "\u5146": 1e12, "\ub9cc": 1e4, "\uc5b5": 1e8,
}  # fmt: skip
_EASTERN = re.compile(
    rf"(?<![\w.,])?(?P<number>{NUMERAL})\s?(?P<scale>[{''.join(_EAST)}]{{1,2}})(?:(?P<rest>{NUMERAL})(?P<less>[{''.join(_EAST)}]))?"
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|\S")
_SPELT = frozenset({"de", "es", "fr", "it", "nl", "pt"})
_ARTICLES = vocabulary(
    """ein eine einen einem einer eines eins un une uno una um uma unos unas uns umas een één sei neuf second elf mil
    cent mille mila"""
)  # by themselves they are articles or other words more often than numbers


class Written(NamedTuple):
    """A number before its unit is read.

    Attributes:
        value: Its value.
        step: Size of the last digit written; 0 for words and fractions.
        start: Offset.
        end: Offset after it.
        is_share: Whether without a unit it is a part of something: `2/3`.
    """

    value: float
    step: float
    start: int
    end: int
    is_share: bool = False


def written(text: str, style: Style) -> Iterator[Written]:
    """Finds numbers in notations of their own."""
    if "/" in text or not text.isascii():
        yield from _fractions(text)
    if "10" in text or _EXPONENT.search(text):
        yield from _powers(text, style)
    if not text.isascii():
        yield from _eastern(text, style)
    if style.language in _SPELT:
        yield from _spelt(text, style.language)


def _fractions(text: str) -> Iterator[Written]:
    for match in _FRACTION.finditer(text):
        if match["sign_like"]:
            share = unicodedata.numeric(match["sign_like"])
        elif int(match["under"]) in _PARTS and int(match["over"]) < int(match["under"]):
            share = int(match["over"]) / int(match["under"])
        else:
            continue  # 24/7, 9/11
        value = (float(match["whole"] or 0) + share) * (-1 if match["sign"] else 1)
        yield Written(value, 0.0, *match.span(), is_share=not match["whole"])


def _powers(text: str, style: Style) -> Iterator[Written]:
    for match in _POWER.finditer(text):
        if match["mantissa"]:
            factor, exponent = number(match["mantissa"], style), match["exponent"]
        else:
            factor = number(match["factor"] or "1", style)
            exponent = match["plain"] or match["super"].translate(_SUPER)
        power = int(exponent.replace("\u2212", "-"))
        if factor is None or abs(power) > _LARGEST or len(match[0]) > _LARGEST:
            continue
        sign = -1 if match["sign"] or match["minus"] else 1
        yield Written(sign * factor.value * 10.0**power, factor.step * 10.0**power, *match.span())


def _eastern(text: str, style: Style) -> Iterator[Written]:
    """`120\u4e07` and `1\u51443000\u4ebf`: Chinese, Japanese and Korean count in ten thousands."""
    for match in _EASTERN.finditer(text):
        first = number(match["number"], style)
        rest = number(match["rest"], style) if match["rest"] else None
        if first is None or len(match[0]) > _LARGEST:
            continue
        scale = 1.0
        for sign in match["scale"]:
            scale *= _EAST[sign]
        value = first.value * scale + (rest.value * _EAST[match["less"]] if rest else 0.0)
        yield Written(value, first.step * scale, match.start(), match.end())


def _spelt(text: str, language: str) -> Iterator[Written]:
    """Number words, as text2num reads them; installed where it has a wheel."""
    try:
        from text_to_num import find_numbers  # noqa: PLC0415 - English texts do without it
    except ImportError:
        return
    words = list(_WORD.finditer(encodable(text)))
    for found in find_numbers([_Token(match[0]) for match in words], language, 0.0):
        first, last = words[found.start], words[found.end - 1]
        alone = text[first.start() : last.end()].casefold()
        if found.is_ordinal or alone in _ARTICLES or alone in MAGNITUDES:
            continue
        if not any(sign.isdigit() for sign in alone):
            yield Written(found.value, 0.0, first.start(), last.end())


class _Token:
    """A word as text2num asks for it."""

    __slots__ = ("_word",)

    def __init__(self, word: str) -> None:
        self._word = word

    def text(self) -> str:
        return self._word

    def nt_separated(self, _: object) -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return False
