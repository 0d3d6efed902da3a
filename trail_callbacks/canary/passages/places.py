"""What of a text survives every chunker, where changed words stand in it, and a passage after their changes."""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from itertools import takewhile

from trail_callbacks.canary.corpus import Document
from trail_callbacks.canary.twin import Replacement
from trail_callbacks.language.terms import vocabulary

_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<hidden>script|style|template|noscript)\b[^<>]*>.*?(?:(?=</(?P=hidden))|\Z)"
    r"|</?(?P<name>[a-z][a-z0-9]*+)[^<>]*>|<[!?][^<>]*>"
    r"|(?P<entity>&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});)",
    re.IGNORECASE | re.DOTALL,
)
_OF_HTML = re.compile(r"</[a-z][a-z0-9]*\s*>|<(?:br|hr|img|meta|input|!doctype)\b", re.IGNORECASE)
_BLOCKS = vocabulary(
    "address article aside blockquote br caption dd details dialog div dl dt fieldset figcaption figure footer form h1 "
    "h2 h3 h4 h5 h6 head header hr html li main nav ol option p pre section summary table tbody tfoot thead title tr ul"
)


@dataclass(frozen=True, slots=True)
class Letters:
    """Letters and digits in their order.

    Attributes:
        folded: The characters: case-folded, compatibility forms resolved, without accents, whitespace or punctuation.
        offsets: For each of them the offset of the character of the text that it is of; ascending.
    """

    folded: str
    offsets: Sequence[int]

    def between(self, start: int, end: int) -> tuple[int, int]:
        """Returns the range of `folded` that is of characters in `[start, end)` of the text."""
        return bisect_left(self.offsets, start), bisect_left(self.offsets, end)


def letters(text: str) -> Letters:
    """Returns the letters and digits of a text."""
    folds = [_fold(character) for character in text]
    return Letters("".join(folds), array("L", (at for at, fold in enumerate(folds) for _ in fold)))


@lru_cache(maxsize=100_000)
def _fold(character: str) -> str:
    resolved = unicodedata.normalize("NFKD", character).casefold()
    # Casefolding may bring back what decomposes once more.
    return "".join(each for each in unicodedata.normalize("NFKD", resolved) if each.isalnum())


def shown(text: str) -> Letters:
    """Returns the letters and digits of a text, of HTML those that the page shows; offsets are those in the text."""
    if not looks_like_html(text):
        return letters(text)
    plain, places = text_of_html(text)
    found = letters(plain)
    return Letters(found.folded, array("L", (places[at] for at in found.offsets)))


def looks_like_html(text: str) -> bool:
    """Tells whether a text has a closing tag, or one of those that need none: `a < b` and `<name>` are no HTML."""
    return bool(_OF_HTML.search(text))


def text_of_html(html: str) -> tuple[str, list[int]]:
    """Returns what a page shows and, for each character of it, its offset in the page.

    Tags and comments are left out, and all of scripts and styles. A tag that begins or ends a block is a line break,
    that of a table's cell a tab; others leave nothing, so that `4<b>0</b>` is one number. Entities become their
    characters. Whitespace stays as it is written. Time is linear in the length, whatever is left open.
    """
    parts: list[str] = []
    offsets: list[int] = []
    at = 0
    for markup in _MARKUP.finditer(html):
        name = (markup["name"] or "").lower()
        gap = "\n" if name in _BLOCKS else "\t" if name in ("td", "th") else ""
        instead = unescape(markup["entity"] or "") or gap
        parts += (html[at : markup.start()], instead)
        offsets += (*range(at, markup.start()), *[markup.start()] * len(instead))
        at = markup.end()
    return "".join((*parts, html[at:])), [*offsets, *range(at, len(html))]


