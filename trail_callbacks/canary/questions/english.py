"""English questions, where grammar is sure: for the subject, by an auxiliary, by `do`, and for a time.

Verbs are those of `splitting`; nothing here knows more of English than what asks for a value.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

from trail_callbacks.canary.questions.facts import OTHER, VALUE, EditedSentence
from trail_callbacks.language.terms import stem, vocabulary
from trail_callbacks.language.values import quantities
from trail_callbacks.splitting.clauses import parts
from trail_callbacks.splitting.marks import clean
from trail_callbacks.splitting.words import (
    AUXILIARY,
    DETERMINERS,
    MODAL,
    PREPOSITIONS,
    base,
    first_verb,
    is_finite,
    past,
    tokenize,
)

_BE: Final = frozenset({"is", "are", "was", "were"})
_HAVE: Final = {"has": "does", "have": "do", "had": "did"}
_POINTING: Final = vocabulary("it he she they this that these those its his her their such both another we i you here")
_BREAKS: Final = vocabulary(  # with one of these a sentence is no simple clause
    """and or but nor that who whom whose which what when where why how while if unless because although though than
    between so not no never only as per every one first last next ago later before after more less older younger
    except provided until"""
)
_TAIL: Final = re.compile(
    r"[;:(\u2013\u2014]|,(?!\d)|\s-\s|\s(?=(?:and|but|or|which|who|while|because|when|where|since)\s)"
)
_TIMED: Final = frozenset({"in", "on", "at", "since"})
_TIMES: Final = {"year": "which year", "month year": "which month and year", "weekday": "which day of the week",
                 "clock": "what time", "day month year": "what date"}  # fmt: skip
_SUBJECT: Final = 12  # words


def asked(fact: EditedSentence, lower: Container[str]) -> str | None:
    """Asks for the value of a sentence; None where grammar is not sure. `lower` are words without a capital."""
    others = iter(fact.foreign)  # a question that keeps one of them is refused later
    left, _, right = re.sub(OTHER, lambda _: clean(next(others)), fact.opened).partition(VALUE)
    value = clean(fact.said[0])
    text, start, end = f"{left}{value}{right}", len(left), len(left) + len(value)
    if not value or VALUE in right or vague(text):
        return None
    for part in parts(text):
        if part.start <= start and end <= part.end:
            left, right = f"{part.before} {text[part.start : start]}".lstrip(), text[end : part.end]
            break
    right = _TAIL.split(right.rstrip(" .!;:,"), maxsplit=1)[0]
    before = tokenize(left)
    if _BREAKS & {token.form for token in (*before, *tokenize(right))} or not all(token.word for token in before):
        return None
    kinds = " ".join(sorted({each.kind for each in quantities(value)}))
    if kinds in _TIMES:
        if not before or before[-1].form not in _TIMED:
            return None
        return _turned(f"{before[-1].form} {_TIMES[kinds]}", left[: before[-1].start], right, "", lower)
    what, right = _what(fact, value, right)
    if before:
        return _turned(what, left, right, value, lower) if what.startswith("how") else None
    behind = tokenize(right)
    return _sentence(what, right) if what and behind and is_finite(behind, 0) else None


def vague(text: str) -> bool:
    """Tells whether a sentence begins with a word that only what stands before it explains."""
    tokens = [token for token in tokenize(text[:200]) if token.word]
    forms = [token.form.partition("'")[0] for token in tokens[:6]]
    verb = first_verb(tokens) or 0
    return not forms or not _POINTING.isdisjoint({forms[0], tokens[verb - 1].form if verb else ""})


def _what(fact: EditedSentence, value: str, right: str) -> tuple[str, str]:
    """What asks for an amount or a name, with the noun that it counts, and the words behind that; empty if unsure."""
    found = quantities(value)
    if not found and fact.edit.kind in {"name", "nonce"}:
        return "who or what", right
    if len(found) != 1 or fact.edit.kind == "unit":  # its unit is another one in the twin
        return "", right
    unit = " ".join(value.split()[1:])
    if found[0].kind.startswith("money") or unit in {"pounds", "euros", "dollars"}:
        return "how much", right
    if not unit:
        unit, _, right = right.strip().partition(" ")
    plural = unit.endswith(("s", "people")) and unit.isalpha()
    return (f"how many {unit}" if plural and found[0].kind != "percent" else ""), right


def _turned(what: str, left: str, right: str, value: str, lower: Container[str]) -> str | None:
    """Asks for what stands behind a clause, by an auxiliary or by `do`."""
    known = tokenize(f"{left} {value}")  # a value behind the clause tells its verb: `costs 14 pounds`
    tokens = [token for token in known if token.end <= len(left)]
    at = first_verb(known, 0, len(tokens)) or 0
    verb, rest = tokens[at].form if at else "", tokens[at + 1 :]
    unsure = (
        not verb or at > _SUBJECT or tokens[0].form in PREPOSITIONS or tokens[-1].form in PREPOSITIONS | DETERMINERS
    )
    if unsure or (rest and rest[-1].form.endswith("ing")):
        return None
    if any(is_finite(rest, i) and not past(token.form) for i, token in enumerate(rest)):
        return None
    subject, between = left[: tokens[at].start].strip(), left[tokens[at].end :].strip()
    if tokens[0].form in DETERMINERS | {"there"} or (tokens[0].form in lower and not tokens[1].capital):
        subject = subject[:1].lower() + subject[1:]
    participle = bool(rest) and (past(rest[0].form) or rest[0].form == "been")
    helper, plain = "", ""
    if verb in _BE | MODAL or (verb in _HAVE and participle):
        helper = verb
    elif not participle and not (past(verb) and rest and rest[0].form == "by"):  # `Bicycles carried on a rack are`
        helper, plain = (_HAVE[verb], "have") if verb in _HAVE else _done(verb)
    return _sentence(what, helper, subject, plain, between, right) if helper else None


def _done(form: str) -> tuple[str, str]:
    """How a verb is asked with: `takes` as `does take`; empty if its base form is not certain."""
    endings = (("s", "", "does"), ("es", "", "does"), ("ies", "y", "does"), ("ed", "", "did"), ("ed", "e", "did"))
    for end, instead, helper in endings:
        if form.endswith(end) and base(found := form.removesuffix(end) + instead):
            return helper, found
    if form not in AUXILIARY and past(form):
        return ("did", found) if base(found := stem(form)) else ("", "")
    return ("do", form) if base(form) else ("", "")


def _sentence(*words: str) -> str:
    text = " ".join(" ".join(words).split()).strip(" .,;:!")
    return f"{text[:1].upper()}{text[1:]}?"
