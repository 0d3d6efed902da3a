"""Numbers: the same fact gets another value in all its mentions, however they are written.

Factors are drawn, so that the real value cannot be had by halving or doubling the fictive one; sums, shares and
conversions that follow from a number are worked out anew.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, Replacement, Size
from trail_callbacks.canary.facts.facts import Fact, facts
from trail_callbacks.canary.facts.figures import Figure
from trail_callbacks.canary.perturbers.collisions import Present, implausible
from trail_callbacks.canary.perturbers.consequences import Consequences, consequences

__all__ = ["FACTORS", "changed", "guessable", "propose"]

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
_REACH = 8  # numbers before a part that may be its whole
_MANY = 24  # mentions; what is stated more often is no single fact
_OF = re.compile(r"\s+(?:out\s+)?(?:of|in|von|de|sur|di|van|из)\s+(?:(?:the|its|all|den|les|los|le)\s+)?")
_UP_TO = re.compile(r"\s(?:up\s)?to\s(?:(?:about|around|approximately|over|nearly|almost|even|as many as)\s)?")
_OF_THEM = re.compile(r"\s?(?:[\w-]+\s)?of\s(?:them|these|those|which|whom)\b")
_BOTH = re.compile(r"\b(?:both|either|neither|pair|couple|twins?|respectively)\b", re.IGNORECASE)
_LISTED = 12  # things that somebody lists one by one
_ENUMERATES = re.compile(
    r"[^.!?\n:;]{1,90}(?::\s|\bare\s(?:the\s)?(?=[A-Z][\w.]*\s(?:and|or|,)))"
    r"|[^.!?\n:;,]{1,40},\s(?:the|an?)\s\w+\sand\s(?:the|an?)\s\w+"
)
_FEET = re.compile(r"\d\s?(?:feet|foot|ft\.?)\s(?:and\s)?$", re.IGNORECASE)
_LOOK_BACK = 16
_LEADING = re.compile("[.,]")
_YEARS = (1000, 2199)
_PLURALS = frozenset({"ru", "uk", "pl", "cs", "ar", "he"})  # the noun depends on the last digits


def propose(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes another value for each number that states a fact.

    Not edited are: 0 and 1, whose noun would need another form; values that are stated so often that they are no single
    fact; fractions and shares in words; and what `protected` says.

    Args:
        corpus: The documents.
        rng: Of all choices.
        sizes: Sizes to draw from, in turn; a small whole number may have no value of some size, and gets another.

    Yields:
        Edits in random order, and the facts that were left alone.
    """
    found = list(facts(corpus))
    rng.shuffle(found)
    yield from changed(found, corpus, rng, sizes)


def changed(
    found: Sequence[Fact], corpus: Corpus, rng: random.Random, sizes: Sequence[Size]
) -> Iterator[Edit | Skipped]:
    """Gives facts another value, in their order; see `propose`."""
    following = consequences(corpus)
    present = Present(corpus)
    edited: dict[Figure, float] = {}
    turn = 0
    for fact in found:
        why = _unfit(fact, following) or _bound(fact, following, edited)
        if not why:
            order = [sizes[(turn + i) % len(sizes)] for i in range(len(sizes))]
            tried = (_edit(fact, size, rng, present, following, edited=edited) for size in order)
            made = next((each for each in tried if each is not None), None)
            if made is not None:
                edit, values = made
                turn += 1
                present.add(edit)
                for each in following.touching(values):
                    edited.update((figure, figure.quantity.value) for figure in (each.result, *each.parts))
                edited.update(values)
                yield edit
                continue
            why = "no other value is plausible, new to the corpus, and can be written in all its places"
            if following.touching(fact.figures):
                why = "no other value is plausible, new to the corpus, and lets the numbers that follow be repaired"
        named = fact.named
        yield Skipped(f"{named.page.document.id}: number {named.words!r}", why)


