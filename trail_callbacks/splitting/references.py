"""Whom a pronoun means, where the sentences before leave exactly one answer. English.

A pronoun at the head of a sentence (`It`, `She`, `Their`, `This company`, `The latter`) is replaced by the subject of
the sentence before if that fits, else by the only name there that fits. What fits is told by number and by honest cues
for person or thing; whether a name is a man's or a woman's is never guessed. Where two fit or none, the text stays as
it is: a wrong name would make a claim that the answer does not make.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting import verbs
from trail_callbacks.splitting.mentions import PERSONS, Mention, is_person, names, subject
from trail_callbacks.splitting.tokens import DETERMINERS, PREPOSITIONS, Token, first_verb, tokenize

__all__ = ["Thread"]

_LONGEST = 600  # signs of a sentence that is read for names
_LIVED = vocabulary("born married studied died retired retiring said says wrote graduated")
_SUBJECT = {
    "it": (False, False),
    "its": (False, False),
    "he": (False, True),
    "she": (False, True),
    "his": (False, True),
    "her": (False, True),
    "they": (True, None),
    "their": (True, None),
}
_OWNING = vocabulary("its his her their")
_EMPTY = re.compile(  # `it` that stands for nothing: `It is important to ...`, `It takes an hour to ...`
    r"it(?:'s|\s(?:is|was|would\sbe|will\sbe|may\sbe|can\sbe|could\sbe|should\sbe|has\sbeen|might\sbe))\s(?:also\s|not\s|\w+ly\s|very\s|so\s|too\s|more\s)*"
    r"(?:(?!used|designed|made|built|meant|intended|able|set|due|about|going|said|supposed|a|an|the)\w+\s(?:to|that|if|whether|for\s\w+\sto)\b"
    r"|recommended|advised|advisable|suggested|important|possible|said|believed|thought|estimated|noted|worth|likely|time|cold|"
    r"hot|late|early|dark|raining|sunny|windy|\d|[\w ]{1,40}\b(?:who|that)\b)"
    r"|it\s(?:seems|appears|rains|rained|snows|snowed|turns|turned|depends|follows|happens|happened|looks|takes|took|became\sclear)\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Thread:
    """What the sentences so far have been about. One for each run of sentences that belong together."""

    subject: Mention | None = None
    names: tuple[Mention, ...] = ()
    kinds: dict[str, set[str]] = field(default_factory=dict)  # noun -> names that were said to be one
    persons: dict[str, bool] = field(default_factory=dict)
    meant: Mention | None = None  # by the subject of the sentence at hand

    def turn(self) -> None:
        """Forgets what pronouns may mean: another paragraph or list item begins. What names are stays known."""
        self.subject, self.names = None, ()

    def resolve(self, text: str) -> str:
        """Puts a name in the place of the pronoun or short reference at the head of a sentence, where one fits.

        Args:
            text: A sentence without marks, as `marks.clean` leaves it.

        Returns:
            The sentence with the name, or the sentence itself.
        """
        self.meant = None
        tokens = tokenize(text[:_LONGEST])
        at = _head(tokens)
        if at is None:
            return text
        if tokens[at].form in _SUBJECT:
            return self._pronoun(text, tokens, at)
        return self._reference(text, tokens, at)

    def _pronoun(self, text: str, tokens: Sequence[Token], at: int) -> str:
        """`It`, `She`, `Their`."""
        token, form = tokens[at], tokens[at].form
        following = tokens[at + 1].form if at + 1 < len(tokens) else ""
        plural, person = _SUBJECT[form]
        empty = form == "it" and _EMPTY.match(text[token.start :]) is not None
        others = {"he", "him", "his"} if form in {"she", "her"} else {"she", "her", "hers"}
        empty = empty or (person is True and not others.isdisjoint(t.form for t in tokens))  # `He met her`
        hidden = at and (
            person is not True or any(t.capital for t in tokens[1:at])
        )  # one of the words before may be it
        if empty or hidden or (form == "her" and verbs.past(following)):
            return text
        mention = self._meant(plural, person)
        if mention is None or not _may_replace(form, following, mention):
            return text
        if person:
            self.persons[mention.text] = True
        if form not in _OWNING:
            self.meant = mention
        return _replaced(text, token.start, token.end, mention.owning() if form in _OWNING else mention.text)

    def _meant(self, plural: bool, person: bool | None) -> Mention | None:
        if self.subject is not None and self.subject.fits(plural, person):
            return self.subject
        fitting = {name.text: name for name in self.names if name.fits(plural, person)}
        if not person:
            return None  # things are also named without capitals: another name is no only candidate
        return next(iter(fitting.values())) if len(fitting) == 1 else None

    def _reference(self, text: str, tokens: Sequence[Token], at: int) -> str:
        """`The latter`, `The former`, `This company`."""
        if at + 2 >= len(tokens):
            return text
        noun = tokens[at + 1].form
        said = ""
        if noun in {"former", "latter"} and tokens[at].form == "the" and len(self.names) == 2:  # noqa: PLR2004 - of two
            said = self.names[noun == "latter"].text
            if tokens[at + 2].form in {"'", "s"} or not _is_verb(tokens, at + 2):
                return text
        elif noun in self.kinds and _is_verb(tokens, at + 2) and len(self.kinds[noun]) == 1:
            (said,) = self.kinds[noun]
        return _replaced(text, tokens[at].start, tokens[at + 1].end, said) if said else text

    def observe(self, text: str) -> None:
        """Reads a sentence, with its references resolved, for what the next one may mean."""
        tokens = tokenize(text[:_LONGEST])
        named = names(tokens)
        verb = first_verb(tokens)
        about = self.meant or subject(tokens, verb)
        if about is not None and verb is not None:
            self._learn(about, tokens, verb)
            person = self.persons.get(about.text, about.person)
            about = Mention(about.text, about.plural, person)
        mentions = tuple(Mention(name, plural=False, person=self.persons.get(name, is_person(name))) for name in named)
        forms = {token.form for token in tokens}
        thing = self.subject is not None and self.subject.fits(plural=False, person=False)
        if thing and not named and (about is None or about.plural) and forms & {"it", "its"}:
            return  # the sentence goes on about the same thing: `Doses of it are ...`
        self.subject, self.names = about, mentions

    def _learn(self, about: Mention, tokens: Sequence[Token], verb: int) -> None:
        """What a name is: `Tarn is a company in Oslo`."""
        rest = [token.form for token in tokens[verb + 1 : verb + 8]]
        told = tokens[verb].form in {"is", "was"} and not {"a", "an", "the"}.isdisjoint(rest[:1])
        if told and about.text[:1].isupper():
            phrase = rest[1:]
            stop = next((k for k, form in enumerate(phrase) if form in PREPOSITIONS or not form.isalpha() or form in
                         {"that", "which", "who", "and", "or"} or verbs.past(form)), len(phrase))  # fmt: skip
            if stop:
                noun = phrase[stop - 1]
                kinds = self.kinds.setdefault(noun, set())
                if tokens[0].form not in DETERMINERS:
                    kinds.add(about.text)
                self.persons[about.text] = noun in PERSONS
        elif set(rest[:1]) & _LIVED or tokens[verb].form in _LIVED:
            self.persons.setdefault(about.text, True)


def _is_verb(tokens: Sequence[Token], at: int) -> bool:
    """Whether the first finite verb stands here."""
    return first_verb(tokens, at, at + 1) == at


def _head(tokens: Sequence[Token]) -> int | None:
    """Where the pronoun or reference at the head of the sentence stands: first, or behind an opening phrase."""
    for at, token in enumerate(tokens[:12]):
        if token.inner:
            return None
        if at == 0 and (token.form in _SUBJECT or token.form in {"this", "that", "the"}):
            return 0
        if token.form in {"he", "she"}:
            return at
        if at and (token.form in _SUBJECT or token.form in verbs.AUXILIARY):
            return None
    return None


def _may_replace(form: str, following: str, mention: Mention) -> bool:
    """Whether the words of a mention fit into the place of a pronoun."""
    tokens = tokenize(mention.text)
    if form in _OWNING:  # not `the bridge over the river's deck`
        return not any(token.form in PREPOSITIONS for token in tokens)
    return form not in {token.form for token in tokens} and (mention.plural or following not in {"have", "are", "were"})


def _replaced(text: str, start: int, end: int, name: str) -> str:
    """A text with a name in the place of a reference, with a capital where the reference had one."""
    article = name.split(" ", 1)[0].casefold()
    if start == 0 or article not in DETERMINERS:
        name = name[:1].upper() + name[1:] if start == 0 else name
    else:
        name = name[:1].lower() + name[1:]
    return text[:start] + name + text[end:]
