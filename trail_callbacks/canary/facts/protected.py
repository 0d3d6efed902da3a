"""What of a text is no statement and stays as it is: code, links, markup, identifiers, numbers of sections and lists.

`fixed` is never edited by any kind. `labels` are numbers that name instead of count (`Section 3.2`, `v4.1`, a phone
number, `[2]`); dates are told from them by who reads dates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.facts.kept import of_last_corpus
from trail_callbacks.canary.facts.spans import Spans

__all__ = ["fixed", "fixed_in", "labels", "uneditable"]

_FENCE = re.compile(r"^[ \t]{0,12}(```|~~~)[^\n]*$", re.MULTILINE)
_FIXED = (
    r"`[^`\n]{1,500}`",
    r"(?:https?://|www\.)[^\s<>\"')\]]{1,2000}",
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+",
    r"</?[A-Za-z!?][^<>]{0,2000}>",
    r"&#?\w{1,10};",
)
_BLOCK = re.compile(r"<(/?)(script|style|pre|code|svg)\b|(<!--)|(-->)", re.IGNORECASE)
_LABELS = (
    # names of parts, and what carries a number as its name
    r"""(?i:\b(?:sections?|sec|chapters?|ch|figures?|fig|tables?|tab|pages?|pp?|appendix|articles?|art|paragraphs?|para|
    clauses?|rules?|steps?|no|nr|vol|volumes?|versions?|ver|v|build|rooms?|gates?|platforms?|flight|highway|interstate|
    exit|levels?|floor|suite|apt|box|id|ref|passage|phase|grade|model|psalm|verse|scene|episode|season(?=.\d\d?\b)|tier|
    zone|channel|error|port|kapitel|abschnitt|seite|abbildung|tabelle|nummer|absatz|artikel|cap\u00edtulo|secci\u00f3n|
    p\u00e1gina|tabla|figura|n\u00famero|chapitre|tableau|num\u00e9ro|capitolo|sezione|pagina|hoofdstuk|
    \u0433\u043b\u0430\u0432\u0430)[ .#\u00a0]{1,3}|[\u00a7#\u2116]\s?)\d+(?:[.,-]\d+){0,9}[a-z]?\b""",
    r"""(?i:\b(?:items?|numbers?|issues?|parts?|releases?|lines?|routes?|bus|tram|lot|case|ticket|order|invoice|type|class|
    act|day|week|code|building|house|unit)[ .#\u00a0]{1,3})\d+(?:[.,-]\d+){0,9}[a-z]?\b
    (?!\s?%|\s(?!(?:does|is|was|has|goes|runs|stops|leaves|departs|arrives|serves|covers|says|contains|requires|this|as)\b)
    (?:[^\W\d_]{2,30}s|people|men|women|children|percent|min|km|kg|cm|mm|euro|prozent)\b)""",
    r"""(?i:["'](?:\w{0,40}_)?(?:id|key|code|zip|phone|port|index|version|seq|number|uuid|isbn|rank|row)["']
    \s?:\s?"?\w[\w.+ -]{0,60})""",
    r"(?i:\b(?:id|no|nr|ref|sku|pin|zip|plz|postcode|account|licence|license|reg)\.?\s?[:#]\s?\w[\w./-]{0,60})",
    r"""\b(?:ISBN(?:-1[03])?|ISSN|PMID|RFC|ISO|IEC|EN|DIN|IEEE|arXiv|doi|DOI|IBAN|VAT|SKU|EAN|UPC|CAS|HTTP|CVE|ASTM|ANSI|
    NIST)(?:[:\s#/-]{1,3}\w*\d[\w.:/-]{0,60}(?:[ ]\d[\d-]{0,20}){0,9})+""",
    # phone numbers
    r"(?<![\w.])(?:\+|00)\d{1,3}[\s\d()/.-]{5,20}\d",
    r"\(\d{2,5}\)\s?\d[\d -]{4,14}\d",
    r"""(?i:\b(?:tel|phone|fax|mobile|call|telefon|tel\u00e9fono|t\u00e9l|dial)\b[.:]?\s{0,3}(?:us\s|on\s|at\s)?
    [\d(][\d()/. -]{4,20}\d)""",
    r"(?<![\d.,-])\d{3}[-. ]\d{3}[-. ]\d{4}(?![\d.,-]\d)",
    r"(?<![\w.,+-])(?!\d{1,3}(?:[ ]\d{3}){1,4}(?![ ]?\d))\d{1,4}(?:[ ]\d{2,4}){2,7}(?![ .,-]?\d)",
    r"(?<![\w.])(?:1-)?\d{3}-(?:\d{3}-\w{4}|[A-Z]{3,})\b",
    # what is written like an identifier
    r"(?<![\w])(?!(?i:mid|pre|post|early|late|eur|usd|gbp|chf|ca|a|c|hk|us)-?\d)[A-Za-z]{1,40}[-_]?\d[\w-]{0,60}",
    r"(?<![\w.,-])\d{1,12}(?:-\d{1,12}){2,9}(?![\w.,-]\d)",
    r"(?<![\w.,-])\d+(?:\.\d+){2,9}(?!\d)",
    r"(?<![\w-])[0-9a-fA-F]{4,36}(?:-[0-9a-fA-F]{4,36}){2,8}(?![\w-])",
    r"(?<![\w.,])0\d+(?![.,]?\d)",
    r"(?<![\w.,])\d{9,}(?![.,]?\d)",
    r"(?<![\d.,:])\d{1,6}\s?:\s?\d{1,9}(?![\d:])",
    r"(?<!\w)\w*_\w{0,60}\d\w{0,60}",
    r"(?i:(?<![\w.,:])\d{1,2}\s?(?:[-\u2013]|to|and)\s?\d{1,2}\s?[ap]\.?m\b)",
    # numbers of lists, headings and references
    r"(?m:^[ \t>*-]{0,40}(?:#{1,6}[ ]+)?\(?\d{1,3}(?:\.\d{1,3}){0,5}(?:[.)]|(?<=\.\d))(?=\s))",
    r"(?m:^[ \t>]{0,20}#{1,6}[ ]+\d{1,3}(?:\.\d{1,3}){0,5}(?=\s))",
    r"(?:(?<=[.:;!?)\]]\s)|(?<=[.:;!?)\]]\s\s))\d{1,2}[.)]?(?=\s{1,3}(?:[A-Z][a-z]+|A)\b)",
    r"(?<=\))\d{1,3}\b",
    r"(?<![\w.,])\d{1,2}\.(?=[A-Z][a-z])",
    r"(?<![\d.,])(\d{1,3})-\1(?![\d.,%])",
    r"\[\d{1,4}(?:\s?[,\u2013-]\s?\d{1,4}){0,20}\]",
    r"\(\d{1,3}\)",
    # a height in feet and inches: one number of two
    r"(?<![\w.])\d['\u2019\u2032]\s?\d{1,2}(?:[\"\u201d\u2033]|\'\'|\b)",
    # addresses
    r"""\b\d{1,5}[A-Za-z]?\s(?:[A-Z][\w'.-]{1,30}\s){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Boulevard|Blvd|Drive|Dr|Way|
    Square|Court|Place)\b""",
    r"(?<![\w.,])\d{5}\s(?=[A-Z][a-z])(?!(?i:people|pounds|dollars|euros))",
    r"\b[A-Z]{2}\s\d{5}\b",
    # times of day with a dot, which may be prices: neither is changed
    r"""(?i:\b(?:from|until|till|at|opens?|closes?|between|by|before|after)\s)\d{1,2}\.(?:00|15|30|45)
    (?:\s?(?:to|-|\u2013|and|until)\s?\d{1,2}\.(?:00|15|30|45))?
    (?![.,]?\d|\s?(?:[%\u20ac$\u00a3]|euros?\b|dollars?\b|pounds?\b|per\s?cent\b|k?m\b|or\b))""",
    # what is so by definition
    r"(?i:\b24(?:\s?/\s?7|[ -]hours?\s(?:a|per|each)\sday)\b|\b(?:7|seven)\sdays\s(?:a|per|each)\sweek\b)",
    r"(?i:\b(?:60|sixty)\s(?:minutes|seconds)\s(?:in|to|per)\s(?:an?|the|each)\s(?:hour|minute)\b)",
    r"(?i:\b(?:365|12|52)\s(?:days|months|weeks)\s(?:a|per|each|of\sthe)\syear\b)",
)
_WORD = re.compile(r"\w+")


@cache
def _patterns() -> tuple[re.Pattern[str], tuple[re.Pattern[str], ...]]:
    joined = tuple(re.compile(re.sub(r"\n\s+", "", each)) for each in _LABELS)
    return re.compile("|".join(_FIXED)), joined


def fixed(text: str) -> Spans:
    """Finds code, links, tags with their attributes, and entities.

    Args:
        text: Any text: plain, Markdown or HTML.

    Returns:
        Where nothing may be edited. Time is linear in the text.
    """
    found = [match.span() for match in _patterns()[0].finditer(text)]
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


@of_last_corpus
def fixed_in(corpus: Corpus) -> Mapping[str, Spans]:
    """Finds in each document, by its id, where nothing may be edited."""
    return {document.id: fixed(document.text) for document in corpus}


def labels(text: str) -> Spans:
    """Finds numbers that name something and count nothing.

    Args:
        text: Any text.

    Returns:
        Where no number may be edited; dates may lie among them. Time is linear in the text.
    """
    return Spans(match.span() for pattern in _patterns()[1] for match in pattern.finditer(text))


def uneditable(text: str) -> str:
    """Says why a text can hold no edit; empty if it can."""
    if not text.strip():
        return "it is blank"
    words = _WORD.findall(text)
    if len(words) < 2:  # noqa: PLR2004 - a word states nothing
        return "it has a single word" if words else "it has no words"
    kept = fixed(text)
    outside = [match for match in _WORD.finditer(text) if not kept.overlap(*match.span())]
    return "" if outside else "it is all code, links or markup"
