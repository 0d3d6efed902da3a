"""English questions from English clauses: the question word in front where grammar is sure, else in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from trail_callbacks.canary.questions.asked_for import STAYS, Sought
from trail_callbacks.canary.questions.clauses import (
    BREAKS,
    ENDS,
    OPENS,
    VAGUE,
    Clause,
    Common,
    Main,
    lowered,
    main_clause,
)
from trail_callbacks.canary.questions.named import DEEDS, TITLES
from trail_callbacks.canary.questions.verbs import base_form
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting.words import (
    AUXILIARY,
    DETERMINERS,
    PREPOSITIONS,
    Token,
    first_verb,
    is_finite,
    past,
    tokenize,
)

__all__ = ["asked", "named_role"]

_MORE_SAID: Final = re.compile(r",\s|\s(?:and|but|or|because|when|while|after|before)\s")
_BE: Final = frozenset({"is", "are", "was", "were"})
_FEWEST: Final = 2
_ROLE: Final = 9  # words of what somebody is, before the name
_PARTICIPLES: Final = vocabulary(
    """been done grown shown taken given written become begun risen fallen seen known spoken broken chosen drawn driven
    eaten forgotten gone hidden stolen thrown worn run come not never also already"""
)
_CLAUSAL: Final = frozenset({"after", "before", "until", "till", "since"})
_LONGEST: Final = 32  # words of a question with the question word in its place


def asked(clause: Clause, what: Sought, common: Common) -> Iterator[str]:
    """Yields questions for what is sought in a clause, the most natural first.

    Args:
        clause: The clause.
        what: What is asked for; offsets are of the clause's text.
        common: Tells whether a word that begins with a capital is also written without.
    """
    text = clause.text
    tokens = tokenize(text)
    front = what.start if what.front == STAYS else what.front
    before, after = text[:front].strip(), text[what.end :].strip()
    preposition = text[front : what.start].strip()
    if not before:
        if not preposition and _goes_on(tokens, what.end):
            yield _sentence(what.words, after)
        elif preposition and (main := main_clause(after.lstrip(", "), common)):
            yield from _fronted(f"{preposition.lower()} {what.words}", main, "")
        return
    after = _one_predicate(after)
    main = main_clause(before, common)
    moved = main is not None and not any(token.form in BREAKS for token in tokenize(main.rest))
    dangling = preposition.casefold() in _CLAUSAL and first_verb(tokenize(after)) is not None  # `after four had a rash`
    dangling = dangling or after.startswith(("and ", "or ", ","))
    if main is not None and moved and what.front != STAYS and not dangling:
        if what.what and not after and (plain := _what_is(main, what.words)):
            yield plain
        yield from _fronted(f"{preposition} {what.words}", main, after)
        if (short := _MORE_SAID.split(after, maxsplit=1)[0].strip()) != after:
            yield from _fronted(f"{preposition} {what.words}", main, short)
    if len(tokens) <= _LONGEST and _states(tokens) and _is_open(tokens, what.start):
        yield f"According to the documents, {lowered(text[: what.start], common)}{what.words}{text[what.end :]}?"


def _states(tokens: Sequence[Token]) -> bool:
    """Whether a clause says something about something that it names: no fragment, no instruction, no bare pronoun."""
    verb = first_verb(tokens)
    return verb is not None and verb > 0 and tokens[verb - 1].form not in VAGUE and ":" not in {t.form for t in tokens}


def _one_predicate(after: str) -> str:
    """What follows a value, without a second predicate: `by workers and still plays there`."""
    tokens = tokenize(after)
    for at, token in enumerate(tokens[:-1]):
        if token.form in {"and", "but"} and not token.inner:
            verb = (
                at + 2 if tokens[at + 1].form in {"still", "now", "then", "also"} and at + 2 < len(tokens) else at + 1
            )
            if is_finite(tokens, verb) and not past(tokens[verb].form):
                return after[: token.start].strip(" ,")
    return after


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
    who = "who" if role[-1].form in TITLES or said[0].form in DEEDS else "which"
    subject = before.rstrip(" ,")
    if role[0].form in DETERMINERS:
        subject = re.sub(r"^An?\b", "the", subject[:1].upper() + subject[1:])
        subject = subject[:1].lower() + subject[1:]
    return f"What is the name of {subject}, {who} {after[2:].strip()}?"


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


def _goes_on(tokens: Sequence[Token], end: int) -> bool:
    """Whether a verb follows soon, so that what stands before it is the subject."""
    behind = [at for at, token in enumerate(tokens) if token.start >= end]
    verb = first_verb(tokens, behind[0]) if behind else None
    return verb is not None and not any(token.form in BREAKS for token in tokens[behind[0] : verb])


def _what_is(main: Main, words: str) -> str | None:
    """`The capital of Norland is` as `What is the capital of Norland?`."""
    if main.rest or main.verb.lower() not in {"is", "was", "are", "were"} or main.subject.lower() == "there":
        return None
    if words.startswith(("how many", "which", "on ", "at ")):
        return None
    return _sentence(main.around(f"{'who' if words == 'who' else 'what'} {main.verb} {main.subject}"))


def _fronted(words: str, main: Main, after: str) -> Iterator[str]:
    """The question word in front, with an auxiliary or a form of `do` before the subject."""
    form = main.verb.casefold().replace("\u2019", "'")
    following = main.rest.partition(" ")[0].casefold()
    has = form in {"has", "have", "had"} and not (past(following) or following in _PARTICIPLES)
    if main.instruction:
        verb = ["should you", form]
    elif has:
        verb = [{"has": "does", "have": "do", "had": "did"}[form], main.subject, main.adverb, "have"]
    elif form in _BE and len(rest := main.rest.split()) > 1 and past(rest[-1]) and not past(following):
        return  # `A great example is Crater Lake located in Oregon`
    elif form in AUXILIARY:
        if form.endswith("n't") or form in {"cannot", "do", "does", "did"}:
            return
        verb = [main.verb, main.subject, main.adverb]
    elif (found := base_form(form)) is not None:
        verb = [found[0], main.subject, main.adverb, found[1]]
    else:
        return
    yield _sentence(main.around(" ".join(part for part in (words.strip(), *verb, main.rest, after) if part)))


def _sentence(*words: str) -> str:
    text = " ".join(part for part in words if part).strip(ENDS)
    text = re.sub(r"\s+([,.;:!?])", r"\1", text.strip())
    return f"{text[:1].upper()}{text[1:]}?"
