"""A text as a model may read it: folded, unmasked, decoded, each with the way back to the original's offsets."""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from urllib.parse import unquote

from trail_callbacks.language.terms import vocabulary

__all__ = ["View", "compact", "decoded", "folded", "repaired"]

_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"[a-z0-9@$!|+]{3,}")
_SPELT = re.compile(r"(?<!\w)(?:[^\W_][\W_]{1,3}){7,}[^\W_](?!\w)")
_BLOB = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,}={0,2}(?![A-Za-z0-9+/_-])")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:(?:0x|\\x)?[0-9a-fA-F]{2}[ ,:]?){16,}(?![0-9A-Za-z])")
_ENTITIES = re.compile(r"(?:&#x?[0-9a-fA-F]{2,6};[ ]?){4,}")
_PERCENT = re.compile(r"(?:[\w.!-]{0,12}%[0-9a-fA-F]{2}){3,}[\w.!-]*")
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4}){4,}")
_HEX_DIGITS = re.compile(r"0x|\\x|[ ,:]")
_READABLE = 0.9  # share of letters and blanks; what decodes to less is data, not text
_DECODED = 20_000  # signs of one blob that are decoded
# Letters of other scripts that look like Latin ones.
_TWINS = dict(
    zip(
        "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u0433\u043a\u043c\u043d\u0442\u0432"
        "\u04bb\u0261\u0131\u0269\u03b1\u03b5\u03bf\u03c1\u03c5\u03bd\u03b9\u03ba\u03c4\u03c7\u0251\u0578\u057d\u0585\u0570\u029f\u0280\u0274\u026a\u1d0f\u1d1b\u1d07\u1d00\u1d04\u1d05\u1d18\u1d1c\u1d20\ua731\u0262",
        "aeopcyxijsdwrkmhtbhgiiaeopuviktxanuohlrnioteacdpuvsg",
        strict=True,
    )
)
_DIGITS = str.maketrans("01345789@$!|+", "oieastbgasiit")
_ELLS = str.maketrans("1|!", "lll")
KEYWORDS = vocabulary(
    """ignore disregard forget override bypass previous prior above earlier preceding instruction instructions prompt
    prompts rules guidelines directives commands system reveal repeat print assistant respond answer reply everything
    developer unrestricted jailbreak pretend secret password output follow obey restrictions conversation message
    messages all your the and you are now"""
)
"""Words that nobody writes in disguise unless a filter is to overlook them."""
_ESTABLISHED = 5  # letters; a shorter word is too easily hit by chance
_MISSING = 8  # letters; a word so long is known with one missing


