"""Bindings: a number that the passage gives for another name."""

from __future__ import annotations

from collections.abc import Sequence

from trail_callbacks.judges.local.checks.entity import known
from trail_callbacks.judges.local.checks.number import equal
from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.judges.local.checks.slots import agreement
from trail_callbacks.language.quantities import Quantity
from trail_callbacks.language.terms import Term, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_DATED = frozenset({"year", "month", "day", "weekday", "clock", "rank", "quarter", "label", "id"})
_MIXED = vocabulary("respectively both each together combined and/or than versus vs")
_LISTED = vocabulary("for in at by of from to")
_ON_SUBJECT = 0.6
_BETWEEN = 3  # words: `25 full-time clerks in Bergen`
_MANY = 24  # numbers; a text with more is a table, and its rows tell whose they are


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a number that the passage gives for another name, while it has one of its kind for the claim's.

    `Oslo has 40 clerks and Bergen 25` makes `Oslo has 25 clerks` wrong. A number is of the name ahead of it, or
    right behind it where a preposition joins them (`25 in Bergen`). Left alone: dates and ranks, `respectively`,
    comparisons, and claims that have both names.
    """
    if any(term.form in _MIXED for reading in (claim, passage) for term in reading.terms):
        return None
    if max(len(claim.quantities), len(passage.quantities)) > _MANY:
        return None
    for quantity in claim.quantities:
        if quantity.kind in _DATED or quantity.value == 1:
            continue
        name = _owner(quantity, claim)
        given = [(each, _owner(each, passage)) for each in passage.quantities if each.kind == quantity.kind]
        equals = [(each, owner) for each, owner in given if equal(quantity, each)]
        if not name or not equals or not known(name, passage):
            continue
        if any(owner is None or _same(owner, name) or known(owner, claim) for _, owner in equals):
            continue
        own = [each for each, owner in given if owner and _same(owner, name) and not equal(quantity, each)]
        nouns = {quantity.noun, *(each.noun for each, _ in equals)} - {""}
        own = [
            each for each in own if each.within is None and (each.noun in nouns or not nouns or _bare(each, passage))
        ]
        if not own or agreement(claim, passage, (quantity.start, quantity.end)) < _ON_SUBJECT:
            continue
        return Finding(
            error_type=ErrorType.NUMBER,
            support=SupportClass.CONTRADICTED,
            claim_words=claim.text[quantity.start : quantity.end],
            evidence_words=passage.text[own[0].start : own[0].end],
            claim_span=(quantity.start, quantity.end),
            span=(own[0].start, own[0].end),
            detail="number of another name",
        )
    return None


def _owner(quantity: Quantity, reading: Reading) -> Sequence[Term] | None:
    """The name that a number is of: behind it if only a preposition and a noun part them, else the nearest ahead."""
    names = _names(reading)
    behind = next((name for name in names if name[0].start >= quantity.end), None)
    if behind is not None:
        between = [t for t in reading.terms if quantity.end <= t.start < behind[0].start]
        gap = reading.text[quantity.end : behind[0].start]
        if between and between[-1].form in _LISTED and len(between) <= _BETWEEN and "," not in gap and "." not in gap:
            return behind
    return next((name for name in reversed(names) if name[-1].end <= quantity.start), None)


def _bare(quantity: Quantity, passage: Reading) -> bool:
    """Whether the noun of a number is left out as said before (`Oslo has 40 clerks and Bergen 25`)."""
    return not quantity.noun and passage.text[quantity.end : quantity.end + 1] in {"", ".", ",", ";", ")"}


def _names(reading: Reading) -> list[tuple[Term, ...]]:
    """Names, and the capitalised words that open a sentence, which may be some."""
    opening = [(t,) for t in reading.terms if t.kind == "word" and reading.text[t.start].isupper()]
    return sorted((*reading.names, *opening), key=lambda name: name[0].start)


def _same(a: Sequence[Term], b: Sequence[Term]) -> bool:
    return bool({t.form for t in a} & {t.form for t in b})
