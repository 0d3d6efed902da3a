"""E-mail addresses in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trail_callbacks.redaction.placeholders import Found

__all__ = ["find_emails"]

_AT = r"(?:@|\uff20|%40|[ \t]?[\[({][ \t]?(?:at|AT)[ \t]?[\])}][ \t]?)"
_DOT = r"(?:\.|[ \t]?[\[({][ \t]?(?:dot|DOT)[ \t]?[\])}][ \t]?)"
_HAN = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"  # scripts that leave no space between an address and other words
_IS_HAN = re.compile(f"[{_HAN}]")
_DOMAIN = re.compile(
    rf"{_AT}(?:\[[0-9a-fA-F.:]{{3,45}}\]|(?P<name>(?:[^\W_][\w-]{{0,62}}{_DOT}){{1,8}}"
    rf"(?:xn--[\w-]{{2,59}}|[^\W\d_{_HAN}]{{2,24}}|[{_HAN}]{{2,4}})))"
)
_SPELT_DOT = re.compile(r"[ \t]?[\[({][ \t]?(?:dot|DOT)[ \t]?[\])}][ \t]?")
_LOCAL = re.compile(r"[\w.+%~'\u2019-]")  # a character of the part before the @; others are legal, and nobody has them
_QUOTED = re.compile(r'"[^"\n\\]{1,64}"')
_LONGEST = 64  # characters before the @
_FILES = frozenset({"png", "jpg", "jpeg", "gif", "svg", "webp"})  # icon@2x.png
_EDGE = ".%~'\u2019-"  # may stand before an address without being part of it


def find_emails(text: str) -> Iterator[Found]:
    """Yields the e-mail addresses of a text, also `ada (at) example (dot) org` and `ada%40example.org`."""
    done = 0
    for match in _DOMAIN.finditer(text):
        start = _start(text, match.start(), done)
        name = match["name"]
        if start == match.start() or (name is not None and name.rpartition(".")[2].lower() in _FILES):
            continue
        domain = _SPELT_DOT.sub(".", name) if name is not None else text[match.start() : match.end()].partition("[")[2]
        yield Found(start, match.end(), f"{text[start : match.start()]}@{domain}".casefold())
        done = match.end()


def _start(text: str, at: int, done: int) -> int:
    """Where the part before the @ begins; `at` if there is none."""
    first = max(done, at - _LONGEST - 2)
    if at > first and text[at - 1] == '"':
        quote = text.rfind('"', first, at - 1)
        return quote if quote >= 0 and _QUOTED.fullmatch(text, quote, at) else at
    start, han = at, at > 0 and _IS_HAN.match(text, at - 1) is not None
    while start > first and _LOCAL.match(text, start - 1) and (_IS_HAN.match(text, start - 1) is not None) == han:
        start -= 1
    while start < at and text[start] in _EDGE:
        start += 1
    return start
