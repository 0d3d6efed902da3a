"""Sentences that say the opposite, or something else of the same: negation, modality and order.

A sentence is changed that makes one statement: in each kind there is one way to turn it, and none where other clauses
depend on it. All sentences that say it in almost the same words are changed; where one may say it in other words,
nothing is.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, EditKind, Replacement, Size
from trail_callbacks.canary.facts.sayings import sayings_of
from trail_callbacks.language.detect import language
from trail_callbacks.language.negation import negation
from trail_callbacks.language.values.numerals import ORDINALS

__all__ = ["propose_modality", "propose_negation", "propose_order"]

_LONGEST = 240  # characters of a sentence
_Turn = tuple[int, int, str, str, str]
"""A change of a sentence: start and end in it, the new words, and what is said before and after, for a person."""

_BEFORE: Final = r"(?<![\w'\u2019])"
_AFTER: Final = r"(?![\w'\u2019-])"
_AUXILIARY: Final = re.compile(rf"{_BEFORE}(is|are|was|were|can|could|will|would|should|must){_AFTER}")
_PERFECT: Final = re.compile(
    rf"{_BEFORE}(?<!(?:may|can) )(?<!(?:will|must) )(?<!(?:might|could|would) )(?<!should )(?<!\bto )(has|have|had)"
    r"(?=\s(?:been|become"
    r"|(?!hundred)\w{3,}ed\s(?:an?|the|its|their|his|her|our|from|to|in|on|at|by|for|since|over|into|out|up))\b)"
)
_NOT: Final = re.compile(
    rf"{_BEFORE}(is|are|was|were|could|will|would|should|must|has|have|had)(\snot|n['\u2019]t){_AFTER}"
    r"(?!\s(?:only|just|merely|yet|until|been\sable)\b)"
)
_CANNOT: Final = re.compile(rf"{_BEFORE}(?:cannot|can\snot|can['\u2019]t){_AFTER}")
_DO_NOT: Final = re.compile(
    rf"(?<=\w )(do|does)(?:\snot|n['\u2019]t)\s(?!(?:only|just|merely|yet|necessarily|in|at)\b)([a-z]{{2,}}){_AFTER}"
)
_MARKS: Final = r"[;:?\"\u201c\u201d()|]"
_CLAUSE: Final = "unless|whether|than|if|while|whereas|although|though|but"
_PARTED: Final = re.compile(
    rf"{_MARKS}|\b(?:{_CLAUSE}|which|who|whom|whose|that|because|when|since|until|where|what|how|why|however|only|also"
    r"|still|already|always|often|usually|sometimes|never|both|either|and|or|all|every|each|any|some|many|most|few|there"
    r"|here|too|even|once|except|(?:at|by) the time|the (?:better|more|less|faster|longer|higher|lower))\b",
    re.IGNORECASE,
)
_LEADS: Final = re.compile(r"(?:After|Before|As|With|For|Given)\b")
_WORDS: Final = re.compile(r"\s(?!(?:about|around|nearly|almost|just)\s)[^\W\d_]{2,}")
_BASES: Final[Mapping[str, str]] = {
    base + ending: base
    for ending, bases in {
        "s": "accept allow arrive become begin belong close consist contain cover depend exist include lie live open "
        "own provide receive require sell serve speak take",
        "es": "teach reach finish publish",
    }.items()
    for base in bases.split()
} | {"carries": "carry", "has to": "have to", "applies": "apply"}
"""Forms of verbs that are no nouns, and what `not` stands before."""
_VERB: Final = re.compile(
    # A subject of few words, the last of them no plural and no preposition, and the verb of the sentence.
    r"(?:The|This|Our|Its|Their|An?|[A-Z]\w+)(?:\s(?:of\s)?[\w-]+){0,4}?"
    rf"(?<!\w[^su]s)(?<!\b(?:to|of|in|at|on|by|as))\s({'|'.join(sorted(_BASES, key=len, reverse=True))})\s"
)
_MODALS: Final[Mapping[str, str]] = {
    "must": "may", "has to": "may", "have to": "may", "is required to": "is free to", "are required to": "are free to",
    "is obliged to": "is free to", "are obliged to": "are free to", "is required": "is optional",
    "are required": "are optional", "is mandatory": "is optional", "are mandatory": "are optional",
    "is compulsory": "is voluntary", "are compulsory": "are voluntary", "is optional": "is mandatory",
    "are optional": "are mandatory", "is voluntary": "is compulsory", "are voluntary": "are compulsory",
    "is allowed": "is forbidden", "are allowed": "are forbidden", "is permitted": "is forbidden",
    "are permitted": "are forbidden", "is forbidden": "is allowed", "are forbidden": "are allowed",
    "is prohibited": "is allowed", "are prohibited": "are allowed", "should": "must", "may": "must", "might": "will",
    "always": "sometimes", "sometimes": "always", "usually": "rarely", "rarely": "usually",
}  # fmt: skip
_MODAL = re.compile(rf"(?<![\w'\u2019-])(?:{'|'.join(sorted(_MODALS, key=len, reverse=True))}){_AFTER}")
_GUESS = re.compile(
    r"\s(?:have|like|seem|feel|not|even|first|at (?:least|most)|up to)\b|\s[^.]{0,60}\bat (?:least|most)\b"
)  # `may have been` says what is likely; `rarely at least twice` says nothing
_NO_MODAL = re.compile(
    r"\b(?:can|could|will|would|may|might|must|shall|should|to|not|nearly|almost|do|does|did|suggests?|suggested|seems?)\s$"
)  # words before it that the other one cannot follow
_TOLD = re.compile(
    r"\b(?:you|we|they|he|she|one|who|i|any(?:one|body)|every(?:one|body)|nobody|people|persons?|children|men|women|staff"
    r"|crew|police|public|parents?|guests?|clubs?|teams?|partners?|families|households?|banks?|compan(?:y|ies)|schools?"
    r"|courts?|councils?|pupils?|candidates?|pilots?|[a-z]{2,}(?:[^p]ers?|ors?|ants?|[dtig]ents?|ees?|ists?|ians?))"
    r"\s(?:also\s)?$",
    re.IGNORECASE,
)  # who can be told what to do
_DONE = re.compile(r"\s(?:(?:only|also)\s)?be\s(?:\w+ly\s)?\w+(?:ed|en|wn|ught|id|ne|de|ld|nt|pt)\b")  # by somebody
_BE = re.compile(
    r"\s(?:(?:also|still|well)\s)?(?:be\s(?!\w+(?:ed|n)\b)\w|serve|cause|lead|occur|help|reach|vary|become)"
)

_PAIRS: Final = """
more less|larger smaller|bigger smaller|greater smaller|higher lower|longer shorter|taller shorter|older younger|
newer older|faster slower|heavier lighter|earlier later|warmer colder|hotter cooler|wider narrower|deeper shallower|
stronger weaker|richer poorer|closer farther|nearer farther|brighter darker|thicker thinner|better worse|louder quieter|
cheaper dearer
"""
_LISTED: Final = [
    (one, other) for one, other in map(str.split, reversed(_PAIRS.split("|")))
]  # the first of a word counts
_COMPARATIVE: Final = {other: one for one, other in _LISTED} | dict(_LISTED)
_SUPERLATIVE: Final = {
    one[:-2] + "est": other[:-2] + "est"
    for one, other in _COMPARATIVE.items()
    if one.endswith("er") and other.endswith("er") and one not in {"earlier", "later"}
} | {"best": "worst", "worst": "best", "farthest": "closest"}
_MEASURED: Final = (
    r"(?!\s(?:\W?\d|one|two|three|four|five|six|seven|eight|nine|ten|twenty|half|a\s(?:hundred|thousand|dozen)))"
)
_COMPARED = re.compile(
    rf"(?<!\bno )(?<!\bnot )\b(?P<word>{'|'.join(word for word in _COMPARATIVE if word not in {'more', 'less'})})"
    rf"\sthan\b{_MEASURED}"
    r"|(?<!\bno )(?<!\bnot )\b(?P<degree>more|less)"
    r"\s(?!than\b)[^\W\d_]+(?:al|ant|ble|ed|ent|ful|ic|ing|ive|ous|y|ar)\sthan\b"
    rf"|\b(?:the|its|their|our)\s(?P<most>{'|'.join(_SUPERLATIVE)})\b(?!\sto\b)",
    re.IGNORECASE,
)
_PAIRED = re.compile(r"\b\w+er,?\s(?:and|or)\s$", re.IGNORECASE)  # `faster and faster` has no opposite
_IS_LONGER = re.compile(
    r"(?<!longer)$|\b(?:is|are|was|were|be|been|being|out|\w*(?:seconds|minutes|hours|days|weeks|months|years|met(?:er|re)s|km|cm|feet|inches))\s(?:(?:much|far|slightly|even|a\slittle|no|not)\s)?longer$"
)  # what `longer` can stand behind; elsewhere it is said of how something is done
_RANKS = "|".join(sorted((word for word, value in ORDINALS.items() if value <= 10), key=len, reverse=True))  # noqa: PLR2004
_RANK = re.compile(
    rf"(?<!\bat )(?<!\ba )(?<!\bone )(?<!\bevery )(?<!\w)(?:{_RANKS}|1st|2nd|3rd|[4-9]th|10th)\b"
    r"(?!,|\s(?:aid|time|ever|name|half|hand|world|class|quarter|grade|lady|degree|and\s(?:foremost|last))\b|-)",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\s?(?:,|and|or|to|and\sthe|or\sthe|-|/|\u2013)\s?", re.IGNORECASE)


def propose_negation(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes the opposite of plain statements: `is open` becomes `is not open`, and the reverse.

    In English, `not` is put in and taken out where grammar has it. In other languages it is only taken out, from
    sentences of one clause where nothing else depends on it.
    """
    del sizes
    yield from _turned(corpus, rng, "negation", _negated)


