"""An index of earlier texts: which of them share words with a new one.

Two texts become candidates when they share a line or sentence, share a winnowed shingle, or when one is short and the
other contains its first words; candidates are then verified on the words themselves. Each distinct text is
fingerprinted once, so cost grows with the amount of text and not with the number of pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from trail_callbacks.capture.match import SENTENCE_RUN, Match, Text, overlap
from trail_callbacks.text import fingerprint, ngrams

__all__ = ["SHARED_RUN", "TextIndex"]

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
