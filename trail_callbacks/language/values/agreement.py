"""When two quantities are the same: `40 minutes` and `2/3 hour`, `about 500` and 496, `3.1 million` and 3,090,000.

A quantity may round another, and never be more exact than it: `41` does not follow from 41.6, nor `41` from `about 40`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from math import isclose

from trail_callbacks.language.terms import stem
from trail_callbacks.language.values.quantity import EXACT, Quantity
from trail_callbacks.language.values.scan import quantities

__all__ = ["follows", "measures"]

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
