"""Modality in time: what is planned or possible in the passage is done or certain in the claim."""

from __future__ import annotations

from trail_callbacks.judges.checks.reading import Finding, Reading
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.terms import Term, is_past, stem, vocabulary

__all__ = ["compare"]

_PLANNED = frozenset(
    stem(form) for form in vocabulary(
        """plan plans planned intends aims hopes expects expected scheduled proposes proposed considering
    wants due set slated upcoming"""
    )
)  # fmt: skip
_FUTURE = frozenset({"will", "shall", "would"})
_POSSIBLE = frozenset({"may", "might", "could", "possible", "possibly", "perhaps", "potentially", "likely"})
_REACH = 5


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a shared verb that the passage plans or holds possible, and the claim states as a fact or as certain."""
    if any(term.form in _POSSIBLE or term.stem in _PLANNED for term in claim.terms):
        return None
    ahead = any(term.form in _FUTURE or term.form in {"going", "would"} for term in claim.terms)
    for term in claim.terms:
        if term.kind != "word":
            continue
        places = passage.same(term)
        cues = [_cue(passage, place) for place in places]
        if not cues or any(cue is None for cue in cues):
            continue
        cue = cues[0]
        if cue is None or (ahead and cue.form not in _POSSIBLE):
            continue
        if not ahead and not _past(term, claim):
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
    """The word that makes the i-th planned or possible."""
    before = reading.before(i, _REACH)
    for k, term in enumerate(before):
        infinitive = any(later.form == "to" for later in before[k + 1 :])
        if term.form in _FUTURE or term.form in _POSSIBLE or (term.stem in _PLANNED and infinitive):
            return term
    return None


def _past(term: Term, claim: Reading) -> bool:
    """Whether the word is a verb told as done: a past form, not behind `to` or a modal."""
    i = claim.terms.index(term)
    before = claim.before(i, 3)
    if any(t.form in {"to", "can", "could", "should", "must"} for t in before):
        return False
    return is_past(term.form)
