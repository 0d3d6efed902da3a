"""An alignment: the words of a claim and of a sentence that stand in the same order, paired; and a mismatch of both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from trail_callbacks.judges.local.markers import MARKERS
from trail_callbacks.judges.local.numbers import equal
from trail_callbacks.judges.local.reading import Reading, related
from trail_callbacks.language.quantities import Quantity
from trail_callbacks.language.terms import Term, stem
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["Alignment", "Mismatch", "Token", "align", "held", "shared", "tokens"]

_WEIGHTS = {"light": 0.05, "marker": 0.5, "word": 1.0, "name": 1.5, "number": 1.5}
_ALIKE = {"may": "can", "shall": "must"}  # of rules and permissions both are used
_DATE = frozenset({"year", "month", "day", "weekday"})
_ADJACENT = 0.01  # what makes two neighbours better than the same words apart


@dataclass(frozen=True, slots=True)
class Token:
    """A word, name, code or number with its place.

    `key` is what forms of one word share; `form` is case-folded, and `not` for every way to write it (`isn't`,
    `no longer`). `word`, `name` and `number` carry content; `marker` is a word that a meaning turns on (`not`, `may`,
    `all`, `if`), `light` any other function word.
    """

    key: str
    form: str
    kind: Literal["word", "name", "number", "marker", "light"]
    start: int
    end: int
    quantity: Quantity | None = None

    @property
    def content(self) -> bool:
        """Whether it says something by itself."""
        return self.kind in {"word", "name", "number"}

    @property
    def weight(self) -> float:
        """How much of a sentence it makes, in words."""
        return _WEIGHTS[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """One way in which a claim departs from a sentence on the same subject.

    `support` is the class it leads to: contradicted, or partially_supported where the core still holds. Words stand
    verbatim with their offsets; those of the sentence are empty where it only lacks the claim's. `detail` is a finer
    word: `negation flip`, `opposite`, ...
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
    """A claim beside a sentence.

    `own` and `given` are the words of both, `pairs` has for words of the claim, by index, the index of the same word of
    the sentence, both in order. `around` are all sentences that the judge was shown: what is nowhere else, and what
    numbers add up to.
    """

    claim: Reading
    passage: Reading
    own: Sequence[Token]
    given: Sequence[Token]
    pairs: dict[int, int]
    around: Sequence[Reading] = ()

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
        return frozenset(token.form for token in self.own)

    @cached_property
    def given_words(self) -> frozenset[str]:
        """All words of the sentence."""
        return frozenset(token.form for token in self.given)

    def coverage(self, *apart: int) -> float:
        """Returns the share by weight, 0.0 to 1.0, of the claim's content that is paired, some words set apart."""
        total = sum(token.weight for i, token in enumerate(self.own) if token.content and i not in apart)
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
        return sum(a is b if a is None or b is None else _same(a, b) for a, b in zip(mine, its, strict=True))

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


def _neighbours(tokens: Sequence[Token], i: int) -> tuple[Token | None, Token | None]:
    """The words of content on both sides; for a part of a date those beside the date."""
    quantity = tokens[i].quantity
    kind = quantity.kind if quantity else ""
    rest = _DATE - {kind} if kind in _DATE else frozenset()
    sides = (reversed(tokens[:i]), iter(tokens[i + 1 :]))
    before, behind = (
        next((t for t in side if t.content and not (t.quantity is not None and t.quantity.kind in rest)), None)
        for side in sides
    )
    return before, behind


def tokens(reading: Reading, names: frozenset[str] = frozenset()) -> tuple[Token, ...]:
    """Returns the words of a text; `names` are known to be names, also one at the beginning of a sentence."""
    found = [Token("", reading.text[q.start : q.end], "number", q.start, q.end, q) for q in reading.quantities]
    taken = [(token.start, token.end) for token in found]
    found += [_token(term, names) for term in reading.terms if not any(a <= term.start < b for a, b in taken)]
    return tuple(_joined(sorted(found, key=lambda token: token.start), reading.text))


