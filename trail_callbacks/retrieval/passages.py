"""How a text falls into passages: sentences, rows of tables, fields of JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trail_callbacks.retrieval.json_fields import Field, regions
from trail_callbacks.retrieval.tables import Row, tables
from trail_callbacks.text import sentences

__all__ = ["NEAR", "Span", "clip", "spans"]

NEAR = 200
"""Signs of a neighbour that are shown beside a passage."""

_LONGEST = 600  # signs; a longer "sentence" has no punctuation, and would hide what in it decides
_PROSE = 300  # signs; a longer string in JSON is a text of its own
_BREAK = re.compile(r"\s+")
_WORD = re.compile(r"\w")
_FENCE = re.compile(r"(?:```|~~~)\w*")
_KEYED = re.compile(r"[-\w.]+:\s")
_NEXT_KEY = re.compile(r"\s*\n\s*(?=[-\w.]+:\s)")
_ESCAPE = re.compile(r"\\[nrt]|\\.", re.DOTALL)


class Span(NamedTuple):
    """A passage of a text.

    Attributes:
        start: Offset in the text.
        end: Offset after it.
        place: The row or field that it is or is part of; None for prose.
    """

    start: int
    end: int
    place: Row | Field | None = None


def spans(text: str) -> Iterator[Span]:
    """Finds the passages of a text that hold a word, in order and without overlap, cut where they are too long.

    Args:
        text: Any text; 5 MB take seconds.
    """
    at = 0
    for region in regions(text):
        yield from _written(text, at, region.start)
        for field in region.fields:
            if field.is_text and field.end - field.value > _PROSE:
                yield from _told(text, field)
            else:
                yield from _cut(text, field.start, field.end, field)
        at = region.end
    yield from _written(text, at, len(text))


def clip(text: str, *, tail: bool = False, size: int = NEAR) -> str:
    """Shortens a text to its first signs, or its last, at a gap between words where there is one."""
    if len(text) <= size:
        return text
    if tail:
        part = text[-size:]
        gap = _BREAK.search(part)
        return part[gap.end() :] if gap and gap.end() < size else part
    part = text[: size + 1]
    at = max((gap.start() for gap in _BREAK.finditer(part)), default=0)
    return part[: at or size]


def _written(text: str, start: int, end: int) -> Iterator[Span]:
    """Prose and tables."""
    at = start
    for table in tables(text, start, end):
        yield from _prose(text[at : table.start], text, at)
        for row in table.rows:
            yield from _cut(text, row.start, row.end, row)
        at = table.end
    yield from _prose(text[at:end], text, at)


def _prose(part: str, text: str, offset: int, place: Field | None = None) -> Iterator[Span]:
    for sentence in sentences(part):
        if _FENCE.fullmatch(sentence.text):
            continue
        at = offset + sentence.start
        if "\n" in sentence.text and _KEYED.match(sentence.text):  # a list of settings is no wrapped sentence
            for line in _NEXT_KEY.finditer(sentence.text):
                yield from _cut(text, at, offset + sentence.start + line.start(), place)
                at = offset + sentence.start + line.end()
        yield from _cut(text, at, offset + sentence.end, place)


def _told(text: str, field: Field) -> Iterator[Span]:
    """The sentences of a long string; escaped line breaks part them, too."""
    part = text[field.value + 1 : field.end - 1]
    yield from _prose(_ESCAPE.sub(_blank, part), text, field.value + 1, field)


def _blank(escape: re.Match[str]) -> str:
    """As many signs as the escape has, so that offsets stay true."""
    return " \n" if escape[0] in {r"\n", r"\r"} else "  " if escape[0] == r"\t" else escape[0]


def _cut(text: str, start: int, end: int, place: Row | Field | None) -> Iterator[Span]:
    while end - start > _LONGEST:
        gaps = [gap.span() for gap in _BREAK.finditer(text, start + _LONGEST // 2, start + _LONGEST)]
        stop, after = gaps[-1] if gaps else (start + _LONGEST, start + _LONGEST)
        if _WORD.search(text, start, stop):
            yield Span(start, stop, place)
        start = after
    if _WORD.search(text, start, end):
        yield Span(start, end, place)
