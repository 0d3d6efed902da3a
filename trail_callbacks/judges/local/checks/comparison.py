"""Comparisons: `A is larger than B` turned round, in place or by the opposite word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.language.terms import Term, stem, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_COMPARED = re.compile(r"[^\W\d_]{2,}er$")
_IRREGULAR = vocabulary("better worse more less fewer further")
_NO_COMPARATIVES = vocabulary("other rather never later after over under number together either water whether her per")
_OPPOSITES = {
    a: b
    for pair in """larger smaller,bigger smaller,greater smaller,higher lower,taller shorter,longer shorter,
    older younger,
    older newer,faster slower,better worse,more less,more fewer,heavier lighter,stronger weaker,warmer colder,
    hotter cooler,
    hotter colder,warmer cooler,richer poorer,cheaper dearer,wider narrower,deeper shallower,earlier later,
    closer farther,
    harder softer,brighter darker,denser sparser,safer riskier,cleaner dirtier,wetter drier,
    nearer farther""".replace("\n", "").split(",")
    for a, b in [pair.split(), pair.split()[::-1]]
}  # fmt: skip
_SYNONYMS = {"bigger": "larger", "greater": "larger", "quicker": "faster", "fewer": "less", "hotter": "warmer"}
_NOT = vocabulary("not no never neither nor cannot hardly")


class _Compared(NamedTuple):
    left: frozenset[str]
    word: str
    of: str
    right: frozenset[str]
    denied: bool
    span: tuple[int, int]


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds that claim and passage order the same two things the other way round.

    `B is smaller than A` follows from `A is larger than B`. Both sides must be named by the same words; `not larger` is
    left alone, as it does not mean smaller.
    """
    given = [each for each in _all(passage) if not each.denied]
    for mine in _all(claim):
        if mine.denied:
            continue
        for theirs in given:
            if mine.of != theirs.of or not _one_scale(mine.word, theirs.word):
                continue
            turned = bool(mine.left & theirs.right and mine.right & theirs.left)
            straight = bool(mine.left & theirs.left and mine.right & theirs.right)
            if turned == straight:
                continue
            if turned != _opposed(mine.word, theirs.word):
                return Finding(
                    error_type=ErrorType.OTHER,
                    support=SupportClass.CONTRADICTED,
                    claim_words=claim.text[slice(*mine.span)],
                    evidence_words=passage.text[slice(*theirs.span)],
                    claim_span=mine.span,
                    span=theirs.span,
                    detail="comparison",
                )
    return None


def _opposed(a: str, b: str) -> bool:
    a, b = _SYNONYMS.get(a, a), _SYNONYMS.get(b, b)
    return _OPPOSITES.get(a) == b or _OPPOSITES.get(b) == a


def _one_scale(a: str, b: str) -> bool:
    return _SYNONYMS.get(a, a) == _SYNONYMS.get(b, b) or _opposed(a, b)


def _all(reading: Reading) -> Iterator[_Compared]:
    words = reading.terms
    for k, than in enumerate(words):
        if than.form != "than":
            continue
        at = next((i for i in range(k - 1, max(-1, k - 7), -1) if _is_comparative(words[i])), None)
        if at is None:
            continue
        left = _side(words[max(0, at - 8) : at])
        right = _side(words[k + 1 : k + 6])
        if left and right:
            of = next((t.stem for t in words[at + 1 : k] if t.kind != "function"), "")
            denied = any(t.form in _NOT or t.form.endswith("n't") for t in words[max(0, at - 5) : at])
            span = (words[max(0, at - 8)].start, words[min(len(words), k + 6) - 1].end)
            yield _Compared(left - right, words[at].form, of, right - left, denied, span)


def _is_comparative(term: Term) -> bool:
    return term.form in _IRREGULAR or (_COMPARED.search(term.form) is not None and term.form not in _NO_COMPARATIVES)


def _side(terms: tuple[Term, ...]) -> frozenset[str]:
    solid = [t for t in terms if t.kind != "function" and t.stem not in _VERBS]
    return frozenset(key for t in solid for key in (t.stem, t.form))


_VERBS = frozenset(
    stem(form) for form in vocabulary("have cost grow run earn weigh seem remain become much far slightly even that")
)
