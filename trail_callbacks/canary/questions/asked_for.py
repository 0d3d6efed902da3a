"""What a question asks for, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["STAYS", "Sought"]

STAYS: Final = -1
"""`Sought.front` of words that cannot move: `a mean of 16 days`."""


@dataclass(frozen=True, slots=True)
class Sought:
    """What is asked for.

    Attributes:
        start: Offset of the words that the question word replaces, with what belongs to the number (its noun).
        end: Offset after them.
        words: The question word with its noun: `how many minutes`.
        front: Offset from which the words move to the front with it: that of a preposition before them, `start`, or
            `STAYS`.
        what: Whether `What is ...?` asks for it too, if it is all that follows `is`.
    """

    start: int
    end: int
    words: str
    front: int
    what: bool = True
