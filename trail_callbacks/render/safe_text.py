"""Untrusted text made safe to show: without control characters and hidden words, and not too long."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["flowing", "plain", "shorten"]

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


def shorten(text: str, limit: int) -> str:
    """Cuts text to at most `limit` characters, at a space if one is near, and appends three dots."""
    if len(text) <= limit:
        return text
    cut = text[: max(limit - 4, 0)]
    blank = cut.rfind(" ")
    return f"{cut[:blank] if blank > limit // 2 else cut} ..."
