"""Sentences that say, in other languages than English, that the speaker or the sources do not know."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

__all__ = ["LANGUAGES", "refuses"]

LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "pl", "ru", "tr", "zh", "ja", "ko", "ar", "hi", "id", "vi")
"""ISO 639-1 codes of the languages that are known; a refusal in another one is taken for a statement."""

_TABLE = Path(__file__).with_name("refusals.txt")
_LONGEST = 200  # characters of a refusal
_REST = r"[^\d.;:!?\u3002\uff01\uff1f\u061b\u061f]{1,80}?"
_BUT = re.compile(
    r"(?:\b(?:aber|sondern|jedoch|doch|mais|pero|sino|ma|per\u00f2|mas|por\u00e9m|maar|ale|lecz|\u043d\u043e|\u043e\u0434\u043d\u0430\u043a\u043e"
    r"|ama|fakat|ancak|\u0644\u0643\u0646|\u0648\u0644\u0643\u0646|\u0644\u0643\u0646\u0647\u0627|\u0644\u0643\u0646\u0647|\u0932\u0947\u0915\u093f\u0928|\u092a\u0930\u0902\u0924\u0941|\u092a\u0930|tetapi|tapi|namun"
    r"|nh\u01b0ng|tuy nhi\u00ean|\ud558\uc9c0\ub9cc|\uadf8\ub7ec\ub098)\b|\u4f46|\u4e0d\u8fc7|\u4e0d\u904e|\u7136\u800c|\u3067\u3082|\u3057\u304b\u3057|\u3067\u3059\u304c|\u307e\u3059\u304c|\u307e\u305b\u3093\u304c|\uc9c0\ub9cc)"
)
_APOLOGETIC = r"(?:\W+(?:aber|mais|pero|ma|mas|por\u00e9m|maar|ale|\u043d\u043e|ama|fakat|\u0648?\u0644\u0643\u0646(?:\u0646\u064a)?|\u0932\u0947\u0915\u093f\u0928|tetapi|tapi|nh\u01b0ng))?"


def refuses(text: str) -> bool:
    """Tells whether a sentence in one of `LANGUAGES` says only that the speaker or the sources do not know the answer.

    The whole sentence has to be that: what states something besides, has a digit, or goes on after a "but" is none.
    An apology alone is one.
    """
    said = " ".join(unicodedata.normalize("NFC", text).casefold().replace("\u2019", "'").split())
    if len(said) > _LONGEST or any(sign.isdigit() for sign in said):
        return False
    said = _bare(said)
    return any(_is_refusal(opening, sentence, said) for opening, sentence in _languages())


def _is_refusal(opening: re.Pattern[str], sentence: re.Pattern[str], said: str) -> bool:
    rest, apologised = said, False
    while rest and (begun := opening.match(rest)):
        rest, apologised = _bare(rest[begun.end() :]), True
    if not rest:
        return apologised
    return sentence.fullmatch(rest) is not None and _BUT.search(rest) is None


def _bare(text: str) -> str:
    return text.strip(
        " \t\"'.,;:!?*_()\u3002\uff0c\u3001\uff01\uff1f\u0964\u060c\u061f\u00ab\u00bb\u201c\u201d\u201e\u00a1\u00bf\u2026-\u2013\u2014"
    )


@cache
def _languages() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """For each language the pattern of what may stand before, and that of a whole refusal."""
    found = []
    for section in re.split(r"^\[\w+\]\n", _TABLE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        opening, ask, *sentences = (line for line in section.splitlines() if line)
        words = ask.removeprefix("ask = ")
        asked = rf"(?:,? (?:{words})\b(?:{_REST})?)?"
        whole = "|".join(f"(?:{each})" for each in sentences).replace("{ask}", asked).replace("{rest}", _REST)
        before = rf"(?:{opening.removeprefix('open = ')})(?!\w(?<=[a-z\u00e0-\u024f\u0400-\u052f\u0600-\u06ff\u0900-\u097f]))"
        found.append((re.compile(before + _APOLOGETIC), re.compile(whole)))
    return tuple(found)
