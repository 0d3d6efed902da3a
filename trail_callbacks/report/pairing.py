"""Pairs equal or nearly equal statements of two lists, one to one and deterministically."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from heapq import nlargest
from typing import NamedTuple

from trail_callbacks.language.terms import terms

_ALIKE = 0.7  # one word in four may differ: `It opened in 1968.` and `It opened in 1986.` are one statement, reworded
_COMPARED = 8  # statements compared word by word with each; those that share most words come first
_PAIRS = 2_000_000  # uses of a word by two statements that are counted
_LONGEST = 300  # words of a statement; comparing them is quadratic
_BLANKS = re.compile(r"\s+")
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


class Likeness(NamedTuple):
    """Two statements with equal or nearly equal words."""

    old: int  # index in the old list
    new: int  # index in the new list
    likeness: float  # share of common words, in order, 0.7 to 1.0; 1.0 if the normalised texts are equal


def normalised(text: str) -> str:
    """Removes what does not change a statement: case, style of whitespace and quotation marks, the final full stop."""
    text = unicodedata.normalize("NFC", text).casefold().translate(_QUOTES)
    return _BLANKS.sub(" ", text).strip().rstrip(".!\u3002\uff01\u0964").rstrip()


def pair(old: Sequence[str], new: Sequence[str]) -> tuple[Likeness, ...]:
    """Pairs statements: first those with equal normalised texts, in order, then the most similar of the rest.

    Likeness is the Ratcliff/Obershelp ratio over words, as in `difflib`. Only the statements that share most words are
    compared, so that 200 with 200 take a fraction of a second. Of thousands that share their words, each is compared
    with those that stand nearest to its own place, so that time grows with their number and not with its square.

    Args:
        old: Statements.
        new: Statements.

    Returns:
        Matches in the order of `new`. No statement occurs twice.
    """
    found = list(_equal(old, new))
    rest_old = sorted(set(range(len(old))) - {match.old for match in found})
    rest_new = sorted(set(range(len(new))) - {match.new for match in found})
    taken: set[tuple[str, int]] = set()
    for match in sorted(_alike(old, rest_old, new, rest_new), key=_preference):
        ends = {("old", match.old), ("new", match.new)}
        if not ends & taken:
            taken |= ends
            found.append(match)
    return tuple(sorted(found, key=lambda match: match.new))


def _preference(match: Likeness) -> tuple[float, int, int, int]:
    return -match.likeness, abs(match.old - match.new), match.old, match.new


def _equal(old: Sequence[str], new: Sequence[str]) -> Iterator[Likeness]:
    places: dict[str, list[int]] = defaultdict(list)
    for i in reversed(range(len(old))):
        places[normalised(old[i])].append(i)
    for j, text in enumerate(new):
        if same := places.get(normalised(text)):
            yield Likeness(same.pop(), j, 1.0)


def _alike(
    old: Sequence[str], rest_old: Sequence[int], new: Sequence[str], rest_new: Sequence[int]
) -> Iterator[Likeness]:
    before, words = {i: _words(old[i]) for i in rest_old}, {j: _words(new[j]) for j in rest_new}
    holding: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for j in rest_new:
        for word, n in Counter(words[j]).items():
            holding[word].append((j, n))
    counted = {i: Counter(mine) for i, mine in before.items()}
    most = _PAIRS // max(1, sum(map(len, counted.values())))  # holders of one word that are looked at
    for i, mine in counted.items():
        shared: Counter[int] = Counter()
        for word, n in mine.items():
            for j, m in _nearest(holding.get(word, ()), i, most):
                shared[j] += min(n, m)
        # The upper bound of the ratio: all shared words are in the same order.
        bounds = ((2 * n / (mine.total() + len(words[j])), -abs(i - j), -j) for j, n in shared.items())
        for bound, _, j in nlargest(_COMPARED, bounds):
            if bound >= _ALIKE:
                ratio = SequenceMatcher(None, before[i], words[-j], autojunk=False).ratio()
                if ratio >= _ALIKE:
                    yield Likeness(i, -j, ratio)


def _nearest(holders: Sequence[tuple[int, int]], i: int, most: int) -> Sequence[tuple[int, int]]:
    if len(holders) <= most:
        return holders
    start = max(0, min(bisect_left(holders, (i, 0)) - most // 2, len(holders) - most))
    return holders[start : start + most]


def _words(text: str) -> list[str]:
    return [term.form for term in terms(text)][:_LONGEST]
