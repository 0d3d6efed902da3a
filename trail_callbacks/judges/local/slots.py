"""Slots: another number, another name or an opposite in the place of a word, or a name or year that is nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import isclose

from trail_callbacks.judges.local.alignment import Alignment, Mismatch, Token
from trail_callbacks.judges.local.names import is_alias, known
from trail_callbacks.judges.local.numbers import is_label
from trail_callbacks.judges.local.reading import Reading
from trail_callbacks.language.terms import Term, stem, vocabulary
from trail_callbacks.language.values import Quantity, follows
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["name", "new_name", "new_year", "number", "opposite"]

_LEAST = 0.6  # share of the rest of a claim that must be paired
_MOST = 0.95  # the same for a number that other numbers may give by arithmetic
_HALF_FRAMED = 0.85  # the same where only one neighbour is the same
_SEVERAL = 0.7  # the same for a name of several words
_LOOSE = 0.8  # the same where no neighbour is the same, for a name that other passages have
_NEW = 0.4  # the same for a name of several words, or a year, that no passage has
_SHORTEST = 4  # letters of a name of one word that no passage has
_BOTH = 2
_BOUND = 3  # words of a bound, such as `no more than`
_ROOT = 4  # letters; `Indiana` and `Indianapolis` are not told apart
_TERMS = 24  # numbers of the passages that arithmetic is tried with
_THREE = 12  # numbers of which three are added up
_EXACT = 0.005  # how near a result must be
_CHANGES = ({"by", "to"}, {"by", "from"}, {"to", "from"})  # `rose by 15` and `rose to 95` may both be true
_PAIRS = vocabulary(
    """over/under above/below before/after for/against more/less more/fewer allow/forbid allow/ban accept/reject
    approve/reject increase/decrease increase/fall increase/drop rise/fall rise/drop raise/lower raise/cut higher/lower
    larger/smaller longer/shorter earlier/later early/late high/low long/short best/worst better/worse open/close
    start/end begin/end include/exclude support/oppose mandatory/optional legal/illegal safe/unsafe public/private
    common/rare highest/lowest largest/smallest oldest/youngest complete/incomplete"""
)
_OPPOSITES = frozenset(tuple(map(stem, words)) for pair in _PAIRS for words in (pair.split("/"), pair.split("/")[::-1]))
"""Stems that say the opposite of each other."""


def number(alignment: Alignment) -> Mismatch | None:
    """Finds a number in whose place the sentence has another of the same kind.

    Left alone: labels (`step 4`), and values that the numbers of the passages give by a sum or difference, unless the
    sentence is otherwise the same.
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
            if coverage < _MOST and _is_computed(mine, alignment.around):
                continue
            noun = bool(mine.noun) and stem(mine.noun) == stem(its.noun)
            if framed == _BOTH or mine.kind != "count" or noun:
                first, other = _bounded(alignment, i, j)
                spans = (first.start, token.end), (other.start, alignment.given[j].end)
                return alignment.mismatch(*spans, ErrorType.NUMBER)
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
    for j in range(len(alignment.given)) if swapped else alignment.gap(i):
        its = alignment.given[j].quantity
        if its is None or its.kind != mine.kind or is_label(its, alignment.passage):
            continue
        if {mine.bound, its.bound} == {"over", "under"} and mine.value == its.value:
            yield j, its
            continue
        if _leaves_open(mine, its) or follows(mine, its):
            continue
        there = any(follows(token.quantity, its) for token in alignment.own if token.quantity)
        if there == swapped and (not swapped or alignment.framed(i, j) == _BOTH):
            yield j, its


def _leaves_open(mine: Quantity, its: Quantity) -> bool:
    """Whether both may be of one value; two ends of ranges, `9 to 20` and `9 to 18`, are not."""
    return mine.may_be(its) and not (mine.within and its.within and mine.kind != "year")


def _is_computed(mine: Quantity, around: Sequence[Reading]) -> bool:
    """Whether a value is nowhere, and the sum or difference of two or three that are."""
    given = [q for reading in around for q in reading.quantities]
    values = list(dict.fromkeys(q.value for q in given if q.kind == mine.kind))[:_TERMS]
    if any(follows(mine, q) for q in given):
        return False
    results = [result for a, b in combinations(values, 2) for result in (a + b, abs(a - b))]
    for a, b, c in combinations(values[:_THREE], 3):
        results += (a + b + c, a - b - c, b - a - c, c - a - b)
    return any(isclose(mine.value, result, rel_tol=_EXACT) for result in results)


