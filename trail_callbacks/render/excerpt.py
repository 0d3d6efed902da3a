"""Text as it is shown: without what could harm a screen or a page, and only the part that matters, with its marks."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from itertools import pairwise
from typing import Any

from trail_callbacks.evidence import Evidence
from trail_callbacks.graph import ProvenanceGraph
from trail_callbacks.text import shorten

_BLANKS = re.compile(r"\s+")
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_TYPED = {  # ASCII replacements of punctuation; letters are never replaced
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u2032"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u2033"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-"),
    ord("\u2022"): "*",
    ord("\u2026"): "...",
}
_JOINERS = "\u200c\u200d"  # format characters that Indic scripts, Persian and emoji are spelled with
_LINE_END = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNUSUAL = re.compile(r"[^\s\x21-\x7e]+|[\x00-\x08\x0e-\x1f\x7f]+")  # `plain` escapes the unsafe part of it


def plain(text: str, *, ascii: bool = False) -> str:  # noqa: A002 - named like Python's own function
    r"""Makes untrusted text safe to show on one line.

    Whitespace becomes single spaces; control characters, terminal escapes, bidirectional overrides and lone surrogates
    are escaped (`\x1b`), so that judged text can neither move the cursor nor hide words.

    Args:
        text: Any text.
        ascii: Escape everything that is not ASCII; curly quotation marks, dashes and similar become plain ones.
    """
    text = _BLANKS.sub(" ", text).strip()
    if not text.isascii() or not text.isprintable():
        text = "".join(_shown(character) for character in text)
    return text.translate(_TYPED).encode("ascii", "backslashreplace").decode() if ascii else text


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _UNSAFE or character in _JOINERS:
        return character
    return character.encode("unicode_escape").decode()


def line(text: str) -> str:
    """Escapes a text for one line, in an element or a quoted attribute."""
    return escape(plain(text))


def name(text: str) -> str:
    """Escapes a text inside a sentence of ours, isolated in case it is written right to left."""
    return f"<bdi>{line(text)}</bdi>"


def moment(at: float, timespec: str = "seconds") -> str:
    """A time as ISO 8601 in UTC, a dash for 0.0, which stands for an unknown one, a number if no calendar has it."""
    try:
        return datetime.fromtimestamp(at, UTC).isoformat(timespec=timespec).replace("+00:00", "Z") if at else "-"
    except (OverflowError, OSError, ValueError):  # a file may hold any number
        return f"{at:g} seconds after 1970"


def legible(text: str) -> str:
    """Spells out control and bidirectional characters but keeps line ends and whitespace; does not escape HTML."""
    return _UNUSUAL.sub(lambda found: plain(found[0]), _LINE_END.sub("\n", text))


def block(text: str) -> str:
    """Escapes a text but keeps its line ends and whitespace, as `legible`."""
    return escape(legible(text))


def script_json(value: Any) -> str:
    """JSON that is safe in a script element: no text in it can close the element or start a comment."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


_LEAST = 80  # characters of context shown on either side of a span


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """A range `text[start:end]` that belongs to a claim."""

    start: int  # offset of the first character
    end: int  # offset after the last
    owner: int  # index of the claim
    role: str = ""  # how the claim relates to it: `supports`, `contradicts`, `nearest`, `states`, or empty


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a text that lies in the same spans throughout."""

    start: int  # offset of the first character
    end: int  # offset after the last
    spans: tuple[MarkedSpan, ...]  # the spans it lies in; empty between spans
    opens: tuple[MarkedSpan, ...] = ()  # those of them that start here


def segments(start: int, end: int, spans: Sequence[MarkedSpan]) -> Iterator[Stretch]:
    """Cuts `text[start:end]` at the borders of the spans into adjacent segments that cover it."""
    inside = [span for span in spans if span.start < end and span.end > start]
    borders = sorted({start, end, *(max(s.start, start) for s in inside), *(min(s.end, end) for s in inside)})
    waiting = deque(sorted(inside, key=lambda span: (span.start, -span.end, span.owner)))
    here: list[MarkedSpan] = []
    for left, right in pairwise(borders):
        here = [span for span in here if span.end > left]
        while waiting and waiting[0].start <= left:
            here.append(waiting.popleft())
        yield Stretch(left, right, tuple(here), tuple(span for span in here if max(span.start, start) == left))


def visible_ranges(length: int, spans: Sequence[MarkedSpan], limit: int) -> list[tuple[int, int]]:
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


def both_ends(text: str, limit: int) -> str:
    """Shortens a text to at most `limit` characters, 20 or more, in its middle: the end may be what matters."""
    if len(text) <= limit:
        return text
    room = (limit - len("  ...")) // 2
    end = text[-room:]
    return f"{shorten(text, room + len(' ...'))} {end.partition(' ')[2] or end}"


def around(item: Evidence, graph: ProvenanceGraph, room: int = 48) -> tuple[str, str]:
    """Returns the context before and after a piece of evidence in its node, up to `room` characters each."""
    text = graph.node(item.node_id).text
    # More than is shown, because whitespace is collapsed.
    before = _BLANKS.sub(" ", text[max(0, item.start - 4 * room) : item.start])
    after = _BLANKS.sub(" ", text[item.end : item.end + 4 * room])
    if len(before) > room:
        cut = before[-room:]
        before = "... " + cut[cut.find(" ") + 1 :]
    return before, shorten(after, room) if len(after) > room else after
