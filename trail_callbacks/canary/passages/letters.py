"""The letters and digits of a text, folded and without all else, with their offsets: what survives every chunker."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from trail_callbacks.canary.passages.html_text import text_of_html

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Letters", "letters", "letters_of_html"]

_KEPT = np.array([chr(code).isalnum() for code in range(128)])
_LOWER = np.array([ord(chr(code).lower()) for code in range(128)], np.uint8)


@dataclass(frozen=True, slots=True)
class Letters:
    """Letters and digits in their order.

    Attributes:
        folded: The characters: case-folded, compatibility forms resolved, without accents, whitespace or punctuation.
        offsets: For each of them the offset of the character of the text that it is of; ascending.
        of_page: The text is a page of HTML, read as it is shown.
    """

    folded: str
    offsets: NDArray[np.int64]
    of_page: bool = False

    def between(self, start: int, end: int) -> tuple[int, int]:
        """Returns the range of `folded` that is of characters in `[start, end)` of the text."""
        first, last = np.searchsorted(self.offsets, (start, end))
        return int(first), int(last)


class _Folds(dict[str, str]):
    """What each character becomes, worked out once."""

    def __missing__(self, character: str) -> str:
        resolved = unicodedata.normalize("NFKD", character).casefold()
        # Casefolding may bring back what decomposes once more.
        folded = "".join(each for each in unicodedata.normalize("NFKD", resolved) if each.isalnum())
        if len(self) < 100_000:  # noqa: PLR2004 - of a million that there are; text under judgement may bring them all
            self[character] = folded
        return folded


_folds = _Folds()


def letters(text: str) -> Letters:
    """Returns the letters and digits of a text."""
    if text.isascii():
        codes = np.frombuffer(text.encode("ascii"), np.uint8)
        offsets = np.flatnonzero(_KEPT[codes])
        return Letters(_LOWER[codes[offsets]].tobytes().decode("ascii"), offsets)
    folds = [_folds[character] for character in text]
    lengths = np.fromiter(map(len, folds), np.int64, len(folds))
    return Letters("".join(folds), np.repeat(np.arange(len(text)), lengths))


def letters_of_html(html: str) -> Letters:
    """Returns the letters and digits that a page shows; offsets are those in the page."""
    text, places = text_of_html(html)
    shown = letters(text)
    return Letters(shown.folded, np.array(places, np.int64)[shown.offsets] if len(places) else shown.offsets, True)
