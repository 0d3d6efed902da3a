"""What survives every chunker: the letters and digits of a text, or of what a page of HTML shows, and their offsets."""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from itertools import takewhile

from trail_callbacks.language.terms import vocabulary

_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<hidden>script|style|template|noscript)\b[^<>]*>.*?(?:(?=</(?P=hidden))|\Z)"
    r"|</?(?P<name>[a-z][a-z0-9]*+)[^<>]*>|<[!?][^<>]*>"
    r"|(?P<entity>&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});)",
    re.IGNORECASE | re.DOTALL,
)
_OF_HTML = re.compile(r"</[a-z][a-z0-9]*\s*>|<(?:br|hr|img|meta|input|!doctype)\b", re.IGNORECASE)
_BLOCKS = vocabulary(
    "address article aside blockquote br caption dd details dialog div dl dt fieldset figcaption figure footer form h1 "
    "h2 h3 h4 h5 h6 head header hr html li main nav ol option p pre section summary table tbody tfoot thead title tr ul"
)


@dataclass(frozen=True, slots=True)
class Letters:
    """Letters and digits in their order.

    Attributes:
        folded: The characters: case-folded, compatibility forms resolved, without accents, whitespace or punctuation.
        offsets: For each of them the offset of the character of the text that it is of; ascending.
    """

    folded: str
    offsets: Sequence[int]

    def between(self, start: int, end: int) -> tuple[int, int]:
        """Returns the range of `folded` that is of characters in `[start, end)` of the text."""
        return bisect_left(self.offsets, start), bisect_left(self.offsets, end)


def letters(text: str) -> Letters:
    """Returns the letters and digits of a text."""
    folds = [_fold(character) for character in text]
    return Letters("".join(folds), array("L", (at for at, fold in enumerate(folds) for _ in fold)))


@lru_cache(maxsize=100_000)
def _fold(character: str) -> str:
    resolved = unicodedata.normalize("NFKD", character).casefold()
    # Casefolding may bring back what decomposes once more.
    return "".join(each for each in unicodedata.normalize("NFKD", resolved) if each.isalnum())


def shown(text: str) -> Letters:
    """Returns the letters and digits of a text, of HTML those that the page shows; offsets are those in the text."""
    if not looks_like_html(text):
        return letters(text)
    plain, places = text_of_html(text)
    found = letters(plain)
    return Letters(found.folded, array("L", (places[at] for at in found.offsets)))


def looks_like_html(text: str) -> bool:
    """Tells whether a text has a closing tag, or one of those that need none: `a < b` and `<name>` are no HTML."""
    return bool(_OF_HTML.search(text))


def text_of_html(html: str) -> tuple[str, list[int]]:
    """Returns what a page shows and, for each character of it, its offset in the page.

    Tags and comments are left out, and all of scripts and styles. A tag that begins or ends a block is a line break,
    that of a table's cell a tab; others leave nothing, so that `4<b>0</b>` is one number. Entities become their
    characters. Whitespace stays as it is written. Time is linear in the length, whatever is left open.
    """
    parts: list[str] = []
    offsets: list[int] = []
    at = 0
    for markup in _MARKUP.finditer(html):
        name = (markup["name"] or "").lower()
        gap = "\n" if name in _BLOCKS else "\t" if name in ("td", "th") else ""
        instead = unescape(markup["entity"] or "") or gap
        parts += (html[at : markup.start()], instead)
        offsets += (*range(at, markup.start()), *[markup.start()] * len(instead))
        at = markup.end()
    return "".join((*parts, html[at:])), [*offsets, *range(at, len(html))]


def shared_start(one: Sequence[str], other: Sequence[str]) -> int:
    """Returns the length of the common beginning of two texts or rows of words."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
