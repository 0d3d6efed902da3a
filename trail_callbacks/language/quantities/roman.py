"""Roman numerals, and numbers that tell one chapter or war from the next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from trail_callbacks.language.quantities.quantity import Quantity
from trail_callbacks.language.quantities.units import NUMBER_WORDS
from trail_callbacks.language.terms import vocabulary

__all__ = ["ROMAN", "labels", "roman"]

ROMAN = r"(?=[MDCLXVI])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?![A-Za-z])"
"""A Roman numeral up to 3999, in capitals unless the pattern ignores case."""

_VALUES = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}
_LABELLED = sorted(
    vocabulary(
        """chapter part section volume vol book scene article appendix annex phase stage type class grade level tier
        schedule division episode season figure fig table step category factor kapitel teil band artikel abschnitt
        chapitre partie tome capítulo parte tomo capitolo hoofdstuk deel"""
    )
)
_SUFFIXED = ("World War", "Super Bowl", "Final Fantasy", "Apollo", "Vatican", "Rocky", "Gemini")


_HEAD_WORDS = frozenset(_LABELLED)
_SUFFIX_WORDS = frozenset(word for name in _SUFFIXED for word in name.casefold().split())
_OF_WARS = 3  # patterns that come first


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Compiles at first use, to keep the import of the package short."""
    words = "|".join(word for word in NUMBER_WORDS if word not in {"dozen", "hundred", "zero"})
    heads = "|".join(_LABELLED)
    return (
        re.compile(rf"\b(?P<label>{'|'.join(_SUFFIXED)})\s+(?P<roman>{ROMAN})"),
        re.compile(r"\b(?P<label>World\s+War)\s+(?P<number>[12]|(?i:one|two))\b(?![.,]\d)"),
        re.compile(r"\b(?P<ordinal>First|Second|1st|2nd)\s+(?P<label>World\s+War)\b", re.IGNORECASE),
        re.compile(rf"\b(?P<label>(?i:{heads}))\.?\s+(?P<roman>{ROMAN})"),
        re.compile(
            rf"\b(?P<label>{heads})\.?\s+(?P<number>\d{{1,3}}|{words})\b(?![.,:%/-]\d|\s*(?:%|percent|[-\u2013]\s?\d))",
            re.IGNORECASE,
        ),
    )


def roman(numeral: str) -> float:
    """Reads a Roman numeral; 0 if it is none."""
    values = [_VALUES.get(sign, 0) for sign in numeral.upper()]
    return float(sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True)))


def labels(text: str, words: frozenset[str]) -> Iterator[tuple[int, int, tuple[Quantity, ...]]]:
    """Finds numbers behind the word that they distinguish: `Chapter IV`, `World War II`, `Second World War`.

    Kings and popes are left alone: `Henry VIII` is a name.
    """
    war = not _SUFFIX_WORDS.isdisjoint(words)
    head = not _HEAD_WORDS.isdisjoint(words)
    for i, pattern in enumerate(_patterns()):
        if not (war if i < _OF_WARS else head):
            continue
        for match in pattern.finditer(text):
            groups = match.groupdict()
            group = next(name for name in ("roman", "number", "ordinal") if groups.get(name))
            value = _value(group, match[group].casefold())
            noun = match["label"].split()[-1].casefold()
            start, end = match.span(group)
            yield start, end, (Quantity(value, value, "label", noun, "exact", 0.0, start, end),)


def _value(group: str, written: str) -> float:
    if group == "roman":
        return roman(written)
    if group == "ordinal":
        return 1.0 if written in {"first", "1st"} else 2.0
    return float(written) if written.isdigit() else NUMBER_WORDS[written]