def _token(term: Term, names: frozenset[str]) -> Token:
    form = term.form
    if form in {"not", "cannot"} or form.endswith(("n't", "n\u2019t")):
        return Token("not", "not", "marker", term.start, term.end)
    if form in MARKERS:
        return Token(_ALIKE.get(form, form), form, "marker", term.start, term.end)
    if term.kind == "function":
        return Token(form, form, "light", term.start, term.end)
    name = term.kind == "name" or form in names
    return Token(form if name else term.stem, form, "name" if name else "word", term.start, term.end)


def _joined(found: Sequence[Token], text: str) -> Iterator[Token]:
    """Joins the pieces of a code (`X100`, `7b`, `WM-1`) into a name, and `no longer` into one negation."""
    at = 0
    while at < len(found):
        token = found[at]
        at += 1
        while at < len(found) and _is_code(token, found[at], text):
            form = text[token.start : found[at].end].casefold()
            token = Token(form, form, "name", token.start, found[at].end)
            at += 1
        if token.form == "no" and at < len(found) and found[at].form == "longer":
            token = Token("not", "not", "marker", token.start, found[at].end)
            at += 1
        yield token


def _is_code(one: Token, other: Token, text: str) -> bool:
    if one.quantity or other.quantity or text[one.end : other.start] not in {"", "-"}:
        return False
    return text[one.end - 1].isdigit() != text[other.start].isdigit()


def align(
    claim: Reading,
    own: Sequence[Token],
    passage: Reading,
    given: Sequence[Token],
    around: Sequence[Reading] = (),
) -> Alignment:
    """Pairs words so that the order is kept and most of the weight is paired (longest common subsequence)."""
    places = _Places(given)
    same = [places.of(token) for token in own]
    n, m = len(own), len(given)
    best = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        row, below, here = best[i], best[i + 1], same[i]
        weight = own[i].weight
        follow = same[i + 1] if i + 1 < n else frozenset()
        for j in range(m - 1, -1, -1):
            value = max(below[j], row[j + 1])
            if j in here:
                value = max(value, below[j + 1] + weight + (_ADJACENT if j + 1 in follow else 0.0))
            row[j] = value
    pairs: dict[int, int] = {}
    i = j = 0
    while i < n and j < m:
        if j in same[i] and best[i][j] > max(best[i + 1][j], best[i][j + 1]) - 1e-9:
            pairs[i] = j
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return Alignment(claim, passage, own, given, pairs, around)


def held(own: Sequence[Token], given: Sequence[Token]) -> frozenset[int]:
    """Returns the indices of the claim's words of content that a sentence has in any order."""
    places = _Places(given)
    return frozenset(i for i, token in enumerate(own) if token.content and places.of(token))


def shared(own: Sequence[Token], given: Sequence[Token]) -> float:
    """Returns the share by weight of the claim's content that a sentence has in any order: an upper bound, and fast."""
    total = sum(token.weight for token in own if token.content)
    have = sum(own[i].weight for i in held(own, given))
    have = min(have, max(_WEIGHTS.values()) * sum(token.content for token in given))  # one word is one other's pair
    return have / total if total else 0.0


class _Places:
    """Where each word of a sentence stands."""

    def __init__(self, given: Sequence[Token]) -> None:
        self._given = given
        self._by_key: dict[str, set[int]] = defaultdict(set)
        for j, token in enumerate(given):
            if token.quantity is None:
                for key in {token.form, token.key} | ({stem(token.form)} if token.content else set()):
                    self._by_key[key].add(j)

    def of(self, token: Token) -> frozenset[int] | set[int]:
        if token.quantity is not None:
            return {j for j, other in enumerate(self._given) if other.quantity and _same(token, other)}
        found = self._by_key.get(token.form, set()) | self._by_key.get(token.key, set())
        if not found and token.kind == "word":
            found = {j for j, other in enumerate(self._given) if other.kind == "word" and related(token.key, other.key)}
        if not found and token.kind == "name":
            found = self._by_key.get(stem(token.form), set())
        return found


def _same(one: Token, other: Token) -> bool:
    if one.quantity is not None and other.quantity is not None:
        opposed = {one.quantity.bound, other.quantity.bound} == {"over", "under"}
        return not opposed and equal(one.quantity, other.quantity)  # what the claim says follows from what is given
    if one.quantity is not None or other.quantity is not None:
        return False
    return (
        one.form == other.form
        or one.key == other.key
        or (one.kind == other.kind == "word" and related(one.key, other.key))
    )
