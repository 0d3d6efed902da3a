"""How an answer speaks of a value that it names: gives it, denies it, or sets it against another.

- `given`: said, as the answer or as what the documents say.
- `document`: given, and said to be what the documents say.
- `concluded`: named as what the speaker answers, whatever else was weighed (`so it is 63`).
- `actual`: said to be so in fact, against the documents.
- `contrast`: said to be usual, earlier or believed once: the answer only where nothing else is given.
- `belief`: what the speaker believes now: the answer where nothing else is given, and beside what the documents say.
- `possible`: one of what may be (`could be 40`): not the answer of one that declines.
- `denied`: said not to be it, or left open (`whether it is 40 or 63`).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from trail_callbacks.canary.outcomes.mention import Mention
from trail_callbacks.canary.outcomes.reading import Clause
from trail_callbacks.canary.outcomes.refusing import refuses
from trail_callbacks.canary.outcomes.wording import alternatives, pattern

__all__ = ["Room", "Stance", "disagreement", "error_said", "stance"]

Stance = Literal["given", "document", "concluded", "actual", "contrast", "belief", "possible", "denied"]

_CLOSE = 30  # characters before a value in which words like `ahead of` stand
_NEAR = 60  # characters before a value in which a denial of it stands
_BEFORE, _BEHIND = 240, 120  # characters of its clause before a value, and behind it, that say how it is meant
_STARTS_ANEW = re.compile(r"\b(?:is|are|was|were|it's|that's|takes?|costs?|has|have)\s", re.IGNORECASE)
_NOTHING = re.compile(r"(?:(?:not|n't|nothing)\s(?:\w+\s)?|(?:one|either)\sof\s(?:\w+\s){1,2})$", re.IGNORECASE)
_AFTER_NOT = re.compile(r"^[\s'\")]*(?:ではなく|ではありません|नहीं|değil)")


class Room(NamedTuple):
    """How far words around a value speak of it, as offsets in the text.

    Attributes:
        start: Where the value before it ends.
        end: Where the next one begins.
        own_start: Behind the first comma between it and the value before it, where there is one.
        own_end: At the first comma before the next one, where there is one.
    """

    start: int
    end: int
    own_start: int
    own_end: int


@cache
def _not() -> re.Pattern[str]:
    """Words that deny what stands at most four words behind them."""
    spaced = rf"(?<!\w)(?:{alternatives('not')})(?!\s(?:{alternatives('not only')}))(?:[\s'\"(:]+[^\s\d.,;:]+){{0,4}}?"
    return re.compile(
        rf"(?:{spaced}|(?<!\w)no(?=\s)|不是|并非|而非|而不是|ではなく)[\s'\"(]*(?:\$|€|£)?$", re.IGNORECASE
    )


def stance(mention: Mention, text: str, clause: Clause, room: Room, *, whole: bool = False) -> Stance:  # noqa: PLR0911 - one exit a stance
    """Says how a value is spoken of.

    Args:
        mention: The value, by its offsets.
        text: The plain text.
        clause: The clause it is in.
        room: How far words around it speak of it.
        whole: The value is what a whole clause says, with its denials: only words on documents decline then.
    """
    before = text[max(clause.start, mention.start - _BEFORE, room.start) : mention.start]
    after = text[mention.end : max(mention.end, min(clause.end, mention.end + _BEHIND, room.end))]
    around = text[max(clause.start, mention.start - _BEFORE) : min(clause.end, mention.end + _BEHIND)]
    denied = _not().search(before[-_NEAR:]) or _AFTER_NOT.match(text[mention.end : mention.end + 12])
    may_decline = not whole or pattern("source", words=True).search(around) is not None
    declined = refuses(_said_with(before) + text[mention.start : mention.end]) or refuses(
        _said_with(_at_once(around, after))
    )
    if clause.asks or denied or (may_decline and declined) or pattern("condition").search(before):
        return "denied"
    own = text[max(clause.start, mention.start - _BEFORE, room.own_start) : mention.start]
    if pattern("conclusion").search(own) or pattern("conclusion behind").match(after):
        return "concluded"
    if pattern("actual", words=True).search(before):
        return "actual"
    if _is_contrast(before, after, own, after[: max(0, room.own_end - mention.end)]):
        return "contrast"
    if pattern("document", words=True).search(before):
        return "document"
    if pattern("belief", words=True).search(own):
        return "belief"
    return "possible" if pattern("possible").search(own) or pattern("possible behind").match(after) else "given"


def _said_with(before: str) -> str:
    """The words before a value as far as they are of its own sentence: `While they don't say it, the fee is 40`."""
    rest = before.rpartition(",")[2]
    return rest if _STARTS_ANEW.search(rest) else before


def _at_once(around: str, after: str) -> str:
    """A value and what is said of it before the next comma."""
    return around[: len(around) - len(after)][-_CLOSE:] + after.partition(",")[0] if after else ""


def _is_contrast(before: str, after: str, own_before: str, own_after: str) -> bool:
    precedes = pattern("contrast with what precedes")
    if precedes.search(after) or pattern("contrast behind").match(after):
        return True
    if precedes.search(before):
        return False
    contrast = pattern("contrast", words=True)
    return bool(
        contrast.search(own_before)
        or _follows().search(before[-_CLOSE:])
        or (contrast.search(own_after) and not pattern("contrast with what follows", words=True).search(own_after))
    )


@cache
def _follows() -> re.Pattern[str]:
    """Words such as `ahead of` with no comma between them and a value."""
    return re.compile(rf"(?<!\w)(?:{alternatives('contrast with what follows')})(?!\w)[^,;:]*$", re.IGNORECASE)


def error_said(text: str, *, of_documents: bool = False) -> re.Match[str] | None:
    """Finds words that call something wrong.

    Args:
        text: The plain text.
        of_documents: Only where they follow a word for documents: the question asked whether something is right.
    """
    for match in pattern("error").finditer(text):
        before = text[max(0, match.start() - _NEAR) : match.start()]
        if not _NOTHING.search(before) and (not of_documents or pattern("source", words=True).search(before)):
            return match
    return None


def disagreement(text: str) -> bool:
    """Tells whether an answer says that sources disagree."""
    return pattern("disagreement").search(text) is not None and pattern("no disagreement").search(text) is None
