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
    DETERMINERS,
    PREPOSITIONS,
    Token,
    base,
    first_verb,
    is_finite,
    tokenize,
)

__all__ = [
    "BREAKS",
    "ENDS",
    "OPENS",
    "VAGUE",
    "Clause",
    "Common",
    "clause_of",
    "lowered",
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
_STOP: Final = re.compile(r"(?<=[^\W\d_]{3})[.!?]\s+(?=[A-Z][a-z]*\s)")
OPENS: Final = vocabulary(
    "if when while after before although though because since unless once as whenever until where"
)
BREAKS: Final = vocabulary(
    """and or but that who whom whose which when where while if because although though whether as than , ; : ( ) \" """
)
VAGUE: Final = _PRONOUNS - {"there", "another", "both", "one", "you"}
_DEEDS: Final = {("do", "so"), ("does", "so"), ("did", "so")}
_OBJECTS: Final = frozenset({"it", "them", "him", "us", "me"})
_TOWARDS: Final = PREPOSITIONS - {"with", "around", "behind", "about"}  # a ship may carry something `with it`
_OWNERS: Final = frozenset({"his", "her", "its", "their"})
_ARTICLES: Final = frozenset({"the", "a", "an", "each", "every", "all", "many", "most", "some"})
_JOINED: Final = re.compile(r"[^\W\d_]+\s(?:&|and)\s[A-Z]")  # `Bread & Ledger`
_POINTING: Final = vocabulary("such this these those latter former here")
_SUBJECTS: Final = frozenset({"they", "he", "she", "we", "i", "it"})  # a clause begins with them, or they stay vague
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
    stops = list(_STOP.finditer(text))  # what was taken for one sentence, such as `in May. Then ...`
    text = text[: next((each.start() for each in stops if each.start() >= end), len(text))]
    if behind := max((each.end() for each in stops if each.end() <= start), default=0):
        text, start, end = text[behind:], start - behind, end - behind
    stripped = text.lstrip()
    start, end, text = start - (len(text) - len(stripped)), end - (len(text) - len(stripped)), stripped.rstrip(ENDS)
    if (tail := _TAIL.search(text, end)) and (start or tail.start() > end):  # `Wilma Sarn, who directs the dig, wrote`
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
    while tokens and not tokens[0].word:
        del tokens[0]
    if (
        not tokens
        or tokens[0].form in _PRONOUNS
        or (tokens[0].form == "there" and tokens[1:2] and tokens[1].form == ",")
    ):
        return True
    if len(tokens) > 1 and tokens[1].form in {"which", "whom"}:
        return True  # `of which 47 per cent was recycled`
    verb = first_verb(tokens)
    if verb and tokens[verb - 1].form in _SUBJECTS and not any(token.capital for token in tokens[1:verb]):
        return True  # `In drops it cut ...`
    whole = tokenize(text)
    if _outside(whole) or _owned(whole) or whole[-1].form in _POINTING | _OBJECTS:
        return True
    near = pairwise(tokens[:6])
    return any(one.form in _POINTING and (one.form, other.form) != ("such", "as") for one, other in near)


def _owned(tokens: Sequence[Token]) -> bool:
    """Whether `her` or `its` stands before anything that it can belong to: `eleven planks on her port side`."""
    for token in tokens:
        if token.form in _OWNERS:
            return True
        if (token.capital and token.start and not token.form[0].isdigit()) or token.form in _ARTICLES:
            return False
    return False


def _outside(tokens: Sequence[Token]) -> bool:
    """Whether an object is a pronoun with nothing in its clause that it can mean: `a repeater put an end to it`."""
    for at, token in enumerate(tokens):
        following = tokens[at + 1].form if at + 1 < len(tokens) else ""
        verb = at > 0 and is_finite(tokens, at - 1)
        if token.form in BREAKS | OPENS:
            return False
        if token.form == "to" and base(following) and not verb:
            return False  # `asked the men to leave it`
        ends = not following or following in PREPOSITIONS - {"of"}
        if (token.form, following) in _DEEDS or (ends and (token.form == "her" or (verb and token.form == "one"))):
            return at > 0
        if token.form in _OBJECTS and at and (verb or tokens[at - 1].form in _TOWARDS):
            return True
    return False


def lowered(text: str, common: Common) -> str:
    """A text without the capital that only its place at the head of a sentence gives it."""
    word = re.match(r"[^\W\d_]+", text)
    if word is None or _JOINED.match(text) or (word[0].isupper() and len(word[0]) > 1):
        return text
    form = word[0].casefold()
    if form in {"i", "mr", "ms", "mrs", "dr", "st"}:
        return text
    if form in DETERMINERS | PREPOSITIONS | _PRONOUNS | OPENS | {"there"} or common(word[0]):
        return text[:1].lower() + text[1:]
    return text
