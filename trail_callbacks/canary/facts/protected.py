"""What of a text is no statement and stays as it is: code, links, markup, identifiers, numbers of sections and lists.

`fixed` is never edited by any kind. `labels` are numbers that name instead of count (`Section 3.2`, `v4.1`, a phone
number, `[2]`); dates are told from them by who reads dates.
"""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections.abc import Iterable
from functools import cache

__all__ = ["Spans", "fixed", "labels", "uneditable"]

_FENCE = re.compile(r"^[ \t]{0,12}(```|~~~)[^\n]*$", re.MULTILINE)
_FIXED = re.compile(
    r"`[^`\n]{1,500}`"
    r"|(?:https?://|www\.)[^\s<>\"')\]]{1,2000}"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"
    r"|</?[A-Za-z!?][^<>]{0,2000}>"
    r"|&#?\w{1,10};"
)
_BLOCK = re.compile(r"<(/?)(script|style|pre|code|svg)\b|(<!--)|(-->)", re.IGNORECASE)
_LABELS = (
    # names of parts, and what carries a number as its name
    r"""(?i:\b(?:sections?|chapters?|ch|figures?|fig|tables?|pages?|pp?|appendix|articles?|art|paragraphs?|clauses?|
    rules?|steps?|no|nr|vol|volumes?|versions?|v|build|rooms?|gates?|platforms?|flight|highway|exit|levels?|floor|suite|
    box|id|ref|passage|verse|tier|phase|grade|model|psalm|scene|episode|zone|port|kapitel|abschnitt|seite|tabelle|
    nummer|artikel|chapitre|cap\u00edtulo|p\u00e1gina|capitolo|pagina|hoofdstuk|\u0433\u043b\u0430\u0432\u0430)
    [ .#\u00a0]{1,3}|[\u00a7#\u2116]\s?)\d+(?:[.,-]\d+){0,9}[a-z]?\b""",
    r"""(?i:\b(?:items?|numbers?|issues?|parts?|releases?|lines?|routes?|bus|tram|lot|case|ticket|order|invoice|type|class|
    act|day|week|code|building|house|unit)[ .#\u00a0]{1,3})\d+(?:[.,-]\d+){0,9}[a-z]?\b
    (?!\s?%|\s(?!(?:does|is|was|has|goes|runs|stops|leaves|departs|arrives|serves|covers|says|contains|requires|this|as)\b)
    (?:[^\W\d_]{2,30}s|people|men|women|children|percent|min|km|kg|cm|mm|euro|prozent)\b)""",
    r"""(?i:["'](?:\w{0,40}_)?(?:id|key|code|zip|phone|port|index|version|seq|number|uuid|isbn|rank|row)["']
    \s?:\s?"?\w[\w.+ -]{0,60})""",
    r"(?i:\b(?:id|no|nr|ref|sku|pin|zip|plz|postcode|account|licence|license|reg)\.?\s?[:#]\s?\w[\w./-]{0,60})",
    r"""\b(?:ISBN(?:-1[03])?|ISSN|PMID|RFC|ISO|IEC|EN|DIN|IEEE|arXiv|doi|DOI|IBAN|VAT|SKU|EAN|CAS|HTTP|CVE|ASTM|ANSI|NIST)
    (?:[:\s#/-]{1,3}\w*\d[\w.:/-]{0,60}(?:[ ]\d[\d-]{0,20}){0,9})+""",
    # phone numbers
    r"(?<![\w.])(?:\+|00)\d{1,3}[\s\d()/.-]{5,20}\d",
    r"\(\d{2,5}\)\s?\d[\d -]{4,14}\d",
    r"""(?i:\b(?:tel|phone|fax|mobile|call|telefon|dial)\b[.:]?\s{0,3}(?:us\s|on\s|at\s)?[\d(][\d()/. -]{4,20}\d)""",
    r"(?<![\d.,-])\d{3}[-. ]\d{3}[-. ]\d{4}(?![\d.,-]\d)",
    r"(?<![\w.,+-])(?!\d{1,3}(?:[ ]\d{3}){1,4}(?![ ]?\d))\d{1,4}(?:[ ]\d{2,4}){2,7}(?![ .,-]?\d)",
    # what is written like an identifier
    r"(?<!\w)(?!(?i:mid|pre|post|early|late|eur|usd|gbp|chf|ca|a|c|hk|us)-?\d)[A-Za-z]{1,40}[-_]?\d[\w-]{0,60}",
    r"(?<![\w.,-])\d{1,12}(?:-\d{1,12}){2,9}(?![\w.,-]\d)",
    r"(?<![\w.,-])\d+(?:\.\d+){2,9}(?!\d)",
    r"(?<![\w-])[0-9a-fA-F]{4,36}(?:-[0-9a-fA-F]{4,36}){2,8}(?![\w-])",
    r"(?<![\w.,])(?:0\d+|\d{9,})(?![.,]?\d)",
    r"(?<![\d.,:])\d{1,6}\s?:\s?\d{1,9}(?![\d:])",
    r"(?<!\w)\w*_\w{0,60}\d\w{0,60}",
    # times of day that are prices or hours: `9-11 a.m.`, `6.30 to 10.00`
    r"(?i:(?<![\w.,:])\d{1,2}\s?(?:[-\u2013]|to|and)\s?\d{1,2}\s?[ap]\.?m\b)",
    r"""(?i:\b(?:from|until|till|at|opens?|closes?|between|by|before|after)\s)\d{1,2}\.(?:00|15|30|45)
    (?:\s?(?:to|-|\u2013|and|until)\s?\d{1,2}\.(?:00|15|30|45))?
    (?![.,]?\d|\s?(?:[%\u20ac$\u00a3]|euros?\b|dollars?\b|pounds?\b|per\s?cent\b|k?m\b|or\b))""",
    # numbers of lists, headings and references
    r"(?m:^[ \t>*-]{0,40}(?:#{1,6}[ ]+)?\(?\d{1,3}(?:\.\d{1,3}){0,5}(?:[.)]|(?<=\.\d))(?=\s))",
    r"(?m:^[ \t>]{0,20}#{1,6}[ ]+\d{1,3}(?:\.\d{1,3}){0,5}(?=\s))",
    r"(?:(?<=[.:;!?)\]]\s)|(?<=[.:;!?)\]]\s\s))\d{1,2}[.)]?(?=\s{1,3}(?:[A-Z][a-z]+|A)\b)",
    r"\[\d{1,4}(?:\s?[,\u2013-]\s?\d{1,4}){0,20}\]|\(\d{1,3}\)|(?<=\))\d{1,3}\b",
    # a height in feet and inches, addresses
    r"(?<![\w.])\d['\u2019\u2032]\s?\d{1,2}(?:[\"\u201d\u2033]|\'\'|\b)",
    r"""\b\d{1,5}[A-Za-z]?\s(?:[A-Z][\w'.-]{1,30}\s){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Boulevard|Drive|Way|Square)\b""",
    r"(?<![\w.,])\d{5}\s(?=[A-Z][a-z])(?!(?i:people|pounds|dollars|euros))|\b[A-Z]{2}\s\d{5}\b",
    # what is so by definition
    r"""(?i:\b24(?:\s?/\s?7|[ -]hours?\s(?:a|per|each)\sday)\b|\b(?:7|seven)\sdays\s(?:a|per|each)\sweek\b
    |\b(?:60|sixty)\s(?:minutes|seconds)\s(?:in|to|per)\s(?:an?|the|each)\s(?:hour|minute)\b
    |\b(?:365|12|52)\s(?:days|months|weeks)\s(?:a|per|each|of\sthe)\syear\b)""",
)
_WORD = re.compile(r"\w+")


