"""Which earlier texts stand in a later one: candidates by fingerprint, verified on the words themselves.

Two texts become candidates when they share a line or sentence, a winnowed shingle, or when one is short and begins
with words that the other holds. Each distinct text is fingerprinted once, so cost grows with the amount of text and
not with the number of pairs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from trail_callbacks.text import Words, fingerprint, forms, ngrams, words

__all__ = ["Match", "Matcher", "Text", "arrived", "longest_first", "overlap"]

_ENDS = (*'.!?;:"\r\u201c\u201d\u3002\uff01\uff1f', "\\n", "\\r")  # of lines, sentences and quotations
_SHARED_RUN = 12  # words; what winnowing guarantees to find
_SENTENCE_RUN = 5  # words; enough where a whole line or sentence is known to be shared
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K = TypeVar("K")
_BOOK = 1000  # words
_PLACES = 16  # of the same few words in one text that are tried
_COMMON = 64  # an anchor in more distinct texts than this is boilerplate


class Text:
    """A distinct text with what is computed from it once, when first needed."""

    __slots__ = ("_forms", "_segments", "_sorted", "_words", "text")

    def __init__(self, text: str) -> None:
        self.text = text
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
    def words(self) -> Words:
        """Its words with offsets; three times as dear as `forms`."""
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
        """Returns where in this text the n words of another that begin at a given index may stand.

        A book is searched by sorted hashes, kept between searches; for a page a dictionary is built faster than kept.
        """
        if len(self.forms) < _BOOK:
            at: dict[tuple[str, ...], list[int]] = defaultdict(list)
            for i in range(len(self.forms) - n + 1):
                at[self.forms[i : i + n]].append(i)
            return lambda j: at.get(other[j : j + n], ())[:_PLACES]
        import numpy as np  # noqa: PLC0415 - costs half the import time of the package

        if self._sorted is None or self._sorted[0] != n:
            hashes = ngrams(self.forms, n)
            order = np.argsort(hashes, kind="stable")
            self._sorted = (n, hashes[order], order)
        _, hashes, order = self._sorted
        wanted = ngrams(other, n)
        first, last = np.searchsorted(hashes, wanted), np.searchsorted(hashes, wanted, side="right")
        return lambda j: order[first[j] : min(last[j], first[j] + _PLACES)].tolist()

    def forget(self) -> None:
        """Lets go of what can be computed again: words take twenty times the room of their text."""
        self._forms = self._words = self._segments = self._sorted = None

    @property
    def distinctive(self) -> bool:
        """True if finding this text elsewhere means something: three words or twelve characters."""
        return len(self.text.strip()) >= 12 or len(self.forms) >= 3  # noqa: PLR2004


@dataclass(slots=True)  # never changed; frozen ones take three times as long to make
class Match:
    """What a source text has in common with a target text.

    Attributes:
        coverage: Share of the source's words that stand in the target, 0.0 to 1.0.
        spans: Where, as character ranges of the target, longest first.
        whole: True if the whole source stands there in one piece.
    """

    coverage: float
    spans: tuple[tuple[int, int], ...]
    whole: bool


def overlap(source: Text, target: Text, shortest: int = _SENTENCE_RUN) -> Match | None:
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
    have = source.forms
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
    """True if a text surely does not hold a word: cheaper than finding all its words. Escapes may hide one."""
    return "\\" not in text and word not in text.casefold()


def _verbatim(source: str, target: str) -> tuple[tuple[int, int], ...]:
    """All places where the stripped source stands in the target between word boundaries."""
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

    The measure for text that code rewrote (reversed, upper-cased, reformatted), where no run of words survives.
    """
    if not source.forms:
        return 0.0
    rest = Counter(source.forms) - Counter(target.forms)
    return 1.0 - rest.total() / len(source.forms)