def shared_start(one: Sequence[str], other: Sequence[str]) -> int:
    """Returns the length of the common beginning of two texts or rows of words."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


Spot = tuple[str, Replacement]
"""A changed place, behind the id of its edit."""
Range = tuple[int, int]

_GRAM = 8  # letters and digits of an entry of the index
_CANDIDATES = 8  # documents looked at of those that share the surroundings of a changed place with a passage
_SEED = 12  # letters and digits that a passage and a document must share in a row
_REPEATS = 8  # places of a seed in one document that are tried
_GAP = 8  # characters of whitespace and punctuation that one of an edit may stand for
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Swap:
    """What is put in place of `[start:end]` of a passage; `whole` if that has all the words that an edit changes."""

    edit: str
    start: int
    end: int
    new: str
    old: str = ""
    whole: bool = True


@dataclass(frozen=True, slots=True)
class _Shared:
    """Letters and digits that a passage and a document share in a row: indices in the passage, and in the document."""

    start: int
    end: int
    at: int


class EditedPlaces:
    """Finds passages in the documents that have changed places. Only surroundings of changed places are indexed."""

    def __init__(self, documents: Iterable[Document], replacements: Iterable[Spot]) -> None:
        self.texts = {document.id: document.text for document in documents}
        self.spots: dict[str, list[Spot]] = {}
        for edit, each in replacements:
            if each.document not in self.texts:
                raise KeyError(each.document)
            self.spots.setdefault(each.document, []).append((edit, each))
        self.view = lru_cache(maxsize=256)(lambda document: shown(self.texts[document]))
        self._grams: dict[str, dict[str, None]] = {}
        for id_, spots in self.spots.items():
            spots.sort(key=lambda spot: (spot[1].start, spot[1].end))
            view = self.view(id_)
            for start, end in (view.between(spot.start, spot.end) for _, spot in spots):
                for at in range(max(0, start - _GRAM + 1), max(start, end - 1) + 1):
                    self._grams.setdefault(view.folded[at : at + _GRAM], {})[id_] = None

    def near(self, passage: Letters) -> list[str]:
        """Returns the documents of which a passage has the surroundings of changed places, most of them first."""
        hits: Counter[str] = Counter()
        for at in range(len(passage.folded) - _GRAM + 1):
            hits.update(self._grams.get(passage.folded[at : at + _GRAM], {}).keys())
        return [id_ for id_, _ in hits.most_common(_CANDIDATES)]

    def swaps(
        self, document: str, text: str, passage: Letters, parts: Sequence[Range], context: int = 0
    ) -> tuple[list[Swap], list[Range]]:
        """Returns the swaps of parts of a passage by one document, and which parts the document does not have.

        Of a changed place, `context` letters beside it must be shared too; else the part is not taken for it.
        """
        made: list[Swap] = []
        rest: list[Range] = []
        view = self.view(document)
        for start, end in parts:
            at = start
            for run in _shared(passage.folded, start, end, view.folded):
                own = list(self._of(document, view, run, text, passage))
                longest = max((len(letters(text[each.start : each.end]).folded) for each in own), default=0)
                if not own or run.end - run.start - longest >= context:  # changed letters alone may be of anything
                    made += own
                    rest.append((at, run.start))
                    at = run.end
            rest.append((at, end))
        return made, [(start, end) for start, end in rest if start < end]

    def _of(self, document: str, view: Letters, run: _Shared, text: str, passage: Letters) -> Iterator[Swap]:
        """The swaps of the part of a passage that stands in a document."""
        stop, shift, size = run.at + run.end - run.start, run.start - run.at, len(passage.folded)
        for edit, spot in self.spots.get(document, ()):
            start, end = view.between(spot.start, spot.end)
            first, last = max(start, run.at), min(end, stop)
            if first >= last:
                continue
            if (first, last) == (start, end):
                at_edge = (start == run.at and run.start > 0) or (end == stop and run.end < size)
                if not (at_edge and _says_new(spot, passage, start + shift)):
                    plain = looks_like_html(self.texts[document]) and spot.old not in text
                    yield _around((edit, spot), view, start + shift, text, passage, plain=plain)
            # Elsewhere than at the border the passage says something else here, perhaps what the twin says.
            elif (first == start or run.start == 0) and (last == end or run.end == size):
                from_ = passage.offsets[first + shift] if first == start else 0
                to = passage.offsets[last - 1 + shift] + 1 if last == end else len(text)
                low = 0 if first == start else view.offsets[first] - spot.start
                high = len(spot.old) if last == end else view.offsets[last - 1] + 1 - spot.start
                yield Swap(edit, from_, to, _part_of_new(spot, low, high), spot.old, whole=False)


def _shared(passage: str, start: int, end: int, document: str) -> Iterator[_Shared]:
    """What of a passage stands in a document: all, or the longest shared runs; one of 17 letters is never missed."""
    if passage and (start, end) == (0, len(passage)) and (place := document.find(passage)) >= 0:
        yield _Shared(0, end, place)
        return
    at, done = start, start
    while at + _SEED <= end:
        best = _Shared(at, at, 0)
        place = -1
        for _ in range(_REPEATS):
            if (place := document.find(passage[at : at + _SEED], place + 1)) < 0:
                break
            reach = max(0, place - (at - done))
            before = shared_start(passage[done:at][::-1], document[reach:place][::-1])
            after = shared_start(passage[at:end], document[place : place + end - at])
            if before + after > best.end - best.start:
                best = _Shared(at - before, at + after, place - before)
        if best.end > best.start:
            yield best
            at = done = best.end
        else:
            at += _SEED // 2


def _says_new(spot: Replacement, passage: Letters, at: int) -> bool:
    """True if what looks like the old words is a part of the new ones, as `is` of `is not`."""
    old, new = letters(spot.old).folded, letters(spot.new).folded
    inside = new.find(old)
    return inside >= 0 and at >= inside and passage.folded.startswith(new, at - inside)


def _around(place: Spot, view: Letters, at: int, text: str, passage: Letters, *, plain: bool) -> Swap:
    """A swap of words, with the punctuation and whitespace that the edit takes with them; `plain` without markup."""
    edit, spot = place
    first, last = view.between(spot.start, spot.end)
    start, end = passage.offsets[at], passage.offsets[at + last - first - 1] + 1
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    before, behind = spot.old[: view.offsets[first] - spot.start], spot.old[view.offsets[last - 1] + 1 - spot.start :]
    new = spot.new
    if plain:
        before, behind, new = (text_of_html(each)[0] for each in (before, behind, new))
    for character in reversed(before):
        start -= _taken(text[max(0, start - _GAP) : start][::-1], character)
    for character in behind:
        end += _taken(text[end : end + _GAP], character)
    return Swap(edit, start, end, new, spot.old)


def _taken(text: str, character: str) -> int:
    """How many characters at the beginning of a text stand for one; whitespace may be longer, or missing."""
    blank = len(text) - len(text.lstrip())
    if character.isspace():
        return blank
    return blank + 1 if text[blank : blank + 1] == character else 0


def _part_of_new(spot: Replacement, start: int, end: int) -> str:
    """What stands for `old[start:end]` where the border of a passage cuts the rest off.

    Whole words only, so that no real word and no half of a fictive one is shown, and two passages that share a border
    show no word twice. If both have as many words, each stands for the one in its place: of `40 minutes` and `53
    minutes`, a passage that ends after `40` shows `53`. Otherwise the passage with the whole first word shows all.
    """
    inside = [start <= word.start() and word.end() <= end for word in _WORD.finditer(spot.old)]
    others = _WORD.findall(spot.new)
    if len(others) == len(inside):
        return " ".join(word for word, seen in zip(others, inside, strict=True) if seen)
    return spot.new if inside and inside[0] else ""


def swapped(text: str, swaps: Iterable[Swap]) -> str:
    """Returns a text after swaps; of two that overlap the first one counts."""
    parts: list[str] = []
    at = 0
    for each in sorted(swaps, key=lambda swap: (swap.start, swap.end)):
        if each.start >= at:
            parts += (text[at : each.start], each.new)
            at = each.end
    return "".join((*parts, text[at:]))
