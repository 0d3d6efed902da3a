"""Questions that are answered with yes or no, about sentences of which the twin says the opposite."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from trail_callbacks.canary.questions.clauses import Common
from trail_callbacks.canary.questions.predicates import main_clause
from trail_callbacks.canary.questions.verbs import may_be_finite
from trail_callbacks.language.negation import negation
from trail_callbacks.splitting.words import AUXILIARY, MODAL, first_verb, past, tokenize

__all__ = ["Polar", "denies", "polar", "stated"]

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
_NOT: Final = re.compile(
    r"\b(is|are|was|were|has|have|had|do|does|did|\w+)(?:n['\u2019]t|\s+not)\b|\bcannot\b", re.IGNORECASE
)
_WHOLE: Final = {"can't": "can", "won't": "will", "cannot": "can", "shan't": "shall"}
_NEAR: Final = 14  # characters behind an auxiliary where a denial of it stands
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


@dataclass(frozen=True, slots=True)
class Polar:
    """A question with its answers.

    Attributes:
        question: The question.
        real: The answer of the corpus.
        fictive: The answer of the twin.
        real_forms: Other ways to say the first.
        fictive_forms: Other ways to say the second.
    """

    question: str
    real: str
    fictive: str
    real_forms: tuple[str, ...] = ()
    fictive_forms: tuple[str, ...] = ()


def denies(text: str, code: str) -> int:
    """Counts the words of a text that deny, in its language."""
    return len(negation(code, text.isascii()).findall(text))


def polar(real: str, fictive: str, code: str, common: Common) -> Polar | None:
    """Asks whether what one of two sentences says is so; None if that is not plain, or cannot be asked in the language.

    What is asked is the sentence that denies less, or that demands more (`must` rather than `may`), so that the answer
    to it is plain.

    Args:
        real: The sentence of the corpus, without markup.
        fictive: That of the twin.
        code: Language of the document.
        common: Tells whether a word that begins with a capital is also written without.
    """
    by_denial = denies(real, code) - denies(fictive, code)
    by_strength = _weaker(real, fictive)
    if not by_denial and not by_strength:
        return None
    of_real = by_denial < 0 if by_denial else by_strength < 0
    text, other = (real, fictive) if of_real else (fictive, real)
    question = None
    if code in {"en", ""}:
        question = _turned(text, other, common) or (_without_not(other, common) if by_denial else None)
    return _asked(text, code, question, of_real=of_real)


def stated(real: str, fictive: str, code: str, *, of_real: bool) -> Polar | None:
    """Asks whether a sentence is right; None if both are the same.

    Args:
        real: The sentence of the corpus, without markup.
        fictive: That of the twin.
        code: Language of the document.
        of_real: Ask for the real one; then the real answer is yes.
    """
    return _asked(real if of_real else fictive, code, None, of_real=of_real) if real != fictive else None


def _asked(text: str, code: str, question: str | None, *, of_real: bool) -> Polar | None:
    if (code or "en") not in _ASKED:
        return None
    ask, yes, no = _ASKED[code or "en"]
    answers = (yes, no) if of_real else (no, yes)
    return Polar(question or ask.format(text.replace('"', "'")), *answers, *(_FORMS.get(each, ()) for each in answers))


def _weaker(real: str, fictive: str) -> int:
    """By how much the words in which the first differs demand less than those of the second; 0 if unknown."""
    one, other = real.split(), fictive.split()
    first = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    last = next((at for at, (a, b) in enumerate(zip(one[::-1], other[::-1], strict=False)) if a != b), 0)
    found = [
        max((_STRENGTH.get(token.form, 0) for token in tokenize(" ".join(words[first : len(words) - last]))), default=0)
        for words in (one, other)
    ]
    return found[1] - found[0] if all(found) else 0


def _turned(text: str, other: str, common: Common) -> str | None:
    """`The museum is open.` as `Is the museum open?`; None where the auxiliary is not plain, or not what differs."""
    main = main_clause(text.rstrip(" .!"), common)
    if main is None or main.instruction:
        return None
    form = main.verb.casefold()
    following = main.rest.partition(" ")[0].casefold()
    differ = next((at for at, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), len(text))
    verb = len(text.rstrip(" .!")) - len(main.rest) - len(main.verb) - 1
    if not -1 <= differ - verb <= len(main.verb) + _NEAR:
        return None
    plain = form in {"is", "are", "was", "were"} or (form in {"has", "have", "had"} and following == "been")
    if not plain and (form not in MODAL or form.endswith("n't") or form == "cannot"):
        return None
    if (rest := _first_clause(main.rest)) is None:
        return None
    question = main.around(" ".join(part for part in (form, main.subject, main.adverb, rest) if part))
    return f"{question[:1].upper()}{question[1:]}?"


def _first_clause(rest: str) -> str | None:
    """What follows a verb, without a clause joined to it; None if a second predicate is."""
    tokens = tokenize(rest)
    for at, token in enumerate(tokens[:-1]):
        if token.form not in {"and", "but"} or token.inner:
            continue
        if tokens[at - 1].form == "," and first_verb(tokens, at + 1) is not None:
            return rest[: tokens[at - 1].start].rstrip()
        if may_be_finite(tokens, at + 1, at - 1) and not past(tokens[at + 1].form):
            return None
    return rest


def _without_not(text: str, common: Common) -> str | None:
    """Asks of `The shop does not sell bread.` whether the shop does."""
    found = list(_NOT.finditer(text))
    if len(found) != 1:
        return None
    said = found[0][0].casefold().replace("\u2019", "'")
    helper = _WHOLE.get(said) or (found[0][1] or "").casefold()
    if helper not in AUXILIARY:
        return None
    main = main_clause(f"{text[: found[0].start()].strip()} is{text[found[0].end() :].rstrip(' .!')}", common)
    if main is None or main.verb != "is":
        return None
    question = main.around(" ".join(part for part in (helper, main.subject, main.adverb, main.rest) if part))
    return f"{question[:1].upper()}{question[1:]}?"
