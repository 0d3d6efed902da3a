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

from trail_callbacks.splitting import verbs
from trail_callbacks.splitting.marks import clean
from trail_callbacks.splitting.tokens import DETERMINERS, PREPOSITIONS, Token, first_verb, may_hold_verb, tokenize
from trail_callbacks.terms import vocabulary

__all__ = ["Thread"]

_LONGEST = 600  # signs of a sentence that is read for names
_NAME = 8  # words a subject has at most to be put in place of a pronoun
_PERSON = vocabulary(
    """mr mrs ms dr prof professor sir lady king queen prince princess president senator mayor captain general
    judge saint actor actress architect artist astronaut author biologist boxer chef chemist coach composer
    councillor dancer director doctor economist engineer explorer farmer fisherman founder goalkeeper historian
    inventor journalist keeper lawyer leader mathematician minister musician novelist nurse painter patient
    person philosopher photographer physician physicist pianist player poet politician scientist sculptor singer
    soldier spokesman spokeswoman surgeon teacher man woman boy girl writer ceo chairman chairwoman"""
)
_LIVED = vocabulary("born married studied died retired retiring said says wrote graduated")
_THING = vocabulary(
    """inc ltd gmbh corp corporation company plc llc ag sa university college school institute museum tower bridge
    river lake mountain island sea ocean street park hotel church cathedral palace castle airport station museum
    league cup association agency bank group union act treaty war battle system model project committee council
    department party city town village county state kingdom republic club hk fc united band album film novel
    book"""
)
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
_QUANTIFIED = vocabulary("no each every any few many most some all neither either none another other such both several")
_NO_NAME = (
    _QUANTIFIED | PREPOSITIONS | _SUBJECT.keys() | vocabulary("there this that these those what if you we i here who")
)
_BETWEEN = vocabulary("also then not now still often")
_OWNING = vocabulary("its his her their")
_EMPTY = re.compile(  # `it` that stands for nothing: `It is important to ...`, `It takes an hour to ...`
    r"it(?:'s|\s(?:is|was|would\sbe|will\sbe|may\sbe|can\sbe|could\sbe|should\sbe|has\sbeen|might\sbe))\s(?:also\s|not\s|\w+ly\s|very\s|so\s|too\s|more\s)*"
    r"(?:(?!used|designed|made|built|meant|intended|able|set|due|about|going|said|supposed|a|an|the)\w+\s(?:to|that|if|whether|for\s\w+\sto)\b"
    r"|recommended|advised|advisable|suggested|important|possible|said|believed|thought|estimated|noted|worth|likely|time|cold|"
    r"hot|late|early|dark|raining|sunny|windy|\d|[\w ]{1,40}\b(?:who|that)\b)"
    r"|it\s(?:seems|appears|rains|rained|snows|snowed|turns|turned|depends|follows|happens|happened|looks|takes|took|became\sclear)\b",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Dr|Prof|Sir|Lady|St)\.?\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Mention:
    """Something that was named: its words, whether there are several, whether it is a person (None: either)."""

    text: str
    plural: bool
    person: bool | None

    def fits(self, plural: bool, person: bool | None) -> bool:
        if self.plural != plural:
            return False
        return person is None or self.person is None or self.person == person

    def owning(self) -> str:
        return self.text + ("'" if self.text.endswith("s") and self.plural else "'s")


@dataclass(slots=True)
class Thread:
    """What the sentences so far have been about. One for each run of sentences that belong together."""

    subject: _Mention | None = None
    names: tuple[_Mention, ...] = ()
    kinds: dict[str, list[str]] = field(default_factory=dict)  # noun -> names that were said to be one
    persons: dict[str, bool] = field(default_factory=dict)
    meant: _Mention | None = None  # by the subject of the sentence at hand

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

    def _meant(self, plural: bool, person: bool | None) -> _Mention | None:
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
            if tokens[at + 2].form in {"'", "s"} or not is_verb(tokens, at + 2):
                return text
        elif noun in self.kinds and is_verb(tokens, at + 2) and len(set(self.kinds[noun])) == 1:
            said = self.kinds[noun][0]
        return _replaced(text, tokens[at].start, tokens[at + 1].end, said) if said else text

    def observe(self, text: str) -> None:
        """Reads a sentence, with its references resolved, for what the next one may mean."""
        tokens = tokenize(text[:_LONGEST])
        names = _names(tokens)
        verb = first_verb(tokens)
        subject = self.meant or _subject(tokens, verb)
        if subject is not None and verb is not None:
            self._learn(subject, tokens, verb)
            person = self.persons.get(subject.text, subject.person)
            subject = _Mention(subject.text, subject.plural, person)
        mentions = tuple(_Mention(name, plural=False, person=self.persons.get(name, _person(name))) for name in names)
        forms = {token.form for token in tokens}
        kept = self.subject is not None and not self.subject.plural and (subject is None or subject.plural)
        if (
            kept
            and not names
            and forms & {"it", "its"}
            and self.subject is not None
            and self.subject.person is not True
        ):
            return  # the sentence goes on about the same thing: `Doses of it are ...`
        self.subject, self.names = subject, mentions

    def _learn(self, subject: _Mention, tokens: Sequence[Token], verb: int) -> None:
        """What a name is: `Tarn is a company in Oslo`."""
        rest = [token.form for token in tokens[verb + 1 : verb + 8]]
        if (
            tokens[verb].form in {"is", "was"}
            and rest[:1]
            and rest[0] in {"a", "an", "the"}
            and subject.text[:1].isupper()
        ):
            phrase = rest[1:]
            stop = next((k for k, form in enumerate(phrase) if form in PREPOSITIONS or not form.isalpha() or form in
                         {"that", "which", "who", "and", "or"} or verbs.past(form)), len(phrase))  # fmt: skip
            if stop:
                noun = phrase[stop - 1]
                kinds = self.kinds.setdefault(noun, [])
                if tokens[0].form not in DETERMINERS and subject.text not in kinds:
                    kinds.append(subject.text)
                self.persons[subject.text] = noun in _PERSON
        elif set(rest[:1]) & _LIVED or tokens[verb].form in _LIVED:
            self.persons.setdefault(subject.text, True)


