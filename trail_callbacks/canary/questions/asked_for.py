"""What a question asks for, as a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting.words import AUXILIARY, DETERMINERS, PREPOSITIONS, Token, is_finite

__all__ = ["FOLLOWING", "ORDERED", "STAYS", "Sought", "fronted", "last_before", "number_goes_on"]

STAYS: Final = -1
"""`Sought.front` of words that cannot move: `a mean of 16 days`."""
_FRONTED: Final = vocabulary(
    "in on at for from since until till by during after before to between with within into against"
)
ORDERED: Final = vocabulary(
    """first last next past these those the other previous following remaining another every any all its their his her
    our my your same final initial only"""
)
"""Words before a number that keep a question word from standing there: `the first how many minutes`."""
FOLLOWING: Final = (AUXILIARY | PREPOSITIONS | DETERMINERS) | vocabulary(
    """and or but nor so than that which who whom whose when where while because if to be been being is it he she they
    not also then later ago away apart long high tall wide deep old each every again together daily annually weekly
    monthly yearly instead worldwide only there here now today once twice respectively approximately including"""
)
"""Words that may follow a value which nothing behind it completes, case-folded."""


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


def last_before(tokens: Sequence[Token], start: int) -> int:
    """Index of the token before an offset; -1 if there is none."""
    return next((at for at in range(len(tokens) - 1, -1, -1) if tokens[at].end <= start), -1)


def fronted(tokens: Sequence[Token], start: int) -> int:
    """Where what moves to the front begins: at the preposition before it, if one is there."""
    at = last_before(tokens, start)
    if at >= 0 and tokens[at].form in ORDERED and not is_finite(tokens, at):
        return STAYS
    if at < 0 or tokens[at].form not in PREPOSITIONS:
        return start
    if at and tokens[at - 1].form in {"to", "from", "of"}:
        return STAYS  # `to within 40 centimetres`
    return tokens[at].start if tokens[at].form in _FRONTED else STAYS


def number_goes_on(text: str, start: int) -> bool:
    """Tells whether what begins at an offset is the end of a number: the `000` of `3,000`."""
    return start > 1 and text[start - 1] in ",." and text[start - 2].isdigit() and text[start : start + 1].isdigit()
