"""Where an English sentence comes apart into clauses that each hold by themselves.

A sentence is cut only where nothing before the cut can reach over it: no condition, no report, no denial, no relative
clause, no quotation, no bracket. Where a part leaves out its subject (`was founded in 1990 and employs 300 people`),
the words of the subject go before it. In doubt a sentence stays whole: a part that the answer does not state is worse
than a claim that states two things.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trail_callbacks.language.speech import declines
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting import verbs
from trail_callbacks.splitting.enumerations import items
from trail_callbacks.splitting.independence import (
    ADVERBS,
    DENIALS,
    EXPLETIVES,
    KEPT_ADVERBS,
    PRONOUNS,
    SCOPES,
    independent,
    own_subject,
)
from trail_callbacks.splitting.marks import clean
from trail_callbacks.splitting.tokens import (
    DETERMINERS,
    PREPOSITIONS,
    Token,
    first_verb,
    is_finite,
    may_hold_verb,
    tokenize,
)

__all__ = ["Part", "parts"]

_LONGEST = 2000  # signs; a longer sentence is a text without full stops, and no rule here was made for it
_SUBJECT = 12  # words
_ALL = vocabulary("respectively vice versa")  # these relate what would be parted
_FIRST = vocabulary(
    """according under in both either as during for given by with without from between among on at to of like"""
)
_CONDITION = vocabulary("if unless provided providing assuming")
_TIME = vocabulary("when whenever until once")
_REASON = vocabulary("it they he she we you this these there")  # behind `as`
_SINGULAR = vocabulary("is was has")


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
    listed = items(tokens)
    if listed:
        return [Part(start, end, clean(sentence[slice(*lead)])) for start, end, lead in listed]
    found: list[Part] = []
    for first, last in independent(tokens):
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
            if token.inner or token.form not in {"and", "but", "while", "whereas", ",", "however"} or at <= first:
                continue
            left = at - 1 if tokens[at - 1].form == "," else at
            if left <= first:
                continue
            cut = self._cut(first, left, at, before)
            if cut is None:
                continue
            yield Part(tokens[first].start, tokens[left - 1].end, before, pronoun)
            first, before, pronoun = at + 1 + cut.skip, cut.before, cut.pronoun
        if first < self.last:
            yield Part(tokens[first].start, tokens[self.last - 1].end, before, pronoun)

    def _cut(self, first: int, left: int, at: int, before: str) -> _Cut | None:
        """Decides about a cut between `tokens[first:left]` and what follows `tokens[at]`."""
        tokens, form = self.tokens, self.tokens[at].form
        comma = left < at
        has = first_verb(tokens, first, left)
        if (has is None and not before) or {t.form for t in tokens[at + 1 : self.last]} & _CONDITION:
            return None
        if form in {"but", "however"} and comma and self._declined(first, left, at):
            return _Cut()
        if tokens[first].form in _FIRST or {t.form for t in tokens[first:left]} & SCOPES:
            return None
        if form == ",":
            return self._relative(first, at) or (self._shared(first, at, at, before) if self._continues(at) else None)
        own = self._own(first, left, at, has)
        return own or (self._shared(first, left, at, before) if form in {"and", "but"} else None)

    def _own(self, first: int, left: int, at: int, has: int | None) -> _Cut | None:
        """A clause with a subject of its own."""
        tokens, form = self.tokens, self.tokens[at].form
        comma = left < at
        if form in {"while", "whereas"} and not comma:
            return None
        verb = own_subject(tokens, at + 1, self.last, bare=comma)
        if verb is None or has is None:
            return None
        listing = any(t.form == "," and not t.inner for t in tokens[first:left])
        if listing and verbs.past(tokens[has].form) and not verbs.clear_past(tokens[has].form):
            return None  # `The firm founded by A, B, and C was sold`
        subject = tokens[at + 1]
        if not comma:
            singular = tokens[verb].form in _SINGULAR or verbs.third(tokens[verb].form, tokens[verb + 1].form)
            steady = subject.form in DETERMINERS and tokens[left - 1].form not in PREPOSITIONS
            if not (steady and (singular or form == "but")) and subject.form not in PRONOUNS:
                return None
        if is_finite(tokens, left - 1) and tokens[left - 1].form in verbs.AUXILIARY:
            return None
        return _Cut(pronoun=subject.form in PRONOUNS)

    def _shared(self, first: int, left: int, at: int, before: str) -> _Cut | None:
        """A verb phrase that shares the subject of the clause before it."""
        tokens = self.tokens
        verb = at + 1
        while verb < self.last and tokens[verb].form in KEPT_ADVERBS:
            verb += 1
        if verb + 2 > self.last or not is_finite(tokens, verb):
            return None
        has = first_verb(tokens, first, left)
        subject = before or self._subject(first, has)
        if not subject or has is None or not self._goes_with(first, left, has, verb):
            return None
        if {t.form for t in tokens[at + 1 : self.last]} & _TIME or {t.form for t in tokens[first:left]} & DENIALS:
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
        if any(t.form == "as" and tokens[has + k + 1].form in _REASON for k, t in enumerate(tokens[has:left])):
            return True
        later = [at for at in range(has + 1, left) if is_finite(tokens, at)]
        return any(not verbs.past(tokens[at].form) for at in later)  # a participle only describes a thing

    def _subject(self, first: int, verb: int | None) -> str:
        """The words before the first verb, where they are surely its subject."""
        if verb is None or not 0 < verb - first <= _SUBJECT:
            return ""
        words = self.tokens[first:verb]
        if words[0].form in EXPLETIVES | PREPOSITIONS or not words[0].word or words[-1].form in PREPOSITIONS:
            return ""
        commas = [t for t in words if t.form == ","]
        if commas and not (len(commas) == 2 and words[-1].form == ","):  # noqa: PLR2004 - an apposition has two
            return ""
        if any(not t.word and t.form not in {",", "(", ")", "-", "/", "&", "%", "$", "'"} for t in words):
            return ""
        if words[-1].form in ADVERBS:
            words = words[:-1]
        if may_hold_verb([t for t in words if not t.form.endswith("ly")]):
            return ""
        return clean(self.sentence[words[0].start : words[-1].end]) if words else ""

    def _goes_with(self, first: int, left: int, has: int, verb: int) -> bool:
        """Whether the second verb is finite by itself and no participle or infinitive that hangs on the first."""
        tokens, form = self.tokens, self.tokens[verb].form
        following = tokens[verb + 1].form
        before = {t.form for t in tokens[first:left]}
        if form in {"have", "do", "are", "were"} and (before & verbs.MODAL or "to" in before):
            return False
        if form in verbs.AUXILIARY or following in verbs.AUXILIARY:
            return form in verbs.AUXILIARY
        if not verbs.past(form):
            return not before & (verbs.MODAL | {"to", "do", "does", "did", "have"}) or verbs.third(form, "the")
        if not verbs.opens_phrase(following, prepositions=True) and not following.endswith("ly"):
            return False
        active = verbs.past(tokens[has].form) and not before & verbs.AUXILIARY
        return verbs.clear_past(form) or (
            active and following != "by" and first_verb(tokens, verb + 1, self.last) is None
        )

    def _continues(self, at: int) -> bool:
        """Whether a row of verb phrases goes on behind a comma: `is old, has two towers, and stands in Paris`."""
        tokens = self.tokens
        verb = at + 1
        if not (
            is_finite(tokens, verb) and (tokens[verb].form in verbs.AUXILIARY or not verbs.past(tokens[verb].form))
        ):
            return False
        last = next((k for k in range(verb + 1, self.last - 1) if tokens[k].form == "and" and not tokens[k].inner
                     and is_finite(tokens, k + 1)), None)  # fmt: skip
        return last is not None and not {t.form for t in tokens[verb:last]} & SCOPES

    def _relative(self, first: int, at: int) -> _Cut | None:
        """`..., who was born in Paris` at the end, behind a full name and nothing else that it could belong to."""
        tokens = self.tokens
        if at + 2 >= self.last or tokens[at + 1].form != "who" or not is_finite(tokens, at + 2):
            return None
        if any(t.form in {",", "and", "or"} and not t.inner for t in tokens[at + 2 : self.last]):
            return None
        name = at
        while name > first and tokens[name - 1].capital and tokens[name - 1].word and not tokens[name - 1].inner:
            name -= 1
        if at - name < 2 or name == first or tokens[name - 1].form in {"and", "or", ",", "of", "the"}:  # noqa: PLR2004
            return None
        return _Cut(before=clean(self.sentence[tokens[name].start : tokens[at - 1].end]), skip=1)

    def _declined(self, first: int, left: int, at: int) -> bool:
        """Whether the first part says that something is not known, and the second states something."""
        tokens = self.tokens
        said = clean(self.sentence[tokens[first].start : tokens[left - 1].end])
        rest = clean(self.sentence[tokens[at + 1].start : tokens[self.last - 1].end])
        return declines(said) and not declines(rest) and first_verb(tokens, at + 1, self.last) is not None


@dataclass(frozen=True, slots=True)
class _Cut:
    """What the part behind a cut is like; `skip` counts tokens that belong to neither part."""

    before: str = ""
    pronoun: bool = False
    skip: int = 0
