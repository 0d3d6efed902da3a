"""An alignment: the words of a claim and of a sentence that stand in the same order, paired; and what it shows at once.

That is whether the sentence states the claim nearly word for word, leaving nothing out that would limit it, or a
mismatch of both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from trail_callbacks.judges.local.wording import (
    ALL_OR_NONE,
    RESTRICTING,
    TAKES_BACK,
    TURNING,
    WEIGHTS,
    Word,
    Wording,
    WordPlaces,
    same,
)
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

_NEAR = 0.3  # share of the claim's content that a sentence must have to be laid beside it
_LONGEST = 70  # words of a sentence; a longer one is a text whose sentences were not told apart
_DATE = frozenset({"year", "month", "day", "weekday"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """One way in which a claim departs from a sentence on the same subject, and the class it leads to.

    Words stand verbatim with their offsets; those of the sentence are empty where it only lacks the claim's.
    """

    error_type: ErrorType
    support: SupportClass
    claim_words: str
    evidence_words: str
    claim_span: tuple[int, int]
    span: tuple[int, int]
    detail: str | None = None


@dataclass(frozen=True)
class Alignment:
    """A claim beside a sentence: the words of both, and which of the claim's are which of the sentence's, by index.

    `around` are all sentences that the judge was shown: what is nowhere else, and what numbers add up to.
    """

    claim: Wording
    passage: Wording
    own: Sequence[Word]
    given: Sequence[Word]
    pairs: dict[int, int]
    around: Sequence[Wording] = ()

    @property
    def english(self) -> bool:
        """Whether the rules of English apply to both."""
        return self.claim.english and self.passage.english

    @cached_property
    def taken(self) -> dict[int, int]:
        """`pairs`, the other way round."""
        return {j: i for i, j in self.pairs.items()}

    @cached_property
    def matched(self) -> tuple[int, ...]:
        """Indices of the sentence's words of content that the claim has, too, in order."""
        return tuple(j for i, j in sorted(self.pairs.items()) if self.own[i].content)

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the claim."""
        return frozenset(word.form for word in self.own)

    @cached_property
    def given_words(self) -> frozenset[str]:
        """All words of the sentence."""
        return frozenset(word.form for word in self.given)

    def coverage(self, *apart: int) -> float:
        """Returns the share by weight, 0.0 to 1.0, of the claim's content that is paired, some words set apart."""
        total = sum(word.weight for i, word in enumerate(self.own) if word.content and i not in apart)
        have = sum(self.own[i].weight for i in self.pairs if self.own[i].content and i not in apart)
        return have / total if total else 0.0

    def gap(self, i: int) -> range:
        """Returns the words of the sentence between the neighbours of a word of the claim that are paired."""
        low = max((j for a, j in self.pairs.items() if a < i), default=-1)
        high = min((j for a, j in self.pairs.items() if a > i), default=len(self.given))
        return range(low + 1, high)

    def framed(self, i: int, j: int) -> int:
        """Counts the sides, 0 to 2, on which two words have the same neighbour of content, or the text ends."""
        mine, its = _neighbours(self.own, i), _neighbours(self.given, j)
        return sum(a is b if a is None or b is None else same(a, b) for a, b in zip(mine, its, strict=True))

    def mismatch(
        self,
        claim_span: tuple[int, int],
        span: tuple[int, int],
        error_type: ErrorType,
        support: SupportClass = SupportClass.CONTRADICTED,
        detail: str | None = None,
    ) -> Mismatch:
        """Makes a mismatch that quotes claim and sentence at the given offsets."""
        return Mismatch(
            error_type=error_type,
            support=support,
            claim_words=self.claim.text[slice(*claim_span)],
            evidence_words=self.passage.text[slice(*span)],
            claim_span=claim_span,
            span=span,
            detail=detail,
        )


def laid_beside(claim: Wording, passages: Sequence[Wording], around: Sequence[Wording]) -> dict[int, Alignment]:
    """Aligns a claim with those passages, by index, that have enough of its words in any order.

    A word at the beginning of one text is a name if it is one elsewhere.
    """
    texts = [claim, *passages]
    names = frozenset().union(*(text.named for text in texts)).difference(*(text.plain for text in texts))
    own = claim.words(names)
    found = {}
    for p, passage in enumerate(passages):
        given = passage.words(names)
        places = WordPlaces(given)
        if len(given) <= _LONGEST and _shared(own, given, places) >= _NEAR:
            found[p] = Alignment(claim, passage, own, given, _paired(own, given, places), around)
    return found


