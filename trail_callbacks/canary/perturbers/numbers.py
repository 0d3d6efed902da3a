"""Numbers and units: a fact gets another value or another unit in all its mentions, however they are written.

Factors are drawn, so that the real value cannot be had by halving or doubling the fictive one; sums and shares that
follow from a number are worked out anew. Where several passages state a number, two values make them disagree.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.facts.pages import PageFigure
from trail_callbacks.canary.facts.reading import Fact, FactReading, implausible
from trail_callbacks.canary.twin import Edit, EditKind, Replacement, Size
from trail_callbacks.language.terms import keys
from trail_callbacks.language.values import quantities

FACTORS: Mapping[Size, Sequence[tuple[float, float]]] = {
    "small": ((1.15, 1.45), (0.7, 0.87)),
    "medium": ((1.55, 1.88), (0.56, 0.68)),
    "large": ((3.0, 7.0), (0.13, 0.3)),
}
"""Ranges from which the factor of a size is drawn."""

_GUESSES = (1.0, 2.0, 0.5, 10.0, 0.1, 100.0, 0.01)
_NEAR = 0.06  # relative distance within which a factor is one of these
_SLACK = 0.06  # relative distance from its range that rounding may cost a factor
_TRIES = 24
_MANY = 24  # mentions; what is stated more often is no single fact
_YEARS = (1000, 2199)
_LEAST, _ALIKE = 2, 0.6  # words, and share of them, that sentences share which say the same beside a number

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
_LONGEST, _MOST = 24.0, 500  # of a larger unit of time, and of any: nobody says 5,000 months
_BESIDE = 4  # characters between the parts of `5 feet 8 inches`


def propose(reading: FactReading, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes another value for each number that states a fact.

    Not edited are: 0 and 1, whose noun would need another form; values that are stated so often that they are no single
    fact; fractions and shares in words; and what would contradict the text beside it.
    """
    for turn, fact in enumerate(rng.sample(reading.facts, len(reading.facts))):
        why = _unfit(fact, reading)
        edit = None if why else _edit(fact, reading, rng, sizes, turn)
        why = why or "no other value is plausible, new to the corpus, and can be written in all its places"
        yield edit or Skipped(f"{fact.named.page.id}: number {fact.named.words!r}", why)


def propose_inconsistent(reading: FactReading, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit]:
    """Proposes to change a number to one value in the first passage that states it, to another in the rest.

    Only what all passages say in much the same words can disagree: the same value said of different things is no
    contradiction. Passages are documents, or sentences where only one document states it.
    """
    for turn, fact in enumerate(rng.sample(reading.facts, len(reading.facts))):
        if len(fact.figures) == 1 or _unfit(fact, reading) or not _agree(fact):
            continue
        edit, other = (_edit(fact, reading, rng, sizes, turn) for _ in range(2))
        if edit is None or other is None or edit.fictive == other.fictive:
            continue
        if not len(edit.replacements) == len(other.replacements) == len(fact.figures):
            continue  # other numbers follow from it
        first = edit.replacements[0].document
        several = any(each.document != first for each in edit.replacements)
        mixed = tuple(
            one if (one.document == first if several else figure.line == fact.figures[0].line) else two
            for figure, one, two in zip(fact.figures, edit.replacements, other.replacements, strict=True)
        )
        forms = tuple(dict.fromkeys((*edit.forms, *other.forms)))
        yield replace(edit, kind="inconsistent", also=other.fictive, replacements=mixed, forms=forms)


