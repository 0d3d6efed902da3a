"""Text with offsets: sentences, words, fingerprints, and locating a quote.

All offsets count Unicode code points of the original string, so `text[start:end]` is always verbatim.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any

from sentencex import get_sentence_boundaries

from trail_callbacks.slices import current

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Characters that are not seen, for a class of a pattern: Unicode's Default_Ignorable_Code_Point, and annotations."""

_UNSEEN = re.compile(f"[{IGNORABLE}]+")
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Thai, kana, Han
# One class after the other: a repeated choice of two remembers a hundred bytes for each letter.
_WORD = re.compile(rf"[{_UNSPACED}]|(?:[^\W{_UNSPACED}]|\x00)[^\W{_UNSPACED}]*+(?:\x00++[^\W{_UNSPACED}]*+)*+")
_PLAIN_WORD = re.compile(r"[\w\x00]+", re.ASCII)  # for pure ASCII: the same in a third of the time
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt])")
_WRAPPED = 40  # characters; prose is not wrapped at less
# sentencex searches for the end of each quotation: its time is quotation marks times characters.
_QUOTE = re.compile("[\"'`\u00ab\u00b4\u2018-\u201f\u2039]")
_QUOTES = 400  # quotation marks in one block
_LONGEST, _SHORTEST = 5_000, 1_000  # characters of a block; the second if it has more quotation marks than that
_END = re.compile(r"[.!?\u3002\uff01\uff1f][\"')\]\u201d\u2019]?\s+(?=[^\W\d_a-z])")
# A full stop behind a unit or an address, which sentencex takes for one behind an initial: `at 300 km/h. Trains ...`;
# and an ideographic one before a digit, which it takes for a decimal point.
_UNIT_END = re.compile(
    r"(?:\d\s?(?:[kcm]?m(?:[\u00b2\u00b3]|/s)?|km/h|[kMGT]?Wh?|k?Hz|[km]?g|[km]?l|[mM]?B|h|s|min|t|ha|mph|dB)"
    r"|(?:@|https?://|www\.)[^\s@]{1,200}|[\w-]{2}\.[a-z]{2,4})\.\s+(?=[A-Z\u00c0-\u00de\"\u201c(])"
    r"|(?<=[\u3002\uff01\uff1f])(?=\d)"
)
_NEAR = 40  # characters on both sides of a full stop by which its meaning is told
_BEGUN = re.compile(r"\W*(?:\w+\.?\s)?\d{1,3}\.")  # `3. Foo`, `Im 19. Jahrhundert`, `Section 3. Fees`
_GOES_ON = (  # what stands before and after a full stop that ends no sentence, in whatever language
    (re.compile(r"\d[^\W\d_]{0,3}\.$"), lambda after: after[:1].islower()),  # `3. lokakuuta`, `1er. janvier`
    (re.compile(r"(?<!\d)\d{1,2}\.$"), re.compile(r"[^\W\d_]+\.?\s\d{4}\b").match),  # `3. Oktober 1990`
    # `Jan. 1990`, `Nr. 5`; but not `Stir the tea. 2 Add milk.`
    (re.compile(r"(?<![\w.-])[^\W\d_]{1,3}\.$"), re.compile(r"\d++(?!\.\s|\s+[^\W\d_a-z\u00df-\u00ff])").match),
)
_GAP = re.compile(r"\s+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CLOSING = frozenset(".!?:;\u3002\uff01\uff1f\u0964|}]")
_BASE = 0x9E3779B97F4A7C15  # odd, so powers never vanish modulo 2**64


def encodable(text: str) -> str:
    """Replaces each lone surrogate, which no encoding can write, by U+FFFD; offsets stay valid."""
    return _SURROGATE.sub("\ufffd", text) if _SURROGATE.search(text) else text


