"""Units: the number stays, what it is of changes: 40 km become 40 miles."""

from __future__ import annotations

import random
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.facts.pages import PageFigure
from trail_callbacks.canary.facts.reading import Fact, FactReading, implausible
from trail_callbacks.canary.twin import Edit, Replacement, Size
from trail_callbacks.language.values import quantities

_PAIRS = """km mi|kilometre mile|kilometres miles|kilometer mile|kilometers miles|m ft|metre foot|metres feet|meter foot
|meters feet|yd m|yard metre|yards metres|cm mm|centimetres inches|centimeters inches|inch centimetre|kg lb
|kilograms grams|g oz|grams ounces|gram ounce|litre gallon|litres gallons|liters gallons|hectare acre|hectares acres
|s min|second minute|seconds minutes|min h|minute hour|minutes hours|hour day|hours days|day week|days weeks|week month
|weeks months|month year|months years|km/h mph|°C °F|MB GB|gigabytes megabytes|kW MW
|Kilometer Meilen|Minuten Sekunden|Stunden Minuten|Tage Wochen|Monate Jahre"""
_LISTED = [(one, other) for one, other in map(str.split, reversed(_PAIRS.split("|")))]  # the first counts
_SWAPS = {other: one for one, other in _LISTED} | dict(_LISTED)
"""What stands in the place of a unit: another of its dimension, at most some 60 times as large."""
_UNIT = re.compile("|".join(rf"(?<![^\W\d]){re.escape(each)}(?!\w)" for each in sorted(_SWAPS, key=len, reverse=True)))
_MOST, _MANY = 24.0, 500  # of a larger unit of time, and of any: nobody says 5,000 months
_BESIDE = 4  # characters between the parts of `5 feet 8 inches`


def propose(
    reading: FactReading,
    rng: random.Random,
    sizes: Sequence[Size],  # noqa: ARG001 - a unit has no scale
) -> Iterator[Edit | Skipped]:
    """Proposes another unit of the same dimension for numbers with a unit, in all mentions of the fact.

    Left alone are currencies, numbers from which others follow, ranges, compounds (`5 feet 8 inches`), and facts that
    are also stated in another unit or without one.
    """
    found = [fact for fact in reading.facts if any(map(_unit, fact.figures))]
    for fact in rng.sample(found, len(found)):
        why = _unfit(fact, reading)
        edit = None if why else _edit(fact, reading)
        why = why or "no other unit is plausible, new to the corpus, and can be written in all its places"
        yield edit or Skipped(f"{fact.named.page.id}: unit {fact.named.words!r}", why)


def _unit(figure: PageFigure) -> re.Match[str] | None:
    """The unit of a figure where it stands."""
    quantity, numeral, text = figure.quantity, figure.numeral, figure.page.text
    if quantity.kind == "count" or numeral is None:
        return None
    return _UNIT.search(text, numeral.end, quantity.end) or _UNIT.search(text, figure.start, numeral.start)


def _unfit(fact: Fact, reading: FactReading) -> str:
    if not all(map(_unit, fact.figures)) or len({f"{each.quantity.raw:.9g}" for each in fact.figures}) > 1:
        return "it is also stated in another unit, or without one"
    if reading.relations(fact.figures):
        return "other numbers follow from it, or it is the end of a range"
    for figure in fact.figures:
        page = figure.page
        if figure.numeral is None or figure.numeral.value == 1:
            return "its unit stands in the singular, behind 1"
        at = bisect_left(page.figures, figure.start, key=lambda each: each.start)
        for one, other in pairwise(page.figures[max(0, at - 1) : at + 2]):
            if one.quantity.kind == other.quantity.kind and other.start - one.quantity.end <= _BESIDE:
                return "it is a part of a compound or a pair"
    return ""


def _edit(fact: Fact, reading: FactReading) -> Edit | None:
    """The other unit, if it can be written and believed in all places."""
    written = {each: new for each in fact.figures if (new := _written(each, reading))}
    kinds = {(read.kind, read.value) for new in written.values() for read in quantities(new)}
    if len(written) < len(fact.figures) or len(kinds) > 1:
        return None
    places = tuple(
        Replacement(each.page.id, each.start, each.quantity.end, _words(each), new) for each, new in written.items()
    )
    real, fictive = _words(fact.named), written[fact.named]
    forms = dict.fromkeys((place.old, place.new) for place in places if place.old != real)
    return Edit(id="", kind="unit", real=real, fictive=fictive, replacements=places, forms=tuple(forms))


def _words(figure: PageFigure) -> str:
    return figure.page.text[figure.start : figure.quantity.end]


def _written(figure: PageFigure, reading: FactReading) -> str | None:
    """A figure in another unit; None if there is none, its value stands somewhere, or nobody would believe it."""
    unit, text, quantity = _unit(figure), figure.page.text, figure.quantity
    if unit is None:
        return None
    words = text[figure.start : unit.start()] + _SWAPS[unit[0]] + text[unit.end() : quantity.end]
    read = quantities(words)
    if len(read) != 1 or abs(read[0].raw - quantity.raw) > 1e-9 * abs(quantity.raw):
        return None
    found = read[0]
    if "/" in found.kind or found.kind == "count" or reading.stated.has(found.kind, found.value, "", figure.page):
        return None
    if found.kind == "time" and (found.raw >= _MANY or (found.value > quantity.value and found.raw > _MOST)):
        return None
    return None if found.kind == quantity.kind and implausible(quantity, found.value) else words
