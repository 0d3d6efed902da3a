"""How a support class is shown in all renderings: symbol, colour and word."""

from __future__ import annotations

from dataclasses import dataclass

from trail_callbacks.taxonomy import SupportClass

__all__ = ["NOT_JUDGED", "WORST_FIRST", "Mark", "mark"]


@dataclass(frozen=True, slots=True)
class Mark:
    """How a class is shown; never by colour alone.

    Attributes:
        symbol: One character, one column wide.
        ascii: Replacement for streams that cannot show the symbol.
        style: Terminal style, as rich names it.
        colour: CSS colour, dark enough to read on white.
        word: The class in words.
    """

    symbol: str
    ascii: str
    style: str
    colour: str
    word: str


_MARKS = {
    SupportClass.SUPPORTED: Mark("\u2713", "+", "green", "#1a7f37", "supported"),
    SupportClass.CONTRADICTED: Mark("\u2717", "X", "bold red", "#b42318", "contradicted"),
    SupportClass.ABSENT: Mark("\u2205", "?", "bold magenta", "#8e24aa", "absent"),
    SupportClass.PARTIALLY_SUPPORTED: Mark("\u25d0", "~", "yellow", "#9a6700", "partially supported"),
    SupportClass.UNEVALUATABLE: Mark("\u00b7", "-", "dim", "#59636e", "unevaluatable"),
}
WORST_FIRST = (
    SupportClass.CONTRADICTED,
    SupportClass.ABSENT,
    SupportClass.PARTIALLY_SUPPORTED,
    None,
    SupportClass.SUPPORTED,
    SupportClass.UNEVALUATABLE,
)
"""Where claims overlap, the first of these that occurs gives the colour; None is a claim whose judge failed."""

NOT_JUDGED = Mark("!", "!", "bold yellow", "#9a6700", "not judged")
"""The mark of a claim whose judge failed."""


def mark(support: SupportClass | None) -> Mark:
    """Returns the mark of a class; None is a claim whose judge failed."""
    return NOT_JUDGED if support is None else _MARKS[support]
