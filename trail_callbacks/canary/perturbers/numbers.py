"""Numbers: the same fact gets another value in all its mentions, however they are written.

Factors are drawn, so that the real value cannot be had by halving or doubling the fictive one; sums, shares and
products that follow from a number are worked out anew.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, Replacement, Size
from trail_callbacks.canary.facts.facts import Fact, facts
from trail_callbacks.canary.facts.pages import Figure
from trail_callbacks.canary.facts.relations import Relations, relations
from trail_callbacks.canary.perturbers.present import Present, implausible

__all__ = ["FACTORS", "changed", "guessable", "in_order", "propose"]

FACTORS: Mapping[Size, Sequence[tuple[float, float]]] = {
    "small": ((1.15, 1.45), (0.7, 0.87)),
    "medium": ((1.55, 1.88), (0.56, 0.68)),
    "large": ((3.0, 7.0), (0.13, 0.3)),
}
"""Ranges from which the factor of a size is drawn."""

_GUESSES = (1.0, 2.0, 0.5, 10.0, 0.1, 100.0, 0.01)
_NEAR = 0.06  # relative distance within which a factor is one of these
_TRIES = 24
_SLACK = 0.06  # relative distance from its range that rounding may cost a factor
_WIDER = 2.0  # how many times as wide a range may become: `20 to 30` and not `20 to 167`
_MANY = 24  # mentions; what is stated more often is no single fact
_OF = re.compile(
    r"\s+(?:out\s+)?(?:of|in|von|de|sur|di|van|из)\s+(?:(?:the|its|all|den|les|los|le)\s+)?"
    r"|\s(?:up\s)?to\s(?:(?:about|around|approximately|over|nearly|almost|even|as many as)\s)?"
)
_OF_THEM = re.compile(r"\s?(?:[\w-]+\s)?of\s(?:them|these|those|which|whom)\b")
_BOTH = re.compile(r"\b(?:both|either|neither|pair|couple|twins?|respectively)\b", re.IGNORECASE)
_LISTED = 12  # things that somebody lists one by one
_ENUMERATES = re.compile(r"[^.!?\n:;]{1,90}(?::\s|\bare\s(?:the\s)?(?=[A-Z][\w.]*\s(?:and|or|,)))")
_FEET = re.compile(r"\d\s?(?:feet|foot|ft\.?)\s(?:and\s)?$", re.IGNORECASE)
_YEARS = (1000, 2199)
_PLURALS = frozenset({"ru", "uk", "pl", "cs", "ar", "he"})  # the noun depends on the last digits


def propose(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes another value for each number that states a fact.

    Not edited are: 0 and 1, whose noun would need another form; values that are stated so often that they are no single
    fact; fractions and shares in words; and what `protected` says.
    """
    found = list(facts(corpus))
    rng.shuffle(found)
    yield from changed(found, corpus, rng, sizes)


def changed(
    found: Sequence[Fact], corpus: Corpus, rng: random.Random, sizes: Sequence[Size]
) -> Iterator[Edit | Skipped]:
    """Gives facts another value, in their order; see `propose`."""
    following, present = relations(corpus), Present(corpus)
    used: dict[Figure, None] = {}
    turn = 0
    for fact in found:
        why = _unfit(fact, following)
        if not why and any(each in used for each in _with_relations(fact.figures, following)):
            why = "a number that follows from it also follows from one that another edit changes"
        order = [] if why else [sizes[(turn + i) % len(sizes)] for i in range(len(sizes))]
        tried = (_edit(fact, size, rng, present, following) for size in order)
        made = next((each for each in tried if each is not None), None)
        if made is not None:
            edit, values = made
            turn += 1
            present.add(edit)
            used |= dict.fromkeys(_with_relations(values, following))
            yield edit
        else:
            named = fact.named
            why = why or "no other value is plausible, new to the corpus, and can be written in all its places"
            yield Skipped(f"{named.page.document.id}: number {named.words!r}", why)


def _with_relations(figures: Sequence[Figure] | Mapping[Figure, float], following: Relations) -> Iterator[Figure]:
    yield from figures
    for each in following.touching(figures):
        yield from (each.result, *each.parts)


def _unfit(fact: Fact, following: Relations) -> str:
    if len(fact.figures) > _MANY:
        return f"a value that is stated more than {_MANY} times is no single fact"
    if why := next((why for each in fact.figures if (why := following.locked.get(each) or _fixed(each))), ""):
        return why
    return "it follows from numbers beside it, and changes with them" if following.derived(fact) else ""


def _fixed(figure: Figure) -> str:
    """Why the value of a mention cannot be another one; empty if it can."""
    quantity, numeral, text = figure.quantity, figure.numeral, figure.page.text
    if numeral is None:
        return "it is also written as a fraction, as a share, or so that it can be read in two ways"
    if numeral.value in {0.0, 1.0}:
        return "the noun behind 0 or 1 would need another form"
    if quantity.kind == "percent" and quantity.value == 100:  # noqa: PLR2004 - the whole
        return "100 % is the whole of anything"
    if quantity.kind == "length" and _FEET.search(text[max(0, figure.start - 16) : figure.start]):
        return "it is a part of a length in feet and inches"
    around = " ".join(line.text for line in figure.page.lines[figure.line : figure.line + 2])
    listed = quantity.kind == "count" and quantity.raw <= _LISTED and _ENUMERATES.match(text, quantity.end)
    both = quantity.raw == 2 and _BOTH.search(around)  # noqa: PLR2004 - both
    return "the text lists what it counts, or speaks of both" if listed or both else ""


