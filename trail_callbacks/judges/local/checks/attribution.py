"""Attribution: somebody's view in the passage is plain fact in the claim."""

from __future__ import annotations

import re

from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare", "names_source"]

_VIEW = re.compile(
    r"""\b(?:in\s+(?:his|her|their|its)\s+(?:view|opinion)|(?<!you\ )believe[sd]?|claim(?:s|ed)\s+(?:that|to)|
    argue[sd]?\s+that|call(?:s|ed)\s+(?:it|him|her|them)|allege[sd]?(?!\s+to)|allegedly|reportedly|
    (?:thinks|thought)\s+that|consider(?:s|ed)\s+(?:it|him|her|them)|speculate[sd]?|predict(?:s|ed)?|insist(?:s|ed)?|
    is\s+said\s+to|feels\s+that|doubts|complain(?:s|ed))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_REPORT = re.compile(
    r"""\b(?:[Aa]ccording\s+to(?=\s+(?:the|an?|his|her|their|its|some|critics|experts|[A-Z]))|
    (?:said|says|told|states|stated|wrote|writes|remarked|added|announced|reported)\b)""",
    re.VERBOSE,
)
_OWN_SOURCE = re.compile(
    r"""\b(?:according|said|says?|stat(?:es|ed)|believe[sd]?|claim(?:s|ed)?|argue[sd]?|call(?:s|ed)?|alleged(?:ly)?|
    report(?:s|ed|edly)?|thinks?|thought|consider(?:s|ed)?|suggest(?:s|ed)?|predict(?:s|ed|ions?)?|told|views?|
    opinions?|feels?|felt|describe[sd]?|insist(?:s|ed)?|expect(?:s|ed)?|complain(?:s|ed)?|praise[sd]?|remark(?:s|ed)?|
    not(?:es|ed)|doubts?|hopes?|fears?|seen|seems?|supposed(?:ly)?|apparent(?:ly)?|mentions?|mentioned|announced|
    wrote|writes|based\s+on|estimate[sd]?|presumed|rumou?red|quoted?|as\s+per|in\s+the\s+eyes|regard(?:s|ed)?|
    critics?|accus(?:e[sd]?|ations?)|may|might|could|likely|perhaps)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_JUDGING = re.compile(
    r"""\b(?:best|worst|greatest|finest|most|least|better|worse|good|great|excellent|poor|bad|wrong|right|fair|unfair|
    important|beautiful|will|should|must|ought|going\s+to|dangerous|impressive|disappointing|unacceptable|perfect|
    terrible|wonderful|(?:larg|small|high|low|fast|strong|weak|old|new|rich|poor|bigg|saf|hard|easi)est)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_TEXT = re.compile(
    r"\b(?:passages?|documents?|sources?|texts?|articles?|stud(?:y|ies)|data|research|papers?|tables?|law|rules?)\b",
    re.IGNORECASE,
)
_SHARED = 0.7  # share of the claim that a passage must have for its source to be missed
_NEAR = 30  # characters around a verb of saying in which its speaker stands


def names_source(text: str) -> bool:
    """Tells whether a text says whose view it gives, or that it is one."""
    return _OWN_SOURCE.search(text) is not None or _VIEW.search(text) is not None


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds that the passage gives its content as somebody's view, and the claim as a fact.

    A view is what is believed, argued, alleged or predicted; what is merely `said` counts only where it judges or
    foretells (`the best`, `will`), as plain facts are reported, too. Texts and studies as sources are left alone, and
    so is a claim with any word of reporting or doubt.
    """
    if names_source(claim.text):
        return None
    view = _VIEW.search(passage.text)
    if view is None and _JUDGING.search(claim.text):
        view = _REPORT.search(passage.text)
    if view is None or claim.shared(passage) < _SHARED:
        return None
    if _TEXT.search(passage.text[max(0, view.start() - _NEAR) : view.end() + _NEAR]):
        return None
    after = any(claim.has(term) for term in passage.content if term.start >= view.end())
    if not after and not view.group().casefold().startswith("acc"):
        return None
    return Finding.quoting(
        claim,
        (0, len(claim.text)),
        passage,
        view.span(),
        error_type=ErrorType.ATTRIBUTION_FAILURE,
        support=SupportClass.PARTIALLY_SUPPORTED,
        detail="source dropped",
    )