def is_verb(tokens: Sequence[Token], at: int) -> bool:
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


def _subject(tokens: Sequence[Token], verb: int | None) -> _Mention | None:
    """The subject of a sentence, if its words are surely a noun phrase."""
    words = _phrase(tokens, verb) if verb is not None else []
    if verb is None or not 0 < len(words) <= _NAME or any(t.inner or not (t.word or t.form == ",") for t in words):
        return None
    first = words[0]
    if (
        first.form in _NO_NAME
        or may_hold_verb(words)
        or not (first.capital or first.form in DETERMINERS or first.written[0].isdigit())
    ):
        return None
    text = "".join(("" if at == 0 or token.form == "," else " ") + token.written for at, token in enumerate(words))
    forms = [token.form for token in words]
    joined = "and" in forms and not (set(forms[: forms.index("and")]) & PREPOSITIONS)
    head = next((at for at, form in enumerate(forms) if form in PREPOSITIONS), len(forms)) - 1
    proper = words[head].capital and head == len(forms) - 1 and len(forms) > 1
    plural = joined or _is_plural(forms[head], tokens[verb].form, proper=proper)
    person = _person(text)
    if person is None and not words[head].capital:
        person = bool(set(forms) & _PERSON)
    return _Mention(text, plural, None if plural else person)


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


def _may_replace(form: str, following: str, mention: _Mention) -> bool:
    """Whether the words of a mention fit into the place of a pronoun."""
    tokens = tokenize(mention.text)
    if form in _OWNING:  # not `the bridge over the river's deck`
        return not any(token.form in PREPOSITIONS for token in tokens)
    return form not in {token.form for token in tokens} and (mention.plural or following not in {"have", "are", "were"})


def _is_plural(head: str, verb: str, *, proper: bool) -> bool:
    if verb in {"are", "were", "have"}:
        return True
    if verb in {"is", "was", "has", "does"} or verbs.third(verb, "the"):
        return False
    return not proper and head.endswith("s") and not head.endswith(("ss", "us", "is"))


def _names(tokens: Sequence[Token]) -> list[str]:
    """Runs of capitalised words, none of them a mere first word of the sentence."""
    found: list[str] = []
    run: list[str] = []
    for at, token in enumerate([*tokens, None]):
        if token is not None and token.capital and token.word and (at or not _opens(tokens)):
            run.append(token.written.removesuffix("'s").removesuffix("\u2019s"))
            if not token.written.endswith(("'s", "\u2019s")):
                continue
        if run:
            found.append(" ".join(run))
            run = []
    return list(dict.fromkeys(found))


def _opens(tokens: Sequence[Token]) -> bool:
    """Whether the first word has its capital from its place alone."""
    first = tokens[0]
    following = tokens[1] if len(tokens) > 1 else None
    if first.form in DETERMINERS | PREPOSITIONS or first.form in _SUBJECT:
        return True
    return not (following is not None and (following.capital or following.form in verbs.AUXILIARY | {"and", ","}))


def _person(name: str) -> bool | None:
    """Tells a person from a thing by a title, a role, a suffix; None where a name says neither."""
    forms = {word.casefold().strip(".,") for word in clean(name).split()}
    if _TITLE.match(name) or forms & _PERSON:
        return True
    if forms & _THING or name.isupper() or any(sign.isdigit() for sign in name):
        return False
    return None


def _replaced(text: str, start: int, end: int, name: str) -> str:
    """A text with a name in the place of a reference, with a capital where the reference had one."""
    article = name.split(" ", 1)[0].casefold()
    if start == 0 or article not in DETERMINERS:
        name = name[:1].upper() + name[1:] if start == 0 else name
    else:
        name = name[:1].lower() + name[1:]
    return text[:start] + name + text[end:]
