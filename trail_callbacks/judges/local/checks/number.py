"""Numbers: a value of the claim that the passage gives differently."""

from __future__ import annotations

import re

from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.language.terms import stem, vocabulary
from trail_callbacks.language.values import Quantity, follows
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare", "is_about_another", "is_label", "stated"]

_NEAR = 40  # characters on each side in which a number finds its subject
_SHARED = 0.3  # share of the rest of a claim that a passage must have to dispute its number
_WORD = 24  # characters before a number in which its label stands
_BEHIND = re.compile(r"([^\W\d_]+)[ \u00a0-]$")
_LABELS = vocabulary(
    """passage step source document doc chunk snippet page chapter section figure fig table method option item tip note
    question answer part reason paragraph line article appendix footnote result reference level no nr number
    lot room track version volume"""
)
_DATE = frozenset({"day", "month", "year", "weekday"})
_PHRASE = 4  # words between a number and what it counts
_BIG = 1000.0  # from here on a count is recognised by its size, whatever the counted noun


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a number of the claim in whose place the passage has another of the same kind.

    Rounding: a coarser number follows from a finer one (`12,000` from 12,340, but not `41` from 41.6), `about` allows
    a tenth, units may lose a hundredth in conversion. A number with a label names a thing and is left alone
    (`passage 3`, `Windows 10`), and so is a claim with several numbers that the passage lacks: it calculates, or is of
    another event.
    """
    lacking = [q for q in claim.quantities if not is_label(q, claim) and not stated(q, claim, passage)]
    if not lacking or (len(lacking) > 1 and any(q.kind not in _DATE for q in lacking)):
        return None
    free = [
        r for r in passage.quantities if not is_label(r, passage) and not any(follows(q, r) for q in claim.quantities)
    ]
    for quantity in lacking:
        given = [r for r in free if _comparable(quantity, r, claim, passage) and not _open(quantity, r)]
        if not given:
            continue
        other = max(given, key=lambda r: _nearby(quantity, r, claim, passage))
        span = (quantity.start, quantity.end)
        if not _nearby(quantity, other, claim, passage) or claim.shared(passage, span) < _SHARED:
            continue
        place = (other.start, other.end)
        return Finding.quoting(
            claim,
            span,
            passage,
            place,
            error_type=ErrorType.NUMBER,
            support=SupportClass.CONTRADICTED,
        )
    return None


def is_about_another(claim: Reading, passage: Reading) -> bool:
    """Whether a passage is about another one of several things that are numbered: `lot 3` and `lot 4`."""
    mine, its = _labels(claim), _labels(passage)
    return any(word in its and not values & its[word] for word, values in mine.items())


def _labels(reading: Reading) -> dict[str, set[float]]:
    """The numbers of labels, by the word in front."""
    found: dict[str, set[float]] = {}
    for quantity in reading.quantities:
        match = _BEHIND.search(reading.text[max(0, quantity.start - _WORD) : quantity.start])
        if match is not None and is_label(quantity, reading):
            found.setdefault(match[1].casefold(), set()).add(quantity.value)
    return found


def is_label(quantity: Quantity, reading: Reading) -> bool:
    """Tells whether a number names what it stands behind: `step 4`, `[2]`, `Windows 10`, `Article 5`."""
    before = reading.text[max(0, quantity.start - _WORD) : quantity.start]
    if before.endswith(("[", "(", "#")) and reading.text[quantity.end : quantity.end + 1] in {"]", ")"}:
        return True
    match = _BEHIND.search(before)
    if match is None or quantity.bound != "exact" or quantity.kind not in {"count", "rank", "year"}:
        return False
    word = match[1]
    if word.casefold().removesuffix("s") in _LABELS:
        return True
    plain = quantity.kind == "count" and not quantity.noun and quantity.value < _BIG
    named = word[0].isupper() and reading.text[quantity.start].isdigit()
    return plain and named and all(term.kind != "function" for term in reading.terms if term.form == word.casefold())


def stated(quantity: Quantity, claim: Reading, passage: Reading) -> bool:
    """Tells whether a passage gives this value of the claim, in whatever notation, or as part of a version (4.2.0)."""
    if any(follows(quantity, other) for other in passage.quantities):
        return True
    written = claim.text[quantity.start : quantity.end]
    return "." in written and re.search(rf"(?<![\w.]){re.escape(written)}(?!\w|,\d)", passage.text) is not None


def _comparable(claimed: Quantity, given: Quantity, claim: Reading, passage: Reading) -> bool:
    if claimed.kind != given.kind:
        return False
    if claimed.kind == "rank":
        return _next(claimed, claim) == _next(given, passage) != ""
    if claimed.kind != "count" or min(claimed.value, given.value) >= _BIG:
        return True
    if claimed.noun and given.noun:
        return stem(claimed.noun) == stem(given.noun) or _counted(claimed, given, claim)
    return bool(_about(claimed, claim) & _about(given, passage))


def _open(claimed: Quantity, given: Quantity) -> bool:
    """Whether both may be of one value; not two limits of a kind: `at most four` is no `at most three`."""
    if {claimed.bound, given.bound} == {"over", "under"} and claimed.value == given.value:
        return False
    return claimed.may_be(given) and not claimed.bound == given.bound != "exact"


def _counted(claimed: Quantity, given: Quantity, claim: Reading) -> bool:
    """Whether the claim counts the same things, a few words on: `four Velrin 20 mg tablets`."""
    behind = [term for term in claim.terms if term.start >= claimed.end][:_PHRASE]
    noun = stem(given.noun)
    return any(term.stem == noun for term in behind)


def _next(quantity: Quantity, reading: Reading) -> str:
    return next((term.stem for term in reading.terms if term.start >= quantity.end), "")


def _about(quantity: Quantity, reading: Reading) -> set[str]:
    """What a number is of: the noun behind it, or the last word of content before it."""
    last = next((term.stem for term in reversed(reading.content) if term.end <= quantity.start), "")
    return {word for word in (last, stem(quantity.noun) if quantity.noun else "") if word}


def _nearby(claimed: Quantity, given: Quantity, claim: Reading, passage: Reading) -> int:
    """How many words near the one number stand near the other."""
    words = [t for t in claim.content if claimed.start - _NEAR <= t.start <= claimed.end + _NEAR]
    others = [t for t in passage.content if given.start - _NEAR <= t.start <= given.end + _NEAR]
    known = {t.stem for t in others} | {t.form for t in others}
    nouns = claimed.noun != "" and stem(claimed.noun) == stem(given.noun)
    return sum(t.stem in known or t.form in known for t in words) + nouns
