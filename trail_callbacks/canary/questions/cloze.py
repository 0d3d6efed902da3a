"""Questions with a gap, and about cells of tables: they fit every sentence, in every language that is known."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from trail_callbacks.canary.questions.facts import OTHER, VALUE, Cell, Fact
from trail_callbacks.language.values import quantities
from trail_callbacks.splitting.words import base

__all__ = ["GAP", "gap", "hollow", "of_cell", "unfit"]

GAP: Final = "___"
"""What stands for the value in a question."""

_AROUND: Final = 170  # characters on either side of a gap
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
_FEWEST: Final = 3  # words that a sentence with a gap has at least, in scripts with spaces
_UNSPACED: Final = frozenset({"ja", "zh", "th"})
_OTHERS: Final = re.compile(rf"[{OTHER}\u2026](?:\s*[{OTHER}\u2026])*")
_PIECE: Final = re.compile(rf"\d[.,]{VALUE}")  # the `000` of `3,000`
_TAKEN: Final = re.compile(r"^\S+\s[a-z]+(?<!s)$")
_KINDS: Final = {"year": "which year", "clock": "what time", "weekday": "which day", "percent": "what percentage"}


def gap(fact: Fact, context: str = "") -> str:
    """Asks what is missing in a sentence.

    What other edits change is left out. Of a long sentence only what stands around the gap is shown.

    Args:
        fact: The sentence.
        context: What stands before it and says what it is about.
    """
    shown = fact.opened
    first, last = shown.find(VALUE), shown.rfind(VALUE) + 1
    if len(shown) > 2 * _AROUND + last - first:
        start = shown.find(" ", first - _AROUND, first) + 1 if first > _AROUND else 0
        end = shown.rfind(" ", last, last + _AROUND) if last + _AROUND < len(shown) else len(shown)
        shown = ("\u2026 " if start else "") + shown[start:end] + (" \u2026" if end < len(shown) else "")
    shown = _OTHERS.sub("\u2026", f"{context} {shown}".strip()).replace(VALUE, GAP).replace('"', "'")
    if fact.language in _ASKED and fact.language != "en":
        return _ASKED[fact.language].format(shown)
    kinds = {each.kind for each in quantities(fact.said[0])}
    asks = next((words for kind, words in _KINDS.items() if kinds == {kind}), "what")
    return _ASKED["en"].format("what name" if fact.edit.kind in {"name", "nonce"} else asks, shown)


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
    taken = _TAKEN.search(fact.said[0]) and quantities(fact.said[0]) and base(fact.said[0].split()[-1])
    if taken and fact.language in {"en", ""}:
        return "its value is a number with a word that is no part of it"  # `those from six to fifteen pay half`
    letters = [each for each in fact.text if each.isalpha()]
    if not fact.language and sum(not each.isascii() for each in letters) * 2 > len(letters):
        return "its language is not known, so no question can be put in it"
    if fact.language and fact.language not in _ASKED:
        return f"no question is known in its language, {fact.language!r}"
    return None


def hollow(fact: Fact) -> bool:
    """Tells whether a sentence with a gap says too little, or its gap is a piece of a number or word."""
    behind = fact.opened.partition(VALUE)[2][:1]
    if _PIECE.search(fact.opened) or (behind and unicodedata.category(behind).startswith("M")):
        return True
    cuts = fact.opened.count(VALUE) + fact.opened.count(OTHER)
    return fact.language not in _UNSPACED and len(_WORDS.findall(fact.opened)) < max(_FEWEST, cuts + 1)
