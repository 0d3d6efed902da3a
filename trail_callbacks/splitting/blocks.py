"""Where an answer is JSON: as a whole, line by line, in a fence, or in a block of its own between paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trail_callbacks.splitting.json_fields import Region, regions

__all__ = ["Block", "blocks"]

_FENCE = re.compile(r"^[ \t>]*(?:```|~~~)[ \t]*([\w-]*)[^\n]*$", re.MULTILINE)
_JSON = frozenset({"", "json", "json5", "jsonc", "jsonl", "ndjson", "geojson", "text", "txt"})
_BLANK = re.compile(r"[^\S\n]*(?:\n|\Z)")
_LEAD_IN = (":", "\uff1a", ">")  # what may stand before a block on its first line


@dataclass(frozen=True, slots=True)
class Block:
    """JSON in an answer: `answer[start:end]`, the lines of its fence included.

    Attributes:
        start: Offset in the answer.
        end: Offset after it.
        region: What stands in it.
    """

    start: int
    end: int
    region: Region


def blocks(answer: str) -> Iterator[Block]:
    """Finds the JSON of an answer. JSON inside a sentence is a part of the sentence, and code stays code.

    Yields:
        The blocks in order; they do not overlap. JSON cut off at the end is read as far as it goes; other broken JSON
        is none. Time is linear in the answer.
    """
    fences = list(_FENCE.finditer(answer))
    pairs = list(zip(fences[::2], fences[1::2], strict=False))
    fenced = at = 0
    for region in regions(answer, single=True):
        while fenced < len(pairs) and pairs[fenced][1].end() <= region.start:
            fenced += 1
        start, end = region.start, region.end
        if fenced < len(pairs) and pairs[fenced][0].start() < start:
            opening, closing = pairs[fenced]
            if opening[1].casefold() not in _JSON or end > closing.start():
                continue
            start, end = max(at, opening.start()), closing.end()
        elif not _alone(answer, start, end):
            continue
        yield Block(start, max(end, region.end), region)
        at = end


def _alone(answer: str, start: int, end: int) -> bool:
    """Whether a stretch begins a line, or follows a lead-in, and ends a line."""
    if not _BLANK.match(answer, end):
        return False
    while start and answer[start - 1] != "\n" and answer[start - 1].isspace():  # no further: lines may be long
        start -= 1
    return not start or answer[start - 1] == "\n" or answer.startswith(_LEAD_IN, start - 1)
