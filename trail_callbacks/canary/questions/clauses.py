"""English clauses: the one that holds a value, and its subject, verb and rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting.clauses import parts
from trail_callbacks.splitting.references import Thread
from trail_callbacks.splitting.words import (
    AUXILIARY,
    DETERMINERS,
    PREPOSITIONS,
    Token,
    base,
    clear_past,
    first_verb,
    is_finite,
    opens_phrase,
    past,
    tokenize,
)

__all__ = [
    "BREAKS",
    "ENDS",
    "OPENS",
    "VAGUE",
    "Clause",
    "Common",
    "Main",
    "clause_of",
    "lowered",
    "main_clause",
    "vague",
]

Common: TypeAlias = Callable[[str], bool]
"""Tells whether a word that begins with a capital is also written without."""

_PRONOUNS: Final = vocabulary(
    """it he she they this that these those its his her their we i you him them there's it's he's she's they're such
    both another others one our my your"""
)
_LINKS: Final = re.compile(
    r"(?:However|Moreover|Furthermore|Additionally|In addition|Also|Thus|Therefore|For example|For instance|Finally|"
    r"Then|Meanwhile|Instead|Indeed|In fact|As a result|Consequently|But|And|So|Yet|Still|Nevertheless|Similarly|"
    r"On the other hand|Likewise|Unfortunately|Fortunately|Interestingly|Note that|"
    r"Yes(?=,)|No(?=,)|(?:Note|Tip|Answer|Q|A)(?=:)),?[:\s]\s*",
)
_TAIL: Final = re.compile(
    r",\s(?:which|who|whose|where|when|while|whereas|although|though|but|so|because|since|as|and)\b"
    r"|;\s|\s[-\u2013\u2014]\s|\s\("
)
OPENS: Final = vocabulary(
    "if when while after before although though because since unless once as whenever until where"
)
BREAKS: Final = vocabulary(
    """and or but that who whom whose which when where while if because although though whether as than , ; : ( ) \" """
)
VAGUE: Final = _PRONOUNS - {"there", "another", "both", "one", "you"}
_POINTING: Final = vocabulary("such this these those latter former here")
_ACTIVE: Final = vocabulary("said thought told felt heard got meant understood won lost")  # hardly ever behind a noun
_SUBJECTS: Final = frozenset({"they", "he", "she", "we", "i", "it"})  # a clause begins with them, or they stay vague
_BETWEEN: Final = vocabulary("also now still then often usually")
_TOLD: Final = vocabulary(
    """add allow apply avoid bake beat brush check chill choose clean click combine cook cool cover cut drain dry enter
    fill fry grill heat insert keep leave let mix move open peel place plant pour preheat press put reduce refrigerate
    remove repeat rest rinse roast season select simmer sprinkle stir store take transfer turn use wait wash"""
)
_SUBJECT: Final = 14  # words
ENDS: Final = " .!;:,\u2026"


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence, or the part of it that holds a value.

    Attributes:
        text: Its words, without a full stop.
        start: Where the value stands.
        end: Where it ends.
    """

    text: str
    start: int
    end: int


def clause_of(text: str, span: tuple[int, int], before: str = "") -> Clause:
    """Cuts the clause out that holds a value, and puts a name in the place of a pronoun where it means only that.

    Args:
        text: A sentence without markup.
        span: Where the value stands in it.
        before: The sentence before it, for pronouns.
    """
    start, end = span
    for part in parts(text):
        if part.start <= start and end <= part.end:
            words = text[part.start : part.end]
            lead = f"{part.before} " if part.before else ""
            shift = len(lead) - part.start
            text, start, end = lead + words, start + shift, end + shift
            break
    if (link := _LINKS.match(text)) and link.end() <= start:
        text, start, end = text[link.end() :], start - link.end(), end - link.end()
    stripped = text.lstrip()
    start, end, text = start - (len(text) - len(stripped)), end - (len(text) - len(stripped)), stripped.rstrip(ENDS)
    if tail := _TAIL.search(text, end):
        text = text[: tail.start()].rstrip(ENDS)
    if before:
        thread = Thread()
        thread.observe(before)
        named = thread.resolve(text)
        if named != text and text.endswith(text[start:]) and named.endswith(text[start:]):
            shift = len(named) - len(text)
            text, start, end = named, start + shift, end + shift
    return Clause(text[:1].upper() + text[1:], start, min(end, len(text)))


def vague(text: str) -> bool:
    """Tells whether a sentence begins with a pronoun, so that nobody can tell what it is about."""
    tokens = tokenize(text[:200])
    if (
        not tokens
        or tokens[0].form in _PRONOUNS
        or (tokens[0].form == "there" and tokens[1:2] and tokens[1].form == ",")
    ):
        return True
    verb = first_verb(tokens)
    if verb and tokens[verb - 1].form in _SUBJECTS and not any(token.capital for token in tokens[1:verb]):
        return True  # `In drops it cut ...`
    near = pairwise(tokens[:6])
    return any(one.form in _POINTING and (one.form, other.form) != ("such", "as") for one, other in near)


@dataclass(frozen=True, slots=True)
class Main:
    """A simple clause, taken apart.

    Attributes:
        opening: What stands before its subject, with its comma if it is a clause: `If it rains,`; may be empty.
        subject: Its subject, as inside a sentence; `you` of an instruction.
        adverb: What stands between subject and verb.
        verb: Its finite verb, as written.
        rest: What follows the verb.
        instruction: Whether it tells somebody to do something.
    """

    opening: str
    subject: str
    adverb: str
    verb: str
    rest: str
    instruction: bool = False

    def around(self, question: str) -> str:
        """A question with the opening in its place: a clause before it, a phrase behind it."""
        if not self.opening:
            return question
        if self.opening.endswith(","):
            return f"{self.opening[:1].upper()}{self.opening[1:]} {question[:1].lower()}{question[1:]}"
        return f"{question} {self.opening}"


def main_clause(text: str, common: Common) -> Main | None:
    """Takes a simple English clause apart; None where subject and verb are not sure."""
    tokens = tokenize(text)
    first = 0
    if tokens and tokens[0].form in PREPOSITIONS | OPENS:
        comma = next((at for at, token in enumerate(tokens) if token.form == ","), None)
        if comma is None or (tokens[0].form in OPENS and first_verb(tokens, 0, comma) is None):
            return None
        first = comma + 1
    opening = lowered(text[: tokens[first].start].strip(), common) if 0 < first < len(tokens) else ""
    if tokens and tokens[0].form not in OPENS:
        opening = opening.rstrip(" ,")
    verb = first_verb(tokens, first)
    if verb is None and (told := _instruction(text, tokens, first, opening)):
        return told
    if verb is None or not first < verb <= first + _SUBJECT:
        return None
    verb = _behind_participle(tokens, verb)
    words = tokens[first:verb]
    end = verb - 1 if words[-1].form.endswith("ly") or words[-1].form in _BETWEEN else verb
    if end == first or words[0].form in VAGUE | {"and"} or not all(map(_of_a_phrase, words)):
        return None
    return Main(
        opening,
        lowered(text[tokens[first].start : tokens[end - 1].end], common),
        text[tokens[end - 1].end : tokens[verb].start].strip(),
        tokens[verb].written,
        text[tokens[verb].end :].strip(),
    )


def _behind_participle(tokens: Sequence[Token], verb: int) -> int:
    """The auxiliary behind what only looks like a finite verb: `Bicycles carried on a rack are insured`."""
    form = tokens[verb].form
    if form in AUXILIARY | _ACTIVE or not past(form) or clear_past(form):
        return verb
    for at in range(verb + 1, min(len(tokens), verb + _SUBJECT)):
        if tokens[at].form in BREAKS | OPENS:
            break
        if tokens[at].form in AUXILIARY and is_finite(tokens, at):
            return at
    return verb


def _instruction(text: str, tokens: Sequence[Token], first: int, opening: str) -> Main | None:
    if len(tokens) < first + 2 or not (base(tokens[first].form) or tokens[first].form in _TOLD):
        return None
    verb, following = tokens[first], tokens[first + 1]
    if not (opens_phrase(following.form, prepositions=True) or tokens[first].form in _TOLD):
        return None
    return Main(opening, "you", "", verb.written.lower(), text[verb.end :].strip(), instruction=True)


def _of_a_phrase(token: Token) -> bool:
    """Whether a word may stand in a plain subject."""
    return (
        not token.inner and token.form not in BREAKS - {"and"} and (token.word or token.form in "'-/&.%$\u20ac\u00a3")
    )


def lowered(text: str, common: Common) -> str:
    """A text without the capital that only its place at the head of a sentence gives it."""
    word = re.match(r"[^\W\d_]+", text)
    if word is None or (word[0].isupper() and len(word[0]) > 1):
        return text
    form = word[0].casefold()
    if form in {"i", "mr", "ms", "mrs", "dr", "st"}:
        return text
    if form in DETERMINERS | PREPOSITIONS | _PRONOUNS | OPENS | {"there"} or common(word[0]):
        return text[:1].lower() + text[1:]
    return text
