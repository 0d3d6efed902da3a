"""Lines, and marks that are not words: Markdown, HTML, citations, invisible characters.

What says nothing about the world is taken out of a text, so that what is left can be compared with a source. Words
stay, wherever they are written: in a comment, an attribute that browsers show, LaTeX, or a bracket that looks like a
citation. All patterns are linear: none begins at each sign of a run that it can also read through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trail_callbacks.splitting.words import first_verb, past, tokenize

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
_LINK = re.compile(
    r"!?\[([^\][]{0,2000})\](?:\([^)\s\[\]]{0,2000}(?:\s\"([^\"\n]{0,200})\")?\)|\[[^\][]{0,200}\](?!\())"
)
_BARE = re.compile(r"<(https?://[^<>\s]{1,2000})>")
_TAG = re.compile(
    r"</?(?:a|abbr|b|blockquote|br|center|cite|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|"
    r"kbd|li|mark|ol|"
    r"p|pre|q|s|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul)"
    r"(?:\s{1,5}[\w-]{1,40}=(?:\"[^\"<>]{0,2000}\"|'[^'<>]{0,2000}'|[^\s<>\"']{1,2000})){0,20}\s{0,5}/?>",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"\s(?:title|alt|label|summary|placeholder|content|value|aria-label|"
    r"aria-description)=(?:\"([^\"<>]{0,2000})\"|'([^'<>]{0,2000})')",
    re.IGNORECASE,
)
_SAYS = re.compile(r"\w\s+\w|[\u0e00-\uffdc]{4}")  # more than a name
_COMMENT = re.compile(r"<!--|-->")
_EMPHASIS = re.compile(r"\*\*|__|~~|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_FORMULA = re.compile(r"\\[()\[\]]|\$\$")
_WORDED = re.compile(r"\\(?:text|textbf|textit|textrm|mbox|mathrm|mathbf|emph|boxed)\s?\{([^{}]{0,2000})\}")
_INLINE = re.compile(r"(?<![\w$])\$(?=[^\s\d$])([^$\n]{1,1000})(?<=\S)\$(?![\w$])")
_ESCAPE = re.compile(r"\\([*_#`>|~\[\]-])")
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef]"
    "|(?<=[\u0020-\u024f])[\u200c\u200d]"  # elsewhere they shape letters and emoji
)
_ANY = re.compile(
    "[<>*_~`$\\\\\\[\\](\u3010\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef]"
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
    r"(?:sources?|references?|citations?|quellen?|fuentes?|fontes?|fonti|bron(?:nen)?|\u6765\u6e90|"
    r"\u51fa\u5178)\s?[:\uff1a]"
    r"[\W\d_]*+(?:(?>https?://\S+|[\w./-]+\.\w{2,5}|(?:"  # nothing is read a second way: there are millions of ways
    + _SOURCE
    + r"|and)(?![^\W\d_]))[\W\d_]*+){0,20}+$|(?:https?://\S++[\s,;]*+){1,20}+$",
    re.IGNORECASE,
)
_BIBLIOGRAPHIC = re.compile(
    r"https?://|www\.|\bdoi\b|\bISBN\b|\bet al\b|\bpp?\.\s?\d|\bvol\.|\.(?:md|pdf|txt|html?|docx?|csv|"
    r"json|xlsx?|pptx?)\b|\((?:19|20)\d\d[a-z]?\)"
    r"|^\W*[A-Z][\w'\u2019-]{1,30},\s[A-Z]|\bpages?\s\d|\b(?:accessed|retrieved)\s(?:on|from)\b"
)
_DATED = re.compile(r"\W?(\w+) \d{4}\W?")
_TIMES = re.compile(
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|fall"
    r"|winter|early|late|mid|since|in|by|from|until|figure|table|section|chapter|version|windows|office)\b",
    re.IGNORECASE,
)
_STATED = 3  # words of a statement in the brackets of a citation mark
_CHARACTERS = 7  # the same for scripts without spaces


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yields the lines of a text, with their ends, and their offsets."""
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, line
        start += len(line)


def visible(text: str) -> str:
    """Takes out characters without a width, which split words for a reader who cannot see them."""
    return _HIDDEN.sub("", text) if _HIDDEN.search(text) else text


def clean(text: str) -> str:
    """Takes Markdown, HTML, citations and invisible characters out, and makes every run of blanks one blank."""
    if not _ANY.search(text):
        return " ".join(text.split())
    text = visible(text)
    if "<" in text or "-->" in text:
        text = _BARE.sub(r"\1", _TAG.sub(_gap, _CITATION.sub(_cited, _COMMENT.sub(" ", text))))
    text = _LINK.sub(_linked, _CITATION.sub(_cited, text))
    if "$" in text:
        text = _INLINE.sub(r"\1", text)
    if "\\" in text or "$$" in text:
        text = _WORDED.sub(r"\1", _FORMULA.sub("", text))
    return " ".join(_ESCAPE.sub(r"\1", _EMPHASIS.sub("", text)).split())


def is_dated(text: str) -> bool:
    """Tells whether a word and a year name no author but a time: `March 2020`, `(Rebuilt 1986)`."""
    if _TIMES.match(text.lstrip("([")):
        return True
    found = _DATED.fullmatch(text)
    if found is None:
        return False
    word = found[1].lower()
    return past(word) or past(word.removeprefix("re"))


def _cited(mark: re.Match[str]) -> str:
    """What a citation mark states: nothing, unless somebody wrote a statement in such brackets."""
    inner = mark[0].strip().strip("[](){}\u3010\u3011")
    words = inner.lower().split()
    unspaced = sum(sign >= "\u0e00" for sign in inner)
    if is_dated(mark[0].strip()):
        return mark[0]
    if (len(words) < _STATED and unspaced < _CHARACTERS) or refers(inner):
        return ""
    if unspaced >= _CHARACTERS or not inner.isascii():
        return f" {inner}"
    return f" {inner}" if first_verb(tokenize(inner.lower())) is not None else ""


def _linked(link: re.Match[str]) -> str:
    """The words of a link or image, and of the title that is shown beside it."""
    return f"{link[1]} {link[2]}" if link[2] else link[1]


def _gap(tag: re.Match[str]) -> str:
    """What a tag says in attributes that are shown; else a blank for one that parts words."""
    if "=" in tag[0]:
        shown = " ".join(said for found in _SHOWN.findall(tag[0]) for said in found if _SAYS.search(said))
        if shown:
            return f" {shown} "
    return " " if tag[0].lower().lstrip("</").startswith(("br", "d", "h", "l", "o", "p", "t", "u ", "ul")) else ""


def marker(line: str) -> tuple[int, bool]:
    """Returns how many characters of a line stand before its words, and whether they make it a list item."""
    found = _MARKER.match(line)
    return (found.end(), bool(found[1].strip())) if found else (0, False)


def is_reference(text: str) -> bool:
    """Tells whether a text only names where something was found: `Source: page 3`, an address."""
    return _REFERENCE.match(text) is not None


def refers(text: str) -> bool:
    """Tells whether a text has marks of a bibliography: an address, a file, pages, an author before a comma."""
    return _BIBLIOGRAPHIC.search(text) is not None