def propose_modality(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes another modality: `must` becomes `may`, `is allowed` `is forbidden`, `always` `sometimes`. English only.

    Arguments and results are those of `propose_negation`.
    """
    del sizes
    yield from _turned(corpus, rng, "modality", _in_other_mood)


def propose_order(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes to turn an order round: a comparison, a superlative, or two ranks in one sentence.

    Left alone are comparisons beside the numbers that are compared. English; comparisons also in German. Arguments and
    results are those of `propose_negation`.
    """
    del sizes
    yield from _turned(corpus, rng, "order", _ordered)


def _turned(
    corpus: Corpus, rng: random.Random, kind: EditKind, turn: Callable[[str], _Turn | None]
) -> Iterator[Edit | Skipped]:
    """Proposes edits that change one statement of an English sentence, as `turn` says of it."""
    sayings = sayings_of(corpus)
    order = [saying for saying in sayings.found if saying.whole and len(saying.text) <= _LONGEST]
    rng.shuffle(order)
    done: set[tuple[str, int]] = set()
    for saying in order:
        found = None if (saying.document, saying.start) in done else turn(saying.text)
        if found is None or language(saying.text) not in {"en", ""}:
            continue
        same, kindred = sayings.same(saying)
        done.update((each.document, each.start) for each in same)
        turns = [turn(each.text) for each in same]
        if kindred or not all(each is not None and each[3:] == found[3:] for each in turns):
            yield Skipped(f"{saying.document}: {kind} {found[3]!r}", "other sentences speak of the same in other words")
            continue
        places = tuple(
            Replacement(
                each.document, each.start + made[0], each.start + made[1], each.text[made[0] : made[1]], made[2]
            )
            for each, made in zip(same, turns, strict=True)
            if made is not None
        )
        yield Edit(id="", kind=kind, real=found[3], fictive=found[4], replacements=places)


def _said(said: str, start: int, end: int, new: str, *, since: int | None = None) -> _Turn:
    """A turn; what it says goes from `since`, by default the start of the change, to the end of the sentence."""
    whole = said.rstrip(" .")
    at = start if since is None else since
    return (start, end, new, whole[at:].strip(), (whole[at:start] + new + whole[end:]).strip())


def _negated(said: str) -> _Turn | None:
    denials = len(list(negation("en", said.isascii()).finditer(said)))
    if _PARTED.search(said) or denials > 1:
        return None
    turn = _affirmed(said) if denials else _denied(said)
    # Behind a comma it may be the verb of the clause before it.
    return None if turn and _LEADS.match(said) and "," in said[turn[1] :] else turn


def _affirmed(said: str) -> _Turn | None:
    if (found := _CANNOT.search(said)) and _rest(said, found.end()):
        return _said(said, *found.span(), "can")
    if (found := _NOT.search(said)) and _rest(said, found.end()):
        return _said(said, *found.span(2), "", since=found.start())
    if found := _DO_NOT.search(said):
        return _said(said, *found.span(), found[2] if found[1] == "do" else _third(found[2]))
    return None


def _denied(said: str) -> _Turn | None:
    verbs = [*_AUXILIARY.finditer(said), *_PERFECT.finditer(said)]
    if not verbs and (found := _VERB.match(said)):
        return _said(said, *found.span(1), f"does not {_BASES[found[1]]}")
    if len(verbs) != 1 or verbs[0].start() == 0 or not _rest(said, verbs[0].end()):
        return None
    return _said(said, *verbs[0].span(), "cannot" if verbs[0][1] == "can" else f"{verbs[0][1]} not")


def _third(base: str) -> str:
    """The form of a verb behind `it`."""
    if base in {"have", "do", "go"}:
        return {"have": "has", "do": "does", "go": "goes"}[base]
    if base.endswith(("s", "x", "z", "ch", "sh")):
        return f"{base}es"
    return f"{base[:-1]}ies" if base.endswith("y") and base[-2] not in "aeiou" else f"{base}s"


def _rest(said: str, at: int) -> bool:
    """Whether something is said of the subject that is no number only, which `number` changes."""
    return _WORDS.match(said.rstrip(" ."), at) is not None


def _in_other_mood(said: str) -> _Turn | None:
    parted = re.search(rf"{_MARKS}|\b(?:{_CLAUSE})\b", said, re.IGNORECASE)
    found = list(_MODAL.finditer(said))
    if parted or len(found) != 1 or negation("en", said.isascii()).search(said):
        return None
    start, end, modal = *found[0].span(), found[0][0]
    rest = said[end:].rstrip(" .")
    if start == 0 or _GUESS.match(said, end) or _NO_MODAL.search(said[:start]) or not (rest.strip() or " " in modal):
        return None
    new = _MODALS[modal]
    if modal in {"may", "should"}:  # what nobody does because of a rule happens
        told, happens = _TOLD.search(said[:start]), _BE.match(rest)
        new = new if (told and (modal == "should" or not happens)) or (_DONE.match(rest) and not happens) else "will"
    return _said(said, start, end, new)


def _ordered(said: str) -> _Turn | None:
    if len(re.findall(r"\d+(?!st|nd|rd|th)", said)) > 1:
        return None
    if found := _COMPARED.search(said):
        name = found.lastgroup or ""
        start, end = found.span(name)
        if name == "word" and (_PAIRED.search(said[:start]) or (not _IS_LONGER.search(said[:end]))):
            return None
        new = _like(said[start:end], (_SUPERLATIVE if name == "most" else _COMPARATIVE)[said[start:end].lower()])
        real = found[0]
        return (start, end, new, real, said[found.start() : start] + new + said[end : found.end()])
    ranks = list(_RANK.finditer(said))
    if len(ranks) != 2 or ranks[0][0].casefold() == ranks[1][0].casefold():  # noqa: PLR2004 - two that change places
        return None
    one, other = ranks
    between = said[one.end() : other.start()]
    if _JOINED.fullmatch(between):
        return None  # `the third or fourth year` is the same either way round
    new = _like(one[0], other[0].casefold()) + between + _like(other[0], one[0].casefold())
    return (one.start(), other.end(), new, said[one.start() : other.end()], new)


def _like(old: str, new: str) -> str:
    """With the capitals of what stood there."""
    return new.upper() if old.isupper() and len(old) > 1 else new.capitalize() if old[0].isupper() else new
