"""Shorter English clauses that still hold a value: what a question may not name, or need not, is left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, product
from typing import Final

from trail_callbacks.canary.questions.amounts import HOW
from trail_callbacks.canary.questions.clauses import ENDS, OPENS, Clause
from trail_callbacks.canary.questions.predicates import main_clause
from trail_callbacks.canary.questions.verbs import base_form, finite_verb, may_be_finite
from trail_callbacks.language.terms import keys, vocabulary
from trail_callbacks.language.values import quantities
from trail_callbacks.splitting.words import AUXILIARY, DETERMINERS, MODAL, PREPOSITIONS, Token, past, tokenize

__all__ = ["shortened"]

_BOUND: Final = vocabulary("of than per without like as between versus")
_CUTS: Final = (PREPOSITIONS - _BOUND) | vocabulary(
    "which who whose where when while because since although though whereas so and but or , ; ( : whom to"
)
_KEPT: Final = vocabulary("if unless except provided only not never no")  # without them it would be another claim
_DANGLING: Final = (
    PREPOSITIONS
    | AUXILIARY
    | DETERMINERS
    | vocabulary("and or but not also to who which that whose when where while because it they its more most very so")
)
_FROM: Final = frozenset({"after", "before", "from", "above", "below", "since", "behind"})
_REPORTS: Final = vocabulary(
    """said says think thinks thought believe believes believed claim claims claimed argue argues argued show
    shows showed report reports reported warn warns warned explain explains explained suggest suggests suggested
    hope hopes hoped estimate estimates estimated told notes noted"""
)
_CLAUSES: Final = OPENS | {"that", "which", "who", "whose", "what", "how", "so"}
_JOINS: Final = frozenset({"and", "or", "but"})
_COUNTED: Final = re.compile(r"(?<!\S)\W?\d\S*(?:\s[^\W\d_][\w-]*){0,6}\s(?:and|or)\s\Z")
_PAIR: Final = 2
_OPENING: Final = 4  # words before a value that is the subject
_TELLING: Final = 4  # words that say enough about a name
_MOST: Final = 30  # shorter clauses that are tried

_Gap = tuple[int, int]


@lru_cache(maxsize=256)  # the same few parts are looked at again and again
def _kinds(text: str) -> frozenset[tuple[str, str]]:
    """What the quantities of a text are of."""
    return frozenset((each.kind, each.noun) for each in quantities(text))


def shortened(clause: Clause, named: Callable[[str], bool]) -> Iterator[Clause]:
    """Yields clauses that lack phrases of one, those that keep most first.

    Left out may be what opens the clause, an apposition of its subject, what is joined to the value or to its verb by
    `and`, and what follows a preposition, conjunction or comma behind the value; never a condition or denial, nor a
    value of the kind that is asked for unless it is told apart.

    Args:
        clause: The clause.
        named: Tells whether a text has words that a question may not have, the value set aside.
    """
    text, tokens = clause.text, tokenize(clause.text)
    whole = (0, None, len(text))
    ways = product(_starts(tokens, clause), _holes(tokens, clause), _ends(tokens, clause))
    for start, hole, end in islice((each for each in ways if each != whole), _MOST):
        left, right = text[start : clause.start], text[clause.end : end]
        gone = [text[:start], text[end:]]
        if hole is not None:
            if hole[0] < start:
                continue
            left = text[start : hole[0]] + text[hole[1] : clause.start]
            gone.append(text[slice(*hole)])
        if named(left) or named(right) or not all(_may_go(each, clause, right) for each in gone):
            continue
        value = text[clause.start : clause.end]
        shown = f"{left}{value}{right}".rstrip(ENDS)
        found = Clause(shown[:1].upper() + shown[1:], len(left), min(len(left) + len(value), len(shown)))
        if not _kinds(value) and len(keys(left + right)) < _TELLING:
            continue
        if len(tokenize(left)) <= _OPENING or main_clause(found.text, lambda _: False, found.start) is not None:
            yield found


def _may_go(part: str, clause: Clause, right: str) -> bool:
    """Whether a part may be left out: no condition, and no other value that the question would fit as well."""
    tokens = tokenize(part.lstrip(" ,;"))
    if not tokens:
        return True
    if _KEPT & {token.form for token in tokens}:
        return False
    if not _kinds(clause.text[clause.start : clause.end]) & _kinds(part):
        return True
    joined = next((at + 1 for at, token in enumerate(tokens[:2]) if token.form in _JOINS), 0)
    if joined < len(tokens) and base_form(tokens[joined].form) is not None:
        return True  # the value of another verb
    following = tokenize(right)
    if not following:
        return False
    near, others = following[0].form, {token.form for token in tokens}
    return near in others & PREPOSITIONS or (near in HOW and near not in others and bool(others & HOW.keys()))


def _starts(tokens: Sequence[Token], clause: Clause) -> Iterator[int]:
    """Where the clause may begin: at its head, or behind what opens it."""
    yield 0
    if tokens and tokens[0].form in (PREPOSITIONS | OPENS) - _KEPT:
        comma = next((at for at, token in enumerate(tokens) if token.form == "," and not token.inner), None)
        if comma is not None and comma + 1 < len(tokens) and tokens[comma].end <= clause.start:
            yield tokens[comma + 1].start


def _holes(tokens: Sequence[Token], clause: Clause) -> Iterator[_Gap | None]:
    """What may be left out before the value."""
    yield None
    before = [at for at, token in enumerate(tokens) if token.end <= clause.start and not token.inner]
    commas = [at for at in before if tokens[at].form == ","]
    plain = tokens[0].form not in PREPOSITIONS | OPENS
    if plain and len(commas) >= _PAIR and may_be_finite(tokens, commas[1] + 1, commas[0] - 1):
        yield tokens[commas[0]].start, tokens[commas[1]].end  # `the school, closed in 1974, reopened`
    if counted := _COUNTED.search(clause.text, 0, clause.start):
        yield counted.start(), clause.start  # `438 pupils and 36 teachers`
    verb = finite_verb(tokens, 0, len(before)) if before else None
    if verb is None:
        return
    for at in before[verb + 1 :]:
        if tokens[at].form != "and" or at + 1 >= len(before):
            continue
        other = tokens[at + 1]
        if tokens[verb].form in MODAL and base_form(other.form):
            yield tokens[verb].end + 1, other.start  # `must arrive before 21:00 and leave before 11:00`
        elif past(other.form) and tokens[verb].form in AUXILIARY and past(tokens[verb + 1].form):
            yield tokens[verb + 1].start, other.start  # `was designed by ... and finished in`
        elif other.form not in AUXILIARY and _alike(tokens[verb].form, other.form):
            yield tokens[verb].start, other.start  # `begin at 8:20 and end at 15:05`


def _alike(one: str, other: str) -> bool:
    """Whether two verbs have the same form: `begin` and `end`, `opened` and `closed`."""
    first, second = base_form(one), base_form(other)
    return first is not None and second is not None and first[0] == second[0]


def _ends(tokens: Sequence[Token], clause: Clause) -> Iterator[int]:
    """Where the clause may end, the latest first."""
    yield len(clause.text)
    number = bool(_kinds(clause.text[clause.start : clause.end]))
    for at in range(len(tokens) - 2, 0, -1):
        token, last = tokens[at], tokens[at - 1]
        if token.start < clause.end:
            return
        if token.form not in _CUTS or token.inner:
            continue
        if token.form in {"and", "or"} and last.end <= clause.end and not number and not past(tokens[at + 1].form):
            continue  # one of several names, and not `by Lucian Farrow and finished in`
        if last.end <= clause.end and number and token.form in _FROM:
            continue  # `ten years after they entered`
        if last.start >= clause.end and (last.form in _DANGLING or not last.word):
            continue
        if last.start >= clause.end and tokens[at - 2].form in {",", "and", "or"}:
            continue  # one word left: `, starting`
        if not _half(tokens, clause.end, at):
            yield max(clause.end, last.end)


def _half(tokens: Sequence[Token], end: int, stop: int) -> bool:
    """Whether a cut leaves a clause without its verb: `saying that the path`, `who said the descent`."""
    opened = [
        at
        for at in range(stop)
        if (tokens[at].start >= end and tokens[at].form in _CLAUSES) or tokens[at].form in _REPORTS
    ]
    return bool(opened) and not any(may_be_finite(tokens, at, at - 1) for at in range(opened[-1] + 1, stop))
