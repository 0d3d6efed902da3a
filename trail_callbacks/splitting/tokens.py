"""A sentence as tokens: which may be cut at, which is its first finite verb, what is its subject. English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting import verbs

__all__ = ["DETERMINERS", "PREPOSITIONS", "Token", "first_verb", "is_finite", "may_hold_verb", "tokenize"]

DETERMINERS = vocabulary(
    """the a an this that these those its his her their our your my some many most all each every no another other
    such both several few any either neither one two three four five six seven eight nine ten"""
)
PREPOSITIONS = vocabulary(
    """in on at to from into onto for with of as through across during until since between among over under against
    after before without within towards toward along by about near per via despite besides above below than upon
    like"""
)
_BEFORE_NOUN = PREPOSITIONS | (DETERMINERS - vocabulary("that this each both all some many most few"))
_AFTER_NOUN = PREPOSITIONS | vocabulary("and or")
_TOKEN = re.compile(r"(?:Mrs?|Ms|Dr|Prof|St|[A-Z])\.(?=\s[A-Z])|[^\W_]+(?:['\u2019.,&/-][^\W_]+)*|[^\w\s]|_")
_OPENING = {
    "(": ")",
    "[": "]",
    "{": "}",
    "\u201c": "\u201d",
    "\u00ab": "\u00bb",
    "\u201e": "\u201c",
    "\u2018": "\u2019",
}
_DRESS = frozenset("*_`~")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or mark.

    Attributes:
        form: Case-folded, with a straight apostrophe.
        written: As it stands in the text.
        start: Offset in the text.
        end: Offset after it.
        inner: Whether it stands in brackets, quotation marks or code.
    """

    form: str
    written: str
    start: int
    end: int
    inner: bool

    @property
    def word(self) -> bool:
        """Whether it is a word or a number, no mark."""
        return self.written[0].isalnum()

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.written[0].isupper()


def tokenize(text: str) -> list[Token]:
    """Finds the words and marks of a sentence, without Markdown's emphasis."""
    found: list[Token] = []
    closers: list[str] = []
    for match in _TOKEN.finditer(text):
        written = match[0]
        if written in _DRESS and written != "`":
            continue
        inner = bool(closers)
        if closers and written == closers[-1]:
            closers.pop()
        elif written in {'"', "`"} or (written in _OPENING and (written != "\u2018" or not inner)):
            closers.append(_OPENING.get(written, written))
            inner = True
        found.append(Token(written.casefold().replace("\u2019", "'"), written, *match.span(), inner))
    if closers:  # never closed: nothing can be told apart
        return [Token(t.form, t.written, t.start, t.end, True) for t in found]
    return found


def is_finite(tokens: Sequence[Token], at: int) -> bool:
    """Tells whether a token is, by its form and its neighbours, a finite verb."""
    token = tokens[at]
    if token.inner or not token.word or token.capital:
        return False
    following = tokens[at + 1].form if at + 1 < len(tokens) else ""
    before = tokens[at - 1].form if at else ""
    if token.form in verbs.AUXILIARY:
        return before not in {"to", "the", "a"}
    if verbs.third(token.form, ""):  # no noun
        return True
    if before in _BEFORE_NOUN:
        return False  # `the increased cost`
    if verbs.third(token.form, following) or verbs.past(token.form):
        return True
    several = before in {"they", "you", "we"} or (before.endswith("s") and not before.endswith(("ss", "us", "is")))
    return several and verbs.base(token.form) and verbs.opens_phrase(following)  # `adults take one`


def first_verb(tokens: Sequence[Token], start: int = 0, end: int | None = None) -> int | None:
    """Finds the first finite verb; None if none is known."""
    stop = len(tokens) if end is None else end
    return next((at for at in range(start, stop) if is_finite(tokens, at)), None)


def may_hold_verb(words: Sequence[Token]) -> bool:
    """Tells whether words before a verb may hold one that is in no list: `Passage 1 mentions cutting large ...`."""
    for word, following in pairwise(words):
        several = word.form.endswith("s") and not word.form.endswith(("ss", "us", "is", "'s")) and word.word
        if several and not word.capital and following.word and following.form not in _AFTER_NOUN:
            return True
    return False
