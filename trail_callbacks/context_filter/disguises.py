"""What disguises a text: look-alike letters, digits for letters, blanks between letters, codes, hidden markup.

A `View` is a text made from another, with the offsets that lead back.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"[a-z0-9@$!|+]{3,40}")
_SPACED = re.compile(r"(?<!\w)(?:[^\W_][\W_]{1,3}){7}(?:[^\W_][\W_]{1,3}){0,400}[^\W_](?!\w)")
_PART = re.compile(r"[^\W_]|[\W_]{1,4}")
# Letters of other scripts that look like Latin ones, and what they look like.
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u0433\u043a\u043c\u043d\u0442\u0432"
    "\u04bb\u0261\u0131\u0269\u03b1\u03b5\u03bf\u03c1\u03c5\u03bd\u03b9\u03ba\u03c4\u03c7\u0251\u0578\u057d\u0585"
    "\u0570\u029f\u0280\u0274\u026a\u1d0f\u1d1b\u1d07\u1d00\u1d04\u1d05\u1d18\u1d1c\u1d20\ua731\u0262",
    "aeopcyxijsdwrkmhtbhgiiaeopuviktxanuohlrnioteacdpuvsg",
)
_DIGITS = str.maketrans("01345789@$!|+", "oieastbgasiit")
_BASE64 = re.compile(r"(?<![\w+/=-])[\w+/-]{24,20000}={0,2}(?![\w+/-])", re.ASCII)
_TAGS = re.compile("[\U000e0020-\U000e007e]{4,4000}")
_READABLE = 0.9  # share of letters and blanks; what decodes to less is data, not text
_HIDDEN = re.compile(
    r"<!--((?:(?!-->).){1,2000})|^\[(?://|comment)\]:\s?#\s?[(\"']([^)\"']{1,2000})"
    r"|<\w{1,12}\b(?=[^<>]{0,300}?(?:display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?[01](?![\d.])"
    r"|opacity\s?:\s?0(?![\d.])|(?<![\w-])color\s?:\s?(?:white|transparent|#fff)\b|\shidden[\s>]))[^<>]{0,300}>([^<]{1,2000})",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)


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


def undisguised(text: str, plain: View) -> Iterator[View]:
    """Reads a text as if a disguise were removed; yields only what differs from the text as it stands.

    Args:
        text: The text.
        plain: The same, `normalized`.
    """
    letters = _TOKEN.sub(_with_letters, plain.text)
    if letters != plain.text:
        yield replace(plain, text=letters, disguise="in altered letters")
    yield from _joined(plain)
    for name, pattern, decode in (("base64", _BASE64, _from_base64), ("invisible tags", _TAGS, _from_tags)):
        for match in pattern.finditer(text):
            decoded = decode(match[0])
            readable = sum(character.isalpha() or character.isspace() for character in decoded)
            if readable >= _READABLE * len(decoded) and any(map(str.isspace, decoded)):
                yield View(normalized(decoded).text, span=match.span(), disguise=f"in {name}")


def _with_letters(match: re.Match[str]) -> str:
    """Replaces digits in a word by the letters they stand for."""
    token = match[0]
    bare = token.rstrip("!|+")  # at the end these may be punctuation
    letters = sum(character.isalpha() for character in bare)
    return bare.translate(_DIGITS) + token[len(bare) :] if letters < len(bare) <= 2 * letters else token


def _joined(view: View) -> Iterator[View]:
    """Joins letters that were written apart (`i g n o r e`): the commonest gap parts letters, any other parts words."""
    out: list[tuple[str, int]] = []
    for match in _SPACED.finditer(view.text):
        parts = list(_PART.finditer(match[0]))
        within = Counter(part[0] for part in parts if not part[0].isalnum()).most_common(1)[0][0]
        said = ((part[0] if part[0].isalnum() else " ", part.start()) for part in parts if part[0] != within)
        out += [*((sign, match.start() + at) for sign, at in said), ("\n", match.end() - 1)]
    if out:
        offsets = [at if view.offsets is None else view.offsets[at] for _, at in out]
        yield View("".join(sign for sign, _ in out), offsets, disguise="spelt out letter by letter")


def _from_base64(blob: str) -> str:
    bare = blob.rstrip("=").replace("-", "+").replace("_", "/")
    bare = bare[:-1] if len(bare) % 4 == 1 else bare
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _from_tags(tags: str) -> str:
    return "".join(chr(ord(tag) - 0xE0000) for tag in tags)


def hidden(text: str) -> Iterator[tuple[int, int]]:
    """Finds the stretches that a page does not show: comments, as far as they are read, and elements styled away."""
    if "<" in text or "]:" in text:
        yield from (found.span(found.lastindex or 0) for found in _HIDDEN.finditer(text))
