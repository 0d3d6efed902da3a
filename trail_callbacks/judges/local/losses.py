"""Losses: a denial that one side leaves out, or a hedge, plan, view, condition or limit that the claim leaves out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trail_callbacks.judges.local.alignment import Alignment, Mismatch, Token
from trail_callbacks.judges.local.markers import ALL, CONDITIONS, DENIALS, PLANS, POSSIBLE, REPORTS, SOME, VIEWS, VOICES
from trail_callbacks.judges.local.numbers import is_label
from trail_callbacks.language.terms import is_past, vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["condition", "degree", "hedge", "limit", "negation", "plan", "view"]

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
    """dramatic dramatically drastic drastically massively hugely enormously vastly extremely incredibly revolutionary
    groundbreaking unprecedented unrivalled spectacular extraordinary exceptional perfect perfectly flawless absolutely
    undoubtedly guaranteed devastating countless"""
)
_TO = frozenset({"to", "that"})
_FUTURE = frozenset({"will", "shall", "going"})
_GUESSES = frozenset({"estimate", "estimates", "suspect", "suspects"})  # the event is no plan, but not certain
_MODAL = frozenset({"may", "might", "could"})
_PRESENT = frozenset({"is", "are", "be", "being"})  # `is picked` is no past
_JUDGING = vocabulary(
    """best worst greatest finest most better worse good great bad wrong right will should must oldest newest largest
    smallest biggest longest shortest highest lowest tallest fastest cheapest"""
)
_ADVICE = frozenset({"you", "your"})
_OTHERWISE = vocabulary(
    """prevent prevents avoid avoids stop stops fail fails failed refuse refuses refused without lack lacks against
    unless declined decline only until except despite hardly rather instead ensure keep stopped ended ends neither
    nothing nobody none nor barely scarcely unable no whether yet"""
)
"""Words that deny in their own way: what they make of a sentence is not followed."""
_NOT_DENYING = vocabulary("only just until least necessarily all every always so too as later than more yet")


def negation(alignment: Alignment) -> Mismatch | None:
    """Finds a `not`, `never` or `no longer` on one side only, between two words that both sides have."""
    mine = [i for i, token in enumerate(alignment.own) if token.form in DENIALS]
    its = [j for j, token in enumerate(alignment.given) if token.form in DENIALS]
    if len(mine) + len(its) != 1 or alignment.coverage() < _DENIED:
        return None
    if mine:
        words, at, paired = alignment.own, mine[0], alignment.pairs
        others, plain = alignment.given, alignment.given_words
    else:
        words, at, paired = alignment.given, its[0], alignment.taken
        others, plain = alignment.own, alignment.words
    denied = _denied(words, at, paired)
    if denied is None or plain & _OTHERWISE:
        return None
    other = others[paired[denied]]
    denying, stating = (words[at].start, words[denied].end), (other.start, other.end)
    spans = (denying, stating) if mine else (stating, denying)
    return alignment.mismatch(*spans, ErrorType.OTHER, detail="negation flip")


def _denied(words: Sequence[Token], i: int, paired: Mapping[int, int]) -> int | None:
    """The word behind a denial, if it and the one before are paired with the same words in the same places."""
    if words[i].form not in {"not", "never"}:
        return None
    after = words[i + 1 : i + 1 + _AFTER]
    if not after or after[0].form in _NOT_DENYING:
        return None
    behind = next((i + 1 + n for n, token in enumerate(after) if token.content), None)
    ahead = next((k for k in range(i - 1, max(-1, i - 1 - _BEFORE), -1) if words[k].content), None)
    if behind is None or ahead is None or words[behind].kind != "word":
        return None
    return behind if behind in paired and ahead in paired else None


def hedge(alignment: Alignment) -> Mismatch | None:
    """Finds a `may`, `probably` or the like right before a shared word, where the claim has none."""
    if _is_advice(alignment) or alignment.words & _OWN_DOUBT or alignment.coverage() < _LEAST:
        return None
    for j in _unpaired(alignment, _AHEAD, POSSIBLE):
        if _next(alignment, j) in alignment.taken:
            modal = alignment.given[j].form in _MODAL
            changed = "will" in alignment.words or (modal and _is_done(alignment, j))
            return _lost(alignment, j, ErrorType.TEMPORAL if changed else ErrorType.HYPERBOLE)
    return None


def degree(alignment: Alignment) -> Mismatch | None:
    """Finds a word of the highest degree that no passage has, where the rest is nearly the same."""
    for i, token in enumerate(alignment.own):
        without_fail = token.form == "fail" and i > 0 and alignment.own[i - 1].form == "without"
        there = any(term.form == token.form for reading in alignment.around for term in reading.terms)
        if (without_fail or token.form in _HIGHEST) and not there and alignment.coverage(i) >= _LIKE:
            return _lost(alignment, None, ErrorType.HYPERBOLE, own=token)
    return None


def _is_done(alignment: Alignment, j: int) -> bool:
    """Whether the claim has as past what the sentence says may or will be; `may have happened` is past on both."""
    verb = _next(alignment, j)
    if any(token.form == "have" for token in alignment.given[j:verb]):
        return False
    i = alignment.taken[verb]
    return is_past(alignment.own[i].form) and (i == 0 or alignment.own[i - 1].form not in _PRESENT)


def plan(alignment: Alignment) -> Mismatch | None:
    """Finds that the sentence only plans, expects or asks for what the claim states."""
    if _is_advice(alignment) or alignment.words & _OWN_DOUBT or alignment.coverage() < _LEAST:
        return None
    ahead = bool(alignment.words & _FUTURE)
    for j in _unpaired(alignment, _PLAN_AHEAD, PLANS if ahead else PLANS | _FUTURE):
        form, behind = alignment.given[j].form, {token.form for token in alignment.given[j + 1 : j + 3]}
        if _next(alignment, j) not in alignment.taken:
            continue
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
    if _is_advice(alignment) or alignment.words & VOICES or alignment.coverage() < _LEAST:
        return None
    for j, token in enumerate(alignment.given):
        cue = token.form in VIEWS or (token.form in REPORTS and not alignment.words.isdisjoint(_JUDGING))
        if cue and j not in alignment.taken and not _in_name(alignment, j):
            return _lost(alignment, j, ErrorType.ATTRIBUTION_FAILURE, detail="source dropped")
    return None


def condition(alignment: Alignment) -> Mismatch | None:
    """Finds a condition or exception right behind the words that both have, where the claim has none and ends there."""
    if _is_advice(alignment) or alignment.words & _OWN_CONDITION:
        return None
    last = max(i for i, token in enumerate(alignment.own) if token.content)
    end = alignment.matched[-1]
    if last not in alignment.pairs:
        return None
    for j in range(end + 1, min(len(alignment.given), end + 1 + _BEHIND)):
        form = alignment.given[j].form
        if form in CONDITIONS and alignment.coverage() >= (_LIKE if form == "if" else _CONDITION):
            return _lost(alignment, j, ErrorType.OVERGENERALIZATION)
    return None


def limit(alignment: Alignment) -> Mismatch | None:
    """Finds `all` or `every` in the place of `some`, `most` or a number, or where no passage has such a word."""
    if alignment.given_words & (ALL - {"each"}) or alignment.words & DENIALS or alignment.coverage() < _LEAST:
        return None
    for i, token in enumerate(alignment.own):
        if token.form not in ALL or i in alignment.pairs:
            continue
        for j in alignment.gap(i):
            other = alignment.given[j]
            counted = (
                other.quantity is not None
                and other.quantity.kind in {"count", "percent"}
                and not is_label(other.quantity, alignment.passage)
            )
            if j not in alignment.taken and (other.form in SOME or counted):
                return _lost(alignment, j, ErrorType.OVERGENERALIZATION, own=token)
    for token in alignment.own:
        among = (term.form in ALL for reading in alignment.around for term in reading.terms)
        if token.form in _TOTAL and not any(among):
            return _lost(alignment, None, ErrorType.OVERGENERALIZATION, own=token)
    return None


def _is_advice(alignment: Alignment) -> bool:
    """Whether the sentence speaks to its reader: `you may want to` is politeness, not doubt."""
    return bool(alignment.given_words & _ADVICE) or not alignment.matched


def _unpaired(alignment: Alignment, ahead: int, cues: frozenset[str]) -> list[int]:
    first, last = alignment.matched[0], alignment.matched[-1]
    return [
        j
        for j in range(max(0, first - ahead), last + 1)
        if alignment.given[j].form in cues and j not in alignment.taken and not _in_name(alignment, j)
    ]


def _in_name(alignment: Alignment, j: int) -> bool:
    """Whether a cue is only part of a name (`Cross-Thought`, `the Expected Utility Club`): a capital within a line."""
    text, start = alignment.passage.text, alignment.given[j].start
    ahead = text[:start].rstrip(" ")
    return text[start].isupper() and (ahead[-1:].isalnum() or ahead[-1:] in {"-", ","})


def _next(alignment: Alignment, j: int) -> int:
    """The next word of content; -1 if there is none."""
    return next((k for k in range(j + 1, len(alignment.given)) if alignment.given[k].content), -1)


def _lost(
    alignment: Alignment,
    j: int | None,
    error_type: ErrorType,
    support: SupportClass = SupportClass.PARTIALLY_SUPPORTED,
    *,
    own: Token | None = None,
    detail: str | None = None,
) -> Mismatch:
    """The mismatch of some word of the claim, or of the whole, with a word of the sentence that it left out."""
    mine = (0, len(alignment.claim.text)) if own is None else (own.start, own.end)
    its = (0, 0) if j is None else (alignment.given[j].start, alignment.given[j].end)
    return alignment.mismatch(mine, its, error_type, support, detail)
