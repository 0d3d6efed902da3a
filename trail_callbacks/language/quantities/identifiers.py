"""Digits that name and do not count: telephone numbers, ISBNs, addresses, order numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b

from trail_callbacks.language.quantities.quantity import Quantity
from trail_callbacks.language.terms import vocabulary

__all__ = ["identifiers", "skipped"]

_KEPT = re.compile(r"[\dxX]")
_PLAIN = 15  # digits that a float holds exactly


_CUES = vocabulary(
    """isbn issn tel telephone phone fax id no nr number order invoice ticket account ref reference case serial customer
    employee issue bug patent postcode zip code"""
)
_BOOK = re.compile(r"\bISB?S?N(?:-1[03])?:?\s{0,3}(?P<id>\d[\d -]{6,16}[\dX])\b", re.IGNORECASE)
_NAMED = re.compile(
    rf"\b(?:{'|'.join(sorted(_CUES))})\b[.:]?\s?\#?(?P<id>0\d{{2,24}}|\d{{5,24}}|\d{{2,12}}(?:-\d{{2,12}}){{1,6}})(?![\w%]|[.,]\d)",
    re.IGNORECASE,
)
_DIGITS = re.compile(
    r"(?<![\w.,+'\u2019\u2009\u202f\u00a0/:-])(?:(?P<zeros>0\d{2,24})(?![\w:/%]|[.,]\d)"
    r"|(?P<card>\d{4}(?:[ -]\d{4}){3})(?![\w-])|(?P<long>\d{13,})(?![.,]?\d)"
    r"|(?P<phone>(?:1-)?\d{3}-\d{3}-\d{4})(?![\w-]))"
)
_PHONE = re.compile(r"(?<![\w.+])(?P<id>\+\d{1,3}[ ()./-]{0,3}\d[\d ()./-]{5,18}\d|\(\d{3}\) ?\d{3}[ -]\d{4})(?![\w-])")
_HASH = re.compile(r"(?<![\w&])#(?P<id>\d{1,24})\b")


_SKIPPED = re.compile(
    r"(?:https?|ftp)://[^\s<>\"')\]]{1,2000}|\bwww\.[^\s<>\"')\]]{1,2000}|\bdoi:\s?10\.\d{4,9}/[^\s<>\"']{1,200}"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"
    r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|(?<![\w.])(?!\d{1,3}(?:\.\d{3}){3})\d{1,3}(?:\.\d{1,3}){3}(?![\w.]|,\d)"
    r"|(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{60,}={0,2}",  # base64
    re.IGNORECASE,
)


def identifiers(text: str, words: frozenset[str]) -> Iterator[Quantity]:
    """Finds numbers that only tell one thing from others; two are equal if all their digits are.

    Args:
        text: The text.
        words: Its case-folded words.
    """
    asked = [_DIGITS]
    asked += [_BOOK, _NAMED] if words & _CUES else []
    asked += [_PHONE] if "+" in text or "(" in text else []
    asked += [_HASH] if "#" in text else []
    for pattern in asked:
        for match in pattern.finditer(text):
            group = match.lastgroup or ""
            value = _value("".join(_KEPT.findall(match[group])).casefold())
            yield Quantity(value, value, "id", "", "exact", 0.0, match.start(group), match.end(group))


def skipped(text: str) -> Iterator[tuple[int, int]]:
    """Finds what has digits without any meaning as numbers: links, mail addresses, keys, encoded bytes."""
    if "://" in text or "www." in text or "@" in text or _DENSE.search(text):
        yield from (match.span() for match in _SKIPPED.finditer(text))


_DENSE = re.compile(r"[A-Za-z0-9+/]{60}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-|\d\.\d{1,3}\.\d{1,3}\.\d|doi:", re.IGNORECASE)


def _value(digits: str) -> float:
    if len(digits) <= _PLAIN and digits.isdigit():
        return float(digits)
    return float(int.from_bytes(blake2b(digits.encode(), digest_size=6).digest(), "big"))
