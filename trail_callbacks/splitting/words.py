"""The words of an English sentence, and which of them are finite verbs, as far as that can be told without a model.

Verbs come from a list of common ones, inflected by rule. What could as well be a noun (`the plans`, `its uses`) counts
as a verb only before a word that opens a noun phrase. A verb that is missing here leaves a sentence whole, which is the
safe side.

`Thread` puts in whom a pronoun means, where the sentence before leaves no doubt. A pronoun at the head of a sentence
(`It`, `She`, `Their`) is replaced by the subject of the sentence before if that is surely a noun phrase and agrees in
number. Whether a name is a man's or a woman's is never guessed. In doubt the text stays as it is: a wrong name would
make a claim that the answer does not make.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from trail_callbacks.language.terms import vocabulary

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
_TOKEN = re.compile(r"(?:Mrs?|Ms|Dr|Prof|St|[A-Z])\.(?=\s[A-Z])|[^\W_]+(?:['\u2019.,&/-][^\W_]+)*|[^\w\s]|_")
_OPENING = dict(zip("([{\u201c\u00ab\u201e\u2018", ")]}\u201d\u00bb\u201c\u2019", strict=True))
_DRESS = frozenset("*_~")
_LONG = 4  # letters; of words up to this few in -ed are verbs
MODAL = vocabulary(
    """will would can could may might must should shall cannot won't wouldn't can't couldn't shouldn't mustn't
    needn't"""
)
AUXILIARY = MODAL | vocabulary(
    """is are was were isn't aren't wasn't weren't has have had does do did hasn't haven't hadn't doesn't don't
    didn't"""
)
_CLEAR = vocabulary(  # their in -s is hardly ever a noun
    """accept accompany achieve acquire add adopt agree allow announce apply appear approve argue arise assess
    assist attract avoid become begin belong bring build carry choose circle collect come comprise confirm
    connect consider consist contain continue contribute convert create decide declare define deliver depend
    derive describe develop differ discourage discover discuss earn eat eliminate employ enable encourage enjoy
    ensure enter establish exist expand explain extend fail fill find follow form formulate generate get give go
    govern grow happen help hold identify illustrate imply improve include indicate involve join keep know lack
    last lay learn let lose lower maintain make manage manufacture mean meet melt merge obtain occupy occur
    offer operate originate own participate pay perform possess prefer prepare prevent produce promote protect
    prove provide publish receive recommend reduce refer reflect regulate reject relate rely remain remove
    replace represent require resemble reside retain reveal say seek seem sell send serve sit solve specialize
    specify spend strengthen suffer suggest suppress surround take teach tell tend think transmit understand
    undergo utilize vary wear weigh win write"""
)
_DOUBTFUL = vocabulary(  # their form in -s may be a noun
    """address aim answer attack average back balance benefit block border boost break call cause change claim
    close combine compete control cool cost cover cross cut date design direct display divide dream drink drive
    drop end estimate face fall feature feel fight file fit fly focus force function fund grant guide handle
    head heat host house influence issue jump land lead lease level limit line link list load look mark market
    matter measure move name need note number open order pass peak place plan play point power process pull push
    raise range rank rate reach read record rent report rest result return reward ride ring rise roll rule run
    score see set shape share ship show sign signal sleep sound span speak start state stop stretch structure
    study talk target test time top total touch track trade train travel triple trigger use value view visit
    vote wait walk want wash watch water work pick act ask bear buy bake boil cook rinse dry stay live leave
    store supply increase permit purchase release treat turn stand support form gain lie"""
)
_IRREGULAR = vocabulary(  # also participles
    """bought brought built caught cost cut dealt felt fought found fed fled got had heard held hit hurt kept laid
    led left lent let lost made meant met paid put read said sat sent set shot shut sold sought sounded spent
    split spread stood struck swung taught thought told understood won wound"""
)
_CLEAR_PAST = vocabulary(  # no participles
    """ate arose awoke became began bore blew broke came chose did drank drew drove fell flew forgot froze gave
    grew hid knew lay mistook ran rang rode rose sang sank saw shook shrank sprang spoke stole swam swore took
    threw tore underwent undertook went withdrew woke wore wrote"""
)
_OPENS = vocabulary(
    """a an the this that these those its his her their our your my some any all each every no many much most more
    several few both two three four five six seven eight nine ten eleven twelve twenty thirty fifty hundred
    thousand million one about around nearly almost over up only roughly approximately half it them him us you
    me"""
)


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
        if written in _DRESS:
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
    if token.form in AUXILIARY:
        return before not in {"to", "the", "a"}
    if third(token.form, ""):  # no noun
        return True
    if before in _BEFORE_NOUN:
        return False  # `the increased cost`
    if third(token.form, following) or past(token.form):
        return True
    several = before in {"they", "you", "we"} or is_plural(before)
    return several and base(token.form) and opens_phrase(following)  # `adults take one`


def first_verb(tokens: Sequence[Token], start: int = 0, end: int | None = None) -> int | None:
    """Finds the first finite verb; None if none is known."""
    stop = len(tokens) if end is None else end
    return next((at for at in range(start, stop) if is_finite(tokens, at)), None)


def is_plural(word: str) -> bool:
    """Tells whether a word looks like the plural of a noun."""
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


def past(word: str) -> bool:
    """Tells whether a word may be the past form of a verb; most are participles too."""
    return word in _IRREGULAR or clear_past(word) or (len(word) > _LONG and word.endswith("ed"))


def clear_past(word: str) -> bool:
    """Tells whether a word is the past form of a verb and nothing else."""
    return word in _CLEAR_PAST


def third(word: str, following: str) -> bool:
    """Tells whether a word is the form of the third person, given the word after it."""
    if word in _forms(_CLEAR):
        return True
    return word in _forms(_DOUBTFUL) and opens_phrase(following)


def base(word: str) -> bool:
    """Tells whether a word is the base form of a verb, as an instruction begins with."""
    return word in _CLEAR or word in _DOUBTFUL or word in {"be", "do", "have"}


def opens_phrase(word: str) -> bool:
    """Tells whether a word opens a noun phrase, so that a verb may stand before it."""
    return word in _OPENS or word[:1].isdigit()


@cache
def _forms(verbs: frozenset[str]) -> frozenset[str]:
    return frozenset(map(_third, verbs))


def _third(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


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
