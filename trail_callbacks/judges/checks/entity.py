"""Names: a name of the claim in whose place the passage has another."""

from __future__ import annotations

from collections.abc import Sequence

from trail_callbacks.judges.checks.reading import Finding, Reading
from trail_callbacks.taxonomy import ErrorType, SupportClass
from trail_callbacks.terms import Term, vocabulary

__all__ = ["compare", "displaced", "known"]

_TITLES = vocabulary(
    """president minister chancellor senator governor mayor king queen prince princess emperor pope bishop saint lord
    lady captain colonel general admiral professor judge justice chief executive ceo cfo cto director chairman
    chairwoman chair inspector officer miss"""
)
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
    """Tells whether a text holds a name, a part of it (people are called by one of their names), or its initials.

    A word of it does not count inside another name: `Bridge` in `Kelder Bridge` says nothing about the Halden Bridge.
    """
    shared = [term for term in name if reading.has(term)]
    if any(not _around(term, reading) or any(_one(name, other) for other in _around(term, reading)) for term in shared):
        return True
    if len(name) > 1:
        initials = "".join(term.form[0] for term in name)
        return any(term.form == initials for term in reading.terms)
    letters = name[0].form
    return _SHORTEST <= len(letters) <= _LONGEST and any(
        "".join(term.form[0] for term in other) == letters for other in reading.names
    )


def displaced(name: Sequence[Term], reading: Reading, before: Reading) -> bool:
    """Tells whether a text means another by a part of a name: `the bridge`, after `The Kelder Bridge`."""
    shared = [term for term in name if reading.has(term)]
    if len(shared) == len(name) or any(_around(term, reading) for term in shared):
        return False
    around = [other for term in shared for other in _around(term, before)]
    return bool(around) and not any(_one(name, other) for other in around)


def _around(term: Term, reading: Reading) -> list[tuple[Term, ...]]:
    """The names of a text that hold a word."""
    return [other for other in reading.names if any(each.form == term.form for each in other)]


def _one(name: Sequence[Term], other: Sequence[Term]) -> bool:
    """Whether two names that share a word may be of one: neither has a word that the other lacks, titles aside."""
    mine = {term.form for term in name} - _TITLES
    theirs = {term.form for term in other} - _TITLES
    return all(_within(form, theirs) for form in mine) or all(_within(form, mine) for form in theirs)


def _within(form: str, forms: set[str]) -> bool:
    """Whether a word, or its first letter, is among some."""
    return form in forms or any(
        form.startswith(each) if len(each) == 1 else len(form) == 1 and each[0] == form for each in forms
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
