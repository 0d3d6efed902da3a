"""Sentences that say, in other languages than English, that the speaker or the sources do not know.

`refusals.txt` has the grammar of each language.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["LANGUAGES", "refuses"]

LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "pl", "ru", "tr", "zh", "ja", "ko", "ar", "hi", "id", "vi")
"""ISO 639-1 codes of the languages that are known; a refusal in another one is taken for a statement."""

_TABLE = Path(__file__).with_name("refusals.txt")
_UNSPACED = frozenset({"zh", "ja", "ko"})  # words are not between blanks, or have endings attached
_LONGEST = 200  # characters of a refusal
_REST = r"[^\d.;:!?\u3002\uff01\uff1f\u061b\u061f]{1,80}?"
_AROUND = re.compile(
    r"^[^\w\u0900-\u0963\u0966-\u0dff]+|[^\w\u0900-\u0963\u0966-\u0dff]+$"
)  # `re` takes no Indic vowel sign for a letter


def refuses(text: str) -> bool:
    """Tells whether a sentence in one of `LANGUAGES` says only that the speaker or the sources do not know the answer.

    The whole sentence has to be that: what states something besides, has a digit, or goes on after a "but" is none.
    An apology alone is one.
    """
    said = " ".join(unicodedata.normalize("NFC", text[: _LONGEST + 1]).casefold().replace("\u2019", "'").split())
    if len(said) > _LONGEST or any(sign.isdigit() for sign in said):
        return False
    return any(language.refuses(_bare(said)) for language in _languages())


@dataclass(frozen=True, slots=True)
class _Language:
    opening: re.Pattern[str]
    but: re.Pattern[str]
    sentence: re.Pattern[str]

    def refuses(self, said: str) -> bool:
        rest = said
        while rest and (apology := self.opening.match(rest)):
            rest = _bare(rest[apology.end() :])
        if not rest:
            return bool(said)
        return self.sentence.fullmatch(rest) is not None and self.but.search(rest) is None


def _bare(text: str) -> str:
    return _AROUND.sub("", text)


@cache
def _languages() -> tuple[_Language, ...]:
    sections = re.split(r"^\[(\w+)\]\n", _TABLE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return tuple(_read(code, body) for code, body in zip(sections[::2], sections[1::2], strict=True))


def _read(code: str, section: str) -> _Language:
    lines = [line for line in section.splitlines() if line]
    named = dict(line.split(" = ", 1) for line in lines if " = " in line)
    sentences = [line for line in lines if " = " not in line]
    ask = rf"(?:,? (?:{named['ask']})\b(?:{_REST})?)?" if "ask" in named else ""
    whole = "|".join(f"(?:{each})" for each in sentences).replace("{ask}", ask).replace("{rest}", _REST)
    start, end = ("", "") if code in _UNSPACED else (r"(?<!\w)", r"(?!\w)")
    but = f"{start}(?:{named['but']}){end}"
    opening = rf"(?:{named['open']}){end}(?:\W+{but})?"
    return _Language(re.compile(opening), re.compile(but), re.compile(whole))
