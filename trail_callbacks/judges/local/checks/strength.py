"""Strength: the claim goes further: all for some, done for planned, dramatic for plain, a fact for a view."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.language.terms import Term, is_past, stem, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["attribution", "hyperbole", "names_source", "quantifier", "temporal"]

_DEGREES = {
    **dict.fromkeys(vocabulary("few selected certain occasional rare"), 1),
    **dict.fromkeys(vocabulary("some several various sometimes occasionally partly"), 2),
    **dict.fromkeys(vocabulary("many often numerous frequently"), 3),
    **dict.fromkeys(vocabulary("most majority usually typically generally mostly largely"), 4),
    **dict.fromkeys(
        vocabulary("all every always everyone everybody everything entire entirely whole each completely universally"),
        5,
    ),
}
_LEAST = {4: 50.0, 5: 100.0}  # per cent from which `most` and `all` hold
_STRONG_MAJORITY = 70.0
_LARGE = vocabulary("large vast overwhelming great clear")
_NOUN_REACH = 3  # words behind a quantifier in which its noun stands
_MOST, _MANY, _ALL = 4, 3, 5
_ON_SUBJECT = 0.5  # share of the rest of a claim that a passage must have to dispute its quantifier
_SHARED = 0.3  # the same for a verb or a word of the highest degree
_PLANNED = frozenset(
    stem(form)
    for form in vocabulary(
        """plan intends aims hopes expects expected scheduled proposes proposed considering wants due set slated
        upcoming"""
    )
)
_FUTURE = vocabulary("will shall")
_POSSIBLE = vocabulary("may might possible possibly perhaps potentially likely")
_HEDGED = _POSSIBLE | vocabulary("could would can should if probably maybe expected anticipated unlikely")
_OVER = vocabulary(
    "be been have has also then soon not only to it they he she eventually later again finally still further "
    "perhaps probably likely"
)
_LIGHT = frozenset(
    stem(form) for form in vocabulary("do make have get take give be know say tell need go come see mice")
)
_CUE_REACH = 5  # words before a verb in which it is made planned or possible
_HIGHEST = re.compile(
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
_ROOT = 6  # letters that two forms of a strong word share
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
_MOSTLY = 0.7  # share of the claim that a passage must have for its source to be missed
_NEAR = 30  # characters around a verb of saying in which its speaker stands


def quantifier(claim: Reading, passage: Reading) -> Finding | None:
    """Finds that the claim says of more things what the passage says of some, most, or a share in per cent.

    Both words must stand before one noun. `Many` for `some` and `most` for `many` are left alone as too near, and so
    is a passage that has the word of the claim, too.
    """
    given = list(_degrees(passage))
    for wide, degree, nouns in _degrees(claim):
        strong = degree == _MOST and any(t.form in _LARGE for t in claim.terms[max(0, wide - 1) : wide])
        if degree < _MOST or any(other >= degree and not strong for _, other, _ in given):
            continue
        term = claim.terms[wide]
        if claim.shared(passage, (term.start, term.end)) < _ON_SUBJECT:
            continue
        for place, other, things in given:
            if nouns & things and (other < _MANY or (other < _ALL and degree == _ALL)):
                narrow = passage.terms[place]
                return _generalized(claim, (term.start, term.end), passage, (narrow.start, narrow.end))
        least = _STRONG_MAJORITY if strong else _LEAST[degree]
        share = next((q for q in passage.quantities if q.kind == "percent"), None)
        if (
            share
            and share.value < least
            and share.bound != "over"
            and not any(q.kind == "percent" for q in claim.quantities)
        ):
            start = claim.terms[wide - 1].start if strong else term.start
            return _generalized(claim, (start, term.end), passage, (share.start, share.end))
    return None


def _degrees(reading: Reading) -> Iterator[tuple[int, int, set[str]]]:
    """Place, degree and the nouns right behind, of each quantifier that is no part of a name."""
    for i, term in enumerate(reading.terms):
        degree = _DEGREES.get(term.form)
        if degree is None or term.kind == "name":
            continue
        around = [t.form for t in reading.terms[max(0, i - 1) : i] + reading.terms[i + 1 : i + 2]]
        if (around and around[-1] == "other" and term.form == "each") or (
            term.form == "all" and {"at", "in"} & set(around[:1])
        ):
            continue
        if term.form == "most" and i + 1 < len(reading.terms) and _adjective(reading, i):
            continue
        behind = reading.terms[i + 1 : i + 1 + _NOUN_REACH]
        yield i, degree, {stem(t.form) for t in behind if t.kind != "function"}


def _adjective(reading: Reading, i: int) -> bool:
    """Whether `most` makes a superlative: `the most common kind`."""
    return (
        i > 0
        and reading.terms[i - 1].form in {"the", "its", "their", "his", "her"}
        and reading.terms[i + 1].form != "of"
    )


def _generalized(claim: Reading, span: tuple[int, int], passage: Reading, place: tuple[int, int]) -> Finding:
    return Finding.quoting(
        claim,
        span,
        passage,
        place,
        error_type=ErrorType.OVERGENERALIZATION,
        support=SupportClass.PARTIALLY_SUPPORTED,
    )


def temporal(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a shared verb that the passage plans or holds possible, and the claim states as a fact or as certain.

    `Would` and `could` are left alone: in stories they are a past.
    """
    if any(term.form in _HEDGED or term.stem in _PLANNED for term in claim.terms):
        return None
    ahead = any(term.form in _FUTURE or term.form == "going" for term in claim.terms)
    for i, term in enumerate(claim.terms):
        if term.kind != "word" or term.stem in _LIGHT:
            continue
        places = passage.same(term)
        cues = [_cue(passage, place) for place in places]
        cue = cues[0] if cues and None not in cues else None
        if cue is None or (cue.form not in _POSSIBLE if ahead else not _past(claim, i)):
            continue
        span = (term.start, term.end)
        if claim.shared(passage, span) < _SHARED:
            continue
        support = SupportClass.PARTIALLY_SUPPORTED if cue.form in _POSSIBLE else SupportClass.CONTRADICTED
        last = max(passage.terms[places[0]].end, cue.end)
        return Finding.quoting(
            claim,
            span,
            passage,
            (cue.start, last),
            error_type=ErrorType.TEMPORAL,
            support=support,
        )
    return None


