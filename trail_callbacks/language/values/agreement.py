"""When two values are the same: `40 minutes` and `2/3 hour`, `about 500` and 496, `Mueller` and `Müller`.

A quantity may round another, and never be more exact than it: `41` does not follow from 41.6, nor `41` from `about 40`.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import replace
from math import isclose

from trail_callbacks.language.terms import stem, vocabulary
from trail_callbacks.language.values.quantity import EXACT, Quantity
from trail_callbacks.language.values.scan import quantities

_HEDGED = 0.1  # how far `about 500` may be from the number it stands for
_CONVERTED = 0.01  # what is lost between units
_COMPOUND = frozenset({"time", "length", "mass", "volume"})
_BETWEEN = frozenset({"", "and", ",", "und", "et", "y", "e", "en", ", and"})


def follows(claimed: Quantity, given: Quantity) -> bool:
    """Tells whether a quantity follows from another: same kind, same value after conversion, rounding and bounds.

    Args:
        claimed: What is claimed. A coarser number follows from a finer one; `about` allows a tenth, units may lose a
            hundredth in conversion.
        given: What is known. Of a number with several readings (`1.000`, `03/04/2020`) any will do.
    """
    if (claimed.also or given.also) and not claimed.kind == given.kind == "year":
        return any(_follows(mine, its) for mine in claimed.readings for its in given.readings)
    return _follows(claimed, given)


def _follows(claimed: Quantity, given: Quantity) -> bool:
    if claimed.kind != given.kind:
        return _bare(claimed, given)
    a, b = claimed.value, given.value
    if isclose(a, b, rel_tol=1e-6, abs_tol=1e-12):
        return {claimed.bound, given.bound} != {"over", "under"}
    if claimed.kind in EXACT:
        return claimed.kind == "year" and _dated(claimed, given)
    rounded = claimed.step > given.step and abs(a - b) <= claimed.step / 2 and claimed.step <= abs(a) * _HEDGED
    converted = not _in_one_unit(claimed, given) and isclose(a, b, rel_tol=_CONVERTED)
    return rounded or converted or _bounded(claimed, given)


def _in_one_unit(claimed: Quantity, given: Quantity) -> bool:
    """Whether two numbers are written in one unit, so that nothing can be lost between units."""
    return isclose(claimed.raw * given.value, claimed.value * given.raw, rel_tol=1e-9)


def _bare(claimed: Quantity, given: Quantity) -> bool:
    """The same figures, once without a unit: `990` in a table, `990 euros` in the claim."""
    kinds = {claimed.kind, given.kind}
    if "count" not in kinds or kinds & {"year", "percent", "rank", "day", "month"}:
        return False
    unitless = claimed if claimed.kind == "count" else given
    return not unitless.noun and claimed.raw == given.raw


def _bounded(claimed: Quantity, given: Quantity) -> bool:
    """`about 500` follows from 496, `over 4` from 4.1, `under 10` from 9."""
    a, b = claimed.value, given.value
    if claimed.bound == "about":
        return abs(a - b) <= _HEDGED * max(abs(a), abs(b))
    other = claimed.noun and stem(claimed.noun) != stem(given.noun)  # any small number is under `19 passengers`
    if given.bound != "exact" or (claimed.kind == "count" and other):
        return False
    return (claimed.bound == "over" and b > a) or (claimed.bound == "under" and b < a)


def _dated(claimed: Quantity, given: Quantity) -> bool:
    """`about 1900` follows from 1901, `after 2000` from 2011, `the 1990s` from 1994."""
    if claimed.bound == "during" and claimed.within is not None:
        return claimed.within[0] <= given.value <= claimed.within[1] and given.bound != "during"
    if claimed.bound == "about":
        return abs(claimed.value - given.value) <= 1
    return _bounded(claimed, given)


def measures(text: str) -> list[Quantity]:
    """Finds the quantities of a text as `quantities` does, and joins the parts of one: `1 hour and 3 minutes`."""
    found: list[Quantity] = []
    for part in quantities(text):
        last = found[-1] if found else None
        if last is not None and _goes_on(last, part, text):
            factor = _factor(part)
            value = last.value + math.copysign(part.value, last.value)
            found[-1] = replace(last, raw=value / factor, value=value, step=part.step, end=part.end, also=())
        else:
            found.append(part)
    return found


def _factor(one: Quantity) -> float:
    """Base units in one of the unit that it is written in."""
    return one.value / one.raw if one.raw else 1.0


def _goes_on(one: Quantity, part: Quantity, text: str) -> bool:
    """Whether a quantity is a smaller part of the one before it: `1 h 3 min`, `5 ft 4 in`."""
    return (
        one.kind == part.kind
        and one.kind in _COMPOUND
        and _factor(part) < _factor(one)
        and one.raw == int(one.raw)
        and 0 < part.value < _factor(one)
        and one.within is part.within is None
        and text[one.end : part.start].strip() in _BETWEEN
    )


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
