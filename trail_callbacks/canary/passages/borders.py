"""What is shown of an edit of which a passage has only a part, because its border runs through it."""

from __future__ import annotations

import re

__all__ = ["shown_part"]

_WORD = re.compile(r"\S+")


def shown_part(old: str, new: str, start: int, end: int) -> str:
    """Returns what stands for `old[start:end]` where the border of a passage cuts the rest off.

    Whole words only: no real word and no half of a fictive one is shown, and two passages that share a border show no
    word twice.

    - If both have as many words, each stands for the one in its place: of `40 minutes` and `53 minutes`, a passage that
      ends after `40` shows `53`, and the next one `minutes`.
    - Otherwise the passage with the whole first word shows all of `new`, and the other ones nothing of it.
    - A word that the border cuts through is shown on neither side.

    Args:
        old: The words of the real text.
        new: The words of the other.
        start: Offset in `old` of the first character that the passage has.
        end: Offset after its last one.
    """
    words = [match.span() for match in _WORD.finditer(old)]
    inside = [start <= first and last <= end for first, last in words]
    others = _WORD.findall(new)
    if len(others) == len(words):
        return " ".join(word for word, shown in zip(others, inside, strict=True) if shown)
    return new if inside and inside[0] else ""
