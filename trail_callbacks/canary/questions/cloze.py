"""Questions with a gap, and about cells of tables: they fit every sentence, in every language that is known."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from trail_callbacks.canary.questions.asked_for import number_goes_on
from trail_callbacks.canary.questions.facts import Cell, Fact
from trail_callbacks.canary.questions.verbs import base_form
from trail_callbacks.language.values import quantities

__all__ = ["GAP", "gap", "hollow", "of_cell", "unfit"]

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
    "bg": "Какво липсва тук според документите: „{}“?",
    "cs": "Co zde podle dokumentů chybí: „{}“?",
    "el": "Σύμφωνα με τα έγγραφα, τι λείπει εδώ: «{}»;",
    "fi": "Mitä tästä puuttuu asiakirjojen mukaan: ”{}”?",
    "he": 'לפי המסמכים, מה חסר כאן: "{}"?',
    "hi": "दस्तावेज़ों के अनुसार यहाँ क्या छूटा है: “{}”?",
    "hu": "Mi hiányzik innen a dokumentumok szerint: „{}”?",
    "ro": "Potrivit documentelor, ce lipsește aici: „{}”?",
    "th": "ตามเอกสาร ข้อความนี้ขาดอะไรไป: “{}”",
    "uk": "Що тут пропущено згідно з документами: «{}»?",
    "vi": "Theo tài liệu, ở đây thiếu gì: “{}”?",
}
_CELLS: Final[Mapping[str, tuple[str, str, str]]] = {
    "en": ('According to {}, what is "{}" for "{}"?', 'the table "{}"', 'the table with the columns "{}"'),
    "de": ("Was steht laut {} unter „{}“ für „{}“?", "der Tabelle „{}“", "der Tabelle mit den Spalten „{}“"),
    "fr": ("D\u2019après {}, que vaut « {} » pour « {} » ?", "le tableau « {} »", "le tableau aux colonnes « {} »"),
    "es": ("Según {}, ¿qué figura en «{}» para «{}»?", "la tabla «{}»", "la tabla con las columnas «{}»"),
    "it": ("Secondo {}, che cosa indica «{}» per «{}»?", "la tabella «{}»", "la tabella con le colonne «{}»"),
    "pt": ("Segundo {}, o que consta em «{}» para «{}»?", "a tabela «{}»", "a tabela com as colunas «{}»"),
    "nl": ("Wat staat er volgens {} onder “{}” voor “{}”?", "de tabel “{}”", "de tabel met de kolommen “{}”"),
    "ja": ("{2}の「{1}」は何ですか\uff08{0}\uff09", "表「{}」", "列「{}」の表"),
    "zh": ("根据{0}\uff0c“{2}”的“{1}”是什么\uff1f", "表格“{}”", "列为“{}”的表格"),
    "ar": ("بحسب {0}، ما قيمة «{1}» في صف «{2}»؟", "الجدول «{}»", "الجدول ذي الأعمدة «{}»"),
}  # fmt: skip
_MARKUP: Final = re.compile(
    r"</?[a-z][a-z0-9]*(?:\s[^<>]{0,200})?/?>|^\s*[{[]\s*[\"'{]|[\"']\w+[\"']:\s|[{};]\s*$|&&|\|\||[=!<>]=|=>|->"
    r"|^\s*(?:def|class|for|while|return|import|from|var|let|const|int|if)\b.*[=({:]|\w\.\w+\("
)
_SENTENCE: Final = re.compile(r"(?:\b[^\W\d_A-Z]{2,}\b\W+){5}.*[.!?][\"')\u201d\u2019]*\s*$", re.DOTALL)
_TAG: Final = re.compile(r"</?(?:html|head|body|style|script|title|div|span|meta|td|tr|table)\b", re.IGNORECASE)
_WORDS: Final = re.compile(r"[^\W\d_]{2,}")
_SPACED: Final = 3  # words that a sentence with a gap has at least, in scripts with spaces


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


def of_cell(cell: Cell, code: str) -> str | None:
    """Asks what stands in a cell of a table; None in a language in which it cannot be asked."""
    if (code or "en") not in _CELLS:
        return None
    ask, titled, untitled = _CELLS[code or "en"]
    table = titled.format(cell.caption) if cell.caption else untitled.format(cell.columns)
    return ask.format(table, cell.column, cell.key)


def unfit(fact: Fact) -> str | None:
    """Says why a sentence cannot be asked about in words; None if it can."""
    if _TAG.search(fact.text) or (_MARKUP.search(fact.text) and not _SENTENCE.search(fact.text)):
        return "its line is markup, code or data, no sentence"
    if fact.language in {"en", ""} and any(_taken_along(fact.text[start:end]) for start, end in fact.values):
        return "its value is a number with a word that is no part of it"
    if not fact.language and _foreign(fact.text):
        return "its language is not known, so no question can be put in it"
    if fact.language and fact.language not in _ASKED:
        return f"no question is known in its language, {fact.language!r}"
    return None


def _taken_along(value: str) -> bool:
    """Whether a number has a verb with it that it does not count: `Five belong`."""
    words = value.casefold().split()
    found = quantities(value)
    if len(words) != 2 or len(found) != 1 or found[0].kind != "count" or found[0].value == 1:  # noqa: PLR2004 - both
        return False
    return words[1].endswith("ing") or (not words[1].endswith("s") and base_form(words[1]) is not None)


def _foreign(text: str) -> bool:
    """Whether most letters of a text are of another script than English."""
    letters = [each for each in text if each.isalpha()]
    return sum(not each.isascii() for each in letters) * 2 > len(letters)


def hollow(fact: Fact) -> bool:
    """Tells whether a sentence with a gap says too little, or its gap is a piece of a word."""
    for start, end in fact.values:
        if number_goes_on(fact.text, start) or unicodedata.category(fact.text[end : end + 1] or " ").startswith("M"):
            return True
    said, at = [], 0
    cuts = sorted((*fact.values, *fact.others))
    for start, end in cuts:
        said.append(fact.text[at:start])
        at = end
    words = _WORDS.findall(" ".join((*said, fact.text[at:])))
    unspaced = fact.language in {"ja", "zh", "th"}
    return not unspaced and len(words) < max(_SPACED, len(cuts) + 1)


def _window(text: str) -> str:
    """What stands around the gaps, from word to word."""
    first, last = text.find(GAP), text.rfind(GAP) + len(GAP)
    start, end = max(0, first - _AROUND), min(len(text), last + _AROUND)
    if start and (blank := _BREAK.search(text, start, first)):
        start = blank.end()
    if end < len(text) and (blanks := list(_BREAK.finditer(text, last, end))):
        end = blanks[-1].start()
    return (f"{_LEFT_OUT} " if start else "") + text[start:end] + (f" {_LEFT_OUT}" if end < len(text) else "")