def _unfit(fact: Fact, following: Consequences) -> str:
    if len(fact.figures) > _MANY:
        return f"a value that is stated more than {_MANY} times is no single fact"
    return next((why for each in fact.figures if (why := following.locked.get(each) or _fixed(each))), "")


def _fixed(figure: Figure) -> str:
    """Why the value of a mention cannot be another one; empty if it can."""
    quantity, numeral, text = figure.quantity, figure.numeral, figure.page.text
    if numeral is None:
        return "it is also written as a fraction, as a share, or so that it can be read in two ways"
    if numeral.value in {0.0, 1.0}:
        return "the noun behind 0 or 1 would need another form"
    if quantity.kind == "percent" and quantity.value == 100:  # noqa: PLR2004 - the whole
        return "100 % is the whole of anything"
    if quantity.kind == "length" and _FEET.search(text[max(0, figure.start - _LOOK_BACK) : figure.start]):
        return "it is a part of a length in feet and inches"
    listed = quantity.kind == "count" and quantity.raw <= _LISTED and _ENUMERATES.match(text, quantity.end)
    both = quantity.raw == 2 and _BOTH.search(_around(figure))  # noqa: PLR2004 - both
    return "the text lists what it counts, or speaks of both" if listed or both else ""


def _around(figure: Figure) -> str:
    """The sentence of a figure and the next one."""
    return " ".join(line.text for line in figure.page.lines[figure.line : figure.line + 2])


def _bound(fact: Fact, following: Consequences, edited: Mapping[Figure, float]) -> str:
    if following.derived(fact):
        return "it follows from numbers beside it, and changes with them"
    if any(each in edited for each in fact.figures):
        return "a number that follows from it also follows from one that another edit changes"
    for each in following.touching(fact.figures):
        if each.result in edited or any(part in edited for part in each.parts):
            return "a number that follows from it also follows from one that another edit changes"
    return ""


def _edit(
    fact: Fact,
    size: Size,
    rng: random.Random,
    present: Present,
    following: Consequences,
    *,
    edited: Mapping[Figure, float],
) -> tuple[Edit, Mapping[Figure, float]] | None:
    """The first candidate of a size that fits everywhere, with the figures that it changes."""
    named = fact.named
    value = named.quantity.value
    assert named.numeral is not None  # noqa: S101 - asked before
    grain = named.numeral.grain
    for _ in range(_TRIES):
        low, high = rng.choice(FACTORS[size])
        new = round(value * rng.uniform(low, high) / grain) * grain
        factor = new / value
        if not (low * (1 - _SLACK) <= factor <= high * (1 + _SLACK)) or guessable(factor):
            continue
        if any(_refused(each, factor, present) for each in fact.figures):
            continue
        values = following.of(fact, factor)
        if values is None or not _orderly(values, edited):
            continue
        written = {each: _written(each, value) for each, value in values.items()}
        if all(written.values()):
            return _made(fact, size, {each: words for each, words in written.items() if words}), values
    return None


def _orderly(values: Mapping[Figure, float], edited: Mapping[Figure, float]) -> bool:
    """Whether what follows can be believed, and ends of ranges and parts of wholes keep their order.

    They have to keep it with and without the edits proposed before, which may be refused.
    """

    def possible(figure: Figure) -> Sequence[float]:
        real = figure.quantity.value
        return [values[figure]] if figure in values else [real, edited.get(figure, real)]

    for figure, value in values.items():
        quantity, page = figure.quantity, figure.page
        if implausible(quantity, value, page.text) or value >= _whole_of(figure, possible):
            return False
        at = page.index[figure]
        for i in (at - 1, at + 1):
            if not 0 <= i < len(page.figures):
                continue
            other = page.figures[i]
            low, high = (figure, other) if i > at else (other, figure)
            if not _ordered(low, high):
                continue
            if max(possible(low)) >= min(possible(high)):
                return False
            wide = high.quantity.value / low.quantity.value if low.quantity.value > 0 else float("inf")
            if high.quantity.within is not None and max(possible(high)) > _WIDER * wide * min(possible(low)):
                return False
    return True


