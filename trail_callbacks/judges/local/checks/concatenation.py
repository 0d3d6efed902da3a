"""False concatenation: what the claim says of one name, the passages say only of another."""

from __future__ import annotations

from collections.abc import Sequence

from trail_callbacks.judges.local.checks.entity import known
from trail_callbacks.judges.local.checks.number import stated
from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.language.quantities import Quantity
from trail_callbacks.language.terms import Term, stem, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare_all"]

_LIGHT = frozenset(
    stem(form) for form in vocabulary(
        """do make have get take give be become go come say tell know use include new first one other many most also
        year day time
    people thing way part call name"""
    )
)  # fmt: skip
_JOINED = vocabulary("and or both with than like between")
_MOST = 0.75  # share of what the claim says that the other passage must have
_LITTLE = 0.34  # share that passages about the claim's name may have at most
_LEAST = 2  # words and numbers that say something


def compare_all(claim: Reading, passages: Sequence[Reading]) -> Finding | None:
    """Finds a predicate of the claim only in passages that begin with another name, while others are about the claim's.

    The claim must begin with a name that some passage has, and say two things at least that are in no passage with
    that name. The other passage must begin with a name that the claim lacks and nowhere have the claim's. Left alone:
    sentences that begin with a pronoun or a common noun, and pairs joined by `and`.
    """
    subject = _subject(claim) or _short(claim, passages)
    if not subject or any(t.form in _JOINED for t in claim.terms):
        return None
    others = [name for name in claim.names if not _same(name, subject)]
    about = [passage for passage in passages if known(subject, passage)]
    said = _said(claim, subject)
    if not about or len(said) < _LEAST:
        return None
    for passage in passages:
        other = _subject(passage)
        if not other or known(subject, passage) or known(other, claim) or any(known(other, each) for each in about):
            continue
        if not all(known(name, passage) for name in others):
            continue
        held = [each for each in said if _has(each, passage, claim)]
        if len(held) < _LEAST or len(held) < _MOST * len(said):
            continue
        if max(sum(_has(each, each_about, claim) for each in held) for each_about in about) > _LITTLE * len(held):
            continue
        first, last = min(each.start for each in held), max(each.end for each in held)
        return Finding(
            error_type=ErrorType.FALSE_CONCATENATION,
            support=SupportClass.CONTRADICTED,
            claim_words=claim.text[first:last],
            evidence_words=passage.text[other[0].start : other[-1].end],
            claim_span=(first, last),
            span=(other[0].start, other[-1].end),
        )
    return None


def _subject(reading: Reading) -> tuple[Term, ...]:
    """The name that a text begins with, at most behind an article; a capitalised first word of its own is none."""
    first = next((term for term in reading.terms if term.kind != "function"), None)
    return next((name for name in reading.names if first is not None and name[0].start == first.start), ())


def _short(claim: Reading, passages: Sequence[Reading]) -> tuple[Term, ...]:
    """The word that opens the claim, if it is part of a name of the passages."""
    first = claim.terms[0] if claim.terms else None
    if first is None or first.kind != "word" or not claim.text[first.start].isupper():
        return ()
    return (first,) if any(first.form == t.form for each in passages for name in each.names for t in name) else ()


def _same(a: Sequence[Term], b: Sequence[Term]) -> bool:
    return bool({t.form for t in a} & {t.form for t in b})


def _said(claim: Reading, subject: Sequence[Term]) -> list[Term | Quantity]:
    """The words and numbers of the claim besides its subject."""
    names = {term.form for term in subject}
    words = [t for t in claim.content if t.form not in names and t.stem not in _LIGHT]
    return [*words, *(q for q in claim.quantities if q.raw != 1)]


def _has(each: Term | Quantity, passage: Reading, claim: Reading) -> bool:
    return passage.has(each) if isinstance(each, Term) else stated(each, claim, passage)
