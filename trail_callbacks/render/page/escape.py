"""Untrusted text escaped for a page: as text, in attributes and inside a script element."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from trail_callbacks.render.safe_text import plain

__all__ = ["block", "gap", "legible", "line", "name", "script_json"]

_LINE_END = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_UNUSUAL = re.compile(r"[^\s\x21-\x7e]+|[\x00-\x08\x0e-\x1f\x7f]+")  # `plain` escapes the unsafe part of it


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


def gap(length: int) -> Iterator[str]:
    """A note that characters of a text are left out, if any are."""
    if length > 0:
        yield f' <span class="gap">{length:,} characters left out</span> '


def script_json(value: Any) -> str:
    """JSON that is safe in a script element: no text in it can close the element or start a comment."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
