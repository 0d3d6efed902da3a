"""Superlatives: `one of the largest` becomes `the largest`, `large` becomes `largest`."""

from __future__ import annotations

from collections.abc import Sequence

from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.judges.local.checks.slots import agreement
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare_all"]

_PLAIN = """
best:good/excellent/fine worst:bad/poor largest:large/big/huge biggest:large/big/huge oldest:old/ancient
newest:new/modern/recent fastest:fast/quick/rapid tallest:tall/high highest:high/tall longest:long
deepest:deep richest:rich/wealthy safest:safe cheapest:cheap strongest:strong greatest:great/big/large
smallest:small/little/tiny busiest:busy hottest:hot/warm coldest:cold earliest:early latest:late
youngest:young lowest:low wealthiest:rich/wealthy easiest:easy hardest:hard widest:wide rarest:rare
finest:fine/good
"""
_BASES = {best: frozenset(plain.split("/")) for best, _, plain in (pair.partition(":") for pair in _PLAIN.split())}
_OTHER_WORDS = [
    vocabulary(words)
    for words in (
        "largest biggest greatest most major foremost chief principal main huge",
        "best top leading finest greatest favourite favorite unrivalled highest number",
        "first earliest initial pioneer pioneering debut oldest original introduced 1st one maiden",
        "most mainly chiefly largely primarily predominantly majority best largest main primary commonly highest",
        "fastest quickest rapid record",
        "tallest highest",
        "oldest earliest first longest ancient",
        "worst deadliest lowest poorest",
        "newest latest recent youngest",
        "richest wealthiest",
    )
]
_ON_SUBJECT = 0.7
_SUBJECT = 0.5


def compare_all(claim: Reading, passages: Sequence[Reading]) -> Finding | None:
    """Finds a superlative that no passage has, where one has the plain word, or has it of `one of the` things.

    Left alone: superlatives with a synonym anywhere in the passages (`the biggest`, `the sole`), numbers (`the first
    two`) and those whose plain word no passage has: what is merely missing is found by what the passages hold.
    """
    for i, term in enumerate(claim.terms):
        words = _claimed(claim, i)
        if not words:
            continue
        span = (term.start, term.end)
        near = [passage for passage in passages if agreement(claim, passage, span) >= _SUBJECT]
        one_of = [(p, at) for p in near if (at := _one_of(p, words)) is not None]
        plain = [p for p in passages if any(t.form in words for t in p.terms)]
        if one_of and not _is_one_of(claim, i) and len(plain) == len(one_of):
            passage, place = one_of[0]
            return _finding(claim, span, passage, place)
        if plain:
            continue
        base = _BASES.get(term.form, frozenset()) or ({claim.terms[i + 1].form} if term.form == "most" else frozenset())
        for passage in near:
            stands = _positive(claim, i, passage, base)
            if stands is not None and agreement(claim, passage, span) >= _ON_SUBJECT:
                return _finding(claim, span, passage, stands)
    return None


def _claimed(claim: Reading, i: int) -> set[str]:
    """The words for the superlative at a place, if there is one: it follows `the`, a possessive or a name."""
    term = claim.terms[i]
    if term.form not in _BASES and term.form != "most":
        return set()
    if i == 0 or i + 1 >= len(claim.terms) or claim.terms[i - 1].form == "at":
        return set()
    if term.form == "most" and (
        claim.terms[i - 1].form not in {"the", "its", "their"} or claim.terms[i + 1].form == "of"
    ):
        return set()
    return {term.form}.union(*(group for group in _OTHER_WORDS if term.form in group))


def _is_one_of(reading: Reading, i: int) -> bool:
    before = [t.form for t in reading.terms[max(0, i - 4) : i]]
    return "among" in before or "some" in before or ("one" in before and "of" in before)


def _one_of(passage: Reading, words: set[str]) -> tuple[int, int] | None:
    for i, term in enumerate(passage.terms):
        if term.form in words and term.form not in {"one", "number"} and _is_one_of(passage, i):
            return term.start, term.end
    return None


def _positive(claim: Reading, i: int, passage: Reading, base: frozenset[str] | set[str]) -> tuple[int, int] | None:
    """The plain adjective of the passage before the noun that the superlative of the claim is of."""
    at = i + 2 if claim.terms[i].form == "most" else i + 1
    nouns = {t.stem for t in claim.terms[at : at + 2] if t.kind != "function"}
    for k, term in enumerate(passage.terms):
        if term.form not in base or (k and passage.terms[k - 1].form in {"most", "more", "as", "so", "very", "too"}):
            continue
        if any(t.stem in nouns for t in passage.terms[k + 1 : k + 3]):
            return term.start, term.end
    return None


def _finding(claim: Reading, span: tuple[int, int], passage: Reading, place: tuple[int, int]) -> Finding:
    return Finding(
        error_type=ErrorType.OVERGENERALIZATION,
        support=SupportClass.PARTIALLY_SUPPORTED,
        claim_words=claim.text[slice(*span)],
        evidence_words=passage.text[slice(*place)],
        claim_span=span,
        span=place,
        detail="superlative",
    )
