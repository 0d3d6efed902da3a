"""Shared words that say nothing of where a text came from: a phrase inside a sentence that goes on differently."""

from __future__ import annotations

import re

from trail_callbacks.capture.text_index import SHARED_RUN
from trail_callbacks.text import forms

__all__ = ["extended", "trimmed"]

_SENTENCE = 1000  # characters of a sentence that are looked at: a text may have none that ends
_BLANKS = 16  # characters between two words
_ENDS = frozenset(".!?\n\u3002\uff01\uff1f")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[\n\u3002\uff01\uff1f]")


def trimmed(text: str, start: int, end: int, *, numbers: bool = False) -> tuple[int, int]:
    """Returns a range without a phrase at either end that two texts share by chance; it may be empty.

    Args:
        text: The text.
        start: Where the range starts.
        end: Where it ends.
        numbers: A phrase with a number is never shared by chance.
    """

    def by_chance(phrase: str) -> bool:
        return len(forms(phrase)) < SHARED_RUN and not (numbers and any(map(str.isdigit, phrase)))

    if _goes_on(text, end):
        ends = [start, *(match.end() for match in _SENTENCE_END.finditer(text, start, end))]
        end = ends[-1] if by_chance(text[ends[-1] : end]) else end
    if _began(text, start) and start < end:
        first = _SENTENCE_END.search(text, start, end)
        after = first.end() if first else end
        start = after if by_chance(text[start:after]) else start
    return start, end


def extended(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns a range with the rest of the sentences in which it starts and ends: half a sentence states nothing."""
    if _goes_on(text, end):
        limit = min(len(text), end + _SENTENCE)
        rest = _SENTENCE_END.search(text, end, limit)
        end = rest.end() if rest else limit
    if _began(text, start):
        limit = max(0, start - _SENTENCE)
        start = max((match.end() for match in _SENTENCE_END.finditer(text, limit, start)), default=limit)
    return start, end


def _goes_on(text: str, end: int) -> bool:
    if text[max(0, end - _BLANKS) : end].rstrip(" \t")[-1:] in _ENDS:
        return False
    return text[end : end + _BLANKS].lstrip(" \t")[:1].isalnum()


def _began(text: str, start: int) -> bool:
    return text[max(0, start - _BLANKS) : start].rstrip(" \t")[-1:].isalnum()
