"""Whether sentences answer a question, by words alone: English, and silent where it is not sure.

It serves to say that an answer declined although the sources had it. A false alarm is worse than a missed one, so a
sentence must hold nearly all words of the question, every name and number of it, and what the question asks for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trail_callbacks.judges.local.checks.number import stated
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.judges.local.overlap import Overlap
from trail_callbacks.language.values import Quantity

__all__ = ["answers"]

_NEARLY = 0.8  # share of the question's words
_AMOUNT = re.compile(
    r"\bhow\s+(?:many|much|old|long|far|tall|high|deep|wide|large|big|heavy|fast|often|hot|cold|expensive)\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"\b(?:when|(?:what|which)\s+(?:year|date|day|month|time))\b", re.IGNORECASE)
_WHO = re.compile(r"\b(?:who|whom|whose|where)\b", re.IGNORECASE)
_WHERE = re.compile(r"\bwhere\b", re.IGNORECASE)
_PLACED = re.compile(r"\b(?:in|at|on|near|to|from|of)\s+(?:the\s+)?$", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:why|how|explain|describe|compare|summari[sz]e|list|tell)\b", re.IGNORECASE)
_TIMES = frozenset({"year", "month", "day", "weekday", "clock"})


def answers(question: Reading, passages: Sequence[tuple[Reading, Reading]]) -> list[int]:
    """Finds the passages that answer a question by themselves.

    Questions for reasons, ways or overviews get no answer: words do not show whether a sentence answers them.

    Args:
        question: What the user asked.
        passages: Each passage with the text before it, which may say whom a pronoun means.

    Returns:
        Indices of the passages that answer it.
    """
    amount = _AMOUNT.search(question.text)
    if not question.english or not question.content or (not amount and _OPEN.search(question.text)):
        return []
    asking = amount or _TIME.search(question.text)
    return [
        i
        for i, (passage, before) in enumerate(passages)
        if _holds(question, passage, before, asking) and _adds(question, passage, amount is not None)
    ]


def _holds(question: Reading, passage: Reading, before: Reading, asking: re.Match[str] | None) -> bool:
    """Whether a passage holds what the question is about, apart from the words that ask."""
    overlap = Overlap(question, [passage, before], [Reading(""), Reading("")], [False, False], ["", ""])
    skipped = asking.span() if asking else (0, 0)
    asked = frozenset(i for i, item in enumerate(overlap.items) if not skipped[0] <= item.span[0] < skipped[1])
    own = overlap.held[0]
    named = own | frozenset(i for i in overlap.held[1] if overlap.items[i].kind == "name")
    if any(overlap.items[i].required and i not in named for i in asked):
        return False
    if not all(passage.has(term) or before.has(term) for name in question.names for term in name):
        return False
    return bool(asked & own) and overlap.weight(asked & named) >= _NEARLY * overlap.weight(asked)


def _adds(question: Reading, passage: Reading, amount: bool) -> bool:
    """Whether a passage has what is asked for, and not only what the question says."""
    fresh = [quantity for quantity in passage.quantities if not stated(quantity, passage, question)]
    if amount:
        return any(_counts(quantity) for quantity in fresh)
    if _TIME.search(question.text):
        return any(quantity.kind in _TIMES for quantity in fresh)
    if _WHO.search(question.text):
        names = [name for name in passage.names if not any(question.has(term) for term in name)]
        placed = [name for name in names if _PLACED.search(passage.text[: name[0].start])]
        return bool(placed if _WHERE.search(question.text) else names)
    return bool(fresh) or any(not question.has(term) for term in passage.content)


def _counts(quantity: Quantity) -> bool:
    return quantity.kind not in _TIMES and quantity.kind != "rank"
