"""Comparing two texts: which runs of words they share, and where.

Which texts to compare is decided elsewhere, see `trail_callbacks.capture.match`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from trail_callbacks.text import Words, fingerprint, forms, ngrams, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    """Finds the runs of words that two texts share."""
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


_PLACES = 64  # of a value in a text that are looked at: each takes time that grows with its line


def values(source: Text, target: Text, before: Iterable[str]) -> Match | None:
    """Finds where a few words, such as a number, stand in a text as a value does: by themselves, or as a number does.

    Args:
        source: Words too few to be found elsewhere by chance only if they stand so.
        target: The text.
        before: What their author read: a line of it that the text has too is no place for them.
    """
    spans = [span for span in _verbatim(source.text, target.text)[:_PLACES] if is_value(target.text, *span)]
    if spans:
        known = {line.strip() for text in before for line in text.splitlines()}
        spans = [(start, end) for start, end in spans if "".join(around(target.text, start, end)).strip() not in known]
    return Match(1.0, tuple(spans), whole=True) if spans else None


def is_value(text: str, start: int, end: int) -> bool:
    """True for a range of a text that stands by itself on its line, or is a number of several digits."""
    before, word, after = (part.strip() for part in around(text, start, end))
    numbered = not before and after[:1] in {".", ")", ":"} and after[1:]
    if numbered or before[-1:] in {"[", "(", "#"}:
        return False
    number = len(word) > 1 and any(map(str.isdigit, word))
    return number or not (before[-1:].isalnum() or after[:1].isalnum())


def around(text: str, start: int, end: int) -> tuple[str, str, str]:
    """Returns the line on which a range of a text lies, in three: what is before, the range, and what is after."""
    last = text.find("\n", end)
    return text[text.rfind("\n", 0, start) + 1 : start], text[start:end], text[end : last if last >= 0 else len(text)]


def arrived(source: Text, target: Text) -> float:
    """Share of the source's words found anywhere in the target, in any order, 0.0 to 1.0.

    For text that code rewrote (reversed, reformatted), where no run of words survives.
    """
    have, want = source.counts, target.counts
    if not have:
        return 0.0
    fewer, more = (have, want) if len(have) <= len(want) else (want, have)
    return sum(min(count, more.get(form, 0)) for form, count in fewer.items()) / sum(have.values())


def longest_first(
    matches: Sequence[tuple[object, Match]], *, fewest: bool = False
) -> dict[int, tuple[tuple[int, int], ...]]:
    """Assigns every part of the target to the source with the longest match there, of equal ones to a whole source.

    If `fewest` is True, of equal ones to that with most of the target in all, so that few sources explain it.

    A source whose matches all lie inside longer matches of others is dropped: it is a near-duplicate of the text that
    was really quoted, or shares a phrase with it.
    """
    shared = [sum(end - start for start, end in match.spans) if fewest else 0 for _, match in matches]
    claims = sorted(
        (
            (end - start, shared[index], match.whole, -index, start, end)
            for index, (_, match) in enumerate(matches)
            for start, end in match.spans
        ),
        reverse=True,
    )
    starts: list[int] = []  # of assigned spans; none lies within another, so the ends are in order too
    ends: list[int] = []
    own: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for length, _, _, index, start, end in claims:
        touched = range(bisect_right(ends, start), bisect_left(starts, end))
        lost = sum(min(end, ends[i]) - max(start, starts[i]) for i in touched)
        if lost * 2 <= length:
            own[-index].append((start, end))
            place = bisect_left(starts, start)
            starts.insert(place, start)
            ends.insert(place, end)
    return {index: tuple(spans) for index, spans in own.items()}


K = TypeVar("K")
SHARED_RUN = 12
"""Words of a run that two texts do not share by chance; winnowing finds every one of this length."""
_COMMON = 64  # a line, sentence or shingle in more distinct texts than this is boilerplate


class TextIndex:
    """Finds the indexed texts that a new text quotes, or that quote it."""

    def __init__(self) -> None:
        self._texts: dict[str, Text] = {}
        self._segments: dict[str, Text | list[Text]] = {}
        self._shingles: dict[int, Text | list[Text]] = {}
        self._short: dict[int, dict[int, Text | list[Text]]] = {1: {}, 2: {}, 3: {}}
        self._indexed: set[str] = set()

    def text(self, text: str) -> Text:
        """Returns the one `Text` object for a distinct text."""
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = Text(text)
        return known

    def add(self, text: Text) -> None:
        """Indexes a text; texts too short to be distinctive are left out."""
        if text.text in self._indexed or not text.distinctive:
            return
        self._indexed.add(text.text)
        for segment in text.segments:
            _put(self._segments, segment, text)
        for anchor in fingerprint(text.forms):
            _put(self._shingles, anchor, text)
        if 0 < len(text.forms) < SHARED_RUN:
            n = min(3, len(text.forms))
            _put(self._short[n], int(ngrams(text.forms[:n], n)[0]), text)
        text.forget()  # most texts are never compared word by word

    def knows(self, text: Text) -> bool:
        """True if a text was added."""
        return text.text in self._indexed

    def find(self, target: Text) -> dict[Text, Match]:
        """Returns the indexed texts that share a sentence or a run of words with the target, itself left out."""
        found: dict[Text, Match] = {}
        self._verify(found, target, dict.fromkeys(self._candidates(self._segments, target.segments), SENTENCE_RUN))
        wanted: dict[Text, int] = {}
        for n, index in self._short.items():
            if index:
                for text in self._candidates(index, ngrams(target.forms, n).tolist()):
                    wanted[text] = len(text.forms)
        self._verify(found, target, wanted)
        # Where whole sentences cover all but a few words, no shared run of twelve words is left to find.
        spans = [span for match in found.values() for span in match.spans]
        if _gaps(target.text, spans):
            shared = self._candidates(self._shingles, fingerprint(target.forms))
            self._verify(found, target, dict.fromkeys(shared, SHARED_RUN))
        whole = [span for match in found.values() if match.whole for span in match.spans]
        # The target may quote a text in full and, elsewhere, a part of it again.
        for start, gap in _gaps(target.text, whole) if whole else ():
            for text in dict.fromkeys(self._candidates(self._shingles, fingerprint(gap.forms))):
                known = found.get(text)
                if known is not None and known.whole and (part := overlap(text, gap, SHARED_RUN)) is not None:
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
    """Adds to an index. Most keys have a single text; a list for each key would double the memory."""
    known = index.setdefault(key, text)
    if isinstance(known, list):
        known.append(text)
    elif known is not text:
        index[key] = [known, text]


def _gaps(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, Text]]:
    """The parts of a text outside the spans that are long enough to share a run of words, with their offsets."""
    gaps: list[tuple[int, Text]] = []
    at = 0
    for start, end in (*sorted(spans), (len(text), len(text))):
        if start - at >= 2 * SHARED_RUN:  # at least one letter and one space a word
            gap = Text(text[at:start])
            if len(gap.forms) >= SHARED_RUN:
                gaps.append((at, gap))
        at = max(at, end)
    return gaps
