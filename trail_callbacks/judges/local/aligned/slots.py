"""Slots: another number, another name or an opposite in the place of a word, or a name or year that is nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from math import isclose

from trail_callbacks.judges.local.aligned.alignment import Alignment, Token
from trail_callbacks.judges.local.checks import entity
from trail_callbacks.judges.local.checks.number import is_label
from trail_callbacks.judges.local.checks.reading import Finding, Reading, contraries
from trail_callbacks.language.terms import Term, stem
from trail_callbacks.language.values import Quantity, follows
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["name", "new_name", "new_year", "number", "opposite"]

_LEAST = 0.6  # share of the rest of a claim that must be paired
_MOST = 0.95  # the same for a number that other numbers may give by arithmetic
_HALF_FRAMED = 0.85  # the same where only one neighbour is the same
_SEVERAL = 0.7  # the same for a name of several words
_NEW = 0.4  # the same for a name of several words, or a year, that no passage has
_SHORTEST = 4  # letters of a name of one word that no passage has
_LOOSE = 0.8  # the same where no neighbour is the same, for a name that other passages have
_BOTH = 2
_BOUND = 3  # words of a bound, such as `no more than`
_ROOT = 4  # letters; `Indiana` and `Indianapolis` are not told apart
_TERMS = 24  # numbers of the passages that arithmetic is tried with
_THREE = 12  # numbers of which three are added up
_EXACT = 0.005  # how near a result must be
_CHANGES = ({"by", "to"}, {"by", "from"}, {"to", "from"})  # `rose by 15` and `rose to 95` may both be true
_DIRECTIONS = {
    "over": frozenset({"under"}),
    "under": frozenset({"over"}),
    "above": frozenset({"below"}),
    "below": frozenset({"above"}),
    "before": frozenset({"after"}),
    "after": frozenset({"before"}),
    "more": frozenset({"less", "fewer"}),
    "less": frozenset({"more"}),
    "fewer": frozenset({"more"}),
    "for": frozenset({"against"}),
    "against": frozenset({"for"}),
}
"""Function words with opposites; `contraries` has those of other words."""


def number(alignment: Alignment) -> Finding | None:
    """Finds a number in whose place the sentence has another of the same kind.

    Left alone: labels (`step 4`), and values that the numbers of the passages give by a sum, difference, product or
    share, unless the sentence is otherwise the same.
    """
    for i, token in enumerate(alignment.own):
        mine = token.quantity
        if mine is None or i in alignment.pairs or is_label(mine, alignment.claim):
            continue
        for j, its in _others(alignment, i, mine):
            framed, coverage = alignment.framed(i, j), alignment.coverage(i)
            if {_word_before(alignment.own, i), _word_before(alignment.given, j)} in _CHANGES:
                continue
            if framed < 1 or coverage < (_LEAST if framed == _BOTH else _HALF_FRAMED):
                continue
            given = [q for reading in alignment.around for q in reading.quantities]
            values = [q.value for q in given if q.kind == mine.kind]
            own = [q.value for q in alignment.passage.quantities]
            results = (*_sums(values), *_products(own))
            computed = any(isclose(mine.value, result, rel_tol=_EXACT) for result in results)
            if coverage < _MOST and computed and not any(follows(mine, q) for q in given):
                continue
            if framed == _BOTH or mine.kind != "count" or _same_noun(mine, its):
                first, other = _bounded(alignment, i, j)
                return _finding(alignment, (first, token), (other, alignment.given[j]), ErrorType.NUMBER)
    return None


def _bounded(alignment: Alignment, i: int, j: int) -> tuple[Token, Token]:
    """Where two numbers begin that are written alike, with the words in front that set them apart: `over 60`."""
    mine, its = alignment.own, alignment.given
    own, given = alignment.claim.text[: mine[i].end], alignment.passage.text[: its[j].end]
    for back in range(min(i, j, _BOUND) + 1):
        if own[mine[i - back].start :].casefold() != given[its[j - back].start :].casefold():
            return mine[i - back], its[j - back]
    return mine[i], its[j]


def _word_before(words: Sequence[Token], i: int) -> str:
    return words[i - 1].form if i else ""


def _others(alignment: Alignment, i: int, mine: Quantity) -> Iterator[tuple[int, Quantity]]:
    """The numbers of the sentence that may stand in the place of one of the claim."""
    swapped = any(follows(mine, token.quantity) for token in alignment.given if token.quantity)
    for j in range(len(alignment.given)) if swapped else alignment.spare(i):
        its = alignment.given[j].quantity
        if its is None or its.kind != mine.kind or is_label(its, alignment.passage):
            continue
        if {mine.bound, its.bound} == {"over", "under"} and mine.value == its.value:
            yield j, its
            continue
        if mine.may_be(its) or follows(mine, its):
            continue
        known = any(follows(token.quantity, its) for token in alignment.own if token.quantity)
        if known == swapped and (not swapped or alignment.framed(i, j) == _BOTH):
            yield j, its


def _same_noun(one: Quantity, other: Quantity) -> bool:
    return bool(one.noun) and stem(one.noun) == stem(other.noun)


def _sums(values: Sequence[float]) -> Iterator[float]:
    """Sums and differences of two or three numbers."""
    known = list(dict.fromkeys(values))[:_TERMS]
    for a, b in combinations(known, 2):
        yield from (a + b, abs(a - b))
    for a, b, c in combinations(known[:_THREE], 3):
        yield from (a + b + c, a - b - c, b - a - c, c - a - b)


def _products(values: Sequence[float]) -> Iterator[float]:
    """Products, ratios and shares of numbers of one sentence, and their simple multiples."""
    known = list(dict.fromkeys(values))[:_THREE]
    for a in known:
        yield from (100 - a, 2 * a, a / 2, 4 * a, a / 4, 7 * a, 12 * a, a / 12)
    for a, b in permutations(known, 2):
        yield a * b
        if b:
            yield from (a / b, 100 * a / b)


def name(alignment: Alignment) -> Finding | None:
    """Finds a name, title or code in whose place the sentence has another."""
    for i, token in enumerate(alignment.own):
        if token.kind != "name" or i in alignment.pairs or token.form in alignment.given_words:
            continue
        whole = _whole(token, alignment.claim)
        if entity.known(whole, alignment.passage) or entity.is_alias(whole, alignment.passage):
            continue
        if ":" in alignment.claim.text[token.end :] or _after_number(token, alignment.claim):
            continue  # a heading, or the first word of an item: `4  Add salt`
        apart = _unpaired(alignment, i, whole)
        for j in alignment.spare(i):
            if _replaces(alignment, i, whole, j) and alignment.coverage(*apart) >= _enough(alignment, i, apart, j):
                other = _whole(alignment.given[j], alignment.passage)
                its = [t for t in alignment.given if other[0].start <= t.start < other[-1].end] or [alignment.given[j]]
                first, last = alignment.own[apart[0]], alignment.own[apart[-1]]
                return _finding(alignment, (first, last), (its[0], its[-1]), ErrorType.ENTITY)
    return None


def _replaces(alignment: Alignment, i: int, whole: Sequence[Term], j: int) -> bool:
    """Whether a word of the sentence is of another name than one of the claim."""
    mine, its = alignment.own[i], alignment.given[j]
    if its.kind != "name" or its.form in alignment.words or its.form[:_ROOT] == mine.form[:_ROOT]:
        return False
    if _in_capitals(mine, alignment.claim) != _in_capitals(its, alignment.passage):
        return False  # an abbreviation, or a word that is shouted
    if _after_number(its, alignment.passage):
        return False
    other = _whole(its, alignment.passage)
    return not entity.known(other, alignment.claim) and not entity.is_called(whole, other)


def _enough(alignment: Alignment, i: int, apart: Sequence[int], j: int) -> float:
    """The share of the rest of a claim that must be paired for another name to stand in the place of its own."""
    token = alignment.own[i]
    known = any(reading.has(Term(token.form, token.key, "name", 0, 0)) for reading in alignment.around)
    if known and not any(before.content for before in alignment.own[: apart[0]]):
        return _MOST  # the sentence is about another thing, unless it says the same
    if alignment.framed(apart[0], j) or alignment.framed(apart[-1], j):
        return _LEAST if len(apart) == 1 else _SEVERAL
    return _LOOSE if known else 1.0


def _unpaired(alignment: Alignment, i: int, whole: Sequence[Term]) -> list[int]:
    """The words of a name that the sentence has not, around one of them."""
    start, end = min(whole[0].start, alignment.own[i].start), max(whole[-1].end, alignment.own[i].end)
    return [
        k
        for k, token in enumerate(alignment.own)
        if start <= token.start < end and (k == i or k not in alignment.pairs)
    ]


def _after_number(token: Token, reading: Reading) -> bool:
    before = reading.text[: token.start]
    return any(map(str.isdigit, before)) and not any(map(str.isalpha, before))


def _in_capitals(token: Token, reading: Reading) -> bool:
    written = reading.text[token.start : token.end]
    return len(written) > 1 and written.isupper()


def _whole(token: Token, reading: Reading) -> tuple[Term, ...]:
    """The name that a word is part of; a code (`X100`) is one by itself."""
    if any(map(str.isdigit, token.form)):
        return (Term(token.form, token.key, "name", token.start, token.end),)
    for whole in reading.names:
        if any(term.start == token.start for term in whole):
            return whole
    return (Term(token.form, token.key, "name", token.start, token.end),)


def opposite(alignment: Alignment) -> Finding | None:
    """Finds a word in whose place the sentence has its opposite: `over` and `under`, `raise` and `lower`."""
    for i, token in enumerate(alignment.own):
        if i in alignment.pairs or token.form in alignment.given_words or token.kind in {"name", "number"}:
            continue
        contrary = contraries(token.key) | _DIRECTIONS.get(token.form, frozenset())
        for j in alignment.gap(i):
            other = alignment.given[j]
            if other.form in alignment.words or other.quantity or not contrary & {other.key, other.form}:
                continue
            if alignment.framed(i, j) == _BOTH and alignment.coverage(i) >= _LEAST:
                return _finding(alignment, (token, token), (other, other), ErrorType.OTHER, detail="opposite")
    return None


def new_name(alignment: Alignment) -> Finding | None:
    """Finds a name of which no passage has a word, an abbreviation or another word for the same country."""
    claim = alignment.claim
    for whole in claim.names:
        if any(map(_is_acronym, whole, [claim] * len(whole))) or claim.text[whole[-1].end : whole[-1].end + 1] == ":":
            continue
        if len(whole) == 1 and (len(whole[0].form) < _SHORTEST or not entity.is_name(whole, claim)):
            continue
        if any(
            entity.known(whole, reading) or entity.is_alias(whole, reading) or any(map(reading.has, whole))
            for reading in alignment.around
        ):
            continue
        apart = {i for i, token in enumerate(alignment.own) if whole[0].start <= token.start < whole[-1].end}
        if alignment.coverage(*apart) >= (_LEAST if len(whole) == 1 else _NEW):
            return _new(alignment, (whole[0].start, whole[-1].end), ErrorType.ENTITY)
    return None


def _is_acronym(term: Term, reading: Reading) -> bool:
    """Whether a word is written in capitals: it may stand for words that the passages have."""
    return reading.text[term.start : term.end].isupper()


def new_year(alignment: Alignment) -> Finding | None:
    """Finds a year that no passage has and none leaves open."""
    for i, token in enumerate(alignment.own):
        mine = token.quantity
        if mine is None or mine.kind != "year" or mine.bound != "exact" or is_label(mine, alignment.claim):
            continue
        given = [q for reading in alignment.around for q in reading.quantities]
        if any(mine.may_be(q) or mine.raw == q.raw for q in given) or not any(q.kind == "year" for q in given):
            continue
        if alignment.coverage(i) >= _NEW:
            return _new(alignment, (token.start, token.end), ErrorType.NUMBER)
    return None


def _finding(
    alignment: Alignment,
    mine: tuple[Token, Token],
    its: tuple[Token, Token],
    error_type: ErrorType,
    *,
    detail: str | None = None,
) -> Finding:
    """The finding that the sentence has other words, each from the first to the last, than the claim."""
    return Finding.quoting(
        alignment.claim,
        (mine[0].start, mine[1].end),
        alignment.passage,
        (its[0].start, its[1].end),
        error_type=error_type,
        support=SupportClass.CONTRADICTED,
        detail=detail,
    )


def _new(alignment: Alignment, span: tuple[int, int], error_type: ErrorType) -> Finding:
    return Finding.quoting(
        alignment.claim,
        span,
        alignment.passage,
        (0, 0),
        error_type=error_type,
        support=SupportClass.ABSENT,
        detail="fabricated addition",
    )
