"""Comparing two texts: which runs of words they share, and where.

Which texts to compare is decided elsewhere, see `trail_callbacks.capture.text_index`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trail_callbacks.text import Words, forms, ngrams, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SENTENCE_RUN", "Match", "Text", "arrived", "longest_first", "overlap"]

_ENDS = (*'.!?;:"\r\u201c\u201d\u3002\uff01\uff1f', "\\n", "\\r")  # of lines, sentences and quotations
_LONG = 1000  # words; a text from this length on keeps its sorted hashes
_FEW = 64  # words of a text that are looked up in a much longer one, whose own words need not be found then
_MUCH = 8  # times as long
_PLACES = 16  # occurrences of the same few words in one text that are tried

SENTENCE_RUN = 5
"""Words of a shared run; enough where a whole line or sentence is known to be shared."""


class Text:
    """A distinct text that caches what is computed from it."""

    __slots__ = ("_counts", "_forms", "_segments", "_sorted", "_words", "stripped", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.stripped = text.strip()  # once: a copy for each run that reads the text would be a state for each node
        self._counts: dict[str, int] | None = None
        self._forms: tuple[str, ...] | None = None
        self._words: Words | None = None
        self._segments: tuple[str, ...] | None = None
        self._sorted: tuple[int, NDArray[np.uint64], NDArray[np.intp]] | None = None

    @property
    def forms(self) -> tuple[str, ...]:
        """Its words, case-folded."""
        if self._forms is None:
            self._forms = forms(self.text)
        return self._forms

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each of its words occurs."""
        if self._counts is None:
            self._counts = Counter(self.forms)
        return self._counts

    @property
    def words(self) -> Words:
        """Its words with offsets; three times as expensive as `forms`."""
        if self._words is None:
            self._words = words(self.text)
        return self._words

    @property
    def segments(self) -> tuple[str, ...]:
        """Its lines, sentences and quoted parts, case-folded; short ones are left out."""
        if self._segments is None:
            text = self.text.casefold()
            for end in _ENDS:  # a tenth of the time of one regular expression
                if end in text:
                    text = text.replace(end, "\n")
            parts = map(str.strip, text.split("\n"))
            self._segments = tuple([part for part in parts if len(part) >= 12 or part.count(" ") >= 2])  # noqa: PLR2004
        return self._segments

    def places(self, other: tuple[str, ...], n: int) -> Callable[[int], Iterable[int]]:
        """Returns a function from an index of `other` to where in this text the n words from that index on may occur.

        A long text keeps sorted hashes between searches; for a short one it is faster to build a dictionary each time.
        """
        if len(self.forms) < _LONG:
            at: dict[tuple[str, ...], list[int]] = defaultdict(list)
            for i in range(len(self.forms) - n + 1):
                at[self.forms[i : i + n]].append(i)
            return lambda j: at.get(other[j : j + n], ())[:_PLACES]
        import numpy as np  # noqa: PLC0415 - half the import time of the package

        if self._sorted is None or self._sorted[0] != n:
            hashes = ngrams(self.forms, n)
            order = np.argsort(hashes, kind="stable")
            self._sorted = (n, hashes[order], order)
        _, hashes, order = self._sorted
        wanted = ngrams(other, n)
        first, last = np.searchsorted(hashes, wanted), np.searchsorted(hashes, wanted, side="right")
        return lambda j: order[first[j] : min(last[j], first[j] + _PLACES)].tolist()

    def forget(self) -> None:
        """Frees what can be computed again: the words take twenty times the memory of their text."""
        self._words = self._segments = self._sorted = None
        if self._forms is not None and len(self._forms) < _LONG:
            self._counts = None  # of a long text they stay: most of its words occur again and again
        self._forms = None

    @property
    def distinctive(self) -> bool:
        """True if finding this text elsewhere means something: three words or twelve characters."""
        return len(self.text.strip()) >= 12 or len(self.forms) >= 3  # noqa: PLR2004


@dataclass(slots=True)  # never modified; frozen ones take three times as long to create
class Match:
    """What a source text has in common with a target text.

    Attributes:
        coverage: Share of the source's words that occur in the target, 0.0 to 1.0.
        spans: Where, as character ranges of the target, longest first.
        whole: True if the target contains the whole source without a gap.
    """

    coverage: float
    spans: tuple[tuple[int, int], ...]
    whole: bool


