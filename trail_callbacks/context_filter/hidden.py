"""Text that a person does not see and a model reads: comments, invisible styles, signs without a shape."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Trace", "invisible", "traces", "unseen"]

_COMMENT = re.compile(
    r"<!--(.{1,2000}?)(?:-->|\Z)|^\[(?://|comment)\]:\s*#\s*[(\"'](.{1,2000}?)[)\"']\s*$", re.DOTALL | re.MULTILINE
)
_STYLED = re.compile(
    r"<(\w{1,12})\b[^<>]{0,300}?(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*[01](?:px|pt|em|%)?\s*[;\"']"
    r"|opacity\s*:\s*0(?:\.0+)?\s*[;\"']|(?<![\w-])color\s*:\s*(?:white|transparent|#fff(?:fff)?)\b|aria-hidden\s*=\s*[\"']?true"
    r"|\shidden(?=[\s>])|text-indent\s*:\s*-\d{3,})[^<>]{0,300}>(.{1,2000}?)</\1\s*>",
    re.IGNORECASE | re.DOTALL,
)
_SHAPELESS = "\u200b\u2060-\u2064\u180e\u00ad\u034f\u115f\u1160\u3164\ufeff"
_BETWEEN = re.compile(rf"(?<=[A-Za-z])[{_SHAPELESS}\u200c\u200d]+(?=[A-Za-z])")
_TAGS = re.compile("(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0020-\U000e007f]{4,}")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{6,}")
_TURNED = re.compile("[\u202d\u202e]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufefc]")
_SOFT = 8  # places inside words; scraped pages have a soft hyphen here and there


class Trace(NamedTuple):
    """A sign of hiding.

    Attributes:
        weight: How much it alone says, 0.0 to 1.0.
        start: Offset in the text.
        end: Offset after it.
        why: What it is, for a person.
    """

    weight: float
    start: int
    end: int
    why: str


def unseen(text: str) -> Iterator[tuple[int, int]]:
    """Finds the stretches that a page does not show: comments and elements styled away."""
    for pattern in (_COMMENT, _STYLED) if "<" in text or "]:" in text else ():
        for match in pattern.finditer(text):
            group = match.lastindex or 0
            yield match.span(group)


def traces(text: str) -> Iterator[Trace]:
    """Finds signs that have no shape or turn the direction of writing, where no script needs them."""
    if text.isascii():
        return
    between = [match.span() for match in _BETWEEN.finditer(text)]
    if len(between) >= _SOFT or sum(end - start for start, end in between) >= 2 * _SOFT:
        yield Trace(0.45, between[0][0], between[-1][1], "has invisible signs inside words")
    for match in _TAGS.finditer(text):
        yield Trace(0.7, *match.span(), "has a message in invisible tag signs")
    for match in _SELECTORS.finditer(text):
        yield Trace(0.6, *match.span(), "has bytes hidden in variation selectors")
    turned = _TURNED.search(text)
    if turned and not _RIGHT_TO_LEFT.search(text):
        yield Trace(0.5, *turned.span(), "turns the direction of writing where no script needs it")


def invisible(text: str) -> bool:
    """Tells whether a stretch has signs without a shape inside words."""
    return not text.isascii() and (_BETWEEN.search(text) is not None or _TAGS.search(text) is not None)
