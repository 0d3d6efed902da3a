"""Numbers: the same fact gets another value in all its mentions, however they are written.

Factors are drawn, so that the real value cannot be had by halving or doubling the fictive one; sums, shares and
products that follow from a number are worked out anew. Where several passages state a number, two values make them
disagree.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.facts.pages import PageFigure
from trail_callbacks.canary.facts.reading import Fact, FactReading, implausible
from trail_callbacks.canary.twin import Edit, Replacement, Size
from trail_callbacks.language.terms import keys

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


def propose(reading: FactReading, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes another value for each number that states a fact.

    Not edited are: 0 and 1, whose noun would need another form; values that are stated so often that they are no single
    fact; fractions and shares in words; and what would contradict the text beside it.
    """
    for turn, fact in enumerate(rng.sample(reading.facts, len(reading.facts))):
        why = _unfit(fact, reading)
        edit = None if why else _edit(fact, reading, rng, sizes, turn)
        named = fact.named
        why = why or "no other value is plausible, new to the corpus, and can be written in all its places"
        yield edit or Skipped(f"{named.page.id}: number {named.words!r}", why)


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
        first = edit.replacements[0]
        several = any(each.document != first.document for each in edit.replacements)
        line = fact.figures[0].line
        mixed = tuple(
            one if (one.document == first.document if several else figure.line == line) else two
            for figure, one, two in zip(fact.figures, edit.replacements, other.replacements, strict=True)
        )
        forms = tuple(dict.fromkeys((*edit.forms, *other.forms)))
        yield replace(edit, kind="inconsistent", also=other.fictive, replacements=mixed, forms=forms)


def _agree(fact: Fact) -> bool:
    """Whether several sentences say the same beside a number that can be asked for."""
    lines = {(each.page, each.line) for each in fact.figures}
    if len(lines) == 1 or not fact.named.tells or any(each.row is not None for each in fact.figures):
        return False
    own = frozenset(keys(" ".join(each.words for each in fact.figures)))
    first, *others = [each.page.lines[each.line].keys - own for each in fact.figures]
    for other in others:
        numbers = [{key for key in each if key[0].isdigit()} for each in (first, other)]
        if all(numbers) and not numbers[0] & numbers[1]:
            return False  # another number tells them apart
        if first != other and len(first & other) < max(_LEAST, _ALIKE * min(len(first), len(other))):
            return False
    return True


def _unfit(fact: Fact, reading: FactReading) -> str:
    if len(fact.figures) > _MANY:
        return f"a value that is stated more than {_MANY} times is no single fact"
    fixed = (each.why for each in reading.relations(fact.figures) if each.rule == "fixed")
    if why := next((why for each in fact.figures if (why := _fixed(each))), next(fixed, "")):
        return why
    derived = any(map(reading.is_derived, fact.figures))
    return "it follows from numbers beside it, and changes with them" if derived else ""


def _fixed(figure: PageFigure) -> str:
    """Why the value of a mention cannot be another one; empty if it can."""
    quantity, numeral = figure.quantity, figure.numeral
    if numeral is None:
        return "it is also written as a fraction, as a share, or so that it can be read in two ways"
    if numeral.value in {0.0, 1.0}:
        return "the noun behind 0 or 1 would need another form"
    is_all = quantity.kind == "percent" and quantity.value == 100  # noqa: PLR2004 - the whole
    return "100 % is the whole of anything" if is_all else ""


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
            values = reading.changed(fact, factor)
            written = {each: words for each, new in (values or {}).items() if (words := _written(each, new))}
            if values and len(written) == len(values):
                return _made(fact, size, written)
    return None


def guessable(factor: float) -> bool:
    """Whether the real value can be had from the fictive one by a guess: halved, doubled, times ten."""
    return any(abs(factor / guess - 1) < _NEAR for guess in _GUESSES)


def _written(figure: PageFigure, value: float) -> str | None:
    """The numeral of a figure with a new value; None if nobody would believe it, or it would read as something else."""
    numeral, text = figure.numeral, figure.page.text
    new = numeral.write(value) if numeral else None
    if numeral is None or new in {None, "1", "0", "one"} or implausible(figure.quantity, value):
        return None
    article = re.search(r"\ban? $", text[max(0, numeral.start - 4) : numeral.start], re.IGNORECASE)
    if article and _vowel(text[numeral.start : numeral.end]) != _vowel(new):
        return None
    is_year = figure.quantity.kind == "count" and new.isdecimal() and _YEARS[0] <= value / numeral.factor <= _YEARS[1]
    return None if is_year else new


def _vowel(written: str) -> bool:
    """Whether `an` stands before it."""
    return re.match(r"8|1[18](?!\d)|[aeiou](?!ne)", written, re.IGNORECASE) is not None


def _made(fact: Fact, size: Size, written: Mapping[PageFigure, str]) -> Edit:
    places: list[Replacement] = []
    repairs: list[int] = []
    for figure, new in sorted(written.items(), key=lambda each: (each[0].page.number, each[0].start)):
        numeral = figure.numeral
        old = figure.page.text[numeral.start : numeral.end] if numeral else ""
        if numeral is not None and old != new:
            if figure not in fact.figures:
                repairs.append(len(places))
            places.append(Replacement(figure.page.id, numeral.start, numeral.end, old, new))
    forms = dict.fromkeys((each.words, each.written(written[each])) for each in fact.figures)
    real, fictive = fact.named.words, fact.named.written(written[fact.named])
    forms.pop((real, fictive))
    return Edit(
        id="", kind="number", size=size, real=real, fictive=fictive, replacements=tuple(places),
        repairs=tuple(repairs), forms=tuple(forms),
    )  # fmt: skip
