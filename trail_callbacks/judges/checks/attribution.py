"""Attribution: somebody's view in the passage is plain fact in the claim."""

from __future__ import annotations

import re

from trail_callbacks.judges.checks.reading import Finding, Reading
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_VIEW = re.compile(
    r"\b(?:according\s+to|in\s+(?:his|her|their|its)\s+(?:view|opinion)|believe[sd]?|claim(?:s|ed)\s+(?:that|to)|argue[sd]?\s+that|"
    r"call(?:s|ed)\s+(?:it|him|her|them|the|this)|allege[sd]?|allegedly|reportedly|think(?:s)?|thought\s+that|"
    r"consider(?:s|ed)\s+(?:it|him|her|them|the)|suggest(?:s|ed)\s+that|speculate[sd]?|predict(?:s|ed)?|insist(?:s|ed)?|"
    r"is\s+said\s+to|feels?\s+that|doubts?|praise[sd]|complain(?:s|ed))\b",
    re.IGNORECASE,
)
_SOURCE = re.compile(
    r"\b(?:according|said|says?|stat(?:es|ed)|believe[sd]?|claim(?:s|ed)?|argue[sd]?|call(?:s|ed)?|alleged(?:ly)?|reported(?:ly)?|"
    r"reports?|thinks?|thought|consider(?:s|ed)?|suggest(?:s|ed)?|predict(?:s|ed)?|told|view|opinion|feels?|describe[sd]?|insist(?:s|ed)?|"
    r"expect(?:s|ed)?|complain(?:s|ed)?|praise[sd]?|remark(?:s|ed)?|not(?:es|ed)|doubts?|hopes?|fears?)\b",
    re.IGNORECASE,
)


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds that the passage gives its content as a view, and the claim as a fact."""
    view = _VIEW.search(passage.text)
    if view is None or _SOURCE.search(claim.text):
        return None
    about = [term for term in passage.content if term.start >= view.end() or view.group().casefold().startswith("acc")]
    if not any(claim.has(term) for term in about):
        return None
    return Finding(
        error_type=ErrorType.ATTRIBUTION_FAILURE,
        support=SupportClass.PARTIALLY_SUPPORTED,
        claim_words=claim.text,
        evidence_words=view.group(),
        claim_span=(0, len(claim.text)),
        span=view.span(),
    )
