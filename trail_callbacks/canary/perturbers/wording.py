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
from trail_callbacks.canary.facts.pages import Saying
from trail_callbacks.canary.facts.reading import FactReading
from trail_callbacks.canary.twin import Edit, EditKind, Replacement, Size
from trail_callbacks.language.detect import language
from trail_callbacks.language.speech import negation

_LONGEST = 240  # characters of a sentence
_Turn = tuple[int, int, str, str, str]
"""A change of a sentence: start and end in it, the new words, and what is said before and after, for a person."""

_BEFORE: Final = r"(?<![\w'\u2019])"
_AFTER: Final = r"(?![\w'\u2019-])"
_DENIED: Final = re.compile(
    rf"{_BEFORE}(is|are|was|were|can|could|will|would|should|must|(?:has|have|had)(?=\sbeen\b)){_AFTER}"
)
_NOT: Final = re.compile(
    rf"{_BEFORE}(is|are|was|were|can|could|will|would|should|must|has|have|had)"
    rf"(\snot|(?<=can)(?:not|['\u2019]t)|(?<!can)n['\u2019]t){_AFTER}(?!\s(?:only|just|merely|yet|until|been\sable)\b)"
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


def turning(kind: EditKind) -> Callable[[FactReading, random.Random, Sequence[Size]], Iterator[Edit | Skipped]]:
    """What proposes edits of a kind that change one statement of an English sentence.

    `negation` makes `is open` `is not open`, and the reverse; `modality` `must` `may`, `is allowed` `is forbidden`,
    `always` `sometimes`; `order` `larger` `smaller`, but not beside the numbers that are compared.
    """
    turn = {"negation": _negated, "modality": _in_other_mood, "order": _ordered}[kind]

    def propose(reading: FactReading, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
        del sizes
        order = [one for page in reading.pages for one in page.lines if one.is_whole and len(one.text) <= _LONGEST]
        rng.shuffle(order)
        done: set[Saying] = set()
        for saying in order:
            found = None if saying in done else turn(saying.text)
            if found is None or language(saying.text) not in {"en", ""}:
                continue
            same, kindred = reading.same(saying)
            done.update(same)
            turns = [(each, made) for each in same if (made := turn(each.text)) and made[3:] == found[3:]]
            if kindred or len(turns) < len(same):
                why = "other sentences speak of the same in other words"
                yield Skipped(f"{saying.page.id}: {kind} {found[3]!r}", why)
                continue
            places = tuple(
                Replacement(each.page.id, each.start + start, each.start + end, each.text[start:end], new)
                for each, (start, end, new, *_) in turns
            )
            yield Edit(id="", kind=kind, real=found[3], fictive=found[4], replacements=places)

    return propose


def _said(said: str, start: int, end: int, new: str, since: int) -> _Turn:
    """A turn; what it says goes from `since` to the end of the sentence."""
    whole = said.rstrip(" .")
    return (start, end, new, whole[since:].strip(), (whole[since:start] + new + whole[end:]).strip())


def _negated(said: str) -> _Turn | None:
    denials = len(list(negation("en", said.isascii()).finditer(said)))
    denial, verbs = _NOT.search(said), list(_DENIED.finditer(said))
    if denials == 1 and denial:
        start, end, new, since = *denial.span(2), "", denial.start()
    elif not denials and len(verbs) == 1 and verbs[0].start():
        start, end, since = *verbs[0].span(), verbs[0].start()
        new = "cannot" if verbs[0][1] == "can" else f"{verbs[0][1]} not"
    else:
        return None
    # Behind a comma it may be the verb of the clause before it; a number only is changed as one.
    depends = _PARTED.search(said) or (_LEADS.match(said) and "," in said[end:])
    return None if depends or not _WORDS.match(said.rstrip(" ."), end) else _said(said, start, end, new, since)


def _in_other_mood(said: str) -> _Turn | None:
    found = list(_MODAL.finditer(said))
    if not _ONE_CLAUSE.match(said) or len(found) != 1 or negation("en", said.isascii()).search(said):
        return None
    start, end, modal = *found[0].span(), found[0][0]
    is_said = " " in modal or said[end:].strip(" .")
    if start == 0 or not is_said or _GUESS.match(said, end) or _NO_MODAL.search(said[:start]):
        return None
    return _said(said, start, end, _MODALS[modal], start)


def _ordered(said: str) -> _Turn | None:
    found = _COMPARED.search(said)
    if found is None or len(re.findall(r"\d+(?!st|nd|rd|th)", said)) > 1:
        return None
    start, end = found.span(found.lastgroup or "")
    new = _TURNED[said[start:end].lower()]
    new = new.upper() if said[start:end].isupper() else new.capitalize() if said[start].isupper() else new
    return (start, end, new, found[0], said[found.start() : start] + new + said[end : found.end()])
