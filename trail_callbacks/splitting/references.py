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
    may_hold_verb,
    past,
    third,
    tokenize,
)

__all__ = ["Thread", "points_back"]

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
    """The subject of a sentence: its words, whether it is plural, has a title (a person), or is a bare name."""

    text: str
    plural: bool
    titled: bool
    named: bool

    def fits(self, pronoun: str) -> bool:
        """Tells whether a pronoun may mean it."""
        if self.plural or pronoun not in _SINGULAR:
            return self.plural and pronoun not in _SINGULAR
        if pronoun in _PERSONAL:
            return self.named
        return not self.titled


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
        tokens = tokenize(text[:_LONGEST])
        mention = self.subject
        if mention is None or not tokens or tokens[0].inner or tokens[0].form not in _PRONOUNS:
            return text
        form, following = tokens[0].form, tokens[1].form if len(tokens) > 1 else ""
        others = {"he", "him", "his"} if form in {"she", "her"} else {"she", "her", "hers"}
        several = form in _PERSONAL and not others.isdisjoint(token.form for token in tokens)  # `He met her`
        empty = form == "it" and _EMPTY.match(text[tokens[0].start :]) is not None
        if several or empty or (form == "her" and past(following)) or not mention.fits(form):
            return text
        words = {token.form for token in tokenize(mention.text)}
        if form in _OWNING:
            if words & PREPOSITIONS:  # not `the bridge over the river's deck`
                return text
            name = mention.text + ("'" if mention.plural and mention.text.endswith("s") else "'s")
        else:
            self.meant = mention
            name = mention.text
        return text[: tokens[0].start] + name[:1].upper() + name[1:] + text[tokens[0].end :]

    def observe(self, text: str) -> None:
        """Reads a sentence, with its pronoun resolved, for what the next one may mean."""
        tokens = tokenize(text[:_LONGEST])
        self.subject = self.meant or _subject(tokens)


def _subject(tokens: Sequence[Token]) -> _Mention | None:
    """The subject of a sentence, if its words are surely a noun phrase."""
    verb = first_verb(tokens)
    words = _phrase(tokens, verb) if verb is not None else []
    if verb is None or not 0 < len(words) <= _NAME or any(t.inner or not (t.word or t.form == ",") for t in words):
        return None
    first = words[0]
    opens = first.capital or first.form in DETERMINERS or first.written[0].isdigit()
    if first.form in _NO_NAME or may_hold_verb(words) or not opens:
        return None
    text = "".join(("" if at == 0 or token.form == "," else " ") + token.written for at, token in enumerate(words))
    forms = [token.form for token in words]
    joined = "and" in forms and not (set(forms[: forms.index("and")]) & PREPOSITIONS)
    head = next((at for at, form in enumerate(forms) if form in PREPOSITIONS), len(forms)) - 1
    proper = words[head].capital and head == len(forms) - 1 and len(forms) > 1
    plural = joined or _is_plural(forms[head], tokens[verb].form, proper=proper)
    named = first.capital and first.form not in DETERMINERS and not any(sign.isdigit() for sign in text)
    return _Mention(text, plural, _TITLE.match(text) is not None, named)


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


def _is_plural(head: str, verb: str, *, proper: bool) -> bool:
    if verb in {"are", "were", "have"}:
        return True
    if verb in {"is", "was", "has", "does"} or third(verb, "the"):
        return False
    return not proper and is_plural(head)