def name(alignment: Alignment) -> Mismatch | None:
    """Finds a name, title or code in whose place the sentence has another."""
    for i, token in enumerate(alignment.own):
        if token.kind != "name" or i in alignment.pairs or token.form in alignment.given_words:
            continue
        whole = _whole(token, alignment.claim)
        if known(whole, alignment.passage) or is_alias(whole, alignment.passage):
            continue
        if ":" in alignment.claim.text[token.end :] or _after_number(token, alignment.claim):
            continue  # a heading, or the first word of an item: `4  Add salt`
        apart = _unpaired(alignment, i, whole)
        for j in alignment.gap(i):
            if _replaces(alignment, i, j) and alignment.coverage(*apart) >= _enough(alignment, i, apart, j):
                other = _whole(alignment.given[j], alignment.passage)
                mine = alignment.own[apart[0]].start, alignment.own[apart[-1]].end
                return alignment.mismatch(mine, (other[0].start, other[-1].end), ErrorType.ENTITY)
    return None


def _replaces(alignment: Alignment, i: int, j: int) -> bool:
    """Whether a word is another name than the one that stands in its place."""
    mine, its = alignment.own[i], alignment.given[j]
    if its.kind != "name" or its.form in alignment.words or its.form[:_ROOT] == mine.form[:_ROOT]:
        return False
    if _in_capitals(mine, alignment.claim) != _in_capitals(its, alignment.passage):
        return False  # an abbreviation, or a word that is shouted
    if _after_number(its, alignment.passage):
        return False
    other = _whole(its, alignment.passage)
    return not known(other, alignment.claim)


def _enough(alignment: Alignment, i: int, apart: Sequence[int], j: int) -> float:
    """The share of the rest of a claim that must be paired for another name to stand in the place of its own."""
    token = alignment.own[i]
    elsewhere = any(reading.has(Term(token.form, token.key, "name", 0, 0)) for reading in alignment.around)
    if elsewhere and not any(before.content for before in alignment.own[: apart[0]]):
        return _MOST  # the sentence is about another thing, unless it says the same
    if alignment.framed(apart[0], j) or alignment.framed(apart[-1], j):
        return _LOOSE if elsewhere else _LEAST if len(apart) == 1 else _SEVERAL
    return _LOOSE if elsewhere else 1.0


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
    for whole in () if any(map(str.isdigit, token.form)) else reading.names:
        if any(term.start == token.start for term in whole):
            return whole
    return (Term(token.form, token.key, "name", token.start, token.end),)


def opposite(alignment: Alignment) -> Mismatch | None:
    """Finds a word in whose place the sentence has its opposite: `over` and `under`, `raise` and `lower`."""
    for i, token in enumerate(alignment.own):
        if i in alignment.pairs or token.form in alignment.given_words or token.kind in {"name", "number"}:
            continue
        for j in alignment.gap(i):
            other = alignment.given[j]
            if (
                other.form in alignment.words
                or other.quantity
                or (stem(token.form), stem(other.form)) not in _OPPOSITES
            ):
                continue
            if alignment.framed(i, j) == _BOTH and alignment.coverage(i) >= _LEAST:
                spans = (token.start, token.end), (other.start, other.end)
                return alignment.mismatch(*spans, ErrorType.OTHER, detail="opposite")
    return None


def new_name(alignment: Alignment) -> Mismatch | None:
    """Finds a name of which no passage has a word, an abbreviation or another word for the same country."""
    claim = alignment.claim
    for whole in claim.names:
        if any(claim.text[term.start : term.end].isupper() for term in whole):
            continue  # it may stand for words that the passages have
        if claim.text[whole[-1].end : whole[-1].end + 1] == ":":
            continue
        if len(whole) == 1 and (len(whole[0].form) < _SHORTEST or "'" in whole[0].form):
            continue
        if any(known(whole, each) or is_alias(whole, each) or any(map(each.has, whole)) for each in alignment.around):
            continue
        apart = {i for i, token in enumerate(alignment.own) if whole[0].start <= token.start < whole[-1].end}
        if alignment.coverage(*apart) >= (_LEAST if len(whole) == 1 else _NEW):
            return _invented(alignment, (whole[0].start, whole[-1].end), ErrorType.ENTITY)
    return None


def new_year(alignment: Alignment) -> Mismatch | None:
    """Finds a year that no passage has and none leaves open."""
    for i, token in enumerate(alignment.own):
        mine = token.quantity
        if mine is None or mine.kind != "year" or mine.bound != "exact" or is_label(mine, alignment.claim):
            continue
        given = [q for reading in alignment.around for q in reading.quantities]
        if any(mine.may_be(q) or mine.raw == q.raw for q in given) or not any(q.kind == "year" for q in given):
            continue
        if alignment.coverage(i) >= _NEW:
            return _invented(alignment, (token.start, token.end), ErrorType.NUMBER)
    return None


def _invented(alignment: Alignment, span: tuple[int, int], error_type: ErrorType) -> Mismatch:
    return alignment.mismatch(span, (0, 0), error_type, SupportClass.ABSENT, "fabricated addition")
