"""Hyperbole: the claim is stronger than the passage by a word of degree."""

from __future__ import annotations

import re

from trail_callbacks.judges.checks.reading import Finding, Reading
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_STRONG = re.compile(
    r"\b(?:dramatic(?:ally)?|drastic(?:ally)?|massively|hugely|enormous(?:ly)?|immense(?:ly)?|vastly|"
    r"overwhelming(?:ly)?|extreme(?:ly)?|incredibl[ey]|unbelievabl[ey]|amazing(?:ly)?|astonishing(?:ly)?|"
    r"revolutionary|revolutioni[sz](?:e[sd]?|ing)|groundbreaking|game-chang(?:er|ing)|unprecedented|unparalleled|"
    r"unrivalled|world-class|legendary|phenomenal(?:ly)?|spectacular(?:ly)?|extraordinar(?:y|ily)|exceptional(?:ly)?|"
    r"perfect(?:ly)?|flawless(?:ly)?|utter(?:ly)?|absolutely|undoubtedly|definitively|unquestionably|"
    r"guaranteed?s?|without\s+(?:fail|doubt|question)|beyond\s+(?:doubt|question|recognition)|by\s+far|"
    r"catastrophic(?:ally)?|devastating(?:ly)?|skyrocket(?:ed|s|ing)?|soar(?:ed|s|ing)|plummet(?:ed|s|ing)?|"
    r"transform(?:s|ed|ing|ative)|countless|endless(?:ly)?|large\s+majority|vast\s+majority)\b",
    re.IGNORECASE,
)
_STEM = 6  # letters that make two forms of a strong word one


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a word of high degree in the claim that the passage does not use."""
    for strong in _STRONG.finditer(claim.text):
        if strong.group().casefold()[:_STEM] in passage.text.casefold():
            continue
        return Finding(
            error_type=ErrorType.HYPERBOLE,
            support=SupportClass.PARTIALLY_SUPPORTED,
            claim_words=strong.group(),
            evidence_words="",
            claim_span=strong.span(),
            span=(0, 0),
        )
    return None
