"""Questions that need no grammar, in the language of a sentence: a gap, a cell of a table, and yes or no."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Final
from zlib import crc32

from trail_callbacks.canary.questions.facts import OTHER, VALUE, EditedSentence
from trail_callbacks.language.speech import negation

GAP: Final = "___"
"""What stands for the value in a question."""

_AROUND: Final = 170  # characters on either side of a gap
_ASKED: Final[Mapping[str, str]] = {
    "en": 'According to the documents, what is missing here: "{}"?',
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
_CLAIM: Final = 'According to the documents, is this right: "{}" Answer yes or no.'
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


def gap(fact: EditedSentence, context: str = "") -> str:
    """Asks what is missing in a sentence, behind what says what it is about, or in a cell of a table.

    What other edits change is left out. Of a long sentence only what stands around the gap is shown.
    """
    shown = fact.cell.asks if fact.cell is not None else fact.opened
    first, last = shown.find(VALUE), shown.rfind(VALUE) + 1
    if len(shown) > 2 * _AROUND + last - first:
        start = shown.find(" ", first - _AROUND, first) + 1 if first > _AROUND else 0
        end = shown.rfind(" ", last, last + _AROUND) if last + _AROUND < len(shown) else len(shown)
        shown = ("\u2026 " if start else "") + shown[start:end] + (" \u2026" if end < len(shown) else "")
    shown = _OTHERS.sub("\u2026", f"{context} {shown}".strip()).replace(VALUE, GAP).replace('"', "'")
    return _ASKED.get(fact.language, _ASKED["en"]).format(shown)


def yes_or_no(fact: EditedSentence) -> tuple[str, str, str] | None:
    """Asks whether what a sentence or its opposite says is so; None if that is not plain, or no English.

    What is asked is the sentence that denies less, or that demands more (`must` rather than `may`), so that the answer
    to it is plain. Of two orders (`the largest`, `the smallest`) neither is plainer: they take turns. Returns also the
    answer of the corpus and that of the twin.
    """
    real, fictive = fact.text, fact.turned
    if fact.language not in {"en", ""} or not fictive or real == fictive:
        return None
    weaker = denies(real, "en") - denies(fictive, "en") or _weaker(real, fictive)
    if fact.edit.kind == "order":
        weaker = 1 if crc32(fact.edit.id.encode("utf-8", "surrogatepass")) % 2 else -1
    question = _CLAIM.format((real if weaker < 0 else fictive).replace('"', "'"))
    return (question, *(("yes", "no") if weaker < 0 else ("no", "yes"))) if weaker else None


def denies(text: str, code: str) -> int:
    """Counts the words of a text that deny, in its language."""
    return len(negation(code, text.isascii()).findall(text))


def unfit(fact: EditedSentence) -> str | None:
    """Says why a sentence cannot be asked about in words; None if it can."""
    if _TAG.search(fact.text) or (_MARKUP.search(fact.text) and not _SENTENCE.search(fact.text)):
        return "its line is markup, code or data, no sentence"
    letters = [each for each in fact.text if each.isalpha()]
    if not fact.language and sum(not each.isascii() for each in letters) * 2 > len(letters):
        return "its language is not known, so no question can be put in it"
    if fact.language and fact.language not in _ASKED:
        return f"no question is known in its language, {fact.language!r}"
    return None


def hollow(fact: EditedSentence) -> bool:
    """Tells whether a sentence with a gap says too little, or its gap is a piece of a number or word."""
    behind = fact.opened.partition(VALUE)[2][:1]
    if _PIECE.search(fact.opened) or (behind and unicodedata.category(behind).startswith("M")):
        return True
    cuts = fact.opened.count(VALUE) + fact.opened.count(OTHER)
    return fact.language not in _UNSPACED and len(_WORDS.findall(fact.opened)) < max(_FEWEST, cuts + 1)


def _weaker(real: str, fictive: str) -> int:
    """By how much the words in which the first differs demand less than those of the second; 0 if unknown."""
    one, other = (text.casefold().split() for text in (real, fictive))
    strongest = [0, 0]
    for tag, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if tag != "equal":
            for side, words in enumerate((one[a:b], other[c:d])):
                strongest[side] = max(strongest[side], *(_STRENGTH.get(word.strip(".,;:"), 0) for word in words), 0)
    return strongest[1] - strongest[0] if all(strongest) else 0
