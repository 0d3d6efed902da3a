"""Negation: what is so is not so, in every sentence that says it.

In English, `not` is put in and taken out where grammar has it. In other languages it is only taken out, from sentences
of one clause where nothing else depends on it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, Size
from trail_callbacks.canary.perturbers.turning import Turn, turned
from trail_callbacks.language.negation import negation

__all__ = ["propose"]

_AUXILIARY: Final = re.compile(r"(?<![\w'\u2019])(is|are|was|were|can|could|will|would|should|must)(?![\w'\u2019-])")
_PERFECT: Final = re.compile(
    r"(?<![\w'\u2019])(?<!(?:may|can) )(?<!(?:will|must) )(?<!(?:might|could|would) )(?<!should )(?<!\bto )"
    r"(has|have|had)"
    r"(?=\s(?:been|become"
    r"|(?!hundred)\w{3,}ed\s(?:an?|the|its|their|his|her|our|from|to|in|on|at|by|for|since|over|into|out|up))\b)"
)
_NOT: Final = re.compile(
    r"(?<![\w'\u2019])(is|are|was|were|could|will|would|should|must|has|have|had)(\snot|n['\u2019]t)(?![\w'\u2019-])"
    r"(?!\s(?:only|just|merely|yet|until|been\sable)\b)"
)
_CANNOT: Final = re.compile(r"(?<![\w'\u2019])(cannot|can\snot|can['\u2019]t)(?![\w'\u2019-])")
_DO_NOT: Final = re.compile(
    r"(?<=\w )(do|does)(?:\snot|n['\u2019]t)\s"
    r"(?!(?:only|just|merely|yet|necessarily|in|at)\b)([a-z]{2,})(?![\w'\u2019-])"
)
_PARTED: Final = re.compile(
    r"[;:?\"\u201c\u201d()|]"
    r"|\b(?:which|who|whom|whose|that|because|if|unless|when|while|whereas|although|though|but"
    r"|since|until|whether|where|what|how|why|than|however|only|also|still|already|always|often|usually|sometimes|never|both"
    r"|either|and|or|all|every|each|any|some|many|most|few|there|here|too|even|once|except|at the time|by the time"
    r"|the (?:better|more|less|faster|longer|higher|lower))\b",
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(r"(?:After|Before|As|With|For|Given)\b")
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
_SIMPLE: Final = 140  # characters of a sentence in another language
_BESIDE: Final = re.compile(r"[,;:?!\"\u201c\u201d\u201e\u00ab\u00bb()|\u2013\u2014]")
_REMOVED: Final[Mapping[str, re.Pattern[str]]] = {
    code: re.compile(pattern)
    for code, pattern in {
        "de": r"(?<!noch)(?<!gar)(?<!auch)(?<!oder)(?<!warum)\snicht(?=[\s.])(?!\s(?:nur|mehr|so|wahr|einmal|sehr"
        r"|zuletzt|allein|immer|alle?|jede\w|zu|viel|weniger)\b)",
        "es": r"(?<=\w)\sno(?=\s)(?!\s(?:s\u00f3lo|solo|obstante|m\u00e1s|siempre|tod\w+)\b)",
        "it": r"(?<=\w)\snon(?=\s)(?!\s(?:solo|pi\u00f9|sempre|tutt\w|ancora|appena)\b)",
        "pt": r"(?<=\w)\sn\u00e3o(?=\s)(?!\s(?:s\u00f3|apenas|mais|sempre|tod\w+)\b)",
        "nl": r"\sniet(?=[\s.])(?!\s(?:alleen|meer|zo|te|altijd|alle)\b)",
        "sv": r"\sinte(?=[\s.])(?!\s(?:bara|l\u00e4ngre|alltid|alla)\b)",
        "da": r"\sikke(?=[\s.])(?!\s(?:bare|kun|l\u00e6ngere|altid|alle)\b)",
        "no": r"\sikke(?=[\s.])(?!\s(?:bare|kun|lenger|alltid|alle)\b)",
        "fr": r"(?<=\w)\s(?:ne\s|n['\u2019])([\w-]+)\spas(?=[\s.])(?!\s(?:de|du|des|d['\u2019]|que|encore|seulement|non"
        r"|toujours|tou\w+)(?:\b|(?<=['\u2019])))",
    }.items()
}
"""What is taken out of a sentence; what has a group is put in its place."""


def propose(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes the opposite of plain statements: `is open` becomes `is not open`, and the reverse.

    A sentence has one finite verb, and no clause beside the main one, so that there is one statement to deny: `is not`,
    `has not been`, `does not open`. All sentences that say it in almost the same words are changed; where one may say
    it in other words, nothing is.

    Args:
        corpus: The documents.
        rng: Of all choices.
        sizes: Not used: a denial has no size.

    Yields:
        Edits in random order, and the sentences that were left alone because others speak of the same.
    """
    del sizes
    yield from turned(corpus, rng, "negation", _turn)


