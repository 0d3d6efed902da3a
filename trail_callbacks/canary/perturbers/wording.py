"""Sentences that say the opposite, or something else of the same: negation, modality and order, in English.

A sentence is changed that makes one statement: in each kind there is one way to turn it, and none where other clauses
depend on it. All sentences that say it in almost the same words are changed; where one may say it in other words,
nothing is.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.edit import Edit, EditKind, Replacement, Size
from trail_callbacks.canary.facts.pages import Saying
from trail_callbacks.canary.facts.reading import Reading
from trail_callbacks.language.detect import language
from trail_callbacks.language.negation import negation

__all__ = ["propose_modality", "propose_negation", "propose_order"]

_LONGEST = 240  # characters of a sentence
_Turn = tuple[int, int, str, str, str]
"""A change of a sentence: start and end in it, the new words, and what is said before and after, for a person."""

_BEFORE: Final = r"(?<![\w'\u2019])"
_AFTER: Final = r"(?![\w'\u2019-])"
_DENIED: Final = re.compile(
    rf"{_BEFORE}(is|are|was|were|can|could|will|would|should|must|(?:has|have|had)(?=\sbeen\b)){_AFTER}"
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
_REGULAR: Final = """accept allow arrive become begin belong close consist contain cover depend exist include lie live
open own provide receive require sell serve speak take"""
_BASES: Final[Mapping[str, str]] = {f"{base}s": base for base in _REGULAR.split()} | {
    "carries": "carry",
    "has to": "have to",
}
"""Forms of verbs that are no nouns, and what `not` stands before."""
_VERB: Final = re.compile(
    # A subject of few words, the last of them no plural and no preposition, and the verb of the sentence.
    r"(?:The|This|Our|Its|Their|An?|[A-Z]\w+)(?:\s(?:of\s)?[\w-]+){0,4}?"
    rf"(?<!\w[^su]s)(?<!\b(?:to|of|in|at|on|by|as))\s({'|'.join(sorted(_BASES, key=len, reverse=True))})\s"
)
_MODALS: Final[Mapping[str, str]] = {
    "must": "may", "has to": "may", "have to": "may", "is required to": "is free to", "are required to": "are free to",
    "is required": "is optional", "are required": "are optional", "is mandatory": "is optional",
    "are mandatory": "are optional", "is optional": "is mandatory", "are optional": "are mandatory",
    "is allowed": "is forbidden", "are allowed": "are forbidden", "is permitted": "is forbidden",
    "are permitted": "are forbidden", "is forbidden": "is allowed", "are forbidden": "are allowed",
    "is prohibited": "is allowed", "are prohibited": "are allowed", "should": "need not",
    "may": "will", "might": "will",
    "always": "sometimes", "sometimes": "always", "usually": "rarely", "rarely": "usually",
}  # fmt: skip
_MODAL: Final = re.compile(rf"(?<![\w'\u2019-])(?:{'|'.join(sorted(_MODALS, key=len, reverse=True))}){_AFTER}")
_GUESS: Final = re.compile(
    r"\s(?:have|like|seem|feel|not|even|first|at (?:least|most)|up to)\b|\s[^.]{0,60}\bat (?:least|most)\b"
)  # `may have been` says what is likely; `rarely at least twice` says nothing
_NO_MODAL: Final = re.compile(
    r"\b(?:can|could|will|would|may|might|must|shall|should|to|not|nearly|almost|do|does|did|suggests?|suggested|seems?)\s$"
)  # words before it that the other one cannot follow
_ONE_CLAUSE: Final = re.compile(rf"(?!.*(?:{_MARKS}|\b(?:{_CLAUSE})\b))", re.IGNORECASE | re.DOTALL)
_PAIRS: Final = """larger smaller|bigger smaller|greater smaller|higher lower|longer shorter|taller shorter
|older younger|newer older|faster slower|heavier lighter|earlier later|warmer colder|hotter cooler|wider narrower
|deeper shallower|stronger weaker|richer poorer|closer farther|nearer farther|brighter darker|thicker thinner
|better worse|louder quieter"""
_LISTED: Final = [(one, other) for one, other in map(str.split, reversed(_PAIRS.split("|")))]  # the first counts
_COMPARATIVE: Final = {other: one for one, other in _LISTED} | dict(_LISTED)
_TURNED: Final = _COMPARATIVE | {"more": "less", "less": "more", "best": "worst", "worst": "best"} | {
    one[:-2] + "est": other[:-2] + "est"
    for one, other in _COMPARATIVE.items()
    if one.endswith("er") and other.endswith("er") and one not in {"earlier", "later", "farther"}
}  # fmt: skip
_COMPARED: Final = re.compile(
    rf"(?<!\bno )(?<!\bnot )(?<!er and )\b(?:(?P<word>{'|'.join(_COMPARATIVE)})"
    r"|(?P<degree>more|less)\s(?!than\b)[^\W\d_]+(?:al|ant|ble|ed|ent|ful|ic|ing|ive|ous|y|ar))\sthan\b"
    r"(?!\s(?:\W?\d|one|two|three|four|five|six|seven|eight|nine|ten|twenty|half|a\s(?:hundred|thousand|dozen)))"
    rf"|\b(?:the|its|their|our)\s(?P<most>{'|'.join(each for each in _TURNED if each.endswith('st'))})\b(?!\sto\b)",
    re.IGNORECASE,
)


def propose_negation(reading: Reading, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes the opposite of plain statements: `is open` becomes `is not open`, and the reverse."""
    del sizes
    yield from _turned(reading, rng, "negation", _negated)


