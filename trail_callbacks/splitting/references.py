"""Whom a pronoun means, where the sentence before leaves no doubt. English.

A pronoun at the head of a sentence (`It`, `She`, `Their`) is replaced by the subject of the sentence before if that is
surely a noun phrase and agrees in number. Whether a name is a man's or a woman's is never guessed. In doubt the text
stays as it is: a wrong name would make a claim that the answer does not make.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting.words import (
    DETERMINERS,
    PREPOSITIONS,
    Token,
    first_verb,
    is_plural,
    past,
    third,
    tokenize,
)

_LONGEST = 600  # characters of a sentence that are read
_NAME = 8  # words a subject has at most to be put in place of a pronoun
_SINGULAR = vocabulary("it its he she his her")
_PERSONAL = vocabulary("he she his her")
_OWNING = vocabulary("its his her their")
_PRONOUNS = _SINGULAR | vocabulary("they their")
_NO_NAME = (PREPOSITIONS | _PRONOUNS) | vocabulary(
    """there this that these those what if you we i here who no each every any few many most some all neither either
    none another other such both several"""
)
_POINTING = _PRONOUNS | vocabulary("this that these those")
_BETWEEN = vocabulary("also then not now still often")
_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Dr|Prof|Sir|Lady)\.?\s", re.IGNORECASE)
_EMPTY = re.compile(  # `it` that stands for nothing: `It is important to ...`, `It takes an hour to ...`
    r"it(?:'s|\s(?:is|was|would\sbe|will\sbe|may\sbe|can\sbe|could\sbe|should\sbe|has\sbeen|might\sbe))\s(?:also\s|not\s|\w+ly\s|very\s|so\s|too\s|more\s)*"
    r"(?:(?!used|designed|made|built|meant|intended|able|set|due|about|going|said|supposed|a|an|the)\w+\s(?:to|that|if|whether|for\s\w+\sto)\b"
    r"|recommended|advised|advisable|suggested|important|possible|said|believed|thought|estimated|noted|worth|likely|time|cold|"
    r"hot|late|early|dark|raining|sunny|windy|\d|[\w ]{1,40}\b(?:who|that)\b)"
    r"|it\s(?:seems|appears|rains|rained|snows|snowed|turns|turned|depends|follows|happens|happened|looks|takes|took|became\sclear)\b",
    re.IGNORECASE,
)


def points_back(text: str) -> bool:
    """Tells whether the subject of an English sentence is a word that only what stands before explains."""
    tokens = tokenize(text[:_LONGEST])
    forms = [token.form.partition("'")[0] for token in tokens[: first_verb(tokens)]]
    first = forms[:1] if not PREPOSITIONS.issuperset(forms[:1]) else forms  # `In 1543 its tower was rebuilt`
    return not _POINTING.isdisjoint([*first, *forms[-1:]])


@dataclass(frozen=True, slots=True)
class _Mention:
    """The subject of a sentence: its words, whether it is plural, and whether it is a bare name."""

    text: str
    plural: bool
    named: bool

    def fits(self, pronoun: str) -> bool:
        """Tells whether a pronoun may mean it."""
        if self.plural or pronoun not in _SINGULAR:
            return self.plural and pronoun not in _SINGULAR
        return self.named if pronoun in _PERSONAL else _TITLE.match(self.text) is None


@dataclass(slots=True)
class Thread:
    """What the sentence before was about. One for each run of sentences that belong together."""

    subject: _Mention | None = None
    meant: _Mention | None = None  # by the subject of the sentence at hand

    def turn(self) -> None:
        """Forgets what pronouns may mean: another paragraph or list item begins."""
        self.subject = None

    def resolve(self, text: str) -> str:
        """Puts a name in the place of the pronoun at the head of a sentence, where it can mean only that.

        Args:
            text: A sentence without marks, as `marks.clean` leaves it.

        Returns:
            The sentence with the name, or the sentence itself.
        """
        self.meant = None
        tokens, mention = tokenize(text[:_LONGEST]), self.subject
        if mention is None or not tokens or tokens[0].inner or not mention.fits(form := tokens[0].form):
            return text
        forms = {token.form for token in tokens}
        others = {"he", "him", "his"} if form in {"she", "her"} else {"she", "her", "hers"}
        several = form in _PERSONAL and others & forms  # `He met her`
        empty = form == "it" and _EMPTY.match(text[tokens[0].start :]) is not None
        if form not in _PRONOUNS or several or empty or (form == "her" and any(past(t.form) for t in tokens[1:2])):
            return text
        name = mention.text
        if form not in _OWNING:
            self.meant = mention
        elif PREPOSITIONS.isdisjoint(token.form for token in tokenize(name)):
            name += "'" if mention.plural and name.endswith("s") else "'s"
        else:
            return text  # not `the bridge over the river's deck`
        return text[: tokens[0].start] + name[:1].upper() + name[1:] + text[tokens[0].end :]

    def observe(self, text: str) -> None:
        """Reads a sentence, with its pronoun resolved, for what the next one may mean."""
        self.subject = self.meant or _subject(tokenize(text[:_LONGEST]))


def _subject(tokens: Sequence[Token]) -> _Mention | None:
    """The subject of a sentence, if its words are surely a noun phrase."""
    verb = first_verb(tokens)
    words = _phrase(tokens, verb) if verb is not None else []
    if verb is None or not 0 < len(words) <= _NAME or any(t.inner or not (t.word or t.form == ",") for t in words):
        return None
    first, forms = words[0], [token.form for token in words]
    if first.form in _NO_NAME or not (first.capital or first.form in DETERMINERS or first.written[0].isdigit()):
        return None
    text = " ".join(token.written for token in words).replace(" ,", ",")
    end = next((at for at, form in enumerate(forms) if form in PREPOSITIONS), len(forms))
    form = tokens[verb].form
    singular = form in {"is", "was", "has", "does"} or third(form, "the") or (words[end - 1].capital and end > 1)
    plural = "and" in forms[:end] or form in {"are", "were", "have"} or (not singular and is_plural(forms[end - 1]))
    named = first.capital and first.form not in DETERMINERS and not any(sign.isdigit() for sign in text)
    return _Mention(text, plural, named)


def _phrase(tokens: Sequence[Token], verb: int) -> list[Token]:
    """The words before the verb without an opening phrase, an apposition or an adverb."""
    words = list(tokens[:verb])
    commas = [at for at, token in enumerate(words) if token.form == ","]
    opening = tokens[0].form in PREPOSITIONS or tokens[0].form.endswith(("ing", "ly"))
    if not commas:
        words = [] if tokens[0].form in PREPOSITIONS else words
    elif commas[-1] == verb - 1 and not opening:
        words = words[: commas[0]]
    elif opening or "and" not in {token.form for token in words[commas[-1] :]}:
        words = words[commas[-1] + 1 :]
    while words and (words[-1].form.endswith("ly") or words[-1].form in _BETWEEN):
        words.pop()
    return words