def encodable_parts(value: Any) -> Any:
    """Returns a value of lists, tuples and dictionaries with each text made `encodable`; other values stay."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {encodable_parts(key): encodable_parts(part) for key, part in value.items()}
    return [encodable_parts(part) for part in value] if isinstance(value, list | tuple) else value


def shorten(text: str, limit: int) -> str:
    """Cuts text to at most `limit` characters, at a space if one is near, and appends three dots."""
    if len(text) <= limit:
        return text
    cut = text[: max(limit - 4, 0)]
    blank = cut.rfind(" ")
    return f"{cut[:blank] if blank > limit // 2 else cut} ..."


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its place: `text == whole[start:end]`, without surrounding whitespace."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Words:
    r"""The words of a text, as parallel tuples."""

    # case-folded words. In scripts without spaces (Han, kana, Thai) each character is a word. Escapes as written by
    # `repr` and `json.dumps` are undone, so that `"Caf\\u00e9"` and `"Café"` have equal forms
    forms: tuple[str, ...]
    starts: tuple[int, ...]  # offset of each word
    ends: tuple[int, ...]  # offset after each word

    def __len__(self) -> int:
        return len(self.forms)

    def between(self, start: int, end: int) -> tuple[int, int]:
        """Returns the range of word indices that begin in `[start, end)`."""
        return bisect_right(self.starts, start - 1), bisect_right(self.starts, end - 1)


def sentences(text: str, language: str = "en") -> tuple[Sentence, ...]:
    """Splits text into sentences; each list item, table row and line of JSON is a sentence of its own.

    A line break ends a sentence unless the line was merely wrapped: long, without closing punctuation, and followed by
    a lower-case letter.

    Args:
        text: Any text. Blank parts are left out.
        language: ISO 639-1 code; it decides about abbreviations. Sentence marks of all scripts are recognised.

    Returns:
        The sentences in order, with offsets into `text`.
    """
    found = []
    slices = current.get()
    for offset, block in _blocks(text):  # one at a time: within a list sentencex misses sentence ends
        if slices is not None:
            slices.pause()
        starts = [boundary["start_index"] for boundary in get_sentence_boundaries(language, encodable(block))]
        ends = [at for before, at in pairwise(starts) if _ends(block[before:at], block[at : at + _NEAR])]
        cuts = sorted({*starts[:1], *ends, *(match.end() for match in _UNIT_END.finditer(block)), len(block)})
        for start, end in pairwise(cuts):
            stripped = block[start:end].strip()
            if stripped:
                at = offset + block.index(stripped, start)
                found.append(Sentence(at, at + len(stripped), text[at : at + len(stripped)]))
    return tuple(found)


def _ends(before: str, after: str) -> bool:
    """Whether a sentence ends between two parts of a line, as sentencex says.

    It ends sentences behind ordinals, numbers of lists and abbreviations, and near parentheses even between two words.
    """
    last = before.rstrip()
    if last[-1:].isalnum() or _BEGUN.fullmatch(last):
        return False
    return not any(left.search(last[-_NEAR:]) and goes_on(after) for left, goes_on in _GOES_ON)


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their offsets; wrapped lines stay together."""
    start = at = 0
    lines = text.splitlines(keepends=True)
    for line, following in zip_longest(lines, lines[1:], fillvalue=""):
        at += len(line)
        if not is_wrapped(line, following):
            yield from _pieces(text, start, at)
            start = at