def _cue(reading: Reading, i: int) -> Term | None:
    """The word that makes the i-th planned or possible: only helpers and adverbs stand between."""
    before = reading.before(i, _CUE_REACH)
    for k in range(len(before) - 1, -1, -1):
        term = before[k]
        infinitive = any(later.form == "to" for later in before[k + 1 :])
        if term.form in _FUTURE | _POSSIBLE or (term.stem in _PLANNED and infinitive):
            return term
        if term.form not in _OVER and not term.form.endswith("ly"):
            return None
    return None


def _past(reading: Reading, i: int) -> bool:
    """Whether the i-th word is a verb in a past form, not after `to` or a modal."""
    return is_past(reading.terms[i].form) and not any(t.form in {"to", "can", "must"} for t in reading.before(i, 3))


def hyperbole(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a word of the highest degree where the passage has a word beside it and none nearly as strong.

    What is denied (`not guaranteed`) is not hyperbole, nor is a part of a name.
    """
    if _MILDER.search(passage.text):
        return None
    text = passage.text.casefold()
    for strong in _HIGHEST.finditer(claim.text):
        start, end = strong.span()
        if strong.group().casefold()[:_ROOT] in text or _DENIED.search(claim.text[max(0, start - _AHEAD) : start]):
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


def names_source(text: str) -> bool:
    """Tells whether a text says whose view it gives, or that it is one."""
    return _OWN_SOURCE.search(text) is not None or _VIEW.search(text) is not None


def attribution(claim: Reading, passage: Reading) -> Finding | None:
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
    if view is None or claim.shared(passage) < _MOSTLY:
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
