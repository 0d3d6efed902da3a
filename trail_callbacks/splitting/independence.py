"""Clauses that stand by themselves in an English sentence: between semicolons, around a colon, with a subject."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting import verbs
from trail_callbacks.splitting.tokens import DETERMINERS, PREPOSITIONS, Token, first_verb

__all__ = ["ADVERBS", "DENIALS", "EXPLETIVES", "KEPT_ADVERBS", "PRONOUNS", "SCOPES", "independent", "own_subject"]

_PHRASE = 7  # words of a subject behind a conjunction
_CLAUSE = 3  # words a clause has at least
SCOPES = vocabulary(  # what reaches over everything behind it
    """if when whenever while although though because since unless before after once until whether that which who
    whom whose where what how why said says say saying believe believes believed claim claims claimed report
    reports reported argue argues argued think thinks thought either neither both only provided assuming so than
    mentions mention mentioned states stated suggests suggest suggested according notes noted"""
)
DENIALS = vocabulary("no none never nor few little hardly rarely seldom nobody nothing nowhere fewer less")
ADVERBS = vocabulary(
    """also then later now still already often usually typically generally currently subsequently therefore thus
    sometimes even only never always not"""
)
KEPT_ADVERBS = ADVERBS - vocabulary("therefore thus only not")
PRONOUNS = vocabulary("it they he she")
EXPLETIVES = vocabulary("there here")
_NO_SUBJECT = SCOPES | EXPLETIVES | {"and", "or"}
_VAGUE = vocabulary("follows following answer reason question rule result example note")


def independent(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Ranges of tokens between semicolons, or around a colon, where all are clauses; in `Paris; Rome` they are not."""
    marks = [at for at, token in enumerate(tokens) if token.form == ";" and not token.inner]
    if not marks:
        marks = _colon(tokens)
    edges = [-1, *marks, len(tokens)]
    ranges = [(a + 1, b) for a, b in pairwise(edges)]
    if all(_is_clause(tokens, a, b) for a, b in ranges):
        yield from ranges
    else:
        yield 0, len(tokens)


def _is_clause(tokens: Sequence[Token], first: int, last: int) -> bool:
    words = [token for token in tokens[first:last] if token.word]
    instruction = bool(words) and verbs.base(words[0].form)
    return len(words) >= _CLAUSE and (instruction or first_verb(tokens, first, last) is not None)


def _colon(tokens: Sequence[Token]) -> list[int]:
    marks = [at for at, token in enumerate(tokens) if token.form == ":" and not token.inner]
    if len(marks) != 1 or {token.form for token in tokens[: marks[0]]} & (_VAGUE | SCOPES | DENIALS):
        return []
    at = marks[0]
    own = own_subject(tokens, at + 1, len(tokens))
    return marks if own is not None and at > _CLAUSE and first_verb(tokens, 0, at) is not None else []


def own_subject(tokens: Sequence[Token], first: int, last: int, *, bare: bool = True) -> int | None:
    """Finds the verb of a clause that begins with its subject; `bare` allows a subject without a determiner."""
    while first < last and tokens[first].form in KEPT_ADVERBS:
        first += 1
    verb = first_verb(tokens, first, min(last, first + _PHRASE + 1))
    if verb is None or verb == first or verb + 1 >= last:
        return None
    subject = tokens[first:verb]
    if not all(token.word and not token.inner for token in subject):
        return None
    opening = subject[0]
    linking = opening.form == "that" and len(subject) > 1 and subject[1].form in DETERMINERS  # `and that the dish is`
    if linking or any(token.form in _NO_SUBJECT for token in subject[1:]):
        return None
    amount = opening.form == "as" and subject[-1].form in {"many", "much"}
    opens = amount or opening.form in DETERMINERS | PRONOUNS or opening.capital or opening.written[0].isdigit()
    form = tokens[verb].form
    bare = bare and len(subject) <= 3 and opening.form not in PREPOSITIONS | SCOPES  # noqa: PLR2004 - a few words
    if not (opens or bare) or form in verbs.AUXILIARY or not verbs.past(form):
        return verb if opens or bare else None
    later = first_verb(tokens, verb + 1, last)
    linked = later is None or any(token.form in SCOPES | {"and", "but"} for token in tokens[verb + 1 : later])
    active = linked and tokens[verb + 1].form != "by" and (opens or verbs.clear_past(form))
    return verb if active else None
