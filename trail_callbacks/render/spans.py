"""Overlapping spans of a text, cut into adjacent segments that can be marked without nesting."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Segment", "Span", "segments", "visible_ranges"]

_LEAST = 80  # characters of context shown on either side of a span


@dataclass(frozen=True, slots=True)
class Span:
    """A range `text[start:end]` that belongs to a claim.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last.
        owner: Index of the claim.
        role: How the claim relates to it: `supports`, `contradicts`, `nearest`, `states`, or empty.
    """

    start: int
    end: int
    owner: int
    role: str = ""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a text that lies in the same spans throughout.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last.
        spans: The spans it lies in; empty between spans.
        opens: Those of them that start here.
    """

    start: int
    end: int
    spans: tuple[Span, ...]
    opens: tuple[Span, ...] = ()


def segments(start: int, end: int, spans: Sequence[Span]) -> Iterator[Segment]:
    """Cuts `text[start:end]` at the borders of the spans into adjacent segments that cover it."""
    inside = [span for span in spans if span.start < end and span.end > start]
    borders = sorted({start, end, *(max(s.start, start) for s in inside), *(min(s.end, end) for s in inside)})
    waiting = deque(sorted(inside, key=lambda span: (span.start, -span.end, span.owner)))
    here: list[Span] = []
    for left, right in pairwise(borders):
        here = [span for span in here if span.end > left]
        while waiting and waiting[0].start <= left:
            here.append(waiting.popleft())
        yield Segment(left, right, tuple(here), tuple(span for span in here if max(span.start, start) == left))


def visible_ranges(length: int, spans: Sequence[Span], limit: int) -> list[tuple[int, int]]:
    """Chooses which parts of a long text are shown: its opening and the context of the spans.

    Args:
        length: Length of the text in characters.
        spans: What must be shown.
        limit: Characters to show; many or long spans may need more.

    Returns:
        Ranges in order that neither overlap nor touch; the whole text if it is not longer than `limit`.
    """
    if length <= limit:
        return [(0, length)] if length else []
    room = max(_LEAST, limit // (2 * (len(spans) + 1)))
    wanted = [(0, 2 * room)]
    for span in spans:
        if span.end - span.start > limit:  # its two ends
            wanted += [(span.start - room, span.start + limit // 2), (span.end - limit // 2, span.end + room)]
        else:
            wanted.append((span.start - room, span.end + room))
    merged: list[tuple[int, int]] = []
    for start, end in sorted((max(a, 0), min(b, length)) for a, b in wanted):
        if merged and start <= merged[-1][1] + _LEAST:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