@dataclass(frozen=True, slots=True)
class View:
    """A text made from another.

    Attributes:
        text: Small letters without accents or invisible signs.
        name: How it was made: `plain`, `unmasked`, `spelt out`, `base64`, ...
        places: For each sign its offset in the original; None if all are equal.
        span: For decoded text: where its code stands.
    """

    text: str
    name: str = "plain"
    places: Sequence[int] | None = None
    span: tuple[int, int] | None = None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Returns the place in the original of a stretch that is not empty."""
        if self.span is not None:
            return self.span
        if self.places is None:
            return start, end
        return self.places[start], self.places[end - 1] + 1


def folded(text: str) -> View:
    """Folds case, width, ornament and accents, drops invisible signs, and turns look-alike letters back."""
    if text.isascii():
        return View(text.lower())
    out: list[str] = []
    places: list[int] = []
    for i, sign in enumerate(text):
        plain = _plain(sign)
        out.append(plain)
        places.extend([i] * len(plain))
    whole = "".join(out)
    return View(_WORD.sub(_latin, whole), places=places)


@lru_cache(maxsize=4096)
def _plain(sign: str) -> str:
    if sign.isascii():
        return sign.lower()
    if unicodedata.category(sign) in {"Cf", "Mn", "Me"} and not "\u0900" <= sign <= "\u0dff":
        return ""  # vowel signs of Indic scripts are letters; accents and invisible signs are not
    if "\u2500" <= sign <= "\u27bf":
        return sign
    form = unicodedata.normalize("NFKC", sign).casefold()
    if len(form) != 1:
        return form if form.isascii() else sign
    base = unicodedata.normalize("NFD", form)[0]
    return base if base.isascii() else form


def _latin(match: re.Match[str]) -> str:
    """Within a word that has Latin letters, look-alikes of other scripts are meant as Latin, too."""
    word = match[0]
    if word.isascii() or not any(sign.isascii() and sign.isalpha() for sign in word):
        return word if not _all_twins(word) else "".join(map(_twin, word))
    return "".join(map(_twin, word))


def _all_twins(word: str) -> bool:
    return all(sign in _TWINS for sign in word) and "".join(map(_twin, word)) in KEYWORDS


def _twin(sign: str) -> str:
    return _TWINS.get(sign, sign)


def repaired(view: View) -> View | None:
    """Undoes leetspeak, shuffled and missing letters in telling words; None if there are none."""
    out: list[str] = []
    places: list[int] = []
    at = changed = 0
    for match in _TOKEN.finditer(view.text):
        word = _repair(match[0])
        if word is None:
            continue
        changed += 1
        start, end = match.span()
        out += [view.text[at:start], word]
        places += range(at, start)
        places += [min(start + k, end - 1) for k in range(len(word))]
        at = end
    if not changed:
        return None
    out.append(view.text[at:])
    places += range(at, len(view.text))
    if view.places is not None:
        places = [view.places[i] for i in places]
    return View("".join(out), "unmasked", places)


@lru_cache(maxsize=8192)
def _repair(token: str) -> str | None:
    if token in KEYWORDS or not any(sign.isalpha() for sign in token):
        return None
    if not token.isalpha():
        for bare in (token, token.rstrip("!|+")):  # at the end it may be punctuation
            for read in (bare.translate(_DIGITS), bare.translate(_ELLS).translate(_DIGITS)):
                if read in KEYWORDS and not bare.isalpha():
                    return read
        return None
    if len(token) < _ESTABLISHED:
        return None
    return _shuffled().get((token[0], token[-1], "".join(sorted(token)))) or _shortened().get(token)


@cache
def _shuffled() -> dict[tuple[str, str, str], str]:
    return {(word[0], word[-1], "".join(sorted(word))): word for word in sorted(KEYWORDS) if len(word) >= _ESTABLISHED}


@cache
def _shortened() -> dict[str, str]:
    found = {
        word[:i] + word[i + 1 :]: word for word in sorted(KEYWORDS) if len(word) >= _MISSING for i in range(len(word))
    }
    return {short: word for short, word in found.items() if short not in KEYWORDS and f"{short}s" not in KEYWORDS}


def compact(view: View) -> View | None:
    """Joins letters that were written apart (`i g n o r e`, `i.g.n.o.r.e`); None if there are none."""
    out: list[str] = []
    places: list[int] = []
    for match in _SPELT.finditer(view.text):
        for i in range(match.start(), match.end()):
            if view.text[i].isalnum():
                out.append(view.text[i])
                places.append(i)
        out.append("\n")
        places.append(match.end() - 1)
    if not out:
        return None
    joined = "".join(out)
    if view.places is not None:
        places = [view.places[i] for i in places]
    return View(joined.translate(_DIGITS), "spelt out", places)


def decoded(text: str) -> Iterator[View]:
    """Finds what is written in base64, hexadecimal, entities, percent or Unicode escapes, as text that can be read."""
    for name, pattern, read in (
        ("base64", _BLOB, _from_base64),
        ("hexadecimal", _HEX, _from_hex),
        ("entities", _ENTITIES, html.unescape),
        ("percent codes", _PERCENT, unquote),
        ("escapes", _ESCAPES, _from_escapes),
    ):
        for match in pattern.finditer(text):
            found = read(match[0][:_DECODED])
            if found and _is_text(found):
                yield View(folded(found).text, name, span=match.span())
    tags = "".join(chr(ord(sign) - 0xE0000) for sign in text if "\U000e0020" <= sign <= "\U000e007e")
    if tags:
        places = [i for i, sign in enumerate(text) if "\U000e0020" <= sign <= "\U000e007e"]
        yield View(tags.lower(), "invisible tags", places)


def _is_text(found: str) -> bool:
    readable = sum(sign.isalpha() or sign.isspace() for sign in found)
    return readable >= _READABLE * len(found) and any(map(str.isspace, found))


def _from_base64(blob: str) -> str:
    bare = blob.rstrip("=").replace("-", "+").replace("_", "/")
    if len(bare) % 4 == 1:
        bare = bare[:-1]
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _from_hex(digits: str) -> str:
    bare = _HEX_DIGITS.sub("", digits)
    try:
        return bytes.fromhex(bare[: len(bare) // 2 * 2]).decode()
    except (ValueError, UnicodeDecodeError):
        return ""


def _from_escapes(escapes: str) -> str:
    return "".join(chr(int(code, 16)) for code in escapes.split("\\u")[1:])