def is_wrapped(line: str, following: str) -> bool:
    """Tells whether a line break does not end a sentence: the line is long, and the next begins with a small letter."""
    return len(line) >= _WRAPPED and line.rstrip()[-1:] not in _CLOSING and following[:1].islower()


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """A block, cut where needed to keep time linear: after a sentence, else at whitespace, else anywhere."""
    while end - start > _SHORTEST:
        block = text[start : min(end, start + _LONGEST)]
        size = _LONGEST if len(_QUOTE.findall(block)) <= _QUOTES else _SHORTEST
        if end - start <= size:
            break
        cuts = [gap.end() for gap in _END.finditer(text, start + size // 2, start + size)]
        cuts = cuts or [gap.end() for gap in _GAP.finditer(text, start + size // 2, start + size)]
        stop = cuts[-1] if cuts else start + size
        yield start, text[start:stop]
        start = stop
    yield start, text[start:end]


def words(text: str) -> Words:
    """Finds the words of a text, with offsets."""
    if (slices := current.get()) is not None:
        slices.pause()
    escaped = "\\" in text
    if escaped:  # replaced by as many characters, so that offsets stay valid
        text = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) + "\0" * 5 if m[1] else "  ", text)
    forms, starts, ends = [], [], []
    for match in _WORD.finditer(text):
        form = match[0].casefold()
        if escaped:
            form = form.replace("\0", "")
            if not form:
                continue
        forms.append(form)
        start, end = match.span()
        starts.append(start)
        ends.append(end)
    return Words(tuple(forms), tuple(starts), tuple(ends))


def forms(text: str) -> tuple[str, ...]:
    """Finds the case-folded words of a text, as `words(text).forms` does, at a third of the cost."""
    folded = text.casefold()
    if "\\" in text or len(folded) != len(text):  # escapes, or letters that fold into several
        return words(text).forms
    return tuple((_PLAIN_WORD if folded.isascii() else _WORD).findall(folded))


def locate(quote: str, text: str, start: int = 0) -> tuple[int, int] | None:
    """Finds a quote in a text: verbatim, or else with other whitespace, case, punctuation or characters not seen.

    Args:
        quote: The words to find. A quote without any letter or digit is only found verbatim.
        text: The text to search.
        start: Offset from which to search.

    Returns:
        `(start, end)` such that `text[start:end]` is the passage in the text's own spelling, or None if the text does
        not contain the words of the quote in this order without a gap.
    """
    if not quote:
        return None
    at = text.find(quote, start)
    if at >= 0:
        return at, at + len(quote)
    wanted, have = words(quote).forms, words(text)
    if not wanted:
        return None
    first = have.between(start, len(text))[0]
    # Searched as one string, which Python does in linear time; no word holds a line end.
    joined = "\n".join(("", *have.forms[first:], ""))
    at = joined.find("\n".join(("", *wanted, "")))
    if at < 0:
        return None if f"{quote}{text}".isascii() else _locate_seen(quote, text, start)
    i = first + joined.count("\n", 0, at)
    return have.starts[i], have.ends[i + len(wanted) - 1]


def _locate_seen(quote: str, text: str, start: int) -> tuple[int, int] | None:
    """Finds a quote by what is seen: models leave soft hyphens and the like out when they copy."""
    seen, said = (_UNSEEN.sub("", each) for each in (text, quote))
    if len(seen) == len(text) and said == quote:
        return None
    offsets = [i for i, character in enumerate(text) if not _UNSEEN.match(character)]
    found = locate(said, seen, bisect_left(offsets, start))
    return found and (offsets[found[0]], offsets[found[1] - 1] + 1)


def outside(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Returns what of a text is outside of ranges; a line break keeps apart what stood around one.

    Args:
        text: Any text.
        spans: Character ranges of it, in order and without overlap.
    """
    return "\n".join(text[end:start] for (_, end), (start, _) in pairwise([(0, 0), *spans, (len(text), 0)]))


def ngrams(forms: Sequence[str], n: int) -> NDArray[np.uint64]:
    """Hashes every n-gram of words.

    Args:
        forms: Words.
        n: Words in an n-gram, at least 1.

    Returns:
        `len(forms) - n + 1` hashes (none if that is negative), equal within a process.
    """
    import numpy as np  # noqa: PLC0415 - half the import time of the package, and not every user links text

    if len(forms) < n:
        return np.empty(0, np.uint64)
    ids = np.fromiter(map(hash, forms), np.int64, len(forms)).view(np.uint64)
    total = np.zeros(len(ids) - n + 1, np.uint64)
    for i in range(n):  # n is small: one polynomial for each window beats prefix sums in memory and clarity
        total = total * np.uint64(_BASE) + ids[i : len(ids) - n + 1 + i]
    return total


def fingerprint(forms: Sequence[str], k: int = 5, window: int = 8) -> tuple[int, ...]:
    """Winnows the k-word shingles of a text (Schleimer, Wilkerson and Aiken, SIGMOD 2003).

    The smallest hash of every `window` consecutive shingles is kept, so two texts that share a run of
    `k + window - 1` words (12 by default) share at least one hash.

    Args:
        forms: Words, from `words`.
        k: Words in a shingle.
        window: Shingles in a window.

    Returns:
        The kept hashes, distinct, in text order. Texts shorter than k words have none.
    """
    import numpy as np  # noqa: PLC0415 - see ngrams

    hashes = ngrams(forms, k)
    if not len(hashes):
        return ()
    if len(hashes) <= window:
        return (min(hashes.tolist()),)
    smallest, reach = hashes, 1
    while reach < window:  # the smallest of 2, of 4, ... in a row: a tenth of the time of a view of all windows
        step = min(reach, window - reach)
        smallest = np.minimum(smallest[:-step], smallest[step:])
        reach += step
    return tuple(dict.fromkeys(smallest.tolist()))
