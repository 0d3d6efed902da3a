"""Phases: already, still, no longer, not yet, used to; and `before` for `after`, `since` for `until`."""

from __future__ import annotations

from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.judges.local.checks.slots import agreement, clause, neighbours
from trail_callbacks.language.terms import Term, stem, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

# Each phase with the marks of a phase that cannot hold at once.
_PHASES = {
    "still": ("still", "continues to", "continue to", "remains", "remain"),
    "over": ("no longer", "not any longer", "used to", "formerly", "stopped", "ceased to", "ceased", "not any more"),
    "done": ("already",),
    "ahead": ("not yet", "has yet to", "have yet to", "is yet to", "are yet to", "will"),
}
_AGAINST = {("still", "over"), ("over", "still"), ("done", "ahead"), ("ahead", "done")}
_ORDER = {"before": "after", "after": "before", "since": "until", "until": "since", "following": "before"}
_ORDER |= {"prior": "after", "later": "earlier", "earlier": "later", "preceding": "after"}
_ON_SUBJECT = 0.5
_LIGHT = frozenset(stem(form) for form in vocabulary("do make have get take be time use go come"))


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds that the claim puts something into another phase, or on the other side of a moment, than the passage."""
    return _phase(claim, passage) or _order(claim, passage)


def _phase(claim: Reading, passage: Reading) -> Finding | None:
    mine, theirs = _marks(claim), _marks(passage)
    for phase, i, j in mine:
        for other, k, n in theirs:
            if (phase, other) not in _AGAINST or any(each == phase for each, *_ in theirs):
                continue
            span = (claim.terms[i].start, claim.terms[j].end)
            if agreement(claim, passage, span) < _ON_SUBJECT or not _one_verb(claim, (i, j), passage, (k, n)):
                continue
            return _finding(claim, span, passage, (passage.terms[k].start, passage.terms[n].end), "phase")
    return None


def _marks(reading: Reading) -> list[tuple[str, int, int]]:
    """Phases with the first and last word of their marks."""
    forms = [term.form for term in reading.terms]
    found = []
    for phase, marks in _PHASES.items():
        for mark in marks:
            words = mark.split()
            if words[0] not in forms:
                continue
            found += [(phase, i, i + len(words) - 1) for i in range(len(forms)) if forms[i : i + len(words)] == words]
    return found


def _one_verb(claim: Reading, mine: tuple[int, int], passage: Reading, theirs: tuple[int, int]) -> bool:
    """Whether the next word of content behind both marks is one, or the one before where nothing follows."""
    behind = _next(claim, mine[1]), _next(passage, theirs[1])
    if behind[0] is not None and behind[1] is not None and behind[0].stem not in _LIGHT:
        return behind[0].stem == behind[1].stem
    return False


def _next(reading: Reading, i: int) -> Term | None:
    last = clause(reading, i)[1]
    solid = {term.start for term in reading.content}
    return next((term for term in reading.terms[i + 1 : last] if term.start in solid), None)


def _order(claim: Reading, passage: Reading) -> Finding | None:
    for i, term in enumerate(claim.terms):
        against = _ORDER.get(term.form)
        if against is None or any(other.form == term.form for other in passage.terms):
            continue
        for k, other in enumerate(passage.terms):
            if other.form != against or agreement(claim, passage) < _ON_SUBJECT:
                continue
            anchor, there = _anchor(claim, i), _anchor(passage, k)
            left, before = neighbours(claim, i)[0], neighbours(passage, k)[0]
            if not anchor or anchor != there or left is None or before is None or left.stem != before.stem:
                continue
            return _finding(claim, (term.start, term.end), passage, (other.start, other.end), "order")
    return None


def _anchor(reading: Reading, i: int) -> tuple[object, ...]:
    """What a word of time points to: all numbers and words of content behind it, up to the end of its clause."""
    last = clause(reading, i)[1]
    end = reading.terms[last - 1].end
    start = reading.terms[i].end
    numbers = [(q.start, q.kind, q.value) for q in reading.quantities if start <= q.start < end]
    words = [(t.start, "word", t.stem) for t in reading.content if start <= t.start < end]
    return tuple(each[1:] for each in sorted((*numbers, *words), key=lambda each: each[0]))


def _finding(claim: Reading, span: tuple[int, int], passage: Reading, place: tuple[int, int], detail: str) -> Finding:
    return Finding(
        error_type=ErrorType.TEMPORAL,
        support=SupportClass.CONTRADICTED,
        claim_words=claim.text[slice(*span)],
        evidence_words=passage.text[slice(*place)],
        claim_span=span,
        span=place,
        detail=detail,
    )
