"""Stretches of a text that several things point at, cut so that they can be nested nowhere and shown side by side."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Span", "Stretch", "kept", "stretches"]

_LEAST = 80  # characters kept on either side of what is pointed at


@dataclass(frozen=True, slots=True)
class Span:
    """Something points at `text[start:end]`.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last.
        owner: Number of what points: a claim.
        role: Why it points.
    """

    start: int
    end: int
    owner: int
    role: str = ""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a text in which the same spans hold.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last.
        spans: What points at it; empty for the text in between.
        opens: Those of them that start here.
    """

    start: int
    end: int
    spans: tuple[Span, ...]
    opens: tuple[Span, ...] = ()


def stretches(start: int, end: int, spans: Sequence[Span]) -> Iterator[Stretch]:
    """Cuts `text[start:end]` at the borders of the spans; the stretches are adjacent and cover it."""
    inside = [span for span in spans if span.start < end and span.end > start]
    borders = sorted({start, end, *(max(s.start, start) for s in inside), *(min(s.end, end) for s in inside)})
    waiting = deque(sorted(inside, key=lambda span: (span.start, -span.end, span.owner)))
    here: list[Span] = []
    for left, right in pairwise(borders):
        here = [span for span in here if span.end > left]
        while waiting and waiting[0].start <= left:
            here.append(waiting.popleft())
        yield Stretch(left, right, tuple(here), tuple(span for span in here if max(span.start, start) == left))


def kept(length: int, spans: Sequence[Span], limit: int) -> list[tuple[int, int]]:
    """Chooses what of a long text is shown: its opening and what stands around the spans.

    Args:
        length: Of the text, in characters.
        spans: What must stay in sight.
        limit: Characters to show; spans that are many or long may need more.

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