def propose_modality(reading: Reading, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes another modality: `must` becomes `may`, `is allowed` `is forbidden`, `always` `sometimes`."""
    del sizes
    yield from _turned(reading, rng, "modality", _in_other_mood)


def propose_order(reading: Reading, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes to turn a comparison or a superlative round, but not beside the numbers that are compared."""
    del sizes
    yield from _turned(reading, rng, "order", _ordered)


def _turned(
    reading: Reading, rng: random.Random, kind: EditKind, turn: Callable[[str], _Turn | None]
) -> Iterator[Edit | Skipped]:
    """Proposes edits that change one statement of an English sentence, as `turn` says of it."""
    order = [one for page in reading.pages for one in page.lines if one.is_whole and len(one.text) <= _LONGEST]
    rng.shuffle(order)
    done: set[Saying] = set()
    for saying in order:
        found = None if saying in done else turn(saying.text)
        if found is None or language(saying.text) not in {"en", ""}:
            continue
        same, kindred = reading.same(saying)
        done.update(same)
        turns = [(each, turn(each.text)) for each in same]
        places = tuple(
            Replacement(each.page.id, each.start + made[0], each.start + made[1], each.text[slice(*made[:2])], made[2])
            for each, made in turns
            if made is not None and made[3:] == found[3:]
        )
        if kindred or len(places) < len(same):
            yield Skipped(f"{saying.page.id}: {kind} {found[3]!r}", "other sentences speak of the same in other words")
        else:
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
    verbs = list(_DENIED.finditer(said))
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
    found = list(_MODAL.finditer(said))
    if not _ONE_CLAUSE.match(said) or len(found) != 1 or negation("en", said.isascii()).search(said):
        return None
    start, end, modal = *found[0].span(), found[0][0]
    is_said = " " in modal or said[end:].strip(" .")
    if start == 0 or not is_said or _GUESS.match(said, end) or _NO_MODAL.search(said[:start]):
        return None
    return _said(said, start, end, _MODALS[modal])


def _ordered(said: str) -> _Turn | None:
    found = _COMPARED.search(said)
    if found is None or len(re.findall(r"\d+(?!st|nd|rd|th)", said)) > 1:
        return None
    start, end = found.span(found.lastgroup or "")
    new = _TURNED[said[start:end].lower()]
    new = new.upper() if said[start:end].isupper() else new.capitalize() if said[start].isupper() else new
    return (start, end, new, found[0], said[found.start() : start] + new + said[end : found.end()])
