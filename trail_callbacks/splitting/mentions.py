"""What a sentence names: its subject and its names, with their number, and whether they are persons. English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from trail_callbacks.language.terms import vocabulary
from trail_callbacks.splitting import verbs
from trail_callbacks.splitting.marks import clean
from trail_callbacks.splitting.tokens import DETERMINERS, PREPOSITIONS, Token, may_hold_verb

__all__ = ["PERSONS", "PRONOUNS", "Mention", "is_person", "names", "subject"]

PRONOUNS = vocabulary("it its he she his her they their")
_NAME = 8  # words a subject has at most to be put in place of a pronoun
PERSONS = vocabulary(
    """mr mrs ms dr prof professor sir lady king queen prince princess president senator mayor captain general
    judge saint actor actress architect artist astronaut author biologist boxer chef chemist coach composer
    councillor dancer director doctor economist engineer explorer farmer fisherman founder goalkeeper historian
    inventor journalist keeper lawyer leader mathematician minister musician novelist nurse painter patient
    person philosopher photographer physician physicist pianist player poet politician scientist sculptor singer
    soldier spokesman spokeswoman surgeon teacher man woman boy girl writer ceo chairman chairwoman"""
)
_THING = vocabulary(
    """inc ltd gmbh corp corporation company plc llc ag sa university college school institute museum tower bridge
    river lake mountain island sea ocean street park hotel church cathedral palace castle airport station museum
    league cup association agency bank group union act treaty war battle system model project committee council
    department party city town village county state kingdom republic club hk fc united band album film novel
    book"""
)
_QUANTIFIED = vocabulary("no each every any few many most some all neither either none another other such both several")
_NO_NAME = _QUANTIFIED | PREPOSITIONS | PRONOUNS | vocabulary("there this that these those what if you we i here who")
_BETWEEN = vocabulary("also then not now still often")
_TITLE = re.compile(r"(?:Mr|Mrs|Ms|Dr|Prof|Sir|Lady|St)\.?\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mention:
    """Something that was named: its words, whether there are several, whether it is a person (None: either)."""

    text: str
    plural: bool
    person: bool | None

    def fits(self, plural: bool, person: bool | None) -> bool:
        """Tells whether a pronoun of this number, for a person, a thing or either, may mean it."""
        if self.plural != plural:
            return False
        return person is None or self.person is None or self.person == person

    def owning(self) -> str:
        """The words with a possessive ending."""
        return self.text + ("'" if self.text.endswith("s") and self.plural else "'s")


def subject(tokens: Sequence[Token], verb: int | None) -> Mention | None:
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
    person = is_person(text)
    if person is None and not words[head].capital:
        person = bool(set(forms) & PERSONS)
    return Mention(text, plural, None if plural else person)


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
    if verb in {"is", "was", "has", "does"} or verbs.third(verb, "the"):
        return False
    return not proper and head.endswith("s") and not head.endswith(("ss", "us", "is"))


def names(tokens: Sequence[Token]) -> list[str]:
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
    if first.form in DETERMINERS | PREPOSITIONS or first.form in PRONOUNS:
        return True
    return not (following is not None and (following.capital or following.form in verbs.AUXILIARY | {"and", ","}))


def is_person(name: str) -> bool | None:
    """Tells a person from a thing by a title, a role, a suffix; None where a name says neither."""
    forms = {word.casefold().strip(".,") for word in clean(name).split()}
    if _TITLE.match(name) or forms & PERSONS:
        return True
    if forms & _THING or name.isupper() or any(sign.isdigit() for sign in name):
        return False
    return None
