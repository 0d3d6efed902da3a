"""Chunkers by name, as a matrix of strategies has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from trail_callbacks.canary.passages.html_text import looks_like_html, text_of_html
from trail_callbacks.errors import InputError
from trail_callbacks.text import sentences

__all__ = ["BySize", "chunks", "flag"]

BySize = Callable[[str, int, int], list[str]]
"""Splits a text into chunks of at most so many characters, which share up to so many with the one before."""

_SIZES = re.compile(r"\s*(\d{1,7})\s*/\s*(\d{1,7})\s*")
_BLANK = re.compile(r"[ \t]*\n[ \t]*(?:\n[ \t]*)+")
_BLOCK_END: Final = re.compile(r"(?<=</p>)|(?<=</li>)|(?<=</tr>)|(?<=</h[1-6]>)|(?<=</div>)", re.IGNORECASE)
_NAMES = ("sentence", "paragraph", "document")


def chunks(text: str, chunker: str, *, html: bool, by_size: BySize) -> list[str]:
    """Splits a document as a strategy says.

    Args:
        text: The document.
        chunker: `sentence`, `paragraph`, `document` (not split), or sizes in characters: `500/100` is chunks of 500
            with an overlap of 100.
        html: Keeps the tags of HTML; otherwise only what a page shows is split.
        by_size: The framework's own splitter.

    Returns:
        The chunks in order, none of them blank.

    Raises:
        InputError: If there is no such chunker, or the overlap is not below the size.
    """
    is_html = looks_like_html(text)
    if is_html and not html:
        text = _BLANK.sub("\n\n", text_of_html(text)[0]).strip()
    if sizes := _SIZES.fullmatch(chunker):
        size, overlap = int(sizes[1]), int(sizes[2])
        if not overlap < size:
            raise InputError(f"chunker {chunker!r}: the overlap has to be below the size")
        found = by_size(text, size, overlap)
    elif chunker == "sentence":
        found = [each.text for each in sentences(text)]
    elif chunker == "paragraph":
        found = [part for block in _BLANK.split(text) for part in (_BLOCK_END.split(block) if is_html else (block,))]
    elif chunker == "document":
        found = [text]
    else:
        raise InputError(f"unknown chunker {chunker!r}: choose {', '.join(_NAMES)}, or sizes such as '500/100'")
    return [each for each in found if each.strip()]


def flag(value: Any, name: str) -> bool:
    """Returns a yes or no of a matrix, which may be written as text.

    Raises:
        InputError: If it is neither.
    """
    known = {"true": True, "yes": True, "false": False, "no": False}
    found = known.get(str(value).strip().lower())
    if found is None:
        raise InputError(f"{name}: expected true or false, got {value!r}")
    return found
