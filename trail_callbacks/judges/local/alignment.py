"""An alignment: the words of a claim and of a sentence that stand in the same order, paired; and a mismatch of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from trail_callbacks.judges.local.wording import WEIGHTS, Word, Wording, WordPlaces, same
from trail_callbacks.taxonomy import ErrorType, SupportClass

_NEAR = 0.3  # share of the claim's content that a sentence must have to be laid beside it
_LONGEST = 70  # words of a sentence; a longer one is a text whose sentences were not told apart
_DATE = frozenset({"year", "month", "day", "weekday"})
_ADJACENT = 0.01  # what makes two neighbours better than the same words apart


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
        follow = alike[i + 1] if i + 1 < n else frozenset()
        for j in range(m - 1, -1, -1):
            value = max(below[j], row[j + 1])
            if j in here:
                value = max(value, below[j + 1] + weight + (_ADJACENT if j + 1 in follow else 0.0))
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
