"""Polarity: one side denies the word that the other states, with the same words around it."""

from __future__ import annotations

from collections.abc import Sequence

from trail_callbacks.judges.local.aligned.alignment import Alignment, Token
from trail_callbacks.judges.local.aligned.markers import DENIALS
from trail_callbacks.judges.local.checks.reading import Finding
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["negation"]

_LEAST = 0.7  # share of the claim that must be paired
_BEFORE, _AFTER = 6, 3  # words around the denial in which the words that it stands between are looked for
_OTHERWISE = vocabulary(
    """prevent prevents avoid avoids stop stops fail fails failed refuse refuses refused without lack lacks against
    unless declined decline only until except despite hardly rather instead ensure keep stopped ended ends neither
    nothing nobody none nor barely scarcely unable no whether yet"""
)
"""Words that deny in their own way: what they make of a sentence is not followed."""
_NOT_DENYING = vocabulary("only just until least necessarily all every always so too as later than more yet")


def negation(alignment: Alignment) -> Finding | None:
    """Finds a `not`, `never` or `no longer` on one side only, between two words that both sides have."""
    mine = [i for i, token in enumerate(alignment.own) if token.form in DENIALS]
    its = [j for j, token in enumerate(alignment.given) if token.form in DENIALS]
    if len(mine) + len(its) != 1 or alignment.coverage() < _LEAST:
        return None
    if mine:
        denied = _denied(alignment.own, mine[0], alignment.pairs)
        doubtful = alignment.given_words & _OTHERWISE
        if denied is None or doubtful:
            return None
        other = alignment.given[alignment.pairs[denied]]
        own, given = (alignment.own[mine[0]].start, alignment.own[denied].end), (other.start, other.end)
    else:
        denied = _denied(alignment.given, its[0], alignment.taken)
        doubtful = alignment.words & _OTHERWISE
        if denied is None or doubtful:
            return None
        other = alignment.own[alignment.taken[denied]]
        own, given = (other.start, other.end), (alignment.given[its[0]].start, alignment.given[denied].end)
    return Finding.quoting(
        alignment.claim,
        own,
        alignment.passage,
        given,
        error_type=ErrorType.OTHER,
        support=SupportClass.CONTRADICTED,
        detail="negation flip",
    )


def _denied(words: Sequence[Token], i: int, paired: dict[int, int]) -> int | None:
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
