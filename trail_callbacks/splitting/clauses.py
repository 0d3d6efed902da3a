"""Where an English sentence comes apart into clauses that each hold by themselves.

A sentence is cut only where nothing before the cut can reach over it: no condition, no report, no denial, no relative
clause, no quotation, no bracket. Where a part leaves out its subject (`was founded in 1990 and employs 300 people`),
the words of the subject go before it. In doubt a sentence stays whole: a part that the answer does not state is worse
than a claim that states two things.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from trail_callbacks.language.speech import declines
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting.marks import clean
from trail_callbacks.splitting.words import (
    AUXILIARY,
    DETERMINERS,
    MODAL,
    PREPOSITIONS,
    Token,
    base,
    clear_past,
    first_verb,
    is_finite,
    may_hold_verb,
    opens_phrase,
    past,
    third,
    tokenize,
)

__all__ = ["Part", "parts"]

_LONGEST = 2000  # characters; a longer sentence is a text without full stops, and no rule here was made for it
_SUBJECT = 12  # words
_ALL = vocabulary("respectively vice versa")  # these relate what would be parted
_FIRST = vocabulary(
    """according under in both either as during for given by with without from between among on at to of like"""
)
_BACKWARDS = vocabulary("if unless provided providing assuming")  # a condition at the end reaches over the whole
_TIME = vocabulary("when whenever until once")  # the same for verbs that share a subject
_SINGULAR = vocabulary("is was has")
_PHRASE = 7  # words of a subject behind a conjunction
_CLAUSE = 3  # words a clause has at least
_SCOPES = vocabulary(  # what reaches over everything behind it
    """if when whenever while although though because since unless before after once until whether that which who
    whom whose where what how why said says say saying believe believes believed claim claims claimed report
    reports reported argue argues argued think thinks thought either neither both only provided assuming so than
    mentions mention mentioned states stated suggests suggest suggested according notes noted"""
)
_DENIALS = vocabulary("no none never nor few little hardly rarely seldom nobody nothing nowhere fewer less")
_ADVERBS = vocabulary(
    """also then later now still already often usually typically generally currently subsequently therefore thus
    sometimes even only never always not"""
)
_KEPT_ADVERBS = _ADVERBS - vocabulary("therefore thus only not")
_PRONOUNS = vocabulary("it they he she")
_EXPLETIVES = vocabulary("there here")
_NO_SUBJECT = _SCOPES | _EXPLETIVES | {"and", "or"}
_VAGUE = vocabulary("follows following answer reason question rule result example note")


@dataclass(frozen=True, slots=True)
class Part:
    """A clause of a sentence: `sentence[start:end]`.

    Attributes:
        start: Offset in the sentence.
        end: Offset after it.
        before: The words that it shares with an earlier part, to be read before its own.
        pronoun: Whether its subject is a pronoun: it stands alone only if that can be resolved.
    """

    start: int
    end: int
    before: str = ""
    pronoun: bool = False


def parts(sentence: str) -> list[Part]:
    """Cuts an English sentence into clauses.

    Args:
        sentence: A sentence that states something; Markdown and citations may be in it.

    Returns:
        The parts in order; one that spans the sentence where no cut is safe.
    """
    whole = [Part(0, len(sentence))]
    if len(sentence) > _LONGEST:
        return whole
    tokens = tokenize(sentence)
    if any(token.form in _ALL for token in tokens):
        return whole
    found: list[Part] = []
    for first, last in _independent(tokens):
        found.extend(_Clause(sentence, tokens, first, last).parts())
    if len(found) < 2:  # noqa: PLR2004 - uncut
        return whole
    found[-1] = Part(found[-1].start, len(sentence), found[-1].before, found[-1].pronoun)
    return [Part(0, found[0].end), *found[1:]]


class _Clause:
    """A range of tokens that is looked through from left to right for places to cut at."""

    def __init__(self, sentence: str, tokens: Sequence[Token], first: int, last: int) -> None:
        """Keeps what is looked through."""
        self.sentence = sentence
        self.tokens = tokens
        self.first = first
        self.last = last

    def parts(self) -> Iterator[Part]:
        """The parts, with the subject that each shares."""
        tokens, first, before, pronoun = self.tokens, self.first, "", False
        for at in range(self.first + 1, self.last - 1):
            token = tokens[at]
            if token.inner or token.form not in {"and", "but", "while", "whereas", "however"} or at <= first:
                continue
            left = at - 1 if tokens[at - 1].form == "," else at
            if left <= first:
                continue
            cut = self._cut(first, left, at, before)
            if cut is None:
                continue
            yield Part(tokens[first].start, tokens[left - 1].end, before, pronoun)
            first, before, pronoun = at + 1, cut.before, cut.pronoun
        if first < self.last:
            yield Part(tokens[first].start, tokens[self.last - 1].end, before, pronoun)

    def _cut(self, first: int, left: int, at: int, before: str) -> _Cut | None:
        """Decides about a cut between `tokens[first:left]` and what follows `tokens[at]`."""
        tokens, form = self.tokens, self.tokens[at].form
        comma = left < at
        has = first_verb(tokens, first, left)
        if (has is None and not before) or {t.form for t in tokens[at + 1 : self.last]} & _BACKWARDS:
            return None
        if form in {"but", "however"} and comma and self._declined(first, left, at):
            return _Cut()
        if tokens[first].form in _FIRST or {t.form for t in tokens[first:left]} & _SCOPES:
            return None
        own = self._own(first, left, at, has)
        return own or (self._shared(first, left, at, before) if form in {"and", "but"} else None)

    def _own(self, first: int, left: int, at: int, has: int | None) -> _Cut | None:
        """A clause with a subject of its own."""
        tokens, form = self.tokens, self.tokens[at].form
        comma = left < at
        if form in {"while", "whereas"} and not comma:
            return None
        verb = _own_subject(tokens, at + 1, self.last, bare=comma)
        if verb is None or has is None:
            return None
        listing = any(t.form == "," and not t.inner for t in tokens[first:left])
        if listing and past(tokens[has].form) and not clear_past(tokens[has].form):
            return None  # `The firm founded by A, B, and C was sold`
        subject = tokens[at + 1]
        if not comma:
            singular = tokens[verb].form in _SINGULAR or third(tokens[verb].form, tokens[verb + 1].form)
            steady = subject.form in DETERMINERS and tokens[left - 1].form not in PREPOSITIONS
            if not (steady and (singular or form == "but")) and subject.form not in _PRONOUNS:
                return None
        if is_finite(tokens, left - 1) and tokens[left - 1].form in AUXILIARY:
            return None
        return _Cut(pronoun=subject.form in _PRONOUNS)

    def _shared(self, first: int, left: int, at: int, before: str) -> _Cut | None:
        """A verb phrase that shares the subject of the clause before it."""
        tokens = self.tokens
        verb = at + 1
        while verb < self.last and tokens[verb].form in _KEPT_ADVERBS:
            verb += 1
        if verb + 2 > self.last or not is_finite(tokens, verb):
            return None
        has = first_verb(tokens, first, left)
        subject = before or self._subject(first, has)
        if not subject or has is None or not self._goes_with(first, left, has, verb):
            return None
        if {t.form for t in tokens[at + 1 : self.last]} & _TIME or {t.form for t in tokens[first:left]} & _DENIALS:
            return None
        if self._embeds(has, left):
            return None
        complement = tokens[left - 1]
        if left - 1 <= has or is_finite(tokens, left - 1) or complement.form in PREPOSITIONS | DETERMINERS:
            return None  # `owns and operates the plant`, `owns most of and operates the plant`
        return _Cut(before=subject)

    def _embeds(self, has: int, left: int) -> bool:
        """Whether another clause hangs on the first, so that the second verb may belong to either."""
        tokens = self.tokens
        later = [at for at in range(has + 1, left) if is_finite(tokens, at)]
        return any(not past(tokens[at].form) for at in later)  # a participle only describes a thing

    def _subject(self, first: int, verb: int | None) -> str:
        """The words before the first verb, where they are surely its subject."""
        if verb is None or not 0 < verb - first <= _SUBJECT:
            return ""
        words = self.tokens[first:verb]
        if words[0].form in _EXPLETIVES | PREPOSITIONS or not words[0].word or words[-1].form in PREPOSITIONS:
            return ""
        commas = [t for t in words if t.form == ","]
        if commas and not (len(commas) == 2 and words[-1].form == ","):  # noqa: PLR2004 - an apposition has two
            return ""
        if any(not t.word and t.form not in {",", "(", ")", "-", "/", "&", "%", "$", "'"} for t in words):
            return ""
        if words[-1].form in _ADVERBS:
            words = words[:-1]
        if may_hold_verb([t for t in words if not t.form.endswith("ly")]):
            return ""
        return clean(self.sentence[words[0].start : words[-1].end]) if words else ""

    def _goes_with(self, first: int, left: int, has: int, verb: int) -> bool:
        """Whether the second verb is finite by itself and no participle or infinitive that hangs on the first."""
        tokens, form = self.tokens, self.tokens[verb].form
        following = tokens[verb + 1].form
        before = {t.form for t in tokens[first:left]}
        if form in {"have", "do", "are", "were"} and (before & MODAL or "to" in before):
            return False
        if form in AUXILIARY or following in AUXILIARY:
            return form in AUXILIARY
        if not past(form):
            return not before & (MODAL | {"to", "do", "does", "did", "have"}) or third(form, "the")
        if not opens_phrase(following, prepositions=True) and not following.endswith("ly"):
            return False
        active = past(tokens[has].form) and not before & AUXILIARY
        return clear_past(form) or (active and following != "by" and first_verb(tokens, verb + 1, self.last) is None)

    def _declined(self, first: int, left: int, at: int) -> bool:
        """Whether the first part says that something is not known, and the second states something."""
        tokens = self.tokens
        said = clean(self.sentence[tokens[first].start : tokens[left - 1].end])
        rest = clean(self.sentence[tokens[at + 1].start : tokens[self.last - 1].end])
        return declines(said) and not declines(rest) and first_verb(tokens, at + 1, self.last) is not None


@dataclass(frozen=True, slots=True)
class _Cut:
    """What the part behind a cut is like."""

    before: str = ""
    pronoun: bool = False


def _independent(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
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
    instruction = bool(words) and base(words[0].form)
    return len(words) >= _CLAUSE and (instruction or first_verb(tokens, first, last) is not None)


def _colon(tokens: Sequence[Token]) -> list[int]:
    marks = [at for at, token in enumerate(tokens) if token.form == ":" and not token.inner]
    if len(marks) != 1 or {token.form for token in tokens[: marks[0]]} & (_VAGUE | _SCOPES | _DENIALS):
        return []
    at = marks[0]
    own = _own_subject(tokens, at + 1, len(tokens))
    return marks if own is not None and at > _CLAUSE and first_verb(tokens, 0, at) is not None else []


def _own_subject(tokens: Sequence[Token], first: int, last: int, *, bare: bool = True) -> int | None:
    """Finds the verb of a clause that begins with its subject; `bare` allows a subject without a determiner."""
    while first < last and tokens[first].form in _KEPT_ADVERBS:
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
    opens = amount or opening.form in DETERMINERS | _PRONOUNS or opening.capital or opening.written[0].isdigit()
    form = tokens[verb].form
    bare = bare and len(subject) <= 3 and opening.form not in PREPOSITIONS | _SCOPES  # noqa: PLR2004 - a few words
    if not (opens or bare) or form in AUXILIARY or not past(form):
        return verb if opens or bare else None
    later = first_verb(tokens, verb + 1, last)
    linked = later is None or any(token.form in _SCOPES | {"and", "but"} for token in tokens[verb + 1 : later])
    active = linked and tokens[verb + 1].form != "by" and (opens or clear_past(form))
    return verb if active else None