class Spans:
    """A set of stretches `(start, end)` of one text.

    Args:
        spans: What it begins with; may overlap each other.
    """

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        self._spans: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if self._spans and start < self._spans[-1][1]:
                self._spans[-1] = (self._spans[-1][0], max(end, self._spans[-1][1]))
            else:
                self._spans.append((start, end))

    def add(self, start: int, end: int) -> None:
        """Adds a stretch that overlaps none."""
        insort(self._spans, (start, end))

    def overlap(self, start: int, end: int) -> bool:
        """Whether a stretch shares a character with one of them."""
        at = bisect_right(self._spans, (start, end))
        return any(a < end and start < b for a, b in self._spans[max(0, at - 1) : at + 1])


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(re.sub(r"\n\s+", "", each)) for each in _LABELS)


def fixed(text: str) -> Spans:
    """Finds code, links, tags with their attributes, and entities.

    Args:
        text: Any text: plain, Markdown or HTML.

    Returns:
        Where nothing may be edited. Time is linear in the text.
    """
    found = [match.span() for match in _FIXED.finditer(text)]
    opened = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1] == opened[1]:
            found.append((opened.start(), fence.end()))
            opened = None
    begun: tuple[str, int] | None = None
    for mark in _BLOCK.finditer(text) if "<" in text else ():
        name = "!" if mark[3] or mark[4] else mark[2].casefold()
        closes = bool(mark[4]) or mark[1] == "/"
        if begun is None and not closes:
            begun = (name, mark.start())
        elif begun is not None and closes and begun[0] == name:
            found.append((begun[1], mark.end()))
            begun = None
    return Spans(found)


def labels(text: str) -> Spans:
    """Finds numbers that name something and count nothing; dates may lie among them. Time is linear in the text."""
    return Spans(match.span() for pattern in _patterns() for match in pattern.finditer(text))


def uneditable(text: str) -> str:
    """Says why a text can hold no edit; empty if it can."""
    if not text.strip():
        return "it is blank"
    words = list(_WORD.finditer(text))
    if len(words) < 2:  # noqa: PLR2004 - a word states nothing
        return "it has a single word" if words else "it has no words"
    kept = fixed(text)
    return "" if any(not kept.overlap(*match.span()) for match in words) else "it is all code, links or markup"
