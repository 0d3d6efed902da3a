"""Questions with a gap: they fit every sentence, in every language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from trail_callbacks.canary.questions.facts import Cell, Fact
from trail_callbacks.language.quantities import quantities

__all__ = ["GAP", "gap", "of_cell"]

GAP: Final = "___"
_LEFT_OUT: Final = "\u2026"
_AROUND: Final = 170  # characters on either side of a gap
_REPEATED: Final = re.compile(f"{_LEFT_OUT}(?:\\s{_LEFT_OUT})+")
_BREAK: Final = re.compile(r"\s+")

_ASKED: Final[Mapping[str, str]] = {
    "en": 'According to the documents, {} is missing here: "{}"?',
    "de": "Was fehlt hier laut den Unterlagen: „{}“?",
    "fr": "D\u2019après les documents, que manque-t-il ici : « {} » ?",
    "es": "Según los documentos, ¿qué falta aquí: «{}»?",
    "it": "Secondo i documenti, che cosa manca qui: «{}»?",
    "pt": "Segundo os documentos, o que falta aqui: «{}»?",
    "nl": "Wat ontbreekt hier volgens de documenten: “{}”?",
    "sv": "Vad fattas här enligt dokumenten: ”{}”?",
    "da": "Hvad mangler her ifølge dokumenterne: »{}«?",
    "no": "Hva mangler her ifølge dokumentene: «{}»?",
    "pl": "Czego tu brakuje według dokumentów: „{}”?",
    "ru": "Что здесь пропущено согласно документам: «{}»?",
    "tr": "Belgelere göre burada ne eksik: “{}”?",
    "ar": "بحسب الوثائق، ما الناقص هنا: «{}»؟",
    "zh": "根据文件\uff0c这里缺少什么\uff1a“{}”\uff1f",
    "ja": "資料によると、ここに入るのは何ですか\uff1a「{}」",
    "ko": "문서에 따르면 여기에 빠진 것은 무엇입니까: “{}”?",
}


_KINDS: Final = {"year": "which year", "clock": "what time", "weekday": "which day", "percent": "what percentage"}


def gap(fact: Fact, context: str = "") -> str:
    """Asks what is missing in a sentence.

    What other edits change is left out. Of a long sentence only what stands around the gap is shown.

    Args:
        fact: The sentence, with the places of the value.
        context: A sentence before it that says what it is about.
    """
    cuts = sorted([(*each, GAP) for each in fact.values] + [(*each, _LEFT_OUT) for each in fact.others])
    first = min(start for start, _ in fact.values)
    last = max(end for _, end in fact.values)
    text, at = [], 0
    for start, end, instead in cuts:
        text += [fact.text[at:start], instead]
        at = end
    whole = _REPEATED.sub(_LEFT_OUT, "".join((*text, fact.text[at:])))
    if len(fact.text) > 2 * _AROUND + last - first:
        whole = _window(whole)
    about = f"{context} " if context else ""
    shown = f"{about}{whole}".replace('"', "'")
    if fact.language in _ASKED and fact.language != "en":
        return _ASKED[fact.language].format(shown)
    return _ASKED["en"].format(_kind(fact), shown)


def _kind(fact: Fact) -> str:
    """What kind of value is missing, as far as that is certain."""
    kinds = {each.kind for each in quantities(fact.said[0])}
    if fact.edit.kind in {"name", "nonce"}:
        return "what name"
    return next((words for kind, words in _KINDS.items() if kinds == {kind}), "what")


def of_cell(cell: Cell) -> str:
    """Asks what stands in a cell of a table, in English."""
    table = f'the table "{cell.caption}"' if cell.caption else f'the table with the columns "{cell.columns}"'
    return f'According to {table}, what is "{cell.column}" for "{cell.key}"?'


def _window(text: str) -> str:
    """What stands around the gaps, from word to word."""
    first, last = text.find(GAP), text.rfind(GAP) + len(GAP)
    start, end = max(0, first - _AROUND), min(len(text), last + _AROUND)
    if start and (blank := _BREAK.search(text, start, first)):
        start = blank.end()
    if end < len(text) and (blanks := list(_BREAK.finditer(text, last, end))):
        end = blanks[-1].start()
    return (f"{_LEFT_OUT} " if start else "") + text[start:end] + (f" {_LEFT_OUT}" if end < len(text) else "")
