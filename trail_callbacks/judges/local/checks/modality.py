"""Modality of duty and frequency: may, should, must; sometimes, usually, always."""

from __future__ import annotations

from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.judges.local.checks.slots import agreement, one_place
from trail_callbacks.language.terms import Term, stem, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_FREE = vocabulary("may can could optional optionally allowed permitted")
_ADVISED = vocabulary("should recommended advised ought advisable encouraged suggested")
_BOUND = vocabulary("must required mandatory obliged obligatory shall compulsory obligated")
_RANK = {**dict.fromkeys(_FREE, 1), **dict.fromkeys(_ADVISED, 2), **dict.fromkeys(_BOUND, 3)}
_OVER = vocabulary("be been have has also then not only to it they he she you only still further first always")
_LIGHT = frozenset(stem(form) for form in vocabulary("do make have get take give be know say tell come see"))
_NOT = vocabulary("not cannot never no neither nor without unless")
_REACH = 5
_ON_SUBJECT = 0.6


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a shared verb that the passage allows or advises and the claim demands, or the other way round.

    Left alone: sides with a negation, as `may not` forbids, and `should` against `may`.
    """
    if any(term.form in _NOT or term.form.endswith("n't") for term in (*claim.terms, *passage.terms)):
        return None
    for i, term in enumerate(claim.terms):
        if term.kind != "word" or term.stem in _LIGHT:
            continue
        mine = _cue(claim, i)
        if mine is None:
            continue
        for place in passage.same(term):
            cue = _cue(passage, place)
            if cue is None or {_RANK[mine.form], _RANK[cue.form]} not in ({1, 3}, {2, 3}):
                continue
            if agreement(claim, passage, (term.start, term.end)) < _ON_SUBJECT or not one_place(
                claim, i, passage, place
            ):
                continue
            if any(other is not None and _RANK[other.form] == _RANK[mine.form] for other in _all(passage, term)):
                continue
            return Finding(
                error_type=ErrorType.TEMPORAL,
                support=SupportClass.CONTRADICTED,
                claim_words=claim.text[mine.start : term.end],
                evidence_words=passage.text[cue.start : passage.terms[place].end],
                claim_span=(mine.start, term.end),
                span=(cue.start, passage.terms[place].end),
                detail="modality",
            )
    return None


def _all(passage: Reading, term: Term) -> list[Term | None]:
    return [_cue(passage, place) for place in passage.same(term)]


def _cue(reading: Reading, i: int) -> Term | None:
    """The modal of the i-th word, with only helpers and adverbs between."""
    for term in reversed(reading.before(i, _REACH)):
        if term.form in _RANK:
            return term
        if term.form not in _OVER and not term.form.endswith("ly"):
            return None
    return None
