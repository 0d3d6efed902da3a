"""Words of names as values: `Solvang's`, `SOLVANG` and `Mueller` for `Müller` are the same name, and so is a slip."""

from __future__ import annotations

import re
import unicodedata

from trail_callbacks.language.terms import vocabulary

__all__ = ["folded", "is_same_name"]

_LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i"}
)
_CYRILLIC = "a b v g d e zh z i i k l m n o p r s t u f kh ts ch sh shch _ y _ e yu ya"
_LETTERS |= {0x430 + i: written.strip("_") for i, written in enumerate(_CYRILLIC.split())}
_UMLAUT = re.compile(r"(?<=[aou])e(?![aeiou])")  # `Mueller` for `Müller`
_POSSESSIVE = re.compile(r"['\u2019]s?$")
_PLURAL = frozenset({"s", "es"})
_ENDINGS = _PLURAL | vocabulary("a e i o u y em om ie owi ow ego emu im ami ach n en in")
_ENDINGS |= vocabulary("\u0430 \u0443 \u0435 \u044b \u0438 \u043e\u043c \u0435\u043c \u043e\u0439 \u044f \u044e")
_LONGEST_ENDING = 3
_LONG, _LONGER = 6, 10  # letters of a name in which one slip is forgiven, and two
_LONGEST = 100  # letters of a name in which slips are looked for: comparing takes their square
_STEM = 4  # letters that a word has before endings count


def folded(word: str) -> str:
    """Writes a word in small Latin letters, as far as it can be, without diacritics and possessive ending."""
    low = unicodedata.normalize("NFKD", word.casefold().translate(_LETTERS))
    low = "".join(c for c in low if not unicodedata.combining(c) or "\u0900" <= c <= "\u097f")
    if low[:1] == "v" and low[1:2].isdigit():  # `v4.2.1`
        return low[1:]
    return _POSSESSIVE.sub("", low)


def is_same_name(said: str, meant: str) -> bool:
    """Tells whether two folded words are one name, but for an ending of case or plural, or a slip in a long one."""
    if said == meant or _UMLAUT.sub("", said) == _UMLAUT.sub("", meant):
        return True
    if len(meant) < _STEM or not said or said[0] != meant[0] or abs(len(said) - len(meant)) > _LONGEST_ENDING:
        return False
    if said.startswith(meant):
        return said[len(meant) :] in (_ENDINGS if len(meant) > _STEM else _PLURAL)
    stem = meant[:-1] if meant[-1] in "aeoy\u0430" else meant
    if len(stem) > _STEM and stem != meant and said.startswith(stem) and said[len(stem) :] in _ENDINGS:
        return True
    return _LONG <= len(meant) <= _LONGEST and _slips(said, meant) <= (2 if len(meant) >= _LONGER else 1)


def _slips(one: str, other: str) -> int:
    """Letters inserted, left out, replaced or swapped with the next."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
