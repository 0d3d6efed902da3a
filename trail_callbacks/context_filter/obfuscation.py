"""Text that a person does not see or cannot read and a model can: encoded, reversed, or hidden by markup."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Iterator
from urllib.parse import unquote

from trail_callbacks.context_filter.normalization import View, normalized

__all__ = ["decoded", "hidden", "mirrored"]

_BASE64 = re.compile(r"(?<![\w+/=-])[\w+/-]{24,20000}={0,2}(?![\w+/-])", re.ASCII)
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:(?:0x|\\x)?[0-9a-fA-F]{2}[ ,:]?){16,10000}(?![0-9A-Za-z])")
_ENTITIES = re.compile(r"(?:&#x?[0-9a-fA-F]{2,6}; ?){4,4000}")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}[\w.!-]{0,12}){3,4000}")
_TAGS = re.compile("[\U000e0020-\U000e007e]{4,4000}")
_HEX_MARKS = re.compile(r"0x|\\x|[ ,:]")
_READABLE = 0.9  # share of letters and blanks; what decodes to less is data, not text

_COMMENT = re.compile(r"<!--|^\[(?://|comment)\]:\s?#\s?[(\"']", re.MULTILINE)
_COMMENT_END = re.compile(r"-->")
_LINK_END = re.compile(r"[)\"']")
_LONGEST = 2000  # characters of a comment that are read
_STYLED = re.compile(
    r"<\w{1,12}\b(?=[^<>]{0,300}?(?:display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?[01](?![\d.])"
    r"|opacity\s?:\s?0(?![\d.])|(?<![\w-])color\s?:\s?(?:white|transparent|#fff)\b|\shidden[\s>]))[^<>]{0,300}>([^<]{1,2000})",
    re.IGNORECASE,
)


def hidden(text: str) -> Iterator[tuple[int, int]]:
    """Finds the stretches that a page does not show: comments, and elements styled away."""
    if "<" not in text and "]:" not in text:
        return
    yield from _comments(text)
    for match in _STYLED.finditer(text):
        yield match.span(1)


def _comments(text: str) -> Iterator[tuple[int, int]]:
    """What stands in comments; one without an end reaches to that of the text, or as far as comments are read."""
    at = 0
    while opening := _COMMENT.search(text, at):
        start = opening.end()
        limit = min(len(text), start + _LONGEST)
        closing = (_COMMENT_END if opening[0] == "<!--" else _LINK_END).search(text, start + 1, limit + 3)
        end = closing.start() if closing else limit
        if end > start:
            yield start, end
        at = closing.end() if closing else max(limit, start)


def decoded(text: str) -> Iterator[View]:
    """Finds what is written in base64, hexadecimal, entities, percent codes or invisible tags, where it is a text."""
    for name, pattern, decode in (
        ("base64", _BASE64, _from_base64),
        ("hexadecimal", _HEX, _from_hex),
        ("entities", _ENTITIES, html.unescape),
        ("percent codes", _PERCENT, unquote),
        ("invisible tags", _TAGS, _from_tags),
    ):
        for match in pattern.finditer(text):
            plain = decode(match[0])
            if _is_text(plain):
                yield View(normalized(plain).text, span=match.span(), disguise=f"in {name}")


def mirrored(view: View) -> Iterator[View]:
    """Reads a normalized text backwards, and in rot13."""
    backwards = (range(len(view.text)) if view.offsets is None else view.offsets)[::-1]
    yield View(view.text[::-1], backwards, disguise="read backwards")
    yield View(codecs.encode(view.text, "rot13"), view.offsets, disguise="in rot13")


def _is_text(text: str) -> bool:
    readable = sum(character.isalpha() or character.isspace() for character in text)
    return readable >= _READABLE * len(text) and any(map(str.isspace, text))


def _from_base64(blob: str) -> str:
    bare = blob.rstrip("=").replace("-", "+").replace("_", "/")
    bare = bare[:-1] if len(bare) % 4 == 1 else bare
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _from_hex(digits: str) -> str:
    bare = _HEX_MARKS.sub("", digits)
    try:
        return bytes.fromhex(bare[: len(bare) // 2 * 2]).decode()
    except (ValueError, UnicodeDecodeError):
        return ""


def _from_tags(tags: str) -> str:
    return "".join(chr(ord(tag) - 0xE0000) for tag in tags)
