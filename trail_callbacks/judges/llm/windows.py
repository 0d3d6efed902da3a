"""Cutting a long answer into windows, each short enough to be read in one call."""

from __future__ import annotations

from bisect import bisect_right

from trail_callbacks.text import sentences

__all__ = ["cut"]

_BLANK_LINE = ("\n\n", "\r\n\r\n")
_NEAR = 40  # characters after a sentence in which a paragraph must end


def cut(text: str, start: int, end: int, longest: int) -> list[tuple[int, int]]:
    """Cuts a stretch of text into windows at ends of paragraphs, else of sentences; blank stretches are left out.

    Args:
        text: The text.
        start: Where the stretch begins.
        end: Where it ends.
        longest: Characters of a window, 1 or more. A sentence that is longer stays whole.

    Returns:
        Start and end of each window, in order.
    """
    if not text[start:end].strip():
        return []
    if end - start <= longest:
        return [(start, end)]
    ends = [start + sentence.end for sentence in sentences(text[start:end])]
    last = start + len(text[start:end].rstrip())  # behind it all is blank
    windows, begin = [], start
    while begin < end:
        first = bisect_right(ends, begin)
        fitting = ends[first : bisect_right(ends, begin + longest)]
        paragraphs = [stop for stop in fitting if text[stop : stop + _NEAR].lstrip(" \t").startswith(_BLANK_LINE)]
        late = [stop for stop in paragraphs if stop - begin > longest // 2]
        stop = max(late or fitting or ends[first : first + 1] or [end])
        windows.append((begin, stop if stop < last else end))
        begin = windows[-1][1]
    return [(a, b) for a, b in windows if text[a:b].strip()]