class Matcher:
    """An index of texts that answers which of them a new text quotes, or is quoted from."""

    def __init__(self) -> None:
        self._texts: dict[str, Text] = {}
        self._segments: dict[str, Text | list[Text]] = {}
        self._shingles: dict[int, Text | list[Text]] = {}
        self._short: dict[int, dict[int, Text | list[Text]]] = {1: {}, 2: {}, 3: {}}
        self._indexed: set[str] = set()

    def text(self, text: str) -> Text:
        """Returns the one object for a distinct text."""
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = Text(text)
        return known

    def add(self, text: Text) -> None:
        """Makes a text findable; texts too short to mean anything are left out."""
        if text.text in self._indexed or not text.distinctive:
            return
        self._indexed.add(text.text)
        for segment in text.segments:
            _put(self._segments, segment, text)
        for anchor in fingerprint(text.forms):
            _put(self._shingles, anchor, text)
        if 0 < len(text.forms) < _SHARED_RUN:
            n = min(3, len(text.forms))
            _put(self._short[n], int(ngrams(text.forms[:n], n)[0]), text)
        text.forget()  # few of many texts are ever compared word by word

    def knows(self, text: Text) -> bool:
        """True if a text was added."""
        return text.text in self._indexed

    def find(self, target: Text) -> dict[Text, Match]:
        """Returns the indexed texts that share a sentence or a run of words with the target, itself left out."""
        found: dict[Text, Match] = {}
        self._verify(found, target, dict.fromkeys(self._candidates(self._segments, target.segments), _SENTENCE_RUN))
        wanted: dict[Text, int] = {}
        for n, index in self._short.items():
            if index:
                for text in self._candidates(index, ngrams(target.forms, n).tolist()):
                    wanted[text] = len(text.forms)
        self._verify(found, target, wanted)
        # Where whole sentences explain all but a few words, no further run of twelve is left to find.
        spans = [span for match in found.values() for span in match.spans]
        if _gaps(target.text, spans):
            shared = self._candidates(self._shingles, fingerprint(target.forms))
            self._verify(found, target, dict.fromkeys(shared, _SHARED_RUN))
        whole = [span for match in found.values() if match.whole for span in match.spans]
        # Part of a text may stand beside the whole of it.
        for start, gap in _gaps(target.text, whole) if whole else ():
            for text in dict.fromkeys(self._candidates(self._shingles, fingerprint(gap.forms))):
                known = found.get(text)
                if known is not None and known.whole and (part := overlap(text, gap, _SHARED_RUN)) is not None:
                    more = tuple((start + first, start + last) for first, last in part.spans)
                    found[text] = Match(known.coverage, known.spans + more, whole=True)
        return found

    @staticmethod
    def _verify(found: dict[Text, Match], target: Text, wanted: dict[Text, int]) -> None:
        for text, shortest in wanted.items():
            if text is not target and text not in found and (match := overlap(text, target, shortest)) is not None:
                found[text] = match

    @staticmethod
    def _candidates(index: Mapping[K, Text | list[Text]], keys: Iterable[K]) -> Iterable[Text]:
        for key in keys:
            known = index.get(key)
            if isinstance(known, Text):
                yield known
            elif known is not None and len(known) <= _COMMON:
                yield from known


def _put(index: dict[K, Text | list[Text]], key: K, text: Text) -> None:
    """Adds to an index. Most keys have one text; a list for each would be half of the memory."""
    known = index.setdefault(key, text)
    if isinstance(known, list):
        known.append(text)
    elif known is not text:
        index[key] = [known, text]


def _gaps(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, Text]]:
    """The parts of a text outside the spans in which a run of words may be shared, and where they begin."""
    gaps: list[tuple[int, Text]] = []
    at = 0
    for start, end in (*sorted(spans), (len(text), len(text))):
        if start - at >= 2 * _SHARED_RUN:  # letters and blanks, at the least
            gap = Text(text[at:start])
            if len(gap.forms) >= _SHARED_RUN:
                gaps.append((at, gap))
        at = max(at, end)
    return gaps


def longest_first(matches: Sequence[tuple[object, Match]]) -> dict[int, tuple[tuple[int, int], ...]]:
    """Gives every part of the target to the source that matches most of it there.

    A source whose matches all lie inside longer matches of others is swallowed: a near-duplicate of the text that was
    really quoted, or a phrase that both share.

    Args:
        matches: Sources with their matches in one target; earlier ones win ties.

    Returns:
        For each surviving index of `matches`, the spans of the target that are its own.
    """
    claims = sorted(
        ((end - start, -index, start, end) for index, (_, match) in enumerate(matches) for start, end in match.spans),
        reverse=True,
    )
    starts: list[int] = []  # of what is taken; no span lies within another, so the ends are in order too
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