def _shared(own: Sequence[Word], given: Sequence[Word], places: WordPlaces) -> float:
    """The share by weight of the claim's content that a sentence has in any order: an upper bound, and fast."""
    total = sum(word.weight for word in own if word.content)
    have = sum(own[i].weight for i in places.held(own))
    have = min(have, max(WEIGHTS.values()) * sum(word.content for word in given))  # one word is one other's pair
    return have / total if total else 0.0


def _paired(own: Sequence[Word], given: Sequence[Word], places: WordPlaces) -> dict[int, int]:
    """Pairs words so that the order is kept and most of the weight is paired (longest common subsequence)."""
    alike = [places.of(word) for word in own]
    n, m = len(own), len(given)
    best = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        row, below, here = best[i], best[i + 1], alike[i]
        weight = own[i].weight
        for j in range(m - 1, -1, -1):
            value = max(below[j], row[j + 1])
            if j in here:
                value = max(value, below[j + 1] + weight)
            row[j] = value
    pairs: dict[int, int] = {}
    i = j = 0
    while i < n and j < m:
        if j in alike[i] and best[i][j] > max(best[i + 1][j], best[i][j + 1]) - 1e-9:
            pairs[i] = j
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _neighbours(words: Sequence[Word], i: int) -> tuple[Word | None, Word | None]:
    """The words of content on both sides; for a part of a date those beside the date."""
    quantity = words[i].quantity
    date = _DATE - {quantity.kind} if quantity is not None and quantity.kind in _DATE else frozenset()
    beside = [
        k for k, word in enumerate(words) if word.content and (word.quantity is None or word.quantity.kind not in date)
    ]
    before = next((words[k] for k in reversed(beside) if k < i), None)
    return before, next((words[k] for k in beside if k > i), None)


_FEWEST = 3  # words of content
_DROPPED = 2  # words of content of the sentence that may be missing between those of the claim
_UNDOING = vocabulary(
    """to yet denied denies deny refused refuses failed fails stopped stops cancelled canceled avoided avoids forgot
    delayed postponed rejected rejects ruled attempted attempts tried tries former alleged fake false"""
)
"""Words that make something else of the verb or noun behind them: `failed to`, `is due to`, `the former`."""
_MOMENTS = frozenset({"weekday", "day", "month", "clock"})
_BORDER = re.compile(r"[,;:.!?()\u2013\u2014|]|\band\b")
_END = re.compile(r"[;:.!?|]")
_JOINING = vocabulary("and while whereas one another others them")  # the subject behind may be another
_AUXILIARY = vocabulary("is are was were has have had")
_PRONOUNS = vocabulary("it they he she this these those that we i")
_POSSESSIVE = vocabulary("its his her their")
_LABEL = re.compile(
    r"\W*(?:[\[(\u3010](?:\w{1,12}\s)?\d{1,3}[\])\u3011]|(?:source|document|doc|passage|context|chunk)\s\[?\d{1,3}\]?\s?[:.)-])\s*",
    re.IGNORECASE,
)
"""The number under which an app shows a source: `[1] ...`, `[Source 1] ...`."""
_ITEM = re.compile(r"(?:^|\n|:)\W*(\d{1,2})(?=\s{2}|\s+[A-Z])")
"""The number of an item, `3  Peel the bulb`, and no amount: `3 bulbs are peeled`."""


def repeats(alignment: Alignment) -> bool:
    """Tells whether claim and sentence are the same, word for word, in any language."""
    label = _label_end(alignment.passage.text)
    return [word.form for word in alignment.own] == [each.form for each in alignment.given if each.start >= label]


