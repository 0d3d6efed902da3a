"""Marks that are not words: Markdown, HTML, citations, invisible characters.

What says nothing about the world is taken out of a text, so that what is left can be compared with a source. All
patterns are linear: none begins at each sign of a run that it can also read through.
"""

from __future__ import annotations

import re

__all__ = ["clean", "is_reference", "marker", "visible"]

_SOURCE = (
    r"(?:passages?|documents?|docs?|sources?|contexts?|chunks?|refs?\.?|references?|snippets?|excerpts?|articles?)"
)
_NUMBERS = r"(?:(?:nos?\.|\#)\s?)?\d{1,3}(?:(?:,\s?|\s?[-\u2013&/]\s?|,?\sand\s)(?:" + _SOURCE + r"\s?)?\d{1,3}){0,9}"
_AUTHOR = r"[A-Z][\w'\u2019-]{1,30}(?:\s(?:et\sal\.?,?|(?:and|&)\s[A-Z][\w'\u2019-]{1,30}))?"
_WORK = _AUTHOR + r",?\s(?:19|20)\d\d[a-z]?(?:,\spp?\.\s?\d{1,4}(?:[-\u2013]\d{1,4})?)?"
# `(?<!\s)` and the bounds keep a wall of blanks or of open brackets from being read again at each of its characters.
_CITATION = re.compile(
    r"(?:(?<!\s)\s{1,20})?(?:"
    r"\[\^[\w-]{1,40}\]:?|\[[\d,\s\u2013-]{1,60}\]|\u3010[^\u3010\u3011]{0,200}\u3011"
    rf"|[\[(](?i:(?:as\s\w{{1,12}}\s(?:in|by)\s|see\s(?:also\s)?|from\s|per\s|in\s|according\sto\s)?{_SOURCE}:?\s?\#?{_NUMBERS})[\])]"
    r"|[\[(](?i:sources?:)\s[^\])(\[]{1,200}[\])]"
    rf"|[\[(]{_WORK}(?:;\s{_WORK}){{0,9}}[\])]"
    r"|[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]{1,4}(?=[\s.,;]*$)(?<=[a-z.,][\u2070-\u2079\u00b9\u00b2\u00b3])"
    r"|<sup>\s?\[?\d{1,3}\]?\s?</sup>)"
)
_LINK = re.compile(r"!?\[([^\][]{0,2000})\](?:\([^)\s\[\]]{0,2000}(?:\s\"[^\"\n]{0,200}\")?\)|\[[^\][]{0,200}\](?!\())")
_BARE = re.compile(r"<(https?://[^<>\s]{1,2000})>")
_TAG = re.compile(
    r"</?(?:a|abbr|b|blockquote|br|center|cite|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|"
    r"p|pre|q|s|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul)"
    r"(?:\s{1,5}[\w-]{1,40}=(?:\"[^\"<>]{0,2000}\"|'[^'<>]{0,2000}'|[^\s<>\"']{1,2000})){0,20}\s{0,5}/?>",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"<!--(?:(?!-->|<!--).){0,2000}-->", re.DOTALL)
_EMPHASIS = re.compile(r"\*\*|__|~~|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_FORMULA = re.compile(r"\\[()\[\]]|\$\$")
_ESCAPE = re.compile(r"\\([*_#`>|~\[\]-])")
_HIDDEN = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_ANY = re.compile(
    "[<>*_~`$\\\\\\[\\](\u3010\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
_BULLET = (
    r"[-*+\u2022\u2023\u25e6\u2013\u2014\u00b7\u30fb\u2043\u2219\u25cf\u25cb\u25aa-\u25ab\u25a0\u25a1\u25c6\u25c7"
    r"\u27a2\u27a4\u25ba\u25b6\u2192\u21d2]"
)
_SIGN = "[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff](?:\ufe0f|[\U0001f3fb-\U0001f3ff])?"
_NUMBERED = (
    r"(?:\d{1,3}(?:\.\d{1,3}){0,3}[.)]|\((?:\d{1,3}|[a-z]|[ivx]{1,5})\)|[a-z][.)]|[ivx]{1,5}[.)]|"
    r"[*_]{1,2}\d{1,3}[.)][*_]{1,2})"
)
_MARKER = re.compile(
    rf"\s*(?:>\s*)*((?:(?:{_BULLET}|{_NUMBERED})(?:\s+|$)|{_SIGN}\s+|[\u2460-\u24ff]\s*|\uff08\d{{1,3}}\uff09\s*"
    rf"|\d{{1,3}}[\u3001\uff0e]\s*)?(?:\[[ xX]\]\s+)?(?:{_SIGN}\s+)?)(?:>\s*)*"
)
_REFERENCE = re.compile(
    r"(?:sources?|references?|citations?|quellen?|fuentes?|fontes?|fonti|bron(?:nen)?|\u6765\u6e90|\u51fa\u5178)\s?[:\uff1a]"
    r"[\W\d_]*+(?:(?>https?://\S+|[\w./-]+\.\w{2,5}|(?:"  # nothing is read a second way: there are millions of ways
    + _SOURCE
    + r"|and)(?![^\W\d_]))[\W\d_]*+){0,20}+$|(?:https?://\S++[\s,;]*+){1,20}+$",
    re.IGNORECASE,
)


def visible(text: str) -> str:
    """Takes out characters without a width, which split words for a reader who cannot see them."""
    return _HIDDEN.sub("", text) if _HIDDEN.search(text) else text


def clean(text: str) -> str:
    """Takes Markdown, HTML, citations and invisible characters out, and makes every run of blanks one blank."""
    if not _ANY.search(text):
        return " ".join(text.split())
    text = visible(text)
    if "<" in text:
        text = _BARE.sub(r"\1", _TAG.sub(_gap, _CITATION.sub("", _COMMENT.sub("", text))))
    text = _LINK.sub(r"\1", _CITATION.sub("", text))
    text = _FORMULA.sub("", _EMPHASIS.sub("", text)) if "\\" in text or "$$" in text else _EMPHASIS.sub("", text)
    return " ".join(_ESCAPE.sub(r"\1", text).split())


def _gap(tag: re.Match[str]) -> str:
    """A tag that parts words leaves a blank; one that dresses letters leaves nothing."""
    return " " if tag[0].lower().lstrip("</").startswith(("br", "d", "h", "l", "o", "p", "t", "u ", "ul")) else ""


def marker(line: str) -> tuple[int, bool]:
    """Returns how many characters of a line stand before its words, and whether they make it a list item."""
    found = _MARKER.match(line)
    return (found.end(), bool(found[1].strip())) if found else (0, False)


def is_reference(text: str) -> bool:
    """Tells whether a text only names where something was found: `Source: page 3`, an address."""
    return _REFERENCE.match(text) is not None