def _whole_of(figure: Figure, possible: Callable[[Figure], Sequence[float]]) -> float:
    """The least number that a part may be of: 20 of `eight of them` behind `20 acids`; infinite if there is none."""
    quantity, page = figure.quantity, figure.page
    if not _OF_THEM.match(page.text, quantity.end):
        return float("inf")
    at = page.index[figure]
    before = (each for each in page.figures[max(0, at - _REACH) : at] if figure.line - each.line <= 1)
    wholes = (each for each in before if each.quantity.kind == "count" and each.quantity.value > quantity.value)
    return min((min(possible(each)) for each in wholes), default=float("inf"))


def _ordered(low: Figure, high: Figure) -> bool:
    """Whether two neighbours are the ends of a range, or a part and its whole: `12 of the 40`."""
    if low.quantity.kind != high.quantity.kind or low.quantity.value >= high.quantity.value:
        return False
    if _UP_TO.fullmatch(low.page.text, low.quantity.end, high.start):
        return True
    ends = low.quantity.within is not None and low.quantity.within[1] == high.quantity.value
    return ends or _OF.fullmatch(low.page.text, low.quantity.end, high.start) is not None


def guessable(factor: float) -> bool:
    """Whether the real value can be had from the fictive one by a guess: halved, doubled, times ten."""
    return any(abs(factor / guess - 1) < _NEAR for guess in _GUESSES)


def _refused(figure: Figure, factor: float, present: Present) -> bool:
    quantity = figure.quantity
    value = quantity.value * factor
    return (
        present.value(quantity.kind, value, figure.noun, figure.page.document.id)
        or f"{quantity.raw * factor:.9g}" in figure.page.raws
        or bool(implausible(quantity, value, figure.page.text))
    )


def _written(figure: Figure, value: float) -> str | None:
    """The numeral of a figure with a new value; None if it would not read well, or as something else."""
    numeral = figure.numeral
    new = numeral.write(value) if numeral else None
    if numeral is None or new is None or (new in {"1", "0", "one"}):
        return None
    text = figure.page.text
    before = text[max(0, numeral.start - 4) : numeral.start].casefold()
    if before.endswith((" a ", " an ", "\na ", "\nan ")) or before in {"a ", "an "}:
        old = text[numeral.start : numeral.end]
        if _vowel(old) != _vowel(new):
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
        return written[0] == "8" or _LEADING.split(written, maxsplit=1)[0] in {"11", "18"}
    return written[0].casefold() in "aeiou" and not written.casefold().startswith("one")


def _plural(value: float) -> tuple[int, bool]:
    """What the form of a noun depends on in Slavic and Semitic languages."""
    last = int(value) % 10 if value == int(value) else 0
    few = 1 if last == 1 else 2 if 2 <= last <= 4 else 5  # noqa: PLR2004
    tens = int(value) % 100
    return (5 if 11 <= tens <= 14 else few), value > 10  # noqa: PLR2004


def _made(fact: Fact, size: Size, written: Mapping[Figure, str]) -> Edit:
    mentions = set(fact.figures)
    places: list[Replacement] = []
    repairs: list[int] = []
    for figure, new in sorted(written.items(), key=lambda each: (each[0].page.number, each[0].start)):
        numeral = figure.numeral
        old = figure.page.text[numeral.start : numeral.end] if numeral else ""
        if numeral is None or old == new:
            continue
        if figure not in mentions:
            repairs.append(len(places))
        places.append(Replacement(figure.page.document.id, numeral.start, numeral.end, old, new))
    forms = dict.fromkeys((each.words, each.written(written[each])) for each in fact.figures)
    real, fictive = fact.named.words, fact.named.written(written[fact.named])
    forms.pop((real, fictive))
    return Edit(
        id="",
        kind="number",
        size=size,
        real=real,
        fictive=fictive,
        replacements=tuple(places),
        repairs=tuple(repairs),
        forms=tuple(forms),
    )
