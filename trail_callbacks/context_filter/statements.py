"""Two sentences on one subject, and the one thing in which they differ: a number, a date or a negation.

Only what the sentences themselves show is used: they share most of their words, and differ in one place. A paraphrase
that shares few words is not compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from trail_callbacks.language.terms import Term, stem, terms, vocabulary
from trail_callbacks.language.values import Quantity, quantities

__all__ = ["Difference", "Statement", "agrees", "difference"]

_SHARED = 0.7  # of the words of one statement that the other has
_SHARED_BACK = 0.45  # and of the words of the other
_FEWEST = 2  # words that both have
_COUNT = 1000  # from here on a count is recognized by its size, whatever noun follows
_DATE = ("year", "month", "day", "weekday")
_NEGATIONS = vocabulary("not no never cannot neither nor")
_NO_DENIAL = vocabulary("have even only just yet but more less")  # `does not have to be`, `not only`
_CONTRACTED = ("n't", "n\u2019t")
_SUBJECT = re.compile(r"\s(?:is|was|are|were|became|wrote|invented|discovered|founded|directed|designed)\b")

Span = tuple[int, int]


@dataclass(frozen=True)
class Statement:
    """A sentence of a passage.

    Attributes:
        passage: Position of the passage.
        start: Offset in its text.
        text: The sentence.
    """

    passage: int
    start: int
    text: str

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Its numbers and dates."""
        return quantities(self.text)

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """Its words."""
        return terms(self.text)

    @cached_property
    def content(self) -> tuple[Term, ...]:
        """Words and names, without what belongs to a number."""
        taken = [(quantity.start, quantity.end) for quantity in self.quantities]
        return tuple(
            term
            for term in self.terms
            if term.kind in {"word", "name"} and not any(start <= term.start < end for start, end in taken)
        )

    @cached_property
    def keys(self) -> frozenset[str]:
        """Stems of words and names, by which two statements are compared."""
        return frozenset(stem(term.form) for term in self.content)

    @cached_property
    def names(self) -> tuple[tuple[Term, ...], ...]:
        """Names, each as its adjacent words; a subject that opens the sentence is taken for one."""
        found: list[tuple[Term, ...]] = []
        for i, term in enumerate(self.content):
            opening = i == 0 and term.start == 0 and self.text[:1].isupper() and _SUBJECT.match(self.text, term.end)
            if term.kind != "name" and not opening:
                continue
            if found and self.text[found[-1][-1].end : term.start] in {" ", "-"}:
                found[-1] = (*found[-1], term)
            else:
                found.append((term,))
        return tuple(found)

    def has(self, name: Sequence[Term]) -> bool:
        """Tells whether any word of a name occurs in it."""
        return any(stem(term.form) in self.keys for term in name)


class Difference(NamedTuple):
    """The one thing in which two statements on one subject differ.

    Attributes:
        kind: What it is.
        span: Offsets in the first statement.
        other: Offsets in the second.
        value: What the second states, in a form that can be compared.
    """

    kind: Literal["number", "date", "negation"]
    span: Span
    other: Span
    value: tuple[object, ...]


def difference(a: Statement, b: Statement) -> Difference | None:
    """Finds the one thing in which two statements on one subject differ.

    Two that differ in more than one thing, or in a name, are on two subjects: this year's sales and last year's.
    """
    mine, its = _unmatched(a, b), _unmatched(b, a)
    kinds = {_kind(quantity) for quantity in mine} & {_kind(quantity) for quantity in its}
    names = [[name for name in one.names if not two.has(name)] for one, two in ((a, b), (b, a))]
    if len(kinds) > 1 or all(names):
        return None
    if kinds:
        kind = kinds.pop()
        found = _in_quantity([q for q in mine if _kind(q) == kind], [q for q in its if _kind(q) == kind])
    else:
        found = _in_negation(a, b)
    return found if found is not None and _one_subject(a, b, found.span, found.other) else None


def agrees(a: Statement, b: Statement, at: Difference) -> bool:
    """Tells whether a statement on the same subject states what another states at a place."""
    if not _one_subject(a, b, at.span, (0, 0)) or difference(a, b) is not None:
        return False
    unmatched = {quantity.start for quantity in _unmatched(a, b)}
    return at.kind == "negation" or unmatched.isdisjoint(range(*at.span))


def _unmatched(a: Statement, b: Statement) -> list[Quantity]:
    return [mine for mine in a.quantities if not any(_may_be(mine, its) for its in b.quantities)]


def _may_be(a: Quantity, b: Quantity) -> bool:
    """Whether two numbers may be of one value: equal, rounded, or a range and a value in it."""
    rounded = a.kind == b.kind and abs(a.value - b.value) <= max(a.step, b.step) / 2
    return (
        a.may_be(b)
        or (rounded and a.step != b.step)
        or (a.kind != b.kind and "count" in {a.kind, b.kind} and a.raw == b.raw)
    )


def _kind(quantity: Quantity) -> str:
    return "date" if quantity.kind in _DATE else quantity.kind


def _in_quantity(mine: Sequence[Quantity], its: Sequence[Quantity]) -> Difference | None:
    if mine[0].kind in _DATE:  # dates differ in the coarsest part that both give: `May 1937` and `1950` in the year
        for part in _DATE:
            here, there = [q for q in mine if q.kind == part], [q for q in its if q.kind == part]
            if len(here) == len(there) == 1:
                return Difference("date", _hull(mine), _hull(its), (part, there[0].value))
        return None
    if len(mine) != 1 or len(its) != 1:
        return None
    (one,), (other,) = mine, its
    of_one = one.kind != "count" or stem(one.noun) == stem(other.noun) != "" or min(one.value, other.value) >= _COUNT
    if {one.bound, other.bound} != {"exact"} or not of_one or one.kind == "rank":
        return None
    return Difference("number", (one.start, one.end), (other.start, other.end), (one.kind, round(other.value, 6)))


def _hull(parts: Sequence[Quantity]) -> Span:
    return min(part.start for part in parts), max(part.end for part in parts)


def _in_negation(a: Statement, b: Statement) -> Difference | None:
    denied, stated = dict(_denied(a)), dict(_denied(b))
    if bool(denied) == bool(stated):
        return None
    other = b if denied else a
    for key, span in (denied or stated).items():
        there = next(((term.start, term.end) for term in other.content if stem(term.form) == key), None)
        if there is not None:
            return Difference("negation", *((span, there) if denied else (there, span)), ())
    return None


def _denied(statement: Statement) -> Iterator[tuple[str, Span]]:
    """The words that follow a negation, with where negation and word stand."""
    cue: Term | None = None
    for term in statement.terms:
        if term.form in _NEGATIONS or term.form.endswith(_CONTRACTED):
            cue = term
        elif term.form in _NO_DENIAL or (cue is not None and "," in statement.text[cue.end : term.start]):
            cue = None
        elif cue is not None and term.kind == "word":
            yield stem(term.form), (cue.start, term.end)
            cue = None


def _one_subject(a: Statement, b: Statement, span: Span, other: Span) -> bool:
    """Whether what stands beside the difference is largely the same on both sides."""
    shares = []
    for one, two, cut in ((a, b, span), (b, a, other)):
        beside = [term for term in one.content if not cut[0] <= term.start < cut[1]]
        shared = sum(stem(term.form) in two.keys for term in beside)
        if shared < _FEWEST:
            return False
        shares.append(shared / len(beside))
    return max(shares) >= _SHARED and min(shares) >= _SHARED_BACK