def _edit(
    fact: Fact, size: Size, rng: random.Random, present: Present, following: Relations
) -> tuple[Edit, Mapping[Figure, float]] | None:
    """The first candidate of a size that fits everywhere, with the figures that it changes."""
    named = fact.named
    value = named.quantity.value
    assert named.numeral is not None  # noqa: S101 - asked before
    for _ in range(_TRIES):
        low, high = rng.choice(FACTORS[size])
        new = round(value * rng.uniform(low, high) / named.numeral.grain) * named.numeral.grain
        factor = new / value
        if not (low * (1 - _SLACK) <= factor <= high * (1 + _SLACK)) or guessable(factor):
            continue
        if any(_stands(each, factor, present) for each in fact.figures):
            continue
        values = following.of(fact, factor)
        if values is None or any(implausible(each.quantity, new, each.page.text) for each, new in values.items()):
            continue
        written = {each: words for each, new in values.items() if (words := _written(each, new))}
        if len(written) == len(values) and in_order(values, values):
            return _made(fact, size, written), values
    return None


def guessable(factor: float) -> bool:
    """Whether the real value can be had from the fictive one by a guess: halved, doubled, times ten."""
    return any(abs(factor / guess - 1) < _NEAR for guess in _GUESSES)


def _stands(figure: Figure, factor: float, present: Present) -> bool:
    quantity, page = figure.quantity, figure.page
    stated = present.has(quantity.kind, quantity.value * factor, figure.noun, page)
    return stated or f"{quantity.raw * factor:.9g}" in page.raws


def in_order(figures: Iterable[Figure], values: Mapping[Figure, float]) -> bool:
    """Whether the ends of ranges, and parts and wholes beside each other, keep their order with new values.

    Args:
        figures: Those that are looked at.
        values: New values; others keep theirs.
    """
    for figure in figures:
        page, at = figure.page, figure.page.index[figure]
        for low, high in pairwise(page.figures[max(0, at - 1) : at + 2]):
            if _ordered(low, high):
                small, large = (values.get(each, each.quantity.value) for each in (low, high))
                wide = high.quantity.value / low.quantity.value if low.quantity.value > 0 else float("inf")
                if small >= large or (high.quantity.within and large > _WIDER * wide * small):
                    return False
        if _OF_THEM.match(page.text, figure.quantity.end):  # 20 of `eight of them` behind `20 acids`
            before = [each for each in page.figures[max(0, at - 8) : at] if figure.line - each.line <= 1]
            wholes = [
                each for each in before if each.quantity.kind == "count" and each.quantity.value > figure.quantity.value
            ]
            if any(values.get(figure, 0) >= values.get(each, each.quantity.value) for each in wholes):
                return False
    return True


def _ordered(low: Figure, high: Figure) -> bool:
    """Whether two neighbours are the ends of a range, or a part and its whole: `12 of the 40`."""
    if low.quantity.kind != high.quantity.kind or low.quantity.value >= high.quantity.value:
        return False
    ends = low.quantity.within is not None and low.quantity.within[1] == high.quantity.value
    return ends or _OF.fullmatch(low.page.text, low.quantity.end, high.start) is not None


def _written(figure: Figure, value: float) -> str | None:
    """The numeral of a figure with a new value; None if it would not read well, or as something else."""
    numeral, text = figure.numeral, figure.page.text
    new = numeral.write(value) if numeral else None
    if numeral is None or new is None or new in {"1", "0", "one"}:
        return None
    article = re.search(r"\ban? $", text[max(0, numeral.start - 4) : numeral.start], re.IGNORECASE)
    if article and _vowel(text[numeral.start : numeral.end]) != _vowel(new):
        return None
    value /= numeral.factor
    if figure.quantity.kind == "count" and new.isdecimal() and _YEARS[0] <= value <= _YEARS[1]:
        return None  # reads like a year
    if figure.page.writing.language in _PLURALS and _plural(value) != _plural(numeral.value):
        return None
    return new


def _vowel(written: str) -> bool:
    """Whether `an` stands before it."""
    if written[0].isdigit():
        return written[0] == "8" or re.split("[.,]", written, maxsplit=1)[0] in {"11", "18"}
    return written[0].casefold() in "aeiou" and not written.casefold().startswith("one")


def _plural(value: float) -> tuple[int, bool]:
    """What the form of a noun depends on in Slavic and Semitic languages."""
    last = int(value) % 10 if value == int(value) else 0
    few = 1 if last == 1 else 2 if 2 <= last <= 4 else 5  # noqa: PLR2004
    return (5 if 11 <= int(value) % 100 <= 14 else few), value > 10  # noqa: PLR2004


def _made(fact: Fact, size: Size, written: Mapping[Figure, str]) -> Edit:
    places: list[Replacement] = []
    repairs: list[int] = []
    for figure, new in sorted(written.items(), key=lambda each: (each[0].page.number, each[0].start)):
        numeral = figure.numeral
        old = figure.page.text[numeral.start : numeral.end] if numeral else ""
        if numeral is not None and old != new:
            if figure not in fact.figures:
                repairs.append(len(places))
            places.append(Replacement(figure.page.document.id, numeral.start, numeral.end, old, new))
    forms = dict.fromkeys((each.words, each.written(written[each])) for each in fact.figures)
    real, fictive = fact.named.words, fact.named.written(written[fact.named])
    forms.pop((real, fictive))
    return Edit(
        id="", kind="number", size=size, real=real, fictive=fictive, replacements=tuple(places),
        repairs=tuple(repairs), forms=tuple(forms),
    )  # fmt: skip
