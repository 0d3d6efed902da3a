"""What a question asks for: the words of a sentence that hold a value, and the question word for them. English."""

from __future__ import annotations

import re
from typing import Final

from trail_callbacks.canary.edit import Edit
from trail_callbacks.canary.questions.amounts import amount
from trail_callbacks.canary.questions.asked_for import FOLLOWING, Sought, fronted, number_goes_on
from trail_callbacks.canary.questions.named import named
from trail_callbacks.language.values import EXACT, Quantity, quantities
from trail_callbacks.language.values.numerals import NUMBER_WORDS
from trail_callbacks.splitting.words import Token, is_finite, tokenize

__all__ = ["sought", "stands_alone"]

_RANGE_BEFORE: Final = re.compile(
    r"(?:\d\s?[-\u2013\u2014/]\s?|\b(?:between|from)\s+\S{1,14}(?:\s\S{1,14}){0,2}\s+(?:and|to)\s+|\d\s+to\s+"
    rf"|\b(?:{'|'.join(NUMBER_WORDS)})\s+(?:to|or)\s+)\Z",
    re.IGNORECASE,
)
_PART_OF_YEAR: Final = re.compile(r"\b(?:late|early|mid)[\s-]\Z", re.IGNORECASE)
_DECADE: Final = re.compile(r"\b\d0s\Z")  # `the 80s and 90s`
_ONE_OF_TWO: Final = re.compile(r"\d(?:,\s[^\s,]{1,20}){0,9}\s(?:and|or)\s\Z")  # `on 6 and 13 May`
_RANGE_AFTER: Final = re.compile(
    r"\s?[-\u2013\u2014/]\s?\d|(?:\s\w{1,12})?\s+(?:to|or)\s+\W?\d|-\w|\s+(?:to|or)\s+(?:"
    + "|".join(NUMBER_WORDS)
    + r")\b"
)


def sought(text: str, span: tuple[int, int], edit: Edit) -> Sought | None:
    """Says what asks for a value in an English sentence; None if only a gap can.

    Args:
        text: The sentence.
        span: Where the value stands in it.
        edit: The edit, with the value as a person writes it.
    """
    tokens = tokenize(text)
    if not stands_alone(text, span):
        return None
    if edit.kind in {"name", "nonce"} or (edit.kind in {"unanswerable", "inconsistent"} and not quantities(edit.real)):
        return named(text, span, tokens)
    inside = [each for each in quantities(text) if each.start < span[1] and span[0] < each.end]
    if not inside:
        return None
    if all(each.kind in EXACT for each in inside):
        found = _date(text, span, inside, tokens)
        apart = found is not None and text[: max(0, found.front)].rstrip().endswith(",")
        return None if apart and text[span[1] :].startswith(",") else found
    return amount(text, span, inside[0], edit, tokens) if len(inside) == 1 else None


def stands_alone(text: str, span: tuple[int, int]) -> bool:
    """Tells whether a value stands by itself: not in a compound, a range or brackets."""
    start, end = span
    if text[start - 1 : start].isalnum() or text[end : end + 1].isalnum() or _ONE_OF_TWO.search(text, 0, start):
        return False
    if number_goes_on(text, start) or _DECADE.search(text, start, end):
        return False
    if text[start - 1 : start] in {"-", "/", "(", "["} and start:
        return False
    if text[:start].rstrip().endswith(",") and text[end:].lstrip().startswith(","):
        return False
    return not (_RANGE_BEFORE.search(text[max(0, start - 48) : start]) or _RANGE_AFTER.match(text, end))


def _date(text: str, span: tuple[int, int], inside: list[Quantity], tokens: list[Token]) -> Sought | None:
    kinds = {each.kind for each in inside}
    around = [each for each in quantities(text) if each not in inside and each.kind in EXACT]
    if any(0 <= span[0] - each.end <= 2 or 0 <= each.start - span[1] <= 2 for each in around):  # noqa: PLR2004 - `, `
        return None  # a part of a date
    following = next((each for each in tokens if each.start >= span[1]), None)
    if (
        following
        and following.word
        and not following.capital
        and following.form not in FOLLOWING
        and not is_finite(tokens, tokens.index(following))
    ):
        return None  # `the 1932 election`
    if _PART_OF_YEAR.search(text, 0, span[0]):
        return None  # `in late 2026`
    decade = any(each.within for each in inside)
    words = (
        "what date" if "day" in kinds
        else "which month and year" if {"month", "year"} <= kinds
        else "which day of the week" if "weekday" in kinds
        else "what time" if "clock" in kinds
        else "which decade" if decade
        else "which " + min(kinds) if len(kinds) == 1 and kinds <= {"year", "month", "quarter"}
        else ""
    )  # fmt: skip
    if not words:
        return None
    front = fronted(tokens, span[0])
    if front == span[0] and words in {"what date", "what time", "which day of the week"}:
        words = ("at " if words == "what time" else "on ") + words
    return Sought(*span, words, front, what=front == span[0])
