"""English questions that keep the order of a clause, or name its title or the role of a person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from trail_callbacks.canary.questions.asked_for import ORDERED, STAYS, Sought
from trail_callbacks.canary.questions.clauses import BREAKS, ENDS, OPENS, VAGUE, Clause, Common, lowered
from trail_callbacks.canary.questions.named import DEEDS, is_person
from trail_callbacks.canary.questions.predicates import instructs
from trail_callbacks.splitting.words import DETERMINERS, PREPOSITIONS, Token, first_verb, is_finite, past, tokenize

__all__ = ["in_place", "named_role", "under"]

_SOURCE: Final = "According to the documents, "
_LONGEST: Final = 32  # words of a question with the question word in its place
_FEWEST: Final = 2
_ROLE: Final = 9  # words of what somebody is, before the name
_NEAR: Final = 3  # words
_PERSONAL: Final = re.compile(r"\b(?:he|she|his|her)\b")


def in_place(clause: Clause, what: Sought, common: Common) -> str | None:
    """A question with the question word where the value stands; None if the clause cannot be asked so."""
    text, tokens = clause.text, tokenize(clause.text)
    front = what.start if what.front == STAYS else what.front
    if not text[:front].strip() or len(tokens) > _LONGEST or not _states(tokens) or not _is_open(tokens, what.start):
        return None
    before = [token.form for token in tokens if token.end <= what.start]
    if what.words == "who or what" and past(before[-1]) and first_verb(tokens) != len(before) - 1:
        return None  # `occurs in countries located who or what`
    if before[-1] in ORDERED or what.words.rpartition(" ")[2] in before[-_NEAR:]:
        return None  # `the first how many minutes`, `a maximum speed of what speed`
    return f"{_SOURCE}{lowered(text[: what.start], common)}{what.words}{text[what.end :]}?"


def under(question: str, heading: str) -> str:
    """A question that says under which heading its answer stands."""
    source = f'According to "{heading.rstrip(ENDS)}", '
    if question.startswith(_SOURCE):
        return source + question.removeprefix(_SOURCE)
    return f"{source}{question[:1].lower()}{question[1:]}"


def named_role(clause: Clause) -> str | None:
    """Asks for the name in `The Forum's chair, Tobin Ashdown, claims that ...`; None if it stands otherwise."""
    before, after = clause.text[: clause.start].rstrip(), clause.text[clause.end :]
    tokens = tokenize(before)
    if not before.endswith(",") or not after.startswith(", ") or not _FEWEST <= len(tokens) <= _ROLE:
        return None
    role, said = tokens[:-1], tokenize(after[2:])
    if any(token.form in BREAKS or is_finite(role, at) for at, token in enumerate(role)) or not said:
        return None
    if (
        role[0].form in VAGUE
        or not (role[0].form in DETERMINERS or role[-2].form.endswith("'s"))
        or not is_finite(said, 0)
    ):
        return None
    person = is_person(role[-1].form) or said[0].form in DEEDS or _PERSONAL.search(after) is not None
    who = "who" if person else "which"
    subject = before.rstrip(" ,")
    if role[0].form in DETERMINERS:
        subject = re.sub(r"^An?\b", "the", subject[:1].upper() + subject[1:])
        subject = subject[:1].lower() + subject[1:]
    return f"What is the name of {subject}, {who} {after[2:].strip()}?"


def _states(tokens: Sequence[Token]) -> bool:
    """Whether a clause says something about something that it names: no fragment, no instruction, no bare pronoun."""
    verb = first_verb(tokens)
    if instructs(tokens):
        return False
    return verb is not None and verb > 0 and tokens[verb - 1].form not in VAGUE and ":" not in {t.form for t in tokens}


def _is_open(tokens: Sequence[Token], stop: int) -> bool:
    """Whether what is sought may stay where it is: not in quotation marks, nor in a clause that opens the sentence."""
    if any(
        token.inner and token.end <= stop < tokens[-1].end for token in tokens if token.start < stop <= token.end + 1
    ):
        return False
    comma = next((at for at, token in enumerate(tokens) if token.form == ","), None)
    if tokens[0].form not in OPENS or (comma is not None and tokens[comma].end <= stop):
        return True
    return tokens[0].form in PREPOSITIONS and (comma is None or first_verb(tokens, 0, comma) is None)
