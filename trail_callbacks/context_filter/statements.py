# ruff: noqa: E501 - lists of words
"""Two statements about one subject: do they say the same, and if not, where do they part?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.judges.local.checks import negation, number
from trail_callbacks.judges.local.checks.entity import known
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.language.quantities import Quantity
from trail_callbacks.language.terms import Term
from trail_callbacks.taxonomy import SupportClass

__all__ = ["Difference", "Statement", "agrees", "difference", "proper"]

_MOST = 0.7  # of one statement's words that the other holds
_LEAST = 0.3  # and of the other's
_COMMON = 1.5  # words that both hold
_NAME = 1.5  # what a name counts
_DATE = ("year", "month", "day", "weekday")
_LEADING = re.compile(r"\s+(?:is|was|are|were|became|remains|wrote|invented|discovered|founded|directed|designed|composed|painted|built)\b")  # fmt: skip
# Relations in which only one name can stand: two names of members, products or guests do not exclude each other.
_SINGLE = re.compile(
    r"\b(?:the|its|his|her|whose|their|\w+['\u2019]s) (?:\w+ ){0,2}?(?:capital|author|founder|inventor|director|president|ceo|chief executive|chairman|king|"
    r"queen|mayor|winner|champion|composer|designer|owner|creator|headquarters|birthplace|father|mother|wife|husband|discoverer|"
    r"currency|largest|smallest|highest|tallest|longest|oldest|first|last|official language|prime minister|parent company|successor|"
    r"predecessor|architect|manufacturer|publisher)\b"
    r"|\b(?:founded|invented|discovered|written|directed|designed|composed|painted|owned|acquired|published|manufactured|built|led|named) "
    r"(?:\w+ ){0,2}?(?:by|after)\b"
    r"|\b(?:born|died|located|based|headquartered|situated|buried|held|founded|set|lies|stands|built|took place|takes place) (?:in|at|near|on)\b"
    r"|\b(?:invented|discovered|founded|wrote|painted|composed|directed|designed|succeeded|acquired|bought)\b",
    re.IGNORECASE,
)
_ONE_OF = re.compile(r"\bone of\b|\bamong\b|\balso\b|\bco-\w+", re.IGNORECASE)


@dataclass(frozen=True)
class Statement:
    """A sentence of a passage.

    Attributes:
        passage: Position of the passage.
        start: Offset in its text.
        text: The sentence.
        proper: Words that are names wherever they stand, case-folded.
    """

    passage: int
    start: int
    text: str
    proper: frozenset[str] = frozenset()

    @cached_property
    def reading(self) -> Reading:
        """What the checks see."""
        return Reading(self.text)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Stems and names, by which statements on one subject are found."""
        return frozenset(term.stem if term.kind == "word" else term.form for term in self.reading.content)

    @cached_property
    def names(self) -> tuple[tuple[Term, ...], ...]:
        """Its names, with one that opens the sentence."""
        names = self.reading.names
        first = next(iter(self.reading.content), None)
        if (
            first is not None
            and first.kind == "word"
            and first is self.reading.terms[0]
            and self.text[first.start].isupper()
        ):
            told = first.form in self.proper or _LEADING.match(self.text, first.end)
            if told and not any(first.start == name[0].start for name in names):
                return ((first,), *names)
        return names


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two statements on one subject part.

    Attributes:
        kind: `number`, `date`, `name` or `negation`.
        span: Offsets in the first statement.
        other: Offsets in the second.
        value: What the second gives, in a form that can be compared.
    """

    kind: str
    span: tuple[int, int]
    other: tuple[int, int]
    value: tuple[object, ...]


def difference(a: Statement, b: Statement) -> Difference | None:
    """Finds the one thing in which two statements on the same subject differ.

    Two that differ in more than one thing speak of two things: this year's sales and last year's.
    """
    numbers = _numbers(a, b)
    kinds = {kind for kind, _, _ in numbers}
    if len(kinds) > 1:
        return None
    names = _names(a, b)
    if numbers:
        found = _number(a, b, *numbers[0])
        return found if found and not all(names) and _one_subject(a, b, found.span, found.other) else None
    if all(names):
        return _name(a, b, *names)
    return _negation(a, b)


def agrees(a: Statement, b: Statement, at: Difference) -> bool:
    """Tells whether a statement on the same subject gives what another gives at a place."""
    if not _one_subject(a, b, at.span, (0, 0)):
        return False
    if at.kind in {"number", "date"}:
        here = [q for q in a.reading.quantities if at.span[0] <= q.start < at.span[1]]
        return bool(here) and all(number.stated(q, a.reading, b.reading) for q in here)
    if at.kind == "name":
        return any(known(name, b.reading) for name in a.names if at.span[0] <= name[0].start < at.span[1])
    return _negation(a, b) is None and len(a.keys & b.keys) >= len(a.keys) * _MOST


def _numbers(a: Statement, b: Statement) -> list[tuple[str, list[Quantity], list[Quantity]]]:
    """Kinds of numbers that both give, and each gives otherwise."""
    mine = [q for q in a.reading.quantities if not number.stated(q, a.reading, b.reading)]
    other = [q for q in b.reading.quantities if not number.stated(q, b.reading, a.reading)]
    found = []
    for kind in dict.fromkeys(map(_kind, mine)):
        theirs = [q for q in other if _kind(q) == kind]
        if theirs:
            found.append((kind, [q for q in mine if _kind(q) == kind], theirs))
    return found


def _kind(quantity: Quantity) -> str:
    return "date" if quantity.kind in _DATE else quantity.kind


def _number(a: Statement, b: Statement, kind: str, mine: list[Quantity], other: list[Quantity]) -> Difference | None:
    if kind == "date":
        return _date(mine, other)
    if min(len(mine), len(other)) > 1:
        return None
    found = number.compare(a.reading, b.reading)
    back = number.compare(b.reading, a.reading)
    if found is None or back is None or found.support is not SupportClass.CONTRADICTED:
        return None
    rival = next((q for q in other if (q.start, q.end) == found.span), None)
    if rival is None or (rival.bound != "exact" and kind != "count"):
        return None
    return Difference("number", found.claim_span, found.span, (kind, round(rival.value, 6)))


def _date(mine: Sequence[Quantity], other: Sequence[Quantity]) -> Difference | None:
    """Dates differ in the coarsest part that both give: `May 1937` and `1950` in the year."""
    for kind in _DATE:
        here, there = [q for q in mine if q.kind == kind], [q for q in other if q.kind == kind]
        if len(here) == len(there) == 1:
            return Difference("date", _hull(mine), _hull(other), (kind, there[0].value))
    return None


def _hull(quantities: Sequence[Quantity]) -> tuple[int, int]:
    return min(q.start for q in quantities), max(q.end for q in quantities)


def _names(a: Statement, b: Statement) -> tuple[list[tuple[Term, ...]], list[tuple[Term, ...]]]:
    """Names that only one of them has."""
    return (
        [name for name in a.names if not known(name, b.reading)],
        [name for name in b.names if not known(name, a.reading)],
    )


def _name(
    a: Statement, b: Statement, mine: Sequence[tuple[Term, ...]], other: Sequence[tuple[Term, ...]]
) -> Difference | None:
    if len(mine) + len(other) > 3:  # noqa: PLR2004 - one each, and one that is said by the way
        return None
    for statement in (a, b):
        if not _SINGLE.search(statement.text) or _ONE_OF.search(statement.text):
            return None
    span, there = _span(mine[0]), _span(other[0])
    if not _one_subject(a, b, span, there):
        return None
    return Difference("name", span, there, ("name", *sorted(term.form for term in other[0])))


def _span(name: Sequence[Term]) -> tuple[int, int]:
    return name[0].start, name[-1].end


def _negation(a: Statement, b: Statement) -> Difference | None:
    if not (a.reading.english and b.reading.english):
        return None
    spans = _denied(a, b)
    if spans is None:
        back = _denied(b, a)  # the longer one gives more than the shorter can answer
        spans = back and (back[1], back[0])
    if spans is None or not _one_subject(a, b, *spans):
        return None
    return Difference("negation", *spans, ("negation",))


def _denied(a: Statement, b: Statement) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Where the second denies what the first states, or states what the first denies: offsets in both."""
    found = negation.compare(a.reading, b.reading)
    return (found.claim_span, found.span) if found and found.support is SupportClass.CONTRADICTED else None


def _one_subject(a: Statement, b: Statement, span: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether what stands beside the difference is largely the same on both sides."""
    shares = []
    for one, two, cut in ((a, b, span), (b, a, other)):
        held, whole = _held(one, two, cut)
        if held < _COMMON:
            return False
        shares.append(held / whole)
    return max(shares) >= _MOST and min(shares) >= _LEAST


def _held(one: Statement, two: Statement, cut: tuple[int, int]) -> tuple[float, float]:
    """How much of a statement, outside a stretch, another holds: names and words, but no numbers; and its whole."""
    held = whole = 0.0
    named = {term.start for name in one.names for term in name}
    parts: list[tuple[int, float, bool]] = [(name[0].start, _NAME, known(name, two.reading)) for name in one.names]
    parts += [(t.start, 1.0, two.reading.has(t)) for t in one.reading.content if t.start not in named]
    for start, weight, there in parts:
        if not cut[0] <= start < cut[1]:
            whole += weight
            held += weight * there
    return held, whole


def proper(texts: Iterable[str]) -> frozenset[str]:
    """Words that stand as names inside a sentence somewhere."""
    return frozenset(term.form for text in texts for name in Reading(text).names for term in name)
