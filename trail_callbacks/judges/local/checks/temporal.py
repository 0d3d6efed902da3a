"""Modality in time: what is planned or possible in the passage is done or certain in the claim."""

from __future__ import annotations

from trail_callbacks.judges.local.checks.finding import Finding
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.language.terms import Term, is_past, stem, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_PLANNED = frozenset(
    stem(form)
    for form in vocabulary(
        """plan intends aims hopes expects expected scheduled proposes proposed considering wants due set slated
        upcoming"""
    )
)
_FUTURE = vocabulary("will shall")
_POSSIBLE = vocabulary("may might possible possibly perhaps potentially likely")
_HEDGED = _POSSIBLE | vocabulary("could would can should if probably maybe expected anticipated unlikely")
_OVER = vocabulary(
    "be been have has also then soon not only to it they he she eventually later again finally still further "
    "perhaps probably likely"
)
_LIGHT = frozenset(
    stem(form) for form in vocabulary("do make have get take give be know say tell need go come see mice")
)
_REACH = 5
_SHARED = 0.3


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a shared verb that the passage plans or holds possible, and the claim states as a fact or as certain.

    `Would` and `could` are left alone: in stories they are a past.
    """
    if any(term.form in _HEDGED or term.stem in _PLANNED for term in claim.terms):
        return None
    ahead = any(term.form in _FUTURE or term.form == "going" for term in claim.terms)
    for i, term in enumerate(claim.terms):
        if term.kind != "word" or term.stem in _LIGHT:
            continue
        places = passage.same(term)
        cues = [_cue(passage, place) for place in places]
        cue = cues[0] if cues and None not in cues else None
        if cue is None or (cue.form not in _POSSIBLE if ahead else not _past(claim, i)):
            continue
        span = (term.start, term.end)
        if claim.shared(passage, span) < _SHARED:
            continue
        support = SupportClass.PARTIALLY_SUPPORTED if cue.form in _POSSIBLE else SupportClass.CONTRADICTED
        last = max(passage.terms[places[0]].end, cue.end)
        return Finding.quoting(
            claim,
            span,
            passage,
            (cue.start, last),
            error_type=ErrorType.TEMPORAL,
            support=support,
        )
    return None


def _cue(reading: Reading, i: int) -> Term | None:
    """The word that makes the i-th planned or possible: only helpers and adverbs stand between."""
    before = reading.before(i, _REACH)
    for k in range(len(before) - 1, -1, -1):
        term = before[k]
        infinitive = any(later.form == "to" for later in before[k + 1 :])
        if term.form in _FUTURE | _POSSIBLE or (term.stem in _PLANNED and infinitive):
            return term
        if term.form not in _OVER and not term.form.endswith("ly"):
            return None
    return None


def _past(reading: Reading, i: int) -> bool:
    """Whether the i-th word is a verb in a past form, not after `to` or a modal."""
    return is_past(reading.terms[i].form) and not any(t.form in {"to", "can", "must"} for t in reading.before(i, 3))
