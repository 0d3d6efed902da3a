"""Attribution: somebody's view in the passage is plain fact in the claim, or is somebody else's."""

from __future__ import annotations

import re

from trail_callbacks.judges.local.checks.entity import known
from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.judges.local.checks.slots import agreement
from trail_callbacks.language.terms import Term
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_VIEW = re.compile(
    r"\b(?:in\s+(?:his|her|their|its)\s+(?:view|opinion)|(?<!you )(?:believe[sd]?|claim(?:s|ed)\s+(?:that|to))|"
    r"argue[sd]?\s+that|call(?:s|ed)\s+(?:it|him|her|them)|allege[sd]?(?!\s+to)|allegedly|reportedly|(?:thinks|thought)\s+that|"
    r"consider(?:s|ed)\s+(?:it|him|her|them)|speculate[sd]?|predict(?:s|ed)?|insist(?:s|ed)?|"
    r"is\s+said\s+to|feels\s+that|doubts|complain(?:s|ed))\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:[Aa]ccording\s+to(?=\s+(?:the|an?|his|her|their|its|some|critics|experts|[A-Z]))|(?:said|says|told|states|stated|wrote|writes|remarked|added|announced|reported)\b)"
)
_SOURCE = re.compile(
    r"\b(?:[Aa]ccording|said|says?|stat(?:es|ed)|believe[sd]?|claim(?:s|ed)?|argue[sd]?|call(?:s|ed)?|alleged(?:ly)?|reported(?:ly)?|"
    r"reports?|thinks?|thought|consider(?:s|ed)?|suggest(?:s|ed)?|predict(?:s|ed|ions?)?|told|view|opinion|feels?|describe[sd]?|"
    r"insist(?:s|ed)?|expect(?:s|ed)?|complain(?:s|ed)?|praise[sd]?|remark(?:s|ed)?|not(?:es|ed)|doubts?|hopes?|fears?|seen|seem|seems|"
    r"supposed(?:ly)?|apparent(?:ly)?|mentions?|mentioned|announced|wrote|writes|based\s+on|estimate[sd]?|presumed|rumou?red|quoted?|"
    r"as\s+per|in\s+the\s+eyes|regard(?:s|ed)?|critics?|felt|accus(?:e[sd]?|ations?)|opinions?|views|may|might|could|likely|perhaps)\b",
    re.IGNORECASE,
)
_JUDGES = re.compile(
    r"\b(?:best|worst|greatest|finest|most|least|better|worse|good|great|excellent|poor|bad|wrong|right|fair|unfair|important|beautiful|"
    r"will|should|must|ought|going\s+to|dangerous|impressive|disappointing|unacceptable|perfect|terrible|wonderful|(?:larg|small|high|low|fast|strong|weak|old|new|rich|poor|bigg|saf|hard|easi)est)\b",
    re.IGNORECASE,
)
_TEXT = re.compile(
    r"\b(?:passages?|documents?|sources?|texts?|articles?|stud(?:y|ies)|data|research|papers?|tables?|law|rules?)\b",
    re.IGNORECASE,
)
_HELD = 0.7  # share of the claim that a passage must have for its source to be missed
_NEAR = 60  # signs around a verb of saying in which its speaker stands


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds that the passage gives its content as a view, and the claim as a fact or as the view of somebody else.

    A view is what is believed, argued, alleged or predicted; what is merely `said` counts only where it judges or
    foretells (`the best`, `will`), as plain facts are reported, too. Texts and studies as sources are left alone, and
    so is a claim with any word of reporting or doubt.
    """
    return _dropped(claim, passage) or _changed(claim, passage)


def _dropped(claim: Reading, passage: Reading) -> Finding | None:
    if _SOURCE.search(claim.text) or _VIEW.search(claim.text):
        return None
    view = _VIEW.search(passage.text)
    if view is None and _JUDGES.search(claim.text):
        view = _TOLD.search(passage.text)
    if view is None or agreement(claim, passage) < _HELD or _of_text(view, passage):
        return None
    if view.group().casefold().startswith("acc") or any(
        claim.has(term) for term in passage.content if term.start >= view.end()
    ):
        return _finding(claim, view, "source dropped")
    return None


def _of_text(view: re.Match[str], passage: Reading) -> bool:
    around = passage.text[max(0, view.start() - _NEAR // 2) : view.end() + _NEAR // 2]
    return _TEXT.search(around) is not None


def _changed(claim: Reading, passage: Reading) -> Finding | None:
    """Whether both name a speaker, and not the same."""
    said, told = (
        _VIEW.search(claim.text) or _TOLD.search(claim.text),
        _VIEW.search(passage.text) or _TOLD.search(passage.text),
    )
    if said is None or told is None:
        return None
    mine, theirs = _speaker(said, claim), _speaker(told, passage)
    if not mine or not theirs or known(mine, passage) or known(theirs, claim):
        return None
    if agreement(claim, passage, (mine[0].start, mine[-1].end)) < _HELD:
        return None
    return _finding(claim, told, "source changed")


def _speaker(said: re.Match[str], reading: Reading) -> tuple[Term, ...]:
    """The name beside a verb of saying: behind `according to`, else nearest ahead of it, else right behind it."""
    ahead = [name for name in reading.names if said.start() - _NEAR <= name[-1].end <= said.start()]
    behind = [name for name in reading.names if said.end() <= name[0].start <= said.end() + len(" the ")]
    if said.group().casefold().startswith("acc"):
        ahead = []
    return ahead[-1] if ahead else (behind[0] if behind else ())


def _finding(claim: Reading, view: re.Match[str], detail: str) -> Finding:
    return Finding(
        error_type=ErrorType.ATTRIBUTION_FAILURE,
        support=SupportClass.PARTIALLY_SUPPORTED,
        claim_words=claim.text,
        evidence_words=view.group(),
        claim_span=(0, len(claim.text)),
        span=view.span(),
        detail=detail,
    )
