"""Hyperbole: the claim has a word of the highest degree, and the passage none nearly as strong."""

from __future__ import annotations

import re

from trail_callbacks.judges.local.checks.finding import Finding
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_STRONG = re.compile(
    r"""\b(?:dramatic(?:ally)?|drastic(?:ally)?|massively|hugely|enormous(?:ly)?|immense(?:ly)?|vastly|
    overwhelming(?:ly)?|extremely|incredibl[ey]|unbelievabl[ey]|amazing(?:ly)?|astonishing(?:ly)?|
    revolutionary|revolutioni[sz](?:e[sd]?|ing)|groundbreaking|game-chang(?:er|ing)|unprecedented|unparalleled|
    unrivalled|world-class|legendary|phenomenal(?:ly)?|spectacular(?:ly)?|extraordinar(?:y|ily)|exceptional(?:ly)?|
    perfect(?:ly)?|flawless(?:ly)?|utter(?:ly)?|absolutely|undoubtedly|unquestionably|
    guaranteed?s?|without\s+(?:fail|doubt|question)|beyond\s+(?:doubt|question|recognition)|by\s+far|
    catastrophic(?:ally)?|devastating(?:ly)?|skyrocket(?:ed|s|ing)?|plummet(?:ed|s|ing)?|
    countless|endless(?:ly)?|large\s+majority|vast\s+majority)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_MILDER = re.compile(
    r"""\b(?:very|highly|greatly|strongly|sharply|significant(?:ly)?|radical(?:ly)?|huge|enormous|great(?:est)?|much|
    excellent|wonderful|terrific|immense|vast|massive|unique|ideal|terrible|severe(?:ly)?|disastrous|
    tremendous(?:ly)?)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_DENIED = re.compile(r"\b(?:not|no|never|cannot|without|difficult|hard|impossible)\b|n['\u2019]t\b", re.IGNORECASE)
_AHEAD = 30  # characters before a word in which it is denied
_STEM = 6  # letters that two forms of a strong word share
_SHARED = 0.3


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a word of the highest degree where the passage has a word beside it and none nearly as strong.

    What is denied (`not guaranteed`) is not hyperbole, nor is a part of a name.
    """
    if _MILDER.search(passage.text):
        return None
    text = passage.text.casefold()
    for strong in _STRONG.finditer(claim.text):
        start, end = strong.span()
        if strong.group().casefold()[:_STEM] in text or _DENIED.search(claim.text[max(0, start - _AHEAD) : start]):
            continue
        if any(term.start <= start < term.end for name in claim.names for term in name):
            continue
        before = [term for term in claim.content if term.end <= start][-1:]
        after = [term for term in claim.content if term.start >= end][:1]
        if not any(map(passage.has, before + after)) or claim.shared(passage, (start, end)) < _SHARED:
            continue
        return Finding.quoting(
            claim,
            (start, end),
            passage,
            (0, 0),
            error_type=ErrorType.HYPERBOLE,
            support=SupportClass.PARTIALLY_SUPPORTED,
        )
    return None
