"""Splitting a text into passages: sentences, table rows, JSON fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from trail_callbacks.evidence.tables import Row, tables
from trail_callbacks.splitting.json_fields import Field, regions
from trail_callbacks.text import sentences

_CONTEXT = 200  # characters of a neighbouring sentence that are shown with a passage
_LONGEST = 600  # characters; a longer "sentence" lacks punctuation and would hide what matters in it
_PROSE = 300  # characters; a longer string in JSON is split like prose
_BREAK = re.compile(r"\s+")
_WORD = re.compile(r"\w")
_FENCE = re.compile(r"(?:```|~~~)\w*")
# Lines that are no wrapped sentence, by how the first begins, and where they part: settings, rows of cells, HTML.
_LINES = (
    (re.compile(r"[^\s:][^\n:!?]{0,60}:\s[^\n]*\n"), re.compile(r"\s*\n\s*(?=[^\s:][^\n:!?]{0,60}:\s)")),
    (re.compile(r"[^\n]*[^\s.:!?](?:\t|[^\S\n]{2,})\S[^\n]*\n"), re.compile(r"\s*\n\s*")),
    (re.compile(r"<\w"), re.compile(r"(?=<(?:tr|li|dt|p|div|h[1-6])\b)|<br\s*/?>", re.IGNORECASE)),
)
_ESCAPE = re.compile(r"\\[nrt]|\\.", re.DOTALL)


class Span(NamedTuple):
    """A passage of a text.

    Attributes:
        start: Offset of its first character in the text.
        end: Offset after its last character.
        place: The row or field that it is, or is part of; None for prose.
    """

    start: int
    end: int
    place: Row | Field | None = None


def spans(text: str) -> Iterator[Span]:
    """Finds the passages of a text that contain a word, in order and without overlap; long ones are cut."""
    at = 0
    for region in regions(text):
        yield from _prose_and_tables(text, at, region.start)
        for field in region.fields:
            if field.is_text and field.end - field.value > _PROSE:
                yield from _long_string(text, field)
            else:
                yield from _cut(text, field.start, field.end, field)
        at = region.end
    yield from _prose_and_tables(text, at, len(text))


def outside(ranges: Sequence[tuple[int, int]], passages: Iterable[Span], text: str) -> Iterator[Span]:
    """Cuts ranges of a text out of its passages; each remainder that contains a word becomes a passage."""
    for span in passages:
        at = span.start
        for start, end in ranges:
            if start >= span.end:
                break
            if end > at:
                yield from _remainder(span, at, start, text)
                at = end
        yield from _remainder(span, at, span.end, text)


def _remainder(span: Span, start: int, end: int, text: str) -> Iterator[Span]:
    if (start, end) == (span.start, span.end):
        yield span
    elif start < end and _WORD.search(text, start, end):
        inside = text[start:end]
        yield span._replace(start=start + len(inside) - len(inside.lstrip()), end=start + len(inside.rstrip()))


def clip(text: str, *, tail: bool = False, size: int = _CONTEXT) -> str:
    """Shortens a text to its first (or last) characters, between words where possible."""
    if len(text) <= size:
        return text
    if tail:
        part = text[-size:]
        gap = _BREAK.search(part)
        return part[gap.end() :] if gap and gap.end() < size else part
    part = text[: size + 1]
    at = max((gap.start() for gap in _BREAK.finditer(part)), default=0)
    return part[: at or size]


def _prose_and_tables(text: str, start: int, end: int) -> Iterator[Span]:
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
        parts = next((parts for begins, parts in _LINES if begins.match(sentence.text)), None)
        for line in parts.finditer(sentence.text) if parts else ():
            yield from _cut(text, at, offset + sentence.start + line.start(), place)
            at = offset + sentence.start + line.end()
        yield from _cut(text, at, offset + sentence.end, place)


def _long_string(text: str, field: Field) -> Iterator[Span]:
    """The sentences of a long string; escaped line breaks separate them too."""
    part = text[field.value + 1 : field.end - 1]
    yield from _prose(_ESCAPE.sub(_as_whitespace, part), text, field.value + 1, field)


def _as_whitespace(escape: re.Match[str]) -> str:
    """Whitespace of the same length, so that offsets stay valid."""
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
