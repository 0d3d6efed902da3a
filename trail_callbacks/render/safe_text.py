"""Untrusted text made safe to show: without control characters and hidden words, and not too long.

For a terminal or a notebook: `plain` and `flowing`. For a page, escaped: `line`, `name` and `block` in its elements,
`script_json` in a script.
"""

from __future__ import annotations

import json
import re
import unicodedata
from html import escape
from typing import Any

from trail_callbacks.text import shorten

__all__ = ["block", "flowing", "legible", "line", "name", "plain", "script_json", "shorten"]

_BLANKS = re.compile(r"\s+")
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_TYPED = {  # ASCII replacements of punctuation; letters are never replaced
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u2032"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u2033"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-"),
    ord("\u2022"): "*",
    ord("\u2026"): "...",
}
_JOINERS = "\u200c\u200d"  # format characters that Indic scripts, Persian and emoji are spelled with
_LINE_END = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNUSUAL = re.compile(r"[^\s\x21-\x7e]+|[\x00-\x08\x0e-\x1f\x7f]+")  # `plain` escapes the unsafe part of it


def plain(text: str, *, ascii: bool = False) -> str:  # noqa: A002 - named like Python's own function
    r"""Makes untrusted text safe to show on one line.

    Whitespace becomes single spaces; control characters, terminal escapes, bidirectional overrides and lone surrogates
    are escaped (`\x1b`), so that judged text can neither move the cursor nor hide words.

    Args:
        text: Any text.
        ascii: Escape everything that is not ASCII; curly quotation marks, dashes and similar become plain ones.
    """
    text = _BLANKS.sub(" ", text).strip()
    if not text.isascii() or not text.isprintable():
        text = "".join(_shown(character) for character in text)
    return text.translate(_TYPED).encode("ascii", "backslashreplace").decode() if ascii else text


def flowing(text: str) -> str:
    """Makes untrusted text safe as `plain` does, but keeps line breaks, paragraphs and a space at either end."""
    parts = re.split(r"(\s+)", text)
    return "".join("\n" * min(part.count("\n"), 2) or " " if part.isspace() else plain(part) for part in parts)


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _UNSAFE or character in _JOINERS:
        return character
    return character.encode("unicode_escape").decode()


def line(text: str) -> str:
    """Escapes a text for one line, in an element or a quoted attribute."""
    return escape(plain(text))


def name(text: str) -> str:
    """Escapes a text inside a sentence of ours, isolated in case it is written right to left."""
    return f"<bdi>{line(text)}</bdi>"


def legible(text: str) -> str:
    """Spells out control and bidirectional characters but keeps line ends and whitespace; does not escape HTML."""
    return _UNUSUAL.sub(lambda found: plain(found[0]), _LINE_END.sub("\n", text))


def block(text: str) -> str:
    """Escapes a text but keeps its line ends and whitespace, as `legible`."""
    return escape(legible(text))


def script_json(value: Any) -> str:
    """JSON that is safe in a script element: no text in it can close the element or start a comment."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
