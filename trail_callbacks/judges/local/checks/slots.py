"""Where a word sits: its clause, its neighbours, and how much of a claim stands beside it in a passage."""

from __future__ import annotations

from collections.abc import Iterable

from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.language.terms import Term, stem, vocabulary

__all__ = ["agreement", "clause", "heads", "neighbours", "one_place", "within"]

_BORDERS = vocabulary("but although though while whereas because which who if unless when whose that")
_LINKING = frozenset(
    stem(form) for form in vocabulary(
        """fail refuse decline unable able manage plan begin continue require allow permit oblige recommend advise
        expect intend hope want schedule due set slate aim propose obligate perhaps"""
    )
)  # fmt: skip
_WIDE = 40  # words on each side, where a clause has no end
_STOPS = frozenset(".;:!?()\u2014")


def within(reading: Reading, span: tuple[int, int]) -> Iterable[Term]:
    """Yields the words of content inside a span."""
    return (term for term in reading.content if span[0] <= term.start < span[1])


def agreement(claim: Reading, passage: Reading, apart: tuple[int, int] = (0, 0)) -> float:
    """Returns the share, 0.0 to 1.0, of the claim's words and names outside a span that a passage has; 0.0 for none."""
    rest = [term for term in claim.content if not apart[0] <= term.start < apart[1]]
    return sum(map(passage.has, rest)) / len(rest) if rest else 0.0


def clause(reading: Reading, i: int) -> tuple[int, int]:
    """Returns first and past-last place in `terms` of the clause around the i-th word."""
    terms = reading.terms
    first = i
    while first > max(0, i - _WIDE) and not _border(reading, first):
        first -= 1
    last = i + 1
    while last < min(len(terms), i + _WIDE) and not _border(reading, last):
        last += 1
    return first, last


def _border(reading: Reading, i: int) -> bool:
    """Whether a clause begins with the i-th word."""
    terms = reading.terms
    gap = reading.text[terms[i - 1].end : terms[i].start]
    return not _STOPS.isdisjoint(gap) or "," in gap or terms[i].form in _BORDERS


def neighbours(reading: Reading, i: int) -> tuple[Term | None, Term | None]:
    """Returns the words of content nearest to the i-th in its clause, on its left and right."""
    first, last = clause(reading, i)
    solid = {term.start for term in reading.content if term.stem not in _LINKING} | {
        q.start for q in reading.quantities
    }
    left = next((t for t in reversed(reading.terms[first:i]) if t.start in solid), None)
    right = next((t for t in reading.terms[i + 1 : last] if t.start in solid), None)
    return left, right


def heads(reading: Reading, i: int) -> list[Term]:
    """Returns the words of content ahead of the i-th in its clause: its subject, if it is a verb."""
    first, _ = clause(reading, i)
    solid = {t.start for t in reading.content if t.stem not in _LINKING and not t.form.endswith("ly")}
    return [term for term in reading.terms[first:i] if term.start in solid]


def one_place(claim: Reading, i: int, passage: Reading, j: int) -> bool:
    """Tells whether two words stand in one place: beside one shared word at least, and of no other subject.

    The sides of a verb may be exchanged where one of both is a passive.
    """
    (left, right), (before, after) = neighbours(claim, i), neighbours(passage, j)
    straight = _same(left, before) or _same(right, after)
    turned = (_passive(claim, i) or _passive(passage, j)) and (_same(left, after) or _same(right, before))
    if not straight and not turned:
        return False
    subject, other = heads(claim, i), heads(passage, j)
    if not subject or not other:
        return True
    return passage.has(subject[-1]) and claim.has(other[-1])


def _same(a: Term | None, b: Term | None) -> bool:
    return a is not None and b is not None and (a.form == b.form or a.stem == b.stem)


def _passive(reading: Reading, i: int) -> bool:
    """Whether a form of `be` stands before the i-th word."""
    return any(term.form in _BE for term in reading.terms[max(0, i - 3) : i])


_BE = vocabulary("is are was were be been being get gets got")
