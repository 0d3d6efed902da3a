"""Digits as they should have been written: of any script, without invisible signs and letters that look like them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["plain"]

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_FANCY = re.compile(
    "[\uff05\uff0b-\uff0f\uff10-\uff1a\uff04\uffe5\uffe1"  # fullwidth
    "\u066a-\u066c\u2010-\u2012\ufe63"  # Arabic marks, hyphens
    "\u2460-\u2468\U0001d7ce-\U0001d7ff]"  # circled and mathematical digits
)
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_SAME = {"\u066a": "%", "\u066b": ",", "\u066c": "\u202f", "\u2010": "-", "\u2011": "-", "\u2012": "-"}
# Latin O and Cyrillic, Greek, Armenian signs like it, in a word of digits; l and I between digits, or ahead of two.
_ROUND = re.compile(
    "(?<![^\\W_])[0-9][0-9O\u041e\u043e\u039f\u03bf\u0555]*[O\u041e\u043e\u039f\u03bf\u0555][0-9]*(?![^\\W_])"
)
_STROKE = re.compile("(?<=[0-9])[lI\u0406\u0456](?=[0-9])|(?<![^\\W_])[lI\u0406](?=[0-9]{2}[0-9]*(?![^\\W_]))")
_NO_ZERO = re.compile("[O\u041e\u043e\u039f\u03bf\u0555]")


def plain(text: str) -> tuple[str, tuple[int, ...] | None]:
    """Writes the digits of a text in ASCII.

    Args:
        text: Any text.

    Returns:
        The text, and the offset of each of its signs in the original; None where offsets are the same.
    """
    places = None
    if not text.isascii():
        if _INVISIBLE.search(text):
            places = tuple(i for i, sign in enumerate(text) if not _INVISIBLE.match(sign))
            text = "".join(map(text.__getitem__, places))
            places = (*places, places[-1] + 1 if places else 0)
        text = _FANCY.sub(_ascii, text)
        text = _OTHER_DIGIT.sub(_ascii, text)
    if "O" in text or not text.isascii():
        text = _ROUND.sub(lambda match: _NO_ZERO.sub("0", match[0]), text)
    return _STROKE.sub("1", text), places


def _ascii(match: re.Match[str]) -> str:
    return _one(match[0])


@lru_cache(maxsize=1024)
def _one(sign: str) -> str:
    if sign in _SAME:
        return _SAME[sign]
    digit = unicodedata.digit(sign, None)
    return unicodedata.normalize("NFKC", sign) if digit is None else str(digit)
