"""Quantifiers: some in the passage, all in the claim; also in per cent."""

from __future__ import annotations

from collections.abc import Iterator

from trail_callbacks.judges.local.checks.finding import Finding
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.language.terms import stem, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_DEGREES = {
    **dict.fromkeys(vocabulary("few selected certain occasional rare"), 1),
    **dict.fromkeys(vocabulary("some several various sometimes occasionally partly"), 2),
    **dict.fromkeys(vocabulary("many often numerous frequently"), 3),
    **dict.fromkeys(vocabulary("most majority usually typically generally mostly largely"), 4),
    **dict.fromkeys(
        vocabulary("all every always everyone everybody everything entire entirely whole each completely universally"),
        5,
    ),
}
_LEAST = {4: 50.0, 5: 100.0}  # per cent from which `most` and `all` hold
_STRONG_MAJORITY = 70.0
_STRONG = vocabulary("large vast overwhelming great clear")
_REACH = 3
_MOST, _MANY, _ALL = 4, 3, 5
_ON_SUBJECT = 0.5
_SKIPPED = vocabulary("other at in")  # `each other`, `at all`, `in all`


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds that the claim says of more things what the passage says of some, most, or a share in per cent.

    Both words must stand before one noun. `Many` for `some` and `most` for `many` are left alone as too near, and so
    is a passage that has the word of the claim, too.
    """
    given = list(_degrees(passage))
    for wide, degree, nouns in _degrees(claim):
        strong = degree == _MOST and any(t.form in _STRONG for t in claim.terms[max(0, wide - 1) : wide])
        if degree < _MOST or any(other >= degree and not strong for _, other, _ in given):
            continue
        term = claim.terms[wide]
        if claim.shared(passage, (term.start, term.end)) < _ON_SUBJECT:
            continue
        for place, other, things in given:
            if nouns & things and (other < _MANY or (other < _ALL and degree == _ALL)):
                narrow = passage.terms[place]
                return _finding(claim, (term.start, term.end), passage, (narrow.start, narrow.end))
        least = _STRONG_MAJORITY if strong else _LEAST[degree]
        share = next((q for q in passage.quantities if q.kind == "percent"), None)
        if (
            share
            and share.value < least
            and share.bound != "over"
            and not any(q.kind == "percent" for q in claim.quantities)
        ):
            start = claim.terms[wide - 1].start if strong else term.start
            return _finding(claim, (start, term.end), passage, (share.start, share.end))
    return None


def _degrees(reading: Reading) -> Iterator[tuple[int, int, set[str]]]:
    """Place, degree and the nouns right behind, of each quantifier that is no part of a name."""
    for i, term in enumerate(reading.terms):
        degree = _DEGREES.get(term.form)
        if degree is None or term.kind == "name":
            continue
        around = [t.form for t in reading.terms[max(0, i - 1) : i] + reading.terms[i + 1 : i + 2]]
        if (around and around[-1] == "other" and term.form == "each") or (
            term.form == "all" and {"at", "in"} & set(around[:1])
        ):
            continue
        if term.form == "most" and i + 1 < len(reading.terms) and _adjective(reading, i):
            continue
        behind = reading.terms[i + 1 : i + 1 + _REACH]
        yield i, degree, {stem(t.form) for t in behind if t.kind != "function"}


def _adjective(reading: Reading, i: int) -> bool:
    """Whether `most` makes a superlative: `the most common kind`."""
    return (
        i > 0
        and reading.terms[i - 1].form in {"the", "its", "their", "his", "her"}
        and reading.terms[i + 1].form != "of"
    )


def _finding(claim: Reading, span: tuple[int, int], passage: Reading, place: tuple[int, int]) -> Finding:
    return Finding.quoting(
        claim,
        span,
        passage,
        place,
        error_type=ErrorType.OVERGENERALIZATION,
        support=SupportClass.PARTIALLY_SUPPORTED,
    )
