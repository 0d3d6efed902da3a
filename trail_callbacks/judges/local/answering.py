"""Whether sentences answer a question, by words alone: English, and silent where it is not sure.

It serves to say that an answer declined although the sources had it. A false alarm is worse than a missed one, so a
sentence must hold nearly all words of the question, every name and number of it, and what the question asks for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trail_callbacks.judges.local.alignment import held, tokens
from trail_callbacks.judges.local.overlap import Overlap
from trail_callbacks.judges.local.reading import Reading
from trail_callbacks.language.values import follows

__all__ = ["answers"]

_NEARLY = 0.8  # share of the question's words
_ASKED = re.compile(
    r"\b(?:(?P<amount>how\s+(?:many|much|old|long|far|tall|high|deep|wide|large|big|heavy|fast|often|hot|cold|expensive))"
    r"|(?P<time>when|(?:what|which)\s+(?:year|date|day|month|time))|(?P<name>whom?|whose)"
    r"|(?P<open>why|how|where|explain|describe|compare|summari[sz]e|list|tell))\b",
    re.IGNORECASE,
)
"""What a question asks for; words do not show whether a sentence gives a reason, way, place or overview."""
_TIMES = frozenset({"year", "month", "day", "weekday", "clock"})


def answers(question: Reading, passages: Sequence[tuple[Reading, Reading]]) -> list[int]:
    """Finds the passages that answer a question by themselves.

    Args:
        question: What the user asked.
        passages: Each passage with the text before it, which may say whom a pronoun means.

    Returns:
        Indices of the passages that answer it.
    """
    asked = _ASKED.search(question.text)
    kind = (asked and asked.lastgroup) or "more"
    if not question.english or not question.content or kind == "open":
        return []
    skipped = asked.span() if asked and kind in {"amount", "time"} else (0, 0)
    return [
        i
        for i, (passage, before) in enumerate(passages)
        if _holds(question, passage, before, skipped) and _adds(question, passage, kind)
    ]


def _holds(question: Reading, passage: Reading, before: Reading, skipped: tuple[int, int]) -> bool:
    """Whether a passage holds what the question is about, apart from the words that ask."""
    overlap = Overlap(question, [passage], [before], [False])
    about = frozenset(
        i for i, token in enumerate(overlap.words) if token.content and not skipped[0] <= token.start < skipped[1]
    )
    have = overlap.held[0]
    if overlap.lacks(have | (frozenset(range(len(overlap.words))) - about)):
        return False
    own = held(overlap.words, tokens(passage))
    return bool(about & own) and overlap.weight(about & have) >= _NEARLY * overlap.weight(about)


def _adds(question: Reading, passage: Reading, kind: str) -> bool:
    """Whether a passage has what is asked for, and not only what the question says."""
    fresh = {each.kind for each in passage.quantities if not any(follows(each, q) for q in question.quantities)}
    if kind == "amount":
        return bool(fresh - _TIMES - {"rank"})
    if kind == "time":
        return bool(fresh & _TIMES)
    if kind == "name":
        return any(not any(map(question.has, name)) for name in passage.names)
    return bool(fresh) or not all(map(question.has, passage.content))