def propose_units(reading: FactReading, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes another unit of the same dimension for numbers with a unit, in all mentions of the fact.

    Left alone are currencies, numbers from which others follow, ranges, compounds (`5 feet 8 inches`), and facts that
    are also stated in another unit or without one.
    """
    del sizes  # a unit has no scale
    found = [fact for fact in reading.facts if any(map(_unit, fact.figures))]
    for fact in rng.sample(found, len(found)):
        why = _no_other_unit(fact, reading)
        written = {} if why else {each: new for each in fact.figures if (new := _in_other_unit(each, reading))}
        read = {(each.kind, each.value) for new in written.values() for each in quantities(new)}
        if len(written) < len(fact.figures) or len(read) > 1:
            why = why or "no other unit is plausible, new to the corpus, and can be written in all its places"
            yield Skipped(f"{fact.named.page.id}: unit {fact.named.words!r}", why)
            continue
        places = {each: (each.start, each.quantity.end, new) for each, new in written.items()}
        pairs = {each: (each.page.text[start:end], new) for each, (start, end, new) in places.items()}
        yield _made("unit", None, places, pairs, fact)


def _agree(fact: Fact) -> bool:
    """Whether several sentences say the same beside a number that can be asked for."""
    lines = {(each.page, each.line) for each in fact.figures}
    if len(lines) == 1 or not fact.named.tells or any(each.row is not None for each in fact.figures):
        return False
    own = frozenset(keys(" ".join(each.words for each in fact.figures)))
    first, *others = [each.page.lines[each.line].keys - own for each in fact.figures]
    for other in others:
        numbers = [{key for key in each if key[0].isdigit()} for each in (first, other)]
        apart = all(numbers) and not numbers[0] & numbers[1]  # another number tells them apart
        few = len(first & other) < max(_LEAST, _ALIKE * min(len(first), len(other)))
        if apart or (few and first != other):
            return False
    return True


def _unfit(fact: Fact, reading: FactReading) -> str:
    if len(fact.figures) > _MANY:
        return f"a value that is stated more than {_MANY} times is no single fact"
    for figure in fact.figures:
        if figure.numeral is None:
            return "it is also written as a fraction, as a share, or so that it can be read in two ways"
        if figure.numeral.value in {0.0, 1.0}:
            return "the noun behind 0 or 1 would need another form"
        if figure.quantity.kind == "percent" and figure.quantity.value == 100:  # noqa: PLR2004 - the whole
            return "100 % is the whole of anything"
    if why := next((each.why for each in reading.relations(fact.figures) if each.rule == "fixed"), ""):
        return why
    derived = any(map(reading.is_derived, fact.figures))
    return "it follows from numbers beside it, and changes with them" if derived else ""


def _edit(fact: Fact, reading: FactReading, rng: random.Random, sizes: Sequence[Size], turn: int) -> Edit | None:
    """The first candidate that fits everywhere, of the size whose turn it is or another one."""
    named, has = fact.named, reading.stated.has
    assert named.numeral is not None  # noqa: S101 - asked before
    for size in (sizes[(turn + i) % len(sizes)] for i in range(len(sizes))):
        for _ in range(_TRIES):
            low, high = rng.choice(FACTORS[size])
            grain = named.numeral.grain
            factor = round(named.value * rng.uniform(low, high) / grain) * grain / named.value
            if not (low * (1 - _SLACK) <= factor <= high * (1 + _SLACK)) or guessable(factor):
                continue
            if any(has(each.quantity.kind, each.value * factor, each.noun, each.page) for each in fact.figures):
                continue
            values = reading.changed(fact, factor) or {}
            written = {each: words for each, new in values.items() if (words := _written(each, new))}
            if values and len(written) == len(values):
                numerals = {each: each.numeral for each in written if each.numeral}
                places = {each: (of.start, of.end, written[each]) for each, of in numerals.items()}
                pairs = {each: (each.words, each.written(written[each])) for each in fact.figures}
                return _made("number", size, places, pairs, fact)
    return None


def guessable(factor: float) -> bool:
    """Whether the real value can be had from the fictive one by a guess: halved, doubled, times ten."""
    return any(abs(factor / guess - 1) < _NEAR for guess in _GUESSES)


def _written(figure: PageFigure, value: float) -> str | None:
    """The numeral of a figure with a new value; None if nobody would believe it, or it would read as something else."""
    numeral = figure.numeral
    new = numeral.write(value) if numeral else None
    if numeral is None or new in {None, "1", "0", "one"} or implausible(figure.quantity, value):
        return None
    is_year = figure.quantity.kind == "count" and new.isdecimal() and _YEARS[0] <= value / numeral.factor <= _YEARS[1]
    return None if is_year else new


def _made(
    kind: EditKind,
    size: Size | None,
    places: Mapping[PageFigure, tuple[int, int, str]],
    words: Mapping[PageFigure, tuple[str, str]],
    fact: Fact,
) -> Edit:
    """The edit that puts new words at places of figures; `words` are those of the fact, before and after."""
    made: list[Replacement] = []
    repairs: list[int] = []
    for figure, (start, end, new) in sorted(places.items(), key=lambda each: (each[0].page.number, each[0].start)):
        if (old := figure.page.text[start:end]) != new:
            repairs += [] if figure in words else [len(made)]
            made.append(Replacement(figure.page.id, start, end, old, new))
    real, fictive = words[fact.named]
    forms = dict.fromkeys(pair for pair in words.values() if pair != (real, fictive))
    return Edit(
        id="", kind=kind, size=size, real=real, fictive=fictive, replacements=tuple(made), repairs=tuple(repairs),
        forms=tuple(forms),
    )  # fmt: skip


def _unit(figure: PageFigure) -> re.Match[str] | None:
    """The unit of a figure where it stands."""
    quantity, numeral, text = figure.quantity, figure.numeral, figure.page.text
    if quantity.kind == "count" or numeral is None:
        return None
    return _UNIT.search(text, numeral.end, quantity.end) or _UNIT.search(text, figure.start, numeral.start)


def _no_other_unit(fact: Fact, reading: FactReading) -> str:
    if not all(map(_unit, fact.figures)) or len({f"{each.quantity.raw:.9g}" for each in fact.figures}) > 1:
        return "it is also stated in another unit, or without one"
    if reading.relations(fact.figures):
        return "other numbers follow from it, or it is the end of a range"
    if fact.named.quantity.raw == 1:
        return "its unit stands in the singular, behind 1"
    for figures, start in ((each.page.figures, each.start) for each in fact.figures):
        at = bisect_left(figures, start, key=lambda each: each.start)
        for one, other in pairwise(figures[max(0, at - 1) : at + 2]):
            if one.quantity.kind == other.quantity.kind and other.start - one.quantity.end <= _BESIDE:
                return "it is a part of a compound or a pair"
    return ""


def _in_other_unit(figure: PageFigure, reading: FactReading) -> str | None:
    """A figure in another unit; None if there is none, its value stands somewhere, or nobody would believe it."""
    unit, text, quantity = _unit(figure), figure.page.text, figure.quantity
    if unit is None:
        return None
    words = text[figure.start : unit.start()] + _SWAPS[unit[0]] + text[unit.end() : quantity.end]
    found, *others = quantities(words) or [quantity]
    if others or abs(found.raw - quantity.raw) > 1e-9 * abs(quantity.raw) or "/" in found.kind or found.kind == "count":
        return None
    if found.kind == "time" and (found.raw >= _MOST or (found.value > quantity.value and found.raw > _LONGEST)):
        return None
    known = reading.stated.has(found.kind, found.value, "", figure.page)
    return None if known or (found.kind == quantity.kind and implausible(quantity, found.value)) else words
