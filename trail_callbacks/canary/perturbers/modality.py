"""Modality: what must be may be, what is required is optional, in every sentence that says it. English only."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, Size
from trail_callbacks.canary.perturbers.turning import Turn, turned
from trail_callbacks.language.negation import negation

__all__ = ["propose"]

_OTHER: Mapping[str, str] = {
    "must": "may",
    "has to": "may",
    "have to": "may",
    "is required to": "is free to",
    "are required to": "are free to",
    "is obliged to": "is free to",
    "are obliged to": "are free to",
    "is required": "is optional",
    "are required": "are optional",
    "is mandatory": "is optional",
    "are mandatory": "are optional",
    "is compulsory": "is voluntary",
    "are compulsory": "are voluntary",
    "is optional": "is mandatory",
    "are optional": "are mandatory",
    "is voluntary": "is compulsory",
    "is allowed": "is forbidden",
    "are allowed": "are forbidden",
    "is permitted": "is forbidden",
    "are permitted": "are forbidden",
    "is forbidden": "is allowed",
    "are forbidden": "are allowed",
    "is prohibited": "is allowed",
    "are prohibited": "are allowed",
    "should": "must",
    "may": "must",
    "might": "will",
    "always": "sometimes",
    "sometimes": "always",
    "usually": "rarely",
    "rarely": "usually",
}
_MODAL = re.compile(
    rf"(?<![\w'\u2019-])(?:{'|'.join(sorted(map(re.escape, _OTHER), key=len, reverse=True))})(?![\w'\u2019-])"
)
_GUESS = re.compile(
    r"\s(?:have|like|seem|feel|not|even|first|at (?:least|most)|up to)\b|\s[^.]{0,60}\bat (?:least|most)\b"
)  # `may have been` says what is likely; `rarely at least twice` says nothing
_LIKELY = frozenset({"may", "should"})
_HAPPENS = re.compile(
    r"\s(?:(?:also|still|even|well|soon|later|then|already|initially|therefore|sometimes|often)\s)?(?:affect|appear|arise|arrive|become"
    r"|begin|cause|change|come|contain|cost|decrease|depend|develop|differ|die|disappear|drop|emerge|end|exceed|exist|expand|experience"
    r"|fail|fall|follow|form|get|grow|happen|help|include|involve|lack|need|offer|present|pose|prove|provide|represent|require|serve|vary|want|improve|increase|indicate|last|lead|lose|make|mean|mumble|notice|occur|pass|persist|produce"
    r"|reach|reduce|remain|result|rise|show|shrink|signal|slow|start|stay|stop|suffer|suggest|take|turn|vary"
    r"|be\s(?!\w+ed\b|\w+n\b)\w)"
)  # what nobody does because of a rule
_BESIDE = re.compile(
    r"\b(?:can|could|will|would|may|might|must|shall|should|to|not|nearly|almost|do|does|did|suggests?|suggested|seems?)\s$"
)  # words before it that the other one cannot follow
_AGENT = re.compile(
    r"\b(?:you|we|they|he|she|one|who|i|anyone|anybody|everyone|everybody|nobody|people|persons?|children|men|women|staff|crew|police"
    r"|public|parents?|guests?|nurses?|judges?|coach(?:es)?|clubs?|teams?|members?|spouses?|partners?|families|households?|banks?"
    r"|compan(?:y|ies)|suppliers?|schools?|courts?|councils?|landlords?|pupils?|candidates?|wives|husbands?|widows?|pilots?|chefs?"
    r"|[a-z]{2,}(?:[^p]ers?|ors?|ants?|dents?|tients?|ients?|gents?|ees?|ists?|ians?))\s(?:also\s)?$",
    re.IGNORECASE,
)  # who can be told what to do
_DONE = re.compile(
    r"\s(?:only\s|also\s)?be\s(?:\w+ly\s)?\w+(?:ed|en|wn|ught|id|ne|de|ld|nt|pt)\b"
)  # what is done by somebody
_PARTED = re.compile(
    r"[;:?\"\u201c\u201d()]|\b(?:unless|whether|than|if|while|whereas|although|though|but)\b", re.IGNORECASE
)


def propose(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes another modality: `must` becomes `may`, `is allowed` `is forbidden`, `always` `sometimes`.

    Args:
        corpus: The documents.
        rng: Of all choices.
        sizes: Not used: a modality has no size.

    Yields:
        Edits in random order, and the sentences that were left alone because others speak of the same.
    """
    del sizes
    yield from turned(corpus, rng, "modality", _turn)


def _turn(said: str, code: str) -> Turn | None:
    if code != "en" or _PARTED.search(said) or negation("en", said.isascii()).search(said):
        return None
    found = list(_MODAL.finditer(said))
    if len(found) != 1 or found[0].start() == 0 or _GUESS.match(said, found[0].end()):
        return None
    if _BESIDE.search(said[: found[0].start()]):
        return None
    modal, rest = found[0], said[found[0].end() :].rstrip(" .")
    if not rest.strip() and " " not in modal[0]:
        return None
    told = _AGENT.search(said[: modal.start()]) is not None
    happens = _HAPPENS.match(rest) is not None and not (told and modal[0] == "should")
    new = "will" if modal[0] in _LIKELY and (happens or not (told or _DONE.match(rest))) else _OTHER[modal[0]]
    return (modal.start(), modal.end(), new, f"{modal[0]}{rest}", f"{new}{rest}")
