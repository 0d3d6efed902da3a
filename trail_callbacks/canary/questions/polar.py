"""Questions that are answered with yes or no, about sentences of which the twin says the opposite."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Final
from zlib import crc32

from trail_callbacks.canary.questions.answers import Answers
from trail_callbacks.canary.questions.english import Lower, inverted
from trail_callbacks.canary.questions.facts import Fact
from trail_callbacks.language.negation import negation

__all__ = ["denies", "polar"]

_ASKED: Final[Mapping[str, tuple[str, str, str]]] = {
    "en": ('According to the documents, is this right: "{}" Answer yes or no.', "yes", "no"),
    "de": ("Stimmt das laut den Unterlagen: „{}“ Antworte mit Ja oder Nein.", "ja", "nein"),
    "fr": ("D\u2019après les documents, est-ce exact : « {} » Réponds par oui ou par non.", "oui", "non"),
    "es": ("Según los documentos, ¿es cierto: «{}»? Responde sí o no.", "sí", "no"),
    "it": ("Secondo i documenti, è vero: «{}»? Rispondi sì o no.", "sì", "no"),
    "pt": ("Segundo os documentos, está certo: «{}»? Responde sim ou não.", "sim", "não"),
    "nl": ("Klopt dit volgens de documenten: “{}” Antwoord met ja of nee.", "ja", "nee"),
    "ru": ("Верно ли это согласно документам: «{}» Ответьте да или нет.", "да", "нет"),
    "pl": ("Czy to prawda według dokumentów: „{}” Odpowiedz tak lub nie.", "tak", "nie"),
}  # fmt: skip
_FORMS: Final = {"yes": ("true", "correct"), "no": ("false", "incorrect")}
_NOT: Final = re.compile(r"\b(do|does|did|can)(?:n['\u2019]t|\s?not)\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]+")
_STRENGTH: Final = {
    word: strength
    for strength, words in enumerate(
        (
            "rarely forbidden prohibited",
            "may might can could sometimes optional voluntary free",
            "should usually allowed permitted would",
            "must shall will has have had needs required obliged mandatory compulsory always",
        ),
        1,
    )
    for word in words.split()
}
"""How much a word demands or allows: what demands more is asked."""


def denies(text: str, code: str) -> int:
    """Counts the words of a text that deny, in its language."""
    return len(negation(code, text.isascii()).findall(text))


def polar(fact: Fact, lower: Lower) -> tuple[str, Answers] | None:
    """Asks whether what a sentence or its opposite says is so; None if that is not plain, or in an unknown language.

    What is asked is the sentence that denies less, or that demands more (`must` rather than `may`), so that the answer
    to it is plain. Of two orders (`the largest`, `the smallest`) neither is plainer: they take turns.

    Args:
        fact: The sentence; the edit is of a kind that turns one.
        lower: See `english.asked`.
    """
    code, real, fictive = fact.language or "en", fact.text, fact.turned
    if code not in _ASKED or not fictive or real == fictive:
        return None
    denied = denies(real, code) - denies(fictive, code)
    weaker = denied or _weaker(real, fictive)
    if fact.edit.kind == "order":
        weaker = 1 if crc32(fact.edit.id.encode("utf-8", "surrogatepass")) % 2 else -1
    if not weaker:
        return None
    asked, other = (real, fictive) if weaker < 0 else (fictive, real)
    question = None
    if code == "en" and fact.edit.kind != "order":
        at = next((at for at, (a, b) in enumerate(zip(asked, other, strict=False)) if a != b), 0)
        question = inverted(asked, at, lower)
        if question is None and denied and len(_NOT.findall(other)) == 1:  # `sells bread`, `does not sell bread`
            question = inverted(_NOT.sub(r"\1", other), at, lower)
    ask, yes, no = _ASKED[code]
    answers = (yes, no) if weaker < 0 else (no, yes)
    stated = ask.format(asked.replace('"', "'"))
    return question or stated, Answers(*answers, *(_FORMS.get(each, ()) for each in answers))


def _weaker(real: str, fictive: str) -> int:
    """By how much the words in which the first differs demand less than those of the second; 0 if unknown."""
    one, other = ([word.casefold() for word in _WORD.findall(text)] for text in (real, fictive))
    strongest = [0, 0]
    for tag, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if tag != "equal":
            for side, words in enumerate((one[a:b], other[c:d])):
                strongest[side] = max(strongest[side], *(_STRENGTH.get(word, 0) for word in words), 0)
    return strongest[1] - strongest[0] if all(strongest) else 0
