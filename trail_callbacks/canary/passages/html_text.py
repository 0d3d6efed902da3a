"""The text that a page of HTML shows, with the place of each character in the page."""

from __future__ import annotations

import re
from html import unescape

from trail_callbacks.language.terms import vocabulary

__all__ = ["looks_like_html", "text_of_html"]

_TAG = re.compile(r"<(?:[a-zA-Z][a-zA-Z0-9:-]*+(?:[\s/][^<>]*+)?+|/[a-zA-Z][^<>]*+|![a-zA-Z\[][^<>]*+|\?[^<>]*+)>")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_HIDDEN = ("script", "style", "template", "noscript")
_BLOCKS = vocabulary(
    "address article aside blockquote br caption dd details dialog div dl dt fieldset figcaption figure footer form h1 "
    "h2 h3 h4 h5 h6 head header hr html li main nav ol option p pre section summary table tbody tfoot thead title tr ul"
)
_CELLS = frozenset({"td", "th"})
_NAME = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)")


def looks_like_html(text: str) -> bool:
    """Tells whether a text has a closing tag, or one of those that need none: `a < b` and `<name>` are no HTML."""
    return bool(re.search(r"</[a-zA-Z][a-zA-Z0-9]*\s*>|<(?:br|hr|img|meta|input|!doctype)\b", text, re.IGNORECASE))


def text_of_html(html: str) -> tuple[str, list[int]]:
    """Returns what a page shows and, for each character of it, its offset in the page.

    Tags and comments are left out, and all of scripts and styles. A tag that begins or ends a block is a line break,
    that of a table's cell a tab; others leave nothing, so that `4<b>0</b>` is one number. Entities become their
    characters. Whitespace stays as it is written. Time is linear in the length, whatever is left open.
    """
    parts: list[str] = []
    offsets: list[int] = []
    lower = html.lower() if len(html.lower()) == len(html) else html
    at = 0

    def show(end: int) -> None:
        start = at
        for entity in _ENTITY.finditer(html, at, end):
            parts.append(html[start : entity.start()])
            offsets.extend(range(start, entity.start()))
            shown = unescape(entity[0])
            parts.append(shown)
            offsets.extend([entity.start()] * len(shown))
            start = entity.end()
        parts.append(html[start:end])
        offsets.extend(range(start, end))

    while (tag := html.find("<", at)) >= 0:
        if html.startswith("<!--", tag):
            show(tag)
            end = html.find("-->", tag + 4)
            at = len(html) if end < 0 else end + 3
            continue
        match = _TAG.match(html, tag)
        if match is None:
            show(tag + 1)
            at = tag + 1
            continue
        show(tag)
        at = match.end()
        named = _NAME.match(match[0])
        name = named[1].lower() if named else ""
        if name in _BLOCKS or name in _CELLS:
            parts.append("\t" if name in _CELLS else "\n")
            offsets.append(tag)
        if name in _HIDDEN and not match[0].startswith("</"):
            end = lower.find(f"</{name}", at)
            at = len(html) if end < 0 else end
    show(len(html))
    return "".join(parts), offsets