def states(alignment: Alignment) -> bool:
    """Tells whether the sentence says what the claim says.

    Every word of the claim stands in it in the same order, function words of little weight aside. Between them the
    sentence has at most two other words, none of which is a number or limits what is said; before them nothing in the
    same clause; behind them nothing that takes it back or makes it conditional.
    """
    own, given = ([word.form for word in each] for each in (alignment.own, alignment.given))
    if len(alignment.matched) < _FEWEST and given[: len(own)] != own:
        return False
    for i, word in enumerate(alignment.own):
        lost = word.kind != "light" or word.form in TURNING or (word.form in _PRONOUNS and i == 0)
        if lost and i not in alignment.pairs:
            return False
    first, last = alignment.matched[0], alignment.matched[-1]
    conjoined = _conjoined(alignment)
    between = [j for j in range(first, last) if j not in alignment.taken and j not in conjoined]
    words = [alignment.given[j] for j in between]
    if any(word.form in RESTRICTING | TURNING | _UNDOING | _JOINING or _is_amount(word) for word in words):
        return False
    if sum(word.content for word in words) > _DROPPED or _crosses(alignment, between):
        return False
    sweeping = bool(alignment.words & ALL_OR_NONE)
    return _free_before(alignment, first, sweeping=sweeping) and _free_behind(alignment, first, last, sweeping=sweeping)


def _is_amount(word: Word) -> bool:
    return word.quantity is not None and word.quantity.kind not in _MOMENTS


def _conjoined(alignment: Alignment) -> set[int]:
    """The words of another statement about one subject: `was rebuilt in 1543 and` before `is tall` or `costs a lot`."""
    found: set[int] = set()
    for end, (word, follows) in enumerate(pairwise(alignment.given)):
        verb = follows.content or follows.form in _AUXILIARY  # and no `the`, with which another subject begins
        if word.form != "and" or end + 1 not in alignment.taken or not verb:
            continue
        start = end
        while start > 0 and start - 1 not in alignment.taken:
            start -= 1
        if not any(each.form in RESTRICTING | _UNDOING for each in alignment.given[start : end + 1]):
            found.update(range(start, end + 1))
    return found


def _crosses(alignment: Alignment, between: list[int]) -> bool:
    """Whether a clause ends between the words of the claim: `led by Holt; Reed took part` is not `led by Reed`."""
    text, given = alignment.passage.text, alignment.given
    return any(
        _END.search(text[given[j].end : given[k].start]) and any(j < i < k for i in between)
        for j, k in pairwise(alignment.matched)
    )


def _free_before(alignment: Alignment, first: int, *, sweeping: bool) -> bool:
    """Whether nothing before the words of the claim, in their clause, changes what they say.

    What holds of no large dog, of all staff in Oslo, or not on Sundays need not hold of all: a sweeping claim says more
    with any word that is left out.
    """
    text, given, own_first = alignment.passage.text, alignment.given, alignment.own[0].form
    label = _label_end(text)
    items = {match.span(1) for match in _ITEM.finditer(text)}
    for j in range(first - 1, -1, -1):
        word = given[j]
        if _END.search(text[word.end : given[j + 1].start]):
            return True
        if word.end <= label or j in alignment.taken or (word.start, word.end) in items:
            continue
        if word.form in RESTRICTING or (sweeping and word.content):
            return False
        # `Comet Ardley-Voss`, `singer Kit Allard`
        is_title = given[first].kind == "name" and j == first - 1 and word.kind != "number"
        is_owner = own_first in _POSSESSIVE and text[word.end :].startswith(("'s ", "\u2019s "))
        if word.content and not is_title and not is_owner and not _BORDER.search(text[word.end : given[first].start]):
            return False
    return True


def _free_behind(alignment: Alignment, first: int, last: int, *, sweeping: bool) -> bool:
    """Whether nothing behind the words of the claim takes them back; for a sweeping claim, nor between them."""
    text, given = alignment.passage.text, alignment.given
    bounded = False
    for j in range(first if sweeping else last + 1, len(given)):
        word, between = given[j], text[given[j - 1].end : given[j].start] if j else ""
        if j > last and _END.search(between):
            return True
        if j > last and word.form == "or" and not bounded:
            return False
        bounded = bounded or (j > last and (word.form == "and" or _BORDER.search(between) is not None))
        if j in alignment.taken:
            continue
        if word.form in (TAKES_BACK if bounded and not sweeping else RESTRICTING | TAKES_BACK):
            return False
        if sweeping and word.content:
            return False
    return True


def _label_end(text: str) -> int:
    found = _LABEL.match(text)
    return found.end() if found else 0
