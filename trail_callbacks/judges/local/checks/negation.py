"""Negation: the claim denies what the passage states, or the other way round; also plain opposites."""

from __future__ import annotations

from trail_callbacks.judges.local.checks.reading import Finding, Reading, contraries
from trail_callbacks.language.terms import Term, stem, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["compare"]

_CUES = vocabulary("not no never neither nor none nobody nothing without cannot hardly barely scarcely")
_REFUSING = frozenset({"fail", "refus", "declin", "unabl"})  # with `to`
_EVIDENCE = frozenset(stem(form) for form in vocabulary("evidence proof sign indication reason doubt suggestion"))
_NOT_CUES = vocabulary("only just merely simply necessarily until least solely all every always so too as later")
_PREPOSITIONS = vocabulary("by of for in on at with from into over under against between through than as")
_DEGREES = vocabulary(
    """very particularly especially fully entirely completely always all every enough as more much most quite exactly
    actively longer only necessarily so too strictly far well long better worse less further additional clear or"""
)
_LIGHT = frozenset(
    stem(form)
    for form in vocabulary(
        """do make have get take give know say tell thing person people way time use need want like go come see look
        be become able there other one such same also however even still most many more"""
    )
)
_REACH = 5
_SHARED = 0.65  # share of the rest of a claim that a passage must have to deny it


def compare(claim: Reading, passage: Reading) -> Finding | None:
    """Finds a shared word that only one side denies, or a word whose opposite stands in its place."""
    return _flip(claim, passage) or _opposite(claim, passage)


def _flip(claim: Reading, passage: Reading) -> Finding | None:
    if _denies(claim, passage) and _denies(passage, claim):
        return None
    for i, term in enumerate(claim.terms):
        if term.kind != "word" or term.stem in _LIGHT:
            continue
        places = passage.same(term)
        if not places:
            continue
        cue = _denial(claim, i)
        cues = [_denial(passage, place) for place in places]
        if any((other is None) == (cue is None) for other in cues):
            continue
        if _in_one_place(claim, i, passage, places[0]):
            other = passage.terms[places[0]]
            return _finding(claim, (cue or term, term), passage, (cues[0] or other, other), "negation flip")
    return None


def _in_one_place(claim: Reading, i: int, passage: Reading, place: int) -> bool:
    """Whether both texts are on one subject, and the word of content before or after a word is the same in both."""
    (before, after), (other_before, other_after) = claim.beside(i), passage.beside(place)
    if not _same(before, other_before) and not _same(after, other_after):
        return False
    return claim.shared(passage, (claim.terms[i].start, claim.terms[i].end)) >= _SHARED


def _same(one: Term | None, other: Term | None) -> bool:
    return one is not None and other is not None and one.stem == other.stem


def _denies(reading: Reading, other: Reading) -> bool:
    """Whether anything is denied that the other text mentions, too."""
    cues = (i for i, term in enumerate(reading.terms) if _is_cue(term) and _next(reading, i) not in _NOT_CUES)
    return any(
        term.kind != "function" and other.has(term) for i in cues for term in reading.terms[i + 1 : i + 1 + _REACH]
    )


def _is_cue(term: Term) -> bool:
    return term.form in _CUES or term.form.endswith(("n't", "n\u2019t"))


def _next(reading: Reading, i: int) -> str:
    return reading.terms[i + 1].form if i + 1 < len(reading.terms) else ""


def _denial(reading: Reading, i: int) -> Term | None:
    """The negation that reaches the i-th word; a double one cancels out.

    It reaches the next word of content, over adverbs and auxiliaries but over no preposition, and over what there is no
    evidence of. `Not only`, `not yet fully` and the like deny a degree, `might or might not` denies nothing.
    """
    before = reading.before(i, _REACH)
    for k in range(len(before) - 1, -1, -1):
        content = before[k].kind != "function" and not before[k].form.endswith("ly")
        if before[k].form in _PREPOSITIONS or (content and before[k].stem not in _REFUSING | _EVIDENCE):
            if not any(term.stem in _EVIDENCE for term in before[:k]):
                before = before[k + 1 :]
            break
    if any(term.form in _DEGREES for term in before):
        return None
    cues = []
    for k, term in enumerate(before):
        after = before[k + 1].form if k + 1 < len(before) else reading.terms[i].form
        denies = _is_cue(term) and after not in _NOT_CUES
        refuses = (term.stem in _REFUSING or (term.form == "yet" and not any(map(_is_cue, before)))) and after == "to"
        if denies or refuses:
            cues.append(term)
    if _is_cue(reading.terms[i]):
        return None
    return cues[-1] if len(cues) % 2 else None


def _opposite(claim: Reading, passage: Reading) -> Finding | None:
    if _doubtful(claim) or _doubtful(passage):
        return None
    for i, term in enumerate(claim.terms):
        if term.kind == "name" or passage.has(term):
            continue
        contrary = contraries(term.stem)
        for place, other in enumerate(passage.terms):
            if other.stem not in contrary or claim.has(other) or other.kind == "name":
                continue
            if "-" in (claim.text[term.start - 1 : term.start], passage.text[other.start - 1 : other.start]):
                continue
            if _in_one_place(claim, i, passage, place):
                return _finding(claim, (term, term), passage, (other, other), "opposite")
    return None


def _doubtful(reading: Reading) -> bool:
    """Whether anything is denied or compared, so that an opposite may mean the same."""
    return any(_is_cue(term) or term.stem in _REFUSING or term.form == "than" for term in reading.terms)


def _finding(
    claim: Reading, words: tuple[Term, Term], passage: Reading, others: tuple[Term, Term], detail: str
) -> Finding:
    return Finding.quoting(
        claim,
        _hull(words),
        passage,
        _hull(others),
        error_type=ErrorType.OTHER,
        support=SupportClass.CONTRADICTED,
        detail=detail,
    )


def _hull(words: tuple[Term, Term]) -> tuple[int, int]:
    return min(word.start for word in words), max(word.end for word in words)
