"""Sentences of a line in its own language: which abbreviations end none, which signs belong to the one before."""

from __future__ import annotations

import re
from functools import cache

from trail_callbacks.language.terms import vocabulary
from trail_callbacks.text import Sentence, sentences

__all__ = ["guess", "sentences_of"]

_WORD = re.compile(r"[^\W\d_]{1,20}")
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
)
_SAMPLE = 2000  # signs; more tell no more
_CLOSERS = re.compile(r"[\s*_~`\"'\u201d\u2019\u00bb)\]]+(?=\s|$)")
_CITED = re.compile(
    r"(?:\s*(?:\[\^?[\w,\s\u2013-]{1,60}\]|\((?:[Pp]assages?|[Ss]ources?|[Dd]ocuments?)\s[^()]{1,60}\)))+[.]?\s*"
)
_ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:d\.w\.z|approx|incl|excl|est|max|min|avg|vol|pp|cf|al|resp|vs|ca|bzw|bspw|bijv|ecc|sig|pag|p\u00e1g|Dhr|Mw|Sra?|Dra?|M|Mme"
    r"|\u0921\u0949|\u0915\u093f|[A-Z])\.$"
)
_TITLES = {"fr": "M.", "it": "S.", "hi": "\u0921\u0949."}
_SMALL = re.compile(r"[^\w\s]*[a-z\u00df-\u00f6\u00f8-\u00ff\d]")


@cache
def _common() -> dict[str, frozenset[str]]:
    return {
        "en": vocabulary(
            """the a an and of to in is are was were for with that this by on it as from at not be has have had which i
            you we he she they his her their its my your our can will would could should may must do does did but or if
            so than then there these those who what when where how more most some any all no into after also about"""
        ),
        "de": vocabulary(
            "der die das und ist nicht ein eine von zu den dem des im f\u00fcr auf sich mit bei wird sind am als aus"
        ),
        "es": vocabulary("el los las del y un una que por con para su en es la se lo al fue son m\u00e1s como pero no"),
        "fr": vocabulary("le les une et est dans pour sur qui pas au aux du des un la il elle que ce sont avec par ne"),
        "it": vocabulary("il lo gli che di non sono della del una un la per con \u00e8 nel alla anche dei le si da e"),
        "pt": vocabulary(
            "o os uma n\u00e3o com dos da do na no um que em por para mais foi s\u00e3o ao e as \u00e9 se"
        ),
        "nl": vocabulary("het een van niet voor zijn op de en dat met in te er aan bij ook om uit wordt is"),
    }


def guess(text: str) -> str:
    """Guesses the language of a text by its script, or by its function words.

    Returns:
        An ISO 639-1 code: one of `ar`, `de`, `en`, `es`, `fr`, `hi`, `it`, `ja`, `nl`, `pt`, `zh`; `en` in doubt.
    """
    sample = text[:_SAMPLE]
    if not sample.isascii():
        for code, signs in _SCRIPTS:
            if len(signs.findall(sample)) * 8 > len(sample):
                return code
    words = [match[0].casefold() for match in _WORD.finditer(sample)]
    counts = {code: sum(word in common for word in words) for code, common in _common().items()}
    best = max(counts, key=lambda code: counts[code])
    enough = counts[best] > 1 or not sample.isascii()  # `met` may be an English word as well
    return best if counts[best] > counts["en"] and enough else "en"


def sentences_of(text: str, language: str) -> list[Sentence]:
    """Splits a paragraph into sentences; closing marks and citations stay with the sentence that they close.

    Args:
        text: One line or paragraph.
        language: What `guess` said.

    Returns:
        The sentences in order, without surrounding blanks.
    """
    found: list[tuple[int, int]] = []
    for sentence in sentences(text, language):
        start, end = sentence.start, sentence.end
        if found and _goes_on(text, *found[-1], start, language):
            found[-1] = (found[-1][0], end)
            continue
        if found:
            reach = _tail(text, found[-1][1], start, end)
            if reach > start:
                found[-1] = (found[-1][0], reach)
                start = reach
        if text[start:end].strip():
            found.append((start + len(text[start:end]) - len(text[start:end].lstrip()), end))
    return [Sentence(start, end, text[start:end]) for start, end in found]


def _tail(text: str, before: int, start: int, end: int) -> int:
    """Where closing marks and citations end that belong to the sentence before; `start` if there are none."""
    closing = _CLOSERS.match(text, start, end) if start == before else None
    cited = _CITED.match(text, closing.end() if closing else start, end)
    last = cited or closing
    return start + len(text[start : last.end()].rstrip()) if last else start


def _goes_on(text: str, start: int, end: int, following: int, language: str) -> bool:
    """Whether the sentence goes on: after a title, or with a small letter after an abbreviation or dots."""
    tail = text[max(start, end - 12) : end]
    if tail.split()[-1:] == [_TITLES.get(language)]:
        return True
    if not _SMALL.match(text[following : following + 4]):
        return False
    dots = tail.endswith(("...", "\u2026")) and text[following].islower()
    return dots or _ABBREVIATED.search(tail) is not None
