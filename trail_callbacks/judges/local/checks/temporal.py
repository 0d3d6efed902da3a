"""Modality in time: what is planned or possible in the passage is done or certain in the claim."""

from __future__ import annotations

from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.judges.local.checks.slots import agreement, one_place
from trail_callbacks.language.terms import Term, is_past, stem, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_PLANNED = frozenset(
    stem(form) for form in vocabulary(
        """plan plans planned intends aims hopes expects expected scheduled proposes proposed considering
    wants due set slated upcoming"""
    )
)  # fmt: skip
_FUTURE = frozenset({"will", "shall"})
_POSSIBLE = frozenset({"may", "might", "possible", "possibly", "perhaps", "potentially", "likely"})
_HEDGED = _POSSIBLE | {
    "could",
    "would",
    "can",
    "should",
    "if",
    "probably",
    "maybe",
    "expected",
    "anticipated",
    "unlikely",
}
_OVER = vocabulary(
    "be been have has also then soon not only to it they he she eventually later again finally still further "
    "perhaps probably likely"
)
_LIGHT = frozenset(
    stem(form) for form in vocabulary("do make have get take give be know say tell need go come see mice")
)
_REACH = 5
_ON_SUBJECT = 0.3


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
        if not cues or any(cue is None for cue in cues):
            continue
        cue = cues[0]
        if cue is None or (ahead and cue.form not in _POSSIBLE):
            continue
        if not ahead and not _past(i, claim):
            continue
        if agreement(claim, passage, (term.start, term.end)) < _ON_SUBJECT or not one_place(
            claim, i, passage, places[0]
        ):
            continue
        place = passage.terms[places[0]]
        return Finding(
            error_type=ErrorType.TEMPORAL,
            support=SupportClass.PARTIALLY_SUPPORTED if cue.form in _POSSIBLE else SupportClass.CONTRADICTED,
            claim_words=claim.text[term.start : term.end],
            evidence_words=passage.text[cue.start : max(place.end, cue.end)],
            claim_span=(term.start, term.end),
            span=(cue.start, max(place.end, cue.end)),
        )
    return None


def _cue(reading: Reading, i: int) -> Term | None:
    """The word that makes the i-th planned or possible: nothing but helpers and adverbs stand between."""
    before = reading.before(i, _REACH)
    for k in range(len(before) - 1, -1, -1):
        term = before[k]
        infinitive = any(later.form == "to" for later in before[k + 1 :])
        if term.form in _FUTURE or term.form in _POSSIBLE or (term.stem in _PLANNED and infinitive):
            return term
        if term.form not in _OVER and not term.form.endswith("ly"):
            return None
    return None


def _past(i: int, claim: Reading) -> bool:
    """Whether the i-th word is a verb told as done: a past form, not behind `to` or a modal."""
    if any(t.form in {"to", "can", "must"} for t in claim.before(i, 3)):
        return False
    return is_past(claim.terms[i].form)
