"""Names: a name of the claim in whose place the passage has another."""

from __future__ import annotations

from collections.abc import Sequence

from trail_callbacks.judges.checks.reading import Finding, Reading
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.terms import Term

__all__ = ["compare", "known"]

_SHORTEST, _LONGEST = 2, 5  # letters of an abbreviation
_REACH = 3  # words between a name and the word that gives it its place


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a name that the passage does not hold while another name stands in its place."""
    others = [name for name in passage.names if not known(name, claim)]
    for name in claim.names:
        if known(name, passage):
            continue
        place = _place(name, claim)
        for other in others:
            if place & _place(other, passage):
                return Finding(
                    error_type=ErrorType.ENTITY,
                    support=SupportClass.CONTRADICTED,
                    claim_words=claim.text[name[0].start : name[-1].end],
                    evidence_words=passage.text[other[0].start : other[-1].end],
                    claim_span=(name[0].start, name[-1].end),
                    span=(other[0].start, other[-1].end),
                )
    return None


def known(name: Sequence[Term], reading: Reading) -> bool:
    """Tells whether a text holds any word of a name (people are called by one of their names), or its initials."""
    if any(reading.has(term) for term in name):
        return True
    if len(name) > 1:
        initials = "".join(term.form[0] for term in name)
        return any(term.form == initials for term in reading.terms)
    letters = name[0].form
    return _SHORTEST <= len(letters) <= _LONGEST and any(
        "".join(term.form[0] for term in other) == letters for other in reading.names
    )


def _place(name: Sequence[Term], reading: Reading) -> set[tuple[str, str]]:
    """What stands beside a name: the word it follows, with its side; `by` turns the side round."""
    order = [i for i, term in enumerate(reading.terms) if term.start in {name[0].start, name[-1].start}]
    first, last = order[0], order[-1]
    found: set[tuple[str, str]] = set()
    before = reading.terms[max(0, first - _REACH) : first]
    passive = bool(before) and before[-1].form == "by"
    left = next((t for t in reversed(before) if t.kind == "word"), None)
    if left:
        found.add(("after" if passive else "before", left.stem))
    right = next((t for t in reading.terms[last + 1 : last + 1 + _REACH] if t.kind == "word"), None)
    if right:
        found.add(("after", right.stem))
    return found
