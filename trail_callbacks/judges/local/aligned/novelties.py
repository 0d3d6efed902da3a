"""Novelties: a name or a year of the claim that no passage has, beside words that one of them does have."""

from __future__ import annotations

from trail_callbacks.judges.local.aligned.alignment import Alignment
from trail_callbacks.judges.local.checks import entity
from trail_callbacks.judges.local.checks.number import is_label
from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.language.terms import Term
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["new_name", "new_year"]

_LEAST = 0.6  # share of the rest of a claim that a sentence must have
_SEVERAL = 0.4  # the same for a name of several words, and for a year
_SHORTEST = 4  # letters of a name of one word


def new_name(alignment: Alignment) -> Finding | None:
    """Finds a name of which no passage has a word, an abbreviation or another word for the same country."""
    claim = alignment.claim
    for whole in claim.names:
        if any(map(_is_acronym, whole, [claim] * len(whole))) or claim.text[whole[-1].end : whole[-1].end + 1] == ":":
            continue
        if len(whole) == 1 and (len(whole[0].form) < _SHORTEST or not entity.is_name(whole, claim)):
            continue
        if any(
            entity.known(whole, reading) or entity.is_alias(whole, reading) or any(map(reading.has, whole))
            for reading in alignment.around
        ):
            continue
        apart = {i for i, token in enumerate(alignment.own) if whole[0].start <= token.start < whole[-1].end}
        if alignment.coverage(*apart) >= (_LEAST if len(whole) == 1 else _SEVERAL):
            return _new(alignment, (whole[0].start, whole[-1].end), ErrorType.ENTITY)
    return None


def _is_acronym(term: Term, reading: Reading) -> bool:
    """Whether a word is written in capitals: it may stand for words that the passages have."""
    return reading.text[term.start : term.end].isupper()


def new_year(alignment: Alignment) -> Finding | None:
    """Finds a year that no passage has and none leaves open."""
    for i, token in enumerate(alignment.own):
        mine = token.quantity
        if mine is None or mine.kind != "year" or mine.bound != "exact" or is_label(mine, alignment.claim):
            continue
        given = [q for reading in alignment.around for q in reading.quantities]
        if any(mine.may_be(q) or mine.raw == q.raw for q in given) or not any(q.kind == "year" for q in given):
            continue
        if alignment.coverage(i) >= _SEVERAL:
            return _new(alignment, (token.start, token.end), ErrorType.NUMBER)
    return None


def _new(alignment: Alignment, span: tuple[int, int], error_type: ErrorType) -> Finding:
    return Finding.quoting(
        alignment.claim,
        span,
        alignment.passage,
        (0, 0),
        error_type=error_type,
        support=SupportClass.ABSENT,
        detail="fabricated addition",
    )
