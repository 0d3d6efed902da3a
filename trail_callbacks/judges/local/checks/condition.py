"""Conditions: the passage says `only if`, `unless`, `except`, `in some cases`, `up to`; the claim says it outright."""

from __future__ import annotations

import re

from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.judges.local.checks.slots import agreement
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_CONDITION = re.compile(
    r"\b(?:only\s+(?:if|when|after|where|once|on|with|for|in)|unless|provided\s+(?:that|they|he|she|it|you|the)|"
    r"as\s+long\s+as|so\s+long\s+as|on\s+condition|except(?:\s+(?:for|when|if|in|on))?|other\s+than|excluding|"
    r"apart\s+from|"
    r"subject\s+to|in\s+(?:some|rare|certain|a\s+few)\s+(?:cases|instances|circumstances)|if(?!\s+(?:not|any|"
    r"ever|so|necessary|needed|possible|desired|you\s+(?:want|like|wish|prefer|need))\b))\b",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:if|when|whenever|once|where|unless|provided|except|only|after|until|while|as\s+long|so\s+long|"
    r"on\s+condition|subject|excluding|"
    r"apart|other\s+than|besides|without|with|some|certain|may|might|can|could|sometimes|often|usually|"
    r"generally|typically|"
    r"normally|most|possible|possibly|depends?|depending|should|in\s+case|but|limited|eligible|qualif\w+|upon|"
    r"under|for\s+those|who|"
    r"requires?|required|needs?|must|likely|up\s+to|would|either|or|rarely|few|many|suggest\w*)\b|\w+ing\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|no|never|cannot)\b|n['\u2019]t\b", re.IGNORECASE)
_CASES = re.compile(r"in\s", re.IGNORECASE)
_END = re.compile(r"[,;:.!?()\u2014]")
_MAIN = 0.8  # share of the claim that the passage must have outside its condition
_ABOUT = 0.34  # share of the words of the condition that a claim must have to state it in other words
_LEAST = 2  # words of a claim that say what is conditional


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds that the passage makes what the claim says depend on something that the claim leaves out.

    The condition must stand in the sentence that has nearly all words of the claim. Left alone: claims with a
    condition, an exception or a hedge of their own, in whatever words, and conditions of which the claim has a part.
    """
    if _OWN.search(claim.text) or len(claim.content) + len(claim.quantities) < _LEAST or _NOT.search(claim.text):
        return None
    for found in _CONDITION.finditer(passage.text):
        first, last = _extent(passage, found)
        words = [t for t in passage.content if found.start() <= t.start < last]
        if (not words and not _CASES.match(found.group())) or sum(map(claim.has, words)) > _ABOUT * max(1, len(words)):
            continue
        rest = Reading(passage.text[:first] + " " * (last - first) + passage.text[last:])
        if agreement(claim, rest) < _MAIN or _NOT.search(passage.text[:first]):
            continue
        return Finding(
            error_type=ErrorType.OVERGENERALIZATION,
            support=SupportClass.PARTIALLY_SUPPORTED,
            claim_words=claim.text,
            evidence_words=passage.text[found.start() : last],
            claim_span=(0, len(claim.text)),
            span=(found.start(), last),
            detail="condition dropped",
        )
    return None


def _extent(passage: Reading, found: re.Match[str]) -> tuple[int, int]:
    """The condition: up to the next comma or end of sentence; `in some cases` is one by itself."""
    if _CASES.match(found.group()):
        return found.span()
    end = _END.search(passage.text, found.end())
    return found.start(), end.start() if end else len(passage.text)