def overlap(source: Text, target: Text, shortest: int = SENTENCE_RUN) -> Match | None:
    """Finds the runs of words that two texts share.

    Args:
        source: The earlier text.
        target: The later text.
        shortest: Words a run must have to count, unless it is all of the source or all of the target.

    Returns:
        The match, or None if they share no such run.
    """
    verbatim = _verbatim(source.text, target.text)
    if verbatim:
        return Match(1.0, verbatim, whole=True)
    if len(target.text) < len(source.text) and target.forms and _verbatim(target.text, source.text):
        return Match(len(target.forms) / len(source.forms), ((0, len(target.text)),), whole=False)
    few = _MUCH * len(target.text) < len(source.text)
    have = () if few and _lacks_runs(source.text, target.forms, shortest) else source.forms
    if not have or (len(have) <= shortest and _lacks(target.text, max(have, key=len))):
        return None
    want = target.forms
    if not want:
        return None
    runs = _runs(source, target, min(shortest, len(have), len(want)))
    if not runs:
        return None
    found: set[int] = set()
    for length, i, _ in runs:
        found.update(range(i, i + length))
    places = target.words
    spans = tuple((places.starts[j], places.ends[j + length - 1]) for length, _, j in runs)
    return Match(len(found) / len(have), spans, whole=runs[0][0] == len(have))


def _runs(source: Text, target: Text, seed: int) -> list[tuple[int, int, int]]:
    """Runs of at least `seed` shared words: length, place in the source, place in the target; longest first."""
    have, want = source.forms, target.forms
    places = source.places(want, seed)
    runs = []
    j = 0
    while j <= len(want) - seed:
        best = (0, 0, 0)
        for i in places(j):
            length = 0
            while i + length < len(have) and j + length < len(want) and have[i + length] == want[j + length]:
                length += 1
            if length >= seed:
                best = max(best, (length, i, j))
        if best[0]:
            runs.append(best)
        j += best[0] or 1
    return sorted(runs, reverse=True)


def _lacks(text: str, word: str) -> bool:
    """True if a text certainly lacks a word: cheaper than finding all its words. An escape may hide the word."""
    return "\\" not in text and word not in text.casefold()


def _lacks_runs(text: str, forms: Sequence[str], length: int) -> bool:
    """True if a text certainly lacks every run of so many of a few words: cheaper than finding all its words."""
    if not forms or len(forms) > _FEW or "\\" in text:
        return False
    folded, found = text.casefold(), 0
    for form in forms:
        found = found + 1 if form in folded else 0
        if found >= min(length, len(forms)):
            return False
    return True


def _verbatim(source: str, target: str) -> tuple[tuple[int, int], ...]:
    """All places where the stripped source occurs in the target between word boundaries."""
    source = source.strip()
    spans: list[tuple[int, int]] = []
    at = target.find(source) if source else -1
    while at >= 0:
        end = at + len(source)
        cut_before = at > 0 and source[0].isalnum() and target[at - 1].isalnum()
        cut_after = end < len(target) and source[-1].isalnum() and target[end].isalnum()
        if not (cut_before or cut_after):
            spans.append((at, end))
        at = target.find(source, end)
    return tuple(spans)


def arrived(source: Text, target: Text) -> float:
    """Share of the source's words found anywhere in the target, in any order, 0.0 to 1.0.

    For text that code rewrote (reversed, reformatted), where no run of words survives.
    """
    have, want = source.counts, target.counts
    if not have:
        return 0.0
    fewer, more = (have, want) if len(have) <= len(want) else (want, have)
    return sum(min(count, more.get(form, 0)) for form, count in fewer.items()) / sum(have.values())


def longest_first(matches: Sequence[tuple[object, Match]]) -> dict[int, tuple[tuple[int, int], ...]]:
    """Assigns every part of the target to the source with the longest match there.

    A source whose matches all lie inside longer matches of others is dropped: it is a near-duplicate of the text that
    was really quoted, or shares a phrase with it.

    Args:
        matches: Sources with their matches in one target; earlier ones win ties.

    Returns:
        For each surviving index of `matches`, the spans of the target that are its own.
    """
    claims = sorted(
        ((end - start, -index, start, end) for index, (_, match) in enumerate(matches) for start, end in match.spans),
        reverse=True,
    )
    starts: list[int] = []  # of assigned spans; none lies within another, so the ends are in order too
    ends: list[int] = []
    own: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for length, index, start, end in claims:
        touched = range(bisect_right(ends, start), bisect_left(starts, end))
        lost = sum(min(end, ends[i]) - max(start, starts[i]) for i in touched)
        if lost * 2 <= length:
            own[-index].append((start, end))
            place = bisect_left(starts, start)
            starts.insert(place, start)
            ends.insert(place, end)
    return {index: tuple(spans) for index, spans in own.items()}
