"""Questions that need no grammar: a gap, a cell of a table, and yes or no."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from typing import Final
from zlib import crc32

from trail_callbacks.canary.questions.facts import OTHER, VALUE, EditedSentence
from trail_callbacks.language.speech import negation

GAP: Final = "___"
"""What stands for the value in a question."""

_AROUND: Final = 170  # characters on either side of a gap
_ASKED: Final = 'According to the documents, what is missing here: "{}"?'
_ASKED_ABROAD: Final = f'"{{}}" {GAP} = ?'  # in any language: words of another one would ask for an answer in that
_CLAIM: Final = 'According to the documents, is this right: "{}" Answer yes or no.'
_MARKUP: Final = re.compile(
    r"</?[a-z][a-z0-9]*(?:\s[^<>]{0,200})?/?>|^\s*[{[]\s*[\"'{]|[\"']\w+[\"']:\s|[{};]\s*$|&&|\|\||[=!<>]=|=>|->"
    r"|^\s*(?:def|class|for|while|return|import|from|var|let|const|int|if)\b.*[=({:]|\w\.\w+\("
)
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
    return (_ASKED if fact.language in {"en", ""} else _ASKED_ABROAD).format(shown)


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
    return "its line is markup, code or data, no sentence" if _MARKUP.search(fact.text) else None


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
