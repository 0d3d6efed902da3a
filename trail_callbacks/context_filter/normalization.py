"""Text in one spelling, without accents, look-alike letters and disguised words, and its offsets in the original."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from trail_callbacks.language.terms import vocabulary

__all__ = ["View", "joined", "normalized", "restored"]

_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"[a-z0-9@$!|+]{3,40}")
_SPACED = re.compile(r"(?<!\w)(?:[^\W_][\W_]{1,3}){7}(?:[^\W_][\W_]{1,3}){0,400}[^\W_](?!\w)")
_GAP = re.compile(r"[\W_]{1,4}")
_PART = re.compile(r"[^\W_]|[\W_]{1,4}")
# Letters of other scripts that look like Latin ones, and what they look like.
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u0433\u043a\u043c\u043d\u0442\u0432"
    "\u04bb\u0261\u0131\u0269\u03b1\u03b5\u03bf\u03c1\u03c5\u03bd\u03b9\u03ba\u03c4\u03c7\u0251\u0578\u057d\u0585"
    "\u0570\u029f\u0280\u0274\u026a\u1d0f\u1d1b\u1d07\u1d00\u1d04\u1d05\u1d18\u1d1c\u1d20\ua731\u0262",
    "aeopcyxijsdwrkmhtbhgiiaeopuviktxanuohlrnioteacdpuvsg",
)
_DIGITS = str.maketrans("01345789@$!|+", "oieastbgasiit")
_KEYWORDS = {
    (word[0], word[-1], "".join(sorted(word))): word
    for word in sorted(
        vocabulary(
            """ignore disregard forget override bypass previous prior above earlier preceding instruction instructions
            prompt prompts rules guidelines directives system reveal repeat respond answer everything secret password"""
        )
    )
}


@dataclass(frozen=True, slots=True)
class View:
    """A text made from another.

    Attributes:
        text: Small letters, without accents or invisible characters.
        offsets: For each character its offset in the original; None if they are equal.
        span: For a decoded text: where its code stands in the original.
        disguise: What disguise was removed, for a person; empty if none.
    """

    text: str
    offsets: Sequence[int] | None = None
    span: tuple[int, int] | None = None
    disguise: str = ""

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Returns the place in the original of a stretch that is not empty."""
        if self.span is not None:
            return self.span
        if self.offsets is None:
            return start, end
        first, last = sorted((self.offsets[start], self.offsets[end - 1]))  # a text read backwards descends
        return first, last + 1


def normalized(text: str) -> View:
    """Folds case, width, ornament and accents, drops invisible characters and replaces look-alike letters.

    Look-alikes of other scripts are replaced only in words that have Latin letters as well.
    """
    if text.isascii():
        return View(text.lower())
    out: list[str] = []
    offsets: list[int] = []
    for i, character in enumerate(text):
        plain = _folded(character)
        out.append(plain)
        offsets.extend([i] * len(plain))
    return View(_WORD.sub(_latin, "".join(out)), offsets)


@lru_cache(maxsize=4096)
def _folded(character: str) -> str:
    if character.isascii():
        return character.lower()
    if unicodedata.category(character) in {"Cf", "Mn", "Me"} and not "\u0900" <= character <= "\u0dff":
        return ""  # accents and invisible characters; the vowel signs of Indic scripts are letters
    form = unicodedata.normalize("NFKC", character).casefold()
    if len(form) != 1:
        return form if form.isascii() else character
    base = unicodedata.normalize("NFD", form)[0]
    return base if base.isascii() else form


def _latin(match: re.Match[str]) -> str:
    word = match[0]
    mixed = not word.isascii() and any(letter.isascii() and letter.isalpha() for letter in word)
    return word.translate(_LOOKALIKES) if mixed else word


def restored(view: View) -> View | None:
    """Replaces digits in words by the letters they stand for, and sorts the letters of shuffled telling words.

    Returns:
        A view of as many characters, or None if there was nothing to replace.
    """
    text = _TOKEN.sub(_restored, view.text)
    return None if text == view.text else replace(view, text=text, disguise="in altered letters")


def _restored(match: re.Match[str]) -> str:
    token = match[0]
    if token.isalpha():
        return _KEYWORDS.get((token[0], token[-1], "".join(sorted(token))), token)
    bare = token.rstrip("!|+")  # at the end these may be punctuation
    letters = sum(character.isalpha() for character in bare)
    return bare.translate(_DIGITS) + token[len(bare) :] if 2 * letters >= len(bare) else token


def joined(view: View) -> View | None:
    """Joins letters that were written apart (`i g n o r e`, `f-o-r-g-e-t`); None if there are none.

    The commonest gap parts letters, any other parts words.
    """
    out: list[str] = []
    offsets: list[int] = []
    for match in _SPACED.finditer(view.text):
        gaps = Counter(gap[0] for gap in _GAP.finditer(match[0]))
        within = gaps.most_common(1)[0][0]
        for part in _PART.finditer(match[0]):
            if part[0] != within:
                out.append(part[0] if part[0].isalnum() else " ")
                offsets.append(match.start() + part.start())
        out.append("\n")
        offsets.append(match.end() - 1)
    if not out:
        return None
    if view.offsets is not None:
        offsets = [view.offsets[i] for i in offsets]
    return View("".join(out), offsets, disguise="spelt out letter by letter")
