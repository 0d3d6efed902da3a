"""Whether a number of a claim follows from one of a passage, and whether it names a thing instead of counting."""

from __future__ import annotations

import re
from math import isclose

from trail_callbacks.judges.local.reading import Reading
from trail_callbacks.language.quantities import EXACT, Quantity
from trail_callbacks.language.terms import stem, vocabulary

__all__ = ["equal", "is_about_another", "is_label"]

_HEDGED = 0.1  # how far `about 500` may be from the number it stands for
_CONVERTED = 0.01  # what is lost between units
_WORD = 24  # characters before a number in which its label stands
_BEHIND = re.compile(r"([^\W\d_]+)[ \u00a0-]$")
_LABELS = vocabulary(
    """passage step source document doc chunk snippet page chapter section figure fig table method option item tip note
    question answer part reason paragraph line article appendix footnote result reference level no nr number
    lot room track version volume"""
)
_BIG = 1000.0  # a count from here on is no label


def is_about_another(claim: Reading, passage: Reading) -> bool:
    """Whether a passage is about another one of several things that are numbered: `lot 3` and `lot 4`."""
    mine, its = _labels(claim), _labels(passage)
    return any(word in its and not values & its[word] for word, values in mine.items())


def _labels(reading: Reading) -> dict[str, set[float]]:
    """The numbers of labels, by the word in front."""
    found: dict[str, set[float]] = {}
    for quantity in reading.quantities:
        match = _BEHIND.search(reading.text[max(0, quantity.start - _WORD) : quantity.start])
        if match is not None and is_label(quantity, reading):
            found.setdefault(match[1].casefold(), set()).add(quantity.value)
    return found


def is_label(quantity: Quantity, reading: Reading) -> bool:
    """Tells whether a number names what it stands behind: `step 4`, `[2]`, `Windows 10`, `Article 5`."""
    before = reading.text[max(0, quantity.start - _WORD) : quantity.start]
    if before.endswith(("[", "(", "#")) and reading.text[quantity.end : quantity.end + 1] in {"]", ")"}:
        return True
    match = _BEHIND.search(before)
    if match is None or quantity.bound != "exact" or quantity.kind not in {"count", "rank", "year"}:
        return False
    word = match[1]
    if word.casefold().removesuffix("s") in _LABELS:
        return True
    plain = quantity.kind == "count" and not quantity.noun and quantity.value < _BIG
    named = word[0].isupper() and reading.text[quantity.start].isdigit()
    return plain and named and all(term.kind != "function" for term in reading.terms if term.form == word.casefold())


def equal(claimed: Quantity, given: Quantity) -> bool:
    """Tells whether a claimed value follows from a given one: same kind, same value after rounding and bounds.

    Of a number with several readings (`1.000`, `03/04/2020`) any will do. A coarser number follows from a finer one
    (`12,000` from 12,340), `about` allows a tenth, units may lose a hundredth in conversion.
    """
    if (claimed.also or given.also) and not claimed.kind == given.kind == "year":
        return any(_equal(mine, its) for mine in claimed.readings for its in given.readings)
    return _equal(claimed, given)


def _equal(claimed: Quantity, given: Quantity) -> bool:
    if claimed.kind != given.kind:
        return _bare(claimed, given)
    a, b = claimed.value, given.value
    if isclose(a, b, rel_tol=1e-6, abs_tol=1e-12):
        return {claimed.bound, given.bound} != {"over", "under"}
    if claimed.kind in EXACT:
        return claimed.kind == "year" and _dated(claimed, given)
    rounded = claimed.step > given.step and abs(a - b) <= claimed.step / 2 and claimed.step <= abs(a) * _HEDGED
    one_unit = isclose(claimed.raw * given.value, claimed.value * given.raw, rel_tol=1e-9)  # then nothing can be lost
    converted = not one_unit and isclose(a, b, rel_tol=_CONVERTED)
    return rounded or converted or _bounded(claimed, given)


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
