"""Losses: a denial that one side leaves out, or a hedge, plan, view, condition or limit that the claim leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from trail_callbacks.judges.local.alignment import Alignment, Mismatch
from trail_callbacks.judges.local.slots import is_label
from trail_callbacks.judges.local.wording import (
    ALL,
    CONDITIONS,
    DENIALS,
    PLANS,
    POSSIBLE,
    REPORTS,
    SOME,
    VIEWS,
    VOICES,
    Word,
)
from trail_callbacks.language.terms import is_past, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

_LEAST = 0.6  # share of the claim that must be paired
_CONDITION = 0.5  # the same where the claim ends in the words before a condition
_LIKE = 0.8  # the same where the cue has other uses
_DENIED = 0.7  # the same for a denial
_AHEAD, _PLAN_AHEAD = 3, 6  # words before the first one that both have, in which a hedge or a plan may stand
_BEHIND = 2  # words after the last one, in which a condition must begin
_BEFORE, _AFTER = 6, 3  # words around a denial in which the words that it stands between are looked for
_OWN_DOUBT = POSSIBLE | PLANS | vocabulary("can must should could if")
_OWN_CONDITION = CONDITIONS | vocabulary("when where whenever only until once after without depending")
_TOTAL = frozenset({"all", "always"})
_HIGHEST = vocabulary(
    """dramatic dramatically drastic drastically massively hugely vastly extremely incredibly revolutionary
    unprecedented spectacular extraordinary flawless absolutely undoubtedly guaranteed devastating"""
) | {"without fail"}
_TO = frozenset({"to", "that"})
_FUTURE = frozenset({"will", "shall", "going"})
_GUESSES = frozenset({"estimate", "estimates", "suspect", "suspects"})  # the event is no plan, but not certain
_MODAL = frozenset({"may", "might", "could"})
_PRESENT = frozenset({"is", "are", "be", "being"})  # `is picked` is no past
_JUDGING = vocabulary(
    """best worst greatest finest most better worse good great bad wrong right will should must oldest newest largest
    smallest biggest longest shortest highest lowest tallest fastest cheapest"""
)
_OTHERWISE = vocabulary(
    """prevent prevents avoid avoids stop stops fail fails failed refuse refuses refused without lack lacks against
    unless declined decline only until except despite hardly rather instead ensure keep stopped ended ends neither
    nothing nobody none nor barely scarcely unable no whether yet"""
)
"""Words that deny in their own way: what they make of a sentence is not followed."""
_NOT_DENYING = vocabulary("only just until least necessarily all every always so too as later than more yet")


def negation(alignment: Alignment) -> Mismatch | None:
    """Finds a `not`, `never` or `no longer` on one side only, between two words that both sides have."""
    mine = [i for i, word in enumerate(alignment.own) if word.form in DENIALS]
    its = [j for j, word in enumerate(alignment.given) if word.form in DENIALS]
    if len(mine) + len(its) != 1 or alignment.coverage() < _DENIED:
        return None
    words, others, paired, plain = alignment.given, alignment.own, alignment.taken, alignment.words
    if mine:
        words, others, paired, plain = alignment.own, alignment.given, alignment.pairs, alignment.given_words
    at = (mine or its)[0]
    denied = _denied(words, at, paired)
    if denied is None or plain & _OTHERWISE:
        return None
    other = others[paired[denied]]
    denying, stating = (words[at].start, words[denied].end), (other.start, other.end)
    spans = (denying, stating) if mine else (stating, denying)
    return alignment.mismatch(*spans, ErrorType.OTHER, detail="negation flip")


def _denied(words: Sequence[Word], i: int, paired: Mapping[int, int]) -> int | None:
    """The word behind a denial, if it and the one before are paired with the same words in the same places."""
    after = words[i + 1 : i + 1 + _AFTER]
    if words[i].form not in {"not", "never"} or not after or after[0].form in _NOT_DENYING:
        return None
    behind = next((i + 1 + n for n, word in enumerate(after) if word.content), None)
    ahead = next((k for k in range(i - 1, max(-1, i - 1 - _BEFORE), -1) if words[k].content), None)
    if behind is None or ahead is None or words[behind].kind != "word":
        return None
    return behind if behind in paired and ahead in paired else None


def hedge(alignment: Alignment) -> Mismatch | None:
    """Finds a `may`, `probably` or the like right before a shared word, where the claim has none."""
    if _says_less(alignment, _OWN_DOUBT):
        return None
    for j in _cues(alignment, _AHEAD, POSSIBLE):
        if alignment.given[j].form == "could" and alignment.given[j + 1].form in DENIALS:
            continue  # `could not` is no doubt
        modal = alignment.given[j].form in _MODAL
        changed = "will" in alignment.words or (modal and _is_done(alignment, j))
        return _lost(alignment, j, ErrorType.TEMPORAL if changed else ErrorType.HYPERBOLE)
    return None


def degree(alignment: Alignment) -> Mismatch | None:
    """Finds a word of the highest degree (`without fail`) that no passage has, where the rest is nearly the same."""
    for i, word in enumerate(alignment.own):
        form = f"without {word.form}" if i and alignment.own[i - 1].form == "without" else word.form
        there = any(term.form == word.form for wording in alignment.around for term in wording.terms)
        if form in _HIGHEST and not there and alignment.coverage(i) >= _LIKE:
            return _lost(alignment, None, ErrorType.HYPERBOLE, own=word)
    return None


def plan(alignment: Alignment) -> Mismatch | None:
    """Finds that the sentence only plans, expects or asks for what the claim states."""
    if _says_less(alignment, _OWN_DOUBT):
        return None
    ahead = bool(alignment.words & _FUTURE)
    for j in _cues(alignment, _PLAN_AHEAD, PLANS if ahead else PLANS | _FUTURE):
        form, behind = alignment.given[j].form, {word.form for word in alignment.given[j + 1 : j + 3]}
        if form in _FUTURE and _is_done(alignment, j):
            return _lost(alignment, j, ErrorType.TEMPORAL, SupportClass.CONTRADICTED)
        if form in _GUESSES and behind & _TO:
            return _lost(alignment, j, ErrorType.HYPERBOLE)
        if form in PLANS and behind & _TO:
            support = SupportClass.PARTIALLY_SUPPORTED if ahead else SupportClass.CONTRADICTED
            return _lost(alignment, j, ErrorType.TEMPORAL, support)
    return None


def view(alignment: Alignment) -> Mismatch | None:
    """Finds that the sentence gives as somebody's view what the claim states as a fact.

    What is merely `said` is one where the claim judges or foretells: plain facts are reported, too.
    """
    if _says_less(alignment, VOICES):
        return None
    cues = VIEWS if alignment.words.isdisjoint(_JUDGING) else VIEWS | REPORTS
    for j, word in enumerate(alignment.given):
        if word.form in cues and j not in alignment.taken:
            return _lost(alignment, j, ErrorType.ATTRIBUTION_FAILURE, detail="source dropped")
    return None


def condition(alignment: Alignment) -> Mismatch | None:
    """Finds a condition or exception right behind the words that both have, where the claim has none and ends there."""
    if _says_less(alignment, _OWN_CONDITION, 0.0):
        return None
    last = max(i for i, word in enumerate(alignment.own) if word.content)
    if last not in alignment.pairs:
        return None
    end = alignment.matched[-1] + 1
    for j, word in enumerate(alignment.given[end : end + _BEHIND], end):
        if word.form in CONDITIONS and alignment.coverage() >= (_LIKE if word.form == "if" else _CONDITION):
            return _lost(alignment, j, ErrorType.OVERGENERALIZATION)
    return None


def limit(alignment: Alignment) -> Mismatch | None:
    """Finds `all` or `every` in the place of `some`, `most` or a number, or where no passage has such a word."""
    if alignment.given_words & (ALL - {"each"}) or alignment.words & DENIALS or alignment.coverage() < _LEAST:
        return None
    for i, word in enumerate(alignment.own):
        for j in alignment.gap(i) if word.form in ALL and i not in alignment.pairs else ():
            other = alignment.given[j]
            count = other.quantity if other.quantity and other.quantity.kind in {"count", "percent"} else None
            counted = count is not None and not is_label(count, alignment.passage)
            if j not in alignment.taken and (other.form in SOME or counted):
                return _lost(alignment, j, ErrorType.OVERGENERALIZATION, own=word)
    for word in alignment.own:
        among = (term.form in ALL for wording in alignment.around for term in wording.terms)
        if word.form in _TOTAL and not any(among):
            return _lost(alignment, None, ErrorType.OVERGENERALIZATION, own=word)
    return None


def _says_less(alignment: Alignment, own: frozenset[str], least: float = _LEAST) -> bool:
    """Whether the claim has such a word of its own, or too little of the sentence to have lost one.

    Nor does it lose a word of a sentence that speaks to its reader: `you may want to` is politeness, not doubt.
    """
    to_reader = not alignment.given_words.isdisjoint({"you", "your"})
    return to_reader or not alignment.matched or bool(alignment.words & own) or alignment.coverage() < least


def _cues(alignment: Alignment, ahead: int, cues: frozenset[str]) -> Iterator[int]:
    """Unpaired words that qualify the next word of content, which both have."""
    first, last = alignment.matched[0], alignment.matched[-1]
    for j in range(max(0, first - ahead), last + 1):
        qualifies = j not in alignment.taken and _next(alignment, j) in alignment.taken
        if alignment.given[j].form in cues and qualifies:
            yield j


def _next(alignment: Alignment, j: int) -> int:
    """The next word of content; -1 if there is none."""
    return next((k for k in range(j + 1, len(alignment.given)) if alignment.given[k].content), -1)


def _is_done(alignment: Alignment, j: int) -> bool:
    """Whether the claim has as past what the sentence says may or will be; `may have happened` is past on both."""
    verb = _next(alignment, j)
    if any(word.form == "have" for word in alignment.given[j:verb]):
        return False
    i = alignment.taken[verb]
    return is_past(alignment.own[i].form) and (i == 0 or alignment.own[i - 1].form not in _PRESENT)


def _lost(
    alignment: Alignment,
    j: int | None,
    error_type: ErrorType,
    support: SupportClass = SupportClass.PARTIALLY_SUPPORTED,
    *,
    own: Word | None = None,
    detail: str | None = None,
) -> Mismatch:
    """The mismatch of some word of the claim, or of the whole, with a word of the sentence that it left out."""
    mine = (0, len(alignment.claim.text)) if own is None else (own.start, own.end)
    its = (0, 0) if j is None else (alignment.given[j].start, alignment.given[j].end)
    return alignment.mismatch(mine, its, error_type, support, detail)
