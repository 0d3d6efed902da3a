"""English number words."""

from __future__ import annotations

import re

from trail_callbacks.language.quantities.units import NUMBER_WORDS

__all__ = ["LARGE", "SPELT", "WORDS", "spelt"]

WORDS = tuple(sorted(NUMBER_WORDS, key=len, reverse=True))
"""Words that a number may begin with."""

LARGE = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
"""Words that multiply all that stands before them."""
_BETWEEN = r"(?:[\s-]+and)?[\s-]+"
_NEXT = "|".join((*WORDS, *LARGE))
SPELT = rf"(?:(?:{'|'.join(WORDS)})(?:{_BETWEEN}(?:{_NEXT}))*|(?<=\ba\s)(?:{'|'.join(LARGE)}))"
"""A number in words, as a pattern without groups."""

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