def _turn(said: str, code: str) -> Turn | None:
    denials = list(negation(code, said.isascii()).finditer(said))
    if code != "en":
        return _taken_out(said, code, len(denials))
    if _PARTED.search(said) or len(denials) > 1:
        return None
    found = _affirmed(said) if denials else _denied(said)
    if found is not None and _BEFORE.match(said) and "," in said[found[1] :]:
        return None  # it may be the verb of the clause before the comma
    return found


def _taken_out(said: str, code: str, denials: int) -> Turn | None:
    if code not in _REMOVED or len(said) > _SIMPLE or _BESIDE.search(said) or denials != (2 if code == "fr" else 1):
        return None
    found = _REMOVED[code].search(said)
    if found is None:
        return None
    new = f" {found[1]}" if found.re.groups else ""
    whole = said.rstrip(" .")
    return (found.start(), found.end(), new, whole, f"{whole[: found.start()]}{new}{whole[found.end() :]}")


def _affirmed(said: str) -> Turn | None:
    if (found := _CANNOT.search(said)) and (rest := _rest(said, found.end())):
        return (found.start(), found.end(), "can", f"cannot{rest}", f"can{rest}")
    if (found := _NOT.search(said)) and (rest := _rest(said, found.end())):
        return (found.end(1), found.end(2), "", f"{found[1]}{found[2]}{rest}", f"{found[1]}{rest}")
    if found := _DO_NOT.search(said):
        verb = found[2] if found[1] == "do" else _third(found[2])
        rest = said[found.end() :].rstrip(" .")
        return (found.start(), found.end(), verb, f"{found[0]}{rest}", f"{verb}{rest}")
    return None


def _denied(said: str) -> Turn | None:
    verbs = list(_AUXILIARY.finditer(said))
    perfect = list(_PERFECT.finditer(said))
    if not verbs and not perfect and (found := _VERB.match(said)):
        rest = said[found.end(1) :].rstrip(" .")
        new = f"does not {_BASES[found[1]]}"
        return (found.start(1), found.end(1), new, f"{found[1]}{rest}", f"{new}{rest}")
    verbs += perfect
    if len(verbs) != 1 or verbs[0].start() == 0 or not (rest := _rest(said, verbs[0].end())):
        return None
    verb = verbs[0]
    new = "cannot" if verb[1] == "can" else f"{verb[1]} not"
    return (verb.start(), verb.end(), new, f"{verb[1]}{rest}", f"{new}{rest}")


def _third(base: str) -> str:
    """The form of a verb behind `it`."""
    if base in {"have", "do", "go"}:
        return {"have": "has", "do": "does", "go": "goes"}[base]
    if base.endswith(("s", "x", "z", "ch", "sh")):
        return f"{base}es"
    return f"{base[:-1]}ies" if base.endswith("y") and base[-2] not in "aeiou" else f"{base}s"


def _rest(said: str, at: int) -> str:
    """What is said of the subject; nothing if it is a number only, which `number` changes."""
    rest = said[at:].rstrip(" .")
    return rest if _WORDS.match(rest) else ""
