"""Slots: another number or name or an opposite in the place of a word, or a name or year that is nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import isclose

from trail_callbacks.judges.local.alignment import Alignment, Mismatch
from trail_callbacks.judges.local.wording import Word, Wording
from trail_callbacks.language.terms import Term, stem, vocabulary
from trail_callbacks.language.values import Quantity, follows
from trail_callbacks.taxonomy import ErrorType, SupportClass

_LEAST = 0.6  # share of the rest of a claim that must be paired
_MOST = 0.95  # the same for a number that other numbers may give by arithmetic
_HALF_FRAMED = 0.85  # the same where only one neighbour is the same
_LOOSE = 0.8  # the same for a name; without a neighbour that is the same, all
_NEW = 0.4  # the same for a name of several words, or a year, that no passage has
_SHORTEST = 4  # letters of a name of one word that no passage has
_BOTH = 2
_ROOT = 4  # letters by which names are taken for one: of a country and its people (`Britain`, `British`)
_TERMS = 24  # numbers of the passages that arithmetic is tried with
_EXACT = 0.005  # how near a result must be
_CHANGES = ({"by", "to"}, {"by", "from"}, {"to", "from"})  # `rose by 15` and `rose to 95` may both be true
_LABEL = re.compile(r"([^\W\d_]+)[ \u00a0-]$")
_LABELS = vocabulary(
    """passage step source document doc chunk snippet page chapter section figure fig table method option item tip note
    question answer part reason paragraph line article appendix footnote result reference level no nr number
    lot room track version volume"""
)
_BIG = 1000.0  # a count from here on is no label
_PAIRS = vocabulary(
    """over/under above/below before/after more/less more/fewer allow/forbid allow/ban accept/reject approve/reject
    increase/decrease increase/fall increase/drop rise/fall rise/drop raise/lower raise/cut higher/lower larger/smaller
    longer/shorter earlier/later open/close start/end include/exclude support/oppose highest/lowest best/worst"""
)
_OPPOSITES = frozenset(tuple(map(stem, words)) for pair in _PAIRS for words in (pair.split("/"), pair.split("/")[::-1]))


def number(alignment: Alignment) -> Mismatch | None:
    """Finds a number in whose place the sentence has another of the same kind.

    Left alone: labels (`step 4`), and values that the numbers of the passages give by a sum or difference, unless the
    sentence is otherwise the same.
    """
    for i, word in enumerate(alignment.own):
        mine = word.quantity
        if mine is None or i in alignment.pairs or is_label(mine, alignment.claim):
            continue
        for j, its in _others(alignment, i, mine):
            framed, coverage = alignment.framed(i, j), alignment.coverage(i)
            if {words[k - 1].form for words, k in ((alignment.own, i), (alignment.given, j)) if k} in _CHANGES:
                continue
            if framed < 1 or coverage < (_LEAST if framed == _BOTH else _HALF_FRAMED):
                continue
            if coverage < _MOST and _is_computed(mine, alignment.around):
                continue
            noun = bool(mine.noun) and stem(mine.noun) == stem(its.noun)
            if framed == _BOTH or mine.kind != "count" or noun:
                alike = alignment.given[j].form.casefold() == word.form.casefold()  # `over 60`, `under 60`
                ahead = int(alike and i > 0 and j > 0)
                starts = alignment.own[i - ahead].start, alignment.given[j - ahead].start
                spans = (starts[0], word.end), (starts[1], alignment.given[j].end)
                return alignment.mismatch(*spans, ErrorType.NUMBER)
    return None


def _others(alignment: Alignment, i: int, mine: Quantity) -> Iterator[tuple[int, Quantity]]:
    """The numbers of the sentence that may stand in the place of one of the claim."""
    swapped = any(follows(mine, word.quantity) for word in alignment.given if word.quantity)
    for j in range(len(alignment.given)) if swapped else alignment.gap(i):
        its = alignment.given[j].quantity
        if its is None or its.kind != mine.kind or is_label(its, alignment.passage):
            continue
        if {mine.bound, its.bound} == {"over", "under"} and mine.value == its.value:
            yield j, its
            continue
        # Two ends of ranges, `9 to 20` and `9 to 18`, do not leave each other open.
        open_ = mine.may_be(its) and not (mine.within and its.within and mine.kind != "year")
        if open_ or follows(mine, its):
            continue
        there = any(follows(word.quantity, its) for word in alignment.own if word.quantity)
        if there == swapped and (not swapped or alignment.framed(i, j) == _BOTH):
            yield j, its


def _is_computed(mine: Quantity, around: Sequence[Wording]) -> bool:
    """Whether a value is nowhere, and the sum or difference of two that are, or of one and such a result."""
    given = [q for wording in around for q in wording.quantities]
    values = list(dict.fromkeys(q.value for q in given if q.kind == mine.kind))[:_TERMS]
    if any(follows(mine, q) for q in given):
        return False
    pairs = [result for a, b in combinations(values, 2) for result in (a + b, abs(a - b))]
    return any(isclose(mine.value, result, rel_tol=_EXACT) for result in pairs)


def is_label(quantity: Quantity, wording: Wording) -> bool:
    """Tells whether a number names what it stands behind: `step 4`, `[2]`, `Windows 10`, `Article 5`."""
    before = wording.text[: quantity.start]
    if before.endswith(("[", "(", "#")) and wording.text[quantity.end : quantity.end + 1] in {"]", ")"}:
        return True
    word = _labelling(quantity, wording)
    if not word or quantity.bound != "exact" or quantity.kind not in {"count", "rank", "year"}:
        return False
    if word.casefold().removesuffix("s") in _LABELS:
        return True
    plain = quantity.kind == "count" and not quantity.noun and quantity.value < _BIG
    named = word[0].isupper() and wording.text[quantity.start].isdigit()
    return plain and named and all(term.kind != "function" for term in wording.terms if term.form == word.casefold())


def _labelling(quantity: Quantity, wording: Wording) -> str:
    found = _LABEL.search(wording.text, max(0, quantity.start - 24), quantity.start)
    return found[1] if found else ""


def is_about_another(claim: Wording, passage: Wording) -> bool:
    """Tells whether a passage is about another one of several things that are numbered: `lot 3` and `lot 4`."""
    mine, its = (
        [(_labelling(q, text).casefold(), q.value) for q in text.quantities if is_label(q, text)]
        for text in (claim, passage)
    )
    return any(word and word in dict(its) and (word, value) not in its for word, value in mine)


def is_sibling(alignment: Alignment) -> bool:
    """Tells whether a sentence says something else of something else, as the rows of one table do.

    `Bus 5 leaves at 9:10` and `Bus 8 leaves at 10:15`: what begins the claim is exchanged, and not that alone.
    """
    content = [i for i, word in enumerate(alignment.own) if word.content]
    free = [
        n
        for n, i in enumerate(content)
        if i not in alignment.pairs
        and any(_exchanged(alignment.own[i], alignment.given[j]) for j in alignment.gap(i) if j not in alignment.taken)
    ]
    slots = [n for n in free if n - 1 not in free]
    subject = slots and (slots[0] == 0 or (slots[0] == 1 and alignment.own[content[1]].kind != "word"))
    return bool(subject) and len(slots) > 1


def _exchanged(mine: Word, its: Word) -> bool:
    return its.content and (mine.quantity is None) == (its.quantity is None)


def name(alignment: Alignment) -> Mismatch | None:
    """Finds a name, title or code in whose place the sentence has another."""
    for i, word in enumerate(alignment.own):
        if word.kind != "name" or i in alignment.pairs or word.form in alignment.given_words:
            continue
        whole = _whole(word, alignment.claim)
        # A heading, or the first word of an item: `4  Add salt`
        if _known(whole, alignment.passage) or ":" in alignment.claim.text[word.end :] or _opens(word, alignment.claim):
            continue
        apart = _unpaired(alignment, i, whole)
        for j in alignment.gap(i):
            framed = alignment.framed(apart[0], j) or alignment.framed(apart[-1], j)
            if _replaces(alignment, i, j) and alignment.coverage(*apart) >= (_LOOSE if framed else 1.0):
                other = _whole(alignment.given[j], alignment.passage)
                mine = alignment.own[apart[0]].start, alignment.own[apart[-1]].end
                return alignment.mismatch(mine, (other[0].start, other[-1].end), ErrorType.ENTITY)
    return None


def _replaces(alignment: Alignment, i: int, j: int) -> bool:
    """Whether a word is another name than the one that stands in its place."""
    mine, its = alignment.own[i], alignment.given[j]
    if its.kind != "name" or its.form in alignment.words or its.form[:_ROOT] == mine.form[:_ROOT]:
        return False
    shouted = [
        text[word.start : word.end].isupper() and len(word.form) > 1
        for text, word in ((alignment.claim.text, mine), (alignment.passage.text, its))
    ]
    if shouted[0] != shouted[1] or _opens(its, alignment.passage):  # one is an abbreviation, or a word in capitals
        return False
    return not _known(_whole(its, alignment.passage), alignment.claim)


def _unpaired(alignment: Alignment, i: int, whole: Sequence[Term]) -> list[int]:
    """The words of a name that the sentence has not, around one of them."""
    start, end = min(whole[0].start, alignment.own[i].start), max(whole[-1].end, alignment.own[i].end)
    inside = (k for k, word in enumerate(alignment.own) if start <= word.start < end)
    return [k for k in inside if k == i or k not in alignment.pairs]


def _opens(word: Word, wording: Wording) -> bool:
    """Whether only a number stands before a word."""
    before = wording.text[: word.start]
    return any(map(str.isdigit, before)) and not any(map(str.isalpha, before))


def _whole(word: Word, wording: Wording) -> tuple[Term, ...]:
    """The name that a word is part of; a code (`X100`) is one by itself."""
    for whole in () if any(map(str.isdigit, word.form)) else wording.names:
        if any(term.start == word.start for term in whole):
            return whole
    return (Term(word.form, word.key, "name", word.start, word.end),)


def opposite(alignment: Alignment) -> Mismatch | None:
    """Finds a word in whose place the sentence has its opposite: `over` and `under`, `raise` and `lower`."""
    for i, word in enumerate(alignment.own):
        for j in alignment.gap(i) if i not in alignment.pairs and word.kind not in {"name", "number"} else ():
            other = alignment.given[j]
            opposed = (stem(word.form), stem(other.form)) in _OPPOSITES and other.form not in alignment.words
            if opposed and alignment.framed(i, j) == _BOTH and alignment.coverage(i) >= _LEAST:
                spans = (word.start, word.end), (other.start, other.end)
                return alignment.mismatch(*spans, ErrorType.OTHER, detail="opposite")
    return None


def new_name(alignment: Alignment) -> Mismatch | None:
    """Finds a name of which no passage has a word, an abbreviation or another word for the same country."""
    claim = alignment.claim
    for whole in claim.names:
        start, end = whole[0].start, whole[-1].end
        if any(claim.text[term.start : term.end].isupper() for term in whole) or claim.text[end : end + 1] == ":":
            continue  # it may stand for words that the passages have, or is a heading
        if len(whole) == 1 and (len(whole[0].form) < _SHORTEST or "'" in whole[0].form):
            continue
        if any(_known(whole, each) or any(map(each.has, whole)) for each in alignment.around):
            continue
        apart = {i for i, word in enumerate(alignment.own) if start <= word.start < end}
        if alignment.coverage(*apart) >= (_LEAST if len(whole) == 1 else _NEW):
            return _invented(alignment, (start, end), ErrorType.ENTITY)
    return None


def new_year(alignment: Alignment) -> Mismatch | None:
    """Finds a year that no passage has and none leaves open."""
    given = [q for wording in alignment.around for q in wording.quantities]
    for i, word in enumerate(alignment.own):
        mine = word.quantity
        if mine is None or mine.kind != "year" or mine.bound != "exact" or is_label(mine, alignment.claim):
            continue
        if any(mine.may_be(q) or mine.raw == q.raw for q in given) or not any(q.kind == "year" for q in given):
            continue
        if alignment.coverage(i) >= _NEW:
            return _invented(alignment, (word.start, word.end), ErrorType.NUMBER)
    return None


def _invented(alignment: Alignment, span: tuple[int, int], error_type: ErrorType) -> Mismatch:
    return alignment.mismatch(span, (0, 0), error_type, SupportClass.ABSENT, "fabricated addition")


def _known(name: Sequence[Term], text: Wording) -> bool:
    """Tells whether a text holds a name, a part of it (people are called by one of theirs), or one that begins alike.

    A word of it does not count inside another name: `Bridge` in `Kelder Bridge` says nothing about the Halden Bridge.
    """
    mine = {term.form for term in name}
    for term in filter(text.has, name):
        around = [
            {each.form for each in other} for other in text.names if any(each.form == term.form for each in other)
        ]
        if not around or any(mine <= other or other <= mine for other in around):
            return True
    forms = {term.form for other in text.names for term in other} - mine
    return any(form[:_ROOT] == term.form[:_ROOT] for term in name for form in forms)
