"""Quantifiers: some in the passage, all in the claim."""

from __future__ import annotations

from trail_callbacks.judges.checks.reading import Finding, Reading
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.terms import Term, vocabulary

__all__ = ["compare"]

_ALL = vocabulary(
    "all every always everyone everybody everything entire entirely whole each any completely universally"
)
_SOME = vocabulary("""some several many most few certain often sometimes
    usually typically generally mostly partly occasionally half majority minority selected various""")
_REACH = 3


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a word that the claim says of all and the passage of some."""
    wide = next((term for term in claim.terms if term.form in _ALL), None)
    if wide is None or any(term.form in _ALL for term in passage.terms):
        return None
    for place, term in enumerate(passage.terms):
        if term.form not in _SOME or claim.has(term):
            continue
        if any(other.kind != "function" and claim.has(other) for other in _around(passage, place)):
            return Finding(
                error_type=ErrorType.OVERGENERALIZATION,
                support=SupportClass.PARTIALLY_SUPPORTED,
                claim_words=claim.text[wide.start : wide.end],
                evidence_words=passage.text[term.start : term.end],
                claim_span=(wide.start, wide.end),
                span=(term.start, term.end),
            )
    return None


def _around(reading: Reading, i: int) -> tuple[Term, ...]:
    return reading.terms[max(0, i - 2) : i] + reading.terms[i + 1 : i + 1 + _REACH]
