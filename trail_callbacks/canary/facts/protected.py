"""What of a text is no statement and stays as it is: code, links, markup, identifiers, numbers of sections and lists.

`fixed` is never edited by any kind. `labels` are numbers that name instead of count (`Section 3.2`, `v4.1`, a phone
number, `[2]`); dates are told from them by who reads dates.
"""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections.abc import Iterable
from functools import cache

_FIXED = re.compile(
    r"`[^`\n]{1,500}`"
    r"|(?:https?://|www\.)[^\s<>\"')\]]{1,2000}"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"
    r"|</?[A-Za-z!?][^<>]{0,2000}>"
    r"|&#?\w{1,10};"
)
_BLOCK = re.compile(
    r"^[ \t]{0,12}(```|~~~)[^\n]*$|<(/?)(script|style|pre|code|svg|table)\b|(<!--)|(-->)", re.IGNORECASE | re.MULTILINE
)
_LABELS = (
    # names of parts, and what carries a number as its name
    r"""(?i:\b(?:sections?|chapters?|ch|figures?|fig|tables?|pages?|pp?|appendix|articles?|art|paragraphs?|clauses?|rules?|
    steps?|no|nr|vol|volumes?|versions?|v|build|rooms?|gates?|platforms?|flight|highway|exit|levels?|floor|suite|box|id|ref|
    phase|grade|model|zone|port|items?|numbers?|issues?|parts?|release|lines?|routes?|bus|tram|lot|case|ticket|order|invoice|
    type|class|act|day|week|code|building|house|unit|kapitel|abschnitt|seite|tabelle|nummer|artikel)[ .#\u00a0]{1,3}
    |[\u00a7#\u2116]\s?)\d+(?:[.,-]\d+){0,9}[a-z]?\b
    (?!\s?%|\s(?!(?:does|is|was|has|goes|runs|stops|leaves|serves|says|this|as)\b)(?:[^\W\d_]{2,30}s|people|min|k?m|kg|cm)\b)""",
    r"""(?i:["'](?:\w{0,40}_)?(?:id|key|code|zip|phone|port|index|version|seq|number|uuid|isbn|rank|row)["']
    \s?:\s?"?\w[\w.+ -]{0,60})""",
    r"(?i:\b(?:id|no|nr|ref|sku|pin|zip|plz|postcode|account|licence|license|reg)\.?\s?[:#]\s?\w[\w./-]{0,60})",
    r"\b(?:ISBN(?:-1[03])?|ISSN|PMID|RFC|ISO|IEC|EN|DIN|IEEE|arXiv|doi|DOI|IBAN|VAT|HTTP|CVE)[:\s#/-]{1,3}[\w.:/-]*\d[\w.:/-]*",
    # phone numbers
    r"(?<![\w.])(?:\+|00)\d{1,3}[\s\d()/.-]{5,20}\d",
    r"\(\d{2,5}\)\s?\d[\d -]{4,14}\d",
    r"(?i:\b(?:tel|phone|fax|mobile|call|telefon|dial)\b[.:]?\s{0,3}(?:us\s|on\s|at\s)?[\d(][\d()/. -]{4,20}\d)",
    r"(?<![\w.,+-])(?!\d{1,3}(?:[ ]\d{3}){1,4}(?![ ]?\d))\d{1,4}(?:[ ]\d{2,4}){2,7}(?![ .,-]?\d)",
    # what is written like an identifier
    r"(?<!\w)(?!(?i:mid|pre|post|early|late|eur|usd|gbp|chf|ca|a|c|hk|us)-?\d)[A-Za-z]{1,40}[-_]?\d[\w-]{0,60}",
    r"(?<![\w.,-])\d+(?:-\d+){2,9}(?![\w.,-]\d)|(?<![\w.,-])\d+(?:\.\d+){2,9}(?!\d)",
    r"(?<!\w)\w*_\w{0,60}\d\w{0,60}",
    r"(?<![\w.,])(?:0\d+|\d{9,})(?![.,]?\d)|(?<![\d.,:])\d{1,6}\s?:\s?\d{1,9}(?![\d:])",
    r"(?i:(?<![\w.,:])\d{1,2}\s?(?:[-\u2013]|to|and)\s?\d{1,2}\s?[ap]\.?m\b)",
    # numbers of lists, headings and references
    r"(?m:^[ \t>*-]{0,40}(?:#{1,6}[ ]+)?\(?\d{1,3}(?:\.\d{1,3}){0,5}(?:[.)]|(?<=\.\d))(?=\s))",
    r"(?m:^[ \t>]{0,20}#{1,6}[ ]+\d{1,3}(?:\.\d{1,3}){0,5}(?=\s))",
    r"(?:(?<=[.:;!?)\]]\s)|(?<=[.:;!?)\]]\s\s))\d{1,2}[.)]?(?=\s{1,3}(?:[A-Z][a-z]+|A)\b)",
    r"\[\d{1,4}(?:\s?[,\u2013-]\s?\d{1,4}){0,20}\]|\(\d{1,3}\)|(?<=\))\d{1,3}\b",
    # a height in feet and inches, addresses
    r"(?<![\w.])\d['\u2019\u2032]\s?\d{1,2}(?:[\"\u201d\u2033]|\'\'|\b)",
    r"\b\d{1,5}[A-Za-z]?\s(?:[A-Z][\w'.-]{1,30}\s){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Way|Square)\b",
    r"(?<![\w.,])\d{5}\s(?=[A-Z][a-z])|\b[A-Z]{2}\s\d{5}\b",
    # what is so by definition
    r"""(?i:\b24(?:\s?/\s?7|[ -]hours?\s(?:a|per|each)\sday)\b|\b(?:7|seven)\sdays\s(?:a|per|each)\sweek\b)""",
)


class Spans:
    """A set of stretches `(start, end)` of one text."""

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
    """Finds code, links, tables of HTML, tags with their attributes, and entities."""
    found = [match.span() for match in _FIXED.finditer(text)]
    opened: tuple[str, int] | None = None
    for mark in _BLOCK.finditer(text):
        name = mark[1] or (mark[3] or "!").casefold()
        may_close = bool(mark[1] or mark[2] or mark[5])
        if opened is None and (mark[1] or not may_close):
            opened = (name, mark.start())
        elif opened is not None and may_close and opened[0] == name:
            found.append((opened[1], mark.end()))
            opened = None
    return Spans(found)


def labels(text: str) -> Spans:
    """Finds numbers that name something and count nothing; dates may lie among them. Time is linear in the text."""
    return Spans(match.span() for pattern in _patterns() for match in pattern.finditer(text))
