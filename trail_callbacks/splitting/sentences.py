"""Lines and sentences: which abbreviations end none, and which closing marks belong to the one before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trail_callbacks.text import Sentence, sentences

_CLOSERS = re.compile(r"[\s*_~`\"'\u201d\u2019\u00bb)\]]+(?=\s|$)")
_CITED = re.compile(
    r"(?:\s*(?:\[[^\][]{1,80}\]\([^()\s]{1,500}\)|\[\^?[\w,\s\u2013-]{1,60}\]|"
    r"\u3010[^\u3010\u3011]{1,200}\u3011|[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3}"
    r"|\((?:[Pp]assages?|[Ss]ources?|[Dd]ocuments?)\s[^()]{1,60}\)))+[.]?\s*"
)
_ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:d\.w\.z|approx|incl|excl|est|max|min|avg|vol|pp|cf|al|resp|vs|ca|bzw|bspw|bijv|ecc|"
    r"sig|pag|p\u00e1g|Dhr|Mw|Sra?|Dra?|M|Mme"
    r"|\u0921\u0949|\u0915\u093f|[A-Z])\.$"
)
_TITLES = {"fr": "M.", "it": "S.", "hi": "\u0921\u0949."}
_SMALL = re.compile(r"[^\w\s]*[a-z\u00df-\u00f6\u00f8-\u00ff\d]")


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yields the lines of a text, with their ends, and their offsets."""
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, line
        start += len(line)


def sentences_of(text: str, language: str) -> list[Sentence]:
    """Splits a paragraph into sentences.

    Args:
        text: One line or paragraph.
        language: ISO 639-1 code.

    Returns:
        The sentences in order, without surrounding blanks.
    """
    found: list[tuple[int, int]] = []
    for sentence in sentences(text, language):
        start, end = sentence.start, sentence.end
        if found and _goes_on(text, *found[-1], start, language):
            found[-1] = (found[-1][0], end)
            continue
        if found:
            reach = _tail(text, found[-1][1], start, end)
            if reach > start:
                found[-1] = (found[-1][0], reach)
                start = reach
        if text[start:end].strip():
            found.append((start + len(text[start:end]) - len(text[start:end].lstrip()), end))
    return [Sentence(start, end, text[start:end]) for start, end in found]


def _tail(text: str, before: int, start: int, end: int) -> int:
    """Where closing marks and citations end that belong to the sentence before; `start` if there are none."""
    closing = _CLOSERS.match(text, start, end) if start == before else None
    cited = _CITED.match(text, closing.end() if closing else start, end)
    last = cited or closing
    return start + len(text[start : last.end()].rstrip()) if last else start


def _goes_on(text: str, start: int, end: int, following: int, language: str) -> bool:
    """Whether the sentence goes on: after a title, or with a small letter after an abbreviation or dots."""
    tail = text[max(start, end - 12) : end]
    if tail.split()[-1:] == [_TITLES.get(language)]:
        return True
    if not _SMALL.match(text[following : following + 4]):
        return False
    dots = tail.endswith(("...", "\u2026")) and text[following].islower()
    return dots or _ABBREVIATED.search(tail) is not None
