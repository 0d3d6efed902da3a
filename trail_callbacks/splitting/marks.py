"""Lines, and what says nothing about the world: marks that are not words (Markdown, HTML, citations), and frames.

It is taken out of a text, so that what is left can be compared with a source. Words stay, wherever they are written: in
a comment, an attribute that browsers show, LaTeX, or a bracket that looks like a citation. All patterns are linear:
none begins at each sign of a run that it can also read through.

Frames are words of an answer about its sources, the talk or itself, which belong to no statement. English. `frame_end`
and `quote_start` find where a sentence begins behind them, so that claims are split without them. A claim that a judge
is given may still hold some, at any place: `unframed` blanks those out. `without_talk` blanks out courtesy as well, for
whoever looks whether an answer states anything besides. Each phrase is written out word by word: where any word fitted
in, an answer could hide a statement there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trail_callbacks.language.speech import grammar

_SOURCE = (
    r"(?:passages?|documents?|docs?|sources?|contexts?|chunks?|refs?\.?|references?|snippets?|excerpts?|articles?)"
)
_NUMBERS = r"(?:(?:nos?\.|\#)\s?)?\d{1,3}(?:(?:,\s?|\s?[-\u2013&/]\s?|,?\sand\s)(?:" + _SOURCE + r"\s?)?\d{1,3}){0,9}"
# `(?<!\s)` and the bounds keep a wall of blanks or of open brackets from being read again at each of its characters.
_CITATION = re.compile(
    r"(?:(?<!\s)\s{1,20})?(?:"
    r"\[\^\w{1,12}\]:?|\u3010\d[\d:]{0,9}(?:\u2020[^\s\u3010\u3011]{0,80})?\u3011"
    rf"|\[\s?{_NUMBERS}\s?\]"
    rf"|[\[(](?i:(?:as\s\w{{1,12}}\s(?:in|by)\s|see\s(?:also\s)?|from\s|per\s|in\s|according\sto\s)?{_SOURCE}:?\s?\#?{_NUMBERS})[\])]"
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


def lines_of(text: str, start: int = 0) -> Iterator[tuple[int, str]]:
    """Yields the lines of a text, with their ends, and their offsets; `start` is that of the text."""
    for line in text.splitlines(keepends=True):
        yield start, line
        start += len(line)


def may_hold_code(text: str) -> bool:
    """Tells whether a text has any mark that code or formulas begin with."""
    return any(mark in text for mark in ("```", "~~~", "$$", "\\["))


def hidden_signs(text: str) -> Iterator[re.Match[str]]:
    """Finds the characters without a width."""
    return _HIDDEN.finditer(text)


def visible(text: str) -> str:
    """Takes out characters without a width, which split words for a reader who cannot see them."""
    return _HIDDEN.sub("", text) if _HIDDEN.search(text) else text


def clean(text: str) -> str:
    """Takes Markdown, HTML, citations and invisible characters out, and makes every run of blanks one blank."""
    if not _ANY.search(text):
        return " ".join(text.split())
    text = visible(text)
    if "<" in text or "-->" in text:
        text = _BARE.sub(r"\1", _TAG.sub(_gap, _CITATION.sub("", _COMMENT.sub(" ", text))))
    text = _LINK.sub(_linked, _CITATION.sub("", text))
    if "$" in text:
        text = _INLINE.sub(r"\1", text)
    if "\\" in text or "$$" in text:
        text = _WORDED.sub(r"\1", _FORMULA.sub("", text))
    return " ".join(_ESCAPE.sub(r"\1", _EMPHASIS.sub("", text)).split())


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


_MATERIAL = r"""(?:passages?|contexts?|documents?|sources?|texts?|information|materials?|excerpts?|snippets?|articles?
    |data|content|chunks?|knowledge\sbase|references?|evidence|(?:search\s)?results?)"""
_GIVEN = r"""(?:given|provided|retrieved|supplied|available|above|following|presented|attached|cited|relevant|shared
    |different|various|first|second|third|two|three|context)"""
_SOURCES = rf"""(?:(?:all|only|of|the|these|those|this|your|my|our|\w+ly|{_GIVEN})\s){{0,5}}{_MATERIAL}\b
    (?:\s(?:that\s)?(?:(?:you|i|was|were|have|been)\s){{0,3}}(?:{_GIVEN}|gave|found|at\shand|here)\b)?
    (?:\s\[?\d{{1,3}}\]?(?:(?:,\s?|\sand\s|,\sand\s|\s?&\s?|[-\u2013])(?:passages?\s)?\d{{1,3}}){{0,9}})?"""
_BY = r"""(?:based\s(?:solely\s|only\s)?(?:up)?on|according\sto|as\sper|per|given|from|(?:judging|going)\sby|using|in
    |within|as\s(?:\w+ly\s)?(?:stated|mentioned|described|outlined|noted|indicated|explained|seen|shown|discussed)\s(?:in|by))"""
_NOTED = r"""(?:(?:and\s|but\s|please\s|it\sis\salso\s){0,2}
      (?:note|keep\sin\smind|bear\sin\smind|be\saware|remember|mind)\sthat\b
    |it(?:['\u2019]s|\sis|\sshould\sbe)\s(?:also\s)?
      (?:important|worth|crucial|essential|noted|interesting|useful|good|necessary)
      (?:\sto\s(?:note|remember|mention|know|keep\sin\smind|point\sout|be\saware|recogni[sz]e)
        |\s(?:noting|mentioning|remembering))?(?:\sthat\b))"""
_LINKING = r"""(?:however|additionally|furthermore|moreover|also|besides|likewise|similarly|overall|finally|lastly
    |indeed|in\s(?:addition|summary|conclusion|short|fact|contrast|other\swords|particular|general)|by\scontrast|conversely
    |to\s(?:summari[sz]e|sum\sup|conclude)|for\s(?:example|instance)|on\sthe\s(?:one|other)\shand|nevertheless
    |nonetheless|specifically|notably|importantly|interestingly|that\ssaid|meanwhile|still)"""
_OPENING = r"""(?:(?:sure|certainly|absolutely|of\scourse|great|okay|ok|yes|well|alright|thanks|hello|hi|beware|note
    |warning|caution|important|attention|tip)(?:\sthing)?(?:\s?[!:\u2014]\s*|\s-\s+)
    |(?:sure|certainly|of\scourse|okay|ok|well|alright),\s)"""
_TOLD = r"""(?:(?:antwort|r\u00e9ponse|respuesta|risposta|resposta|antwoord|odpowied\u017a|cevap|yan\u0131t|jawaban
    |tr\u1ea3\sl\u1eddi|svar|vastaus|v\u00e1lasz|\u03b1\u03c0\u03ac\u03bd\u03c4\u03b7\u03c3\u03b7
    |\u043e\u0442\u0432\u0435\u0442|\u7b54\u6848|\u56de\u7b54|\u7b54\u3048|\ub2f5\ubcc0
    |\u0627\u0644\u0625\u062c\u0627\u0628\u0629|\u0627\u0644\u062c\u0648\u0627\u0628
    |\u0909\u0924\u094d\u0924\u0930)\s?[:\uff1a]\s*
    |(?:the\s)?(?:short\s|final\s|correct\s)?answer\s?:\s*|(?:response|answer)\s\d{1,3}\s?:\s*
    |here(?:['\u2019]s|\sis)\s(?:my|the|an|your)\s(?:\w+\s){0,2}(?:answer|summary|response)[^.:\n]{0,60}:\s*)"""
_STARTS = rf"{_OPENING}|{_BY}\s{_SOURCES},\s*|{_NOTED}\s|{_TOLD}"
_SOURCED = rf"^(?:[*_]{{0,3}}(?:{_STARTS})[*_]{{0,3}}){{1,4}}"
_FRAMES = rf"^(?:[*_]{{0,3}}(?:{_STARTS}|{_LINKING},\s)[*_]{{0,3}}){{1,4}}"
_ANSWER = r"^(?:the|my)\s(?:\w+\s)?answer\s(?:to\s[^.:]{1,200}\s)?is\b"
_REPORTING = r"""(?:mention|state|say|provide|suggest|explain|note|indicate|describe|highlight|discusse?|recommend
    |advise|emphasi[sz]e|show)s?"""
_BRACKETS = rf"[(\[]\s?(?:see\s|from\s|according\sto\s|as\sper\s)?{_SOURCES}[\d\s,&\u2013-]{{0,30}}[)\]]"
_ASIDES = rf"""
      (?:(?<=^)|(?<=[\s:;(])|,\s?){_BY}\s{_SOURCES}(?:\s?,|(?=[\s:.)]|$))
    | \b{_SOURCES}\s(?:also\s|further\s|clearly\s|specifically\s)?{_REPORTING}(?:\sthat)?\b
    | (?:(?<=^)|(?<=[,:]\s))(?:{_LINKING}|therefore|thus|hence|note)\b\s?[:,]?(?:\sthat\b)?
    | \b{_NOTED}\s?:?
    | \b(?:we\scan\ssee|it\scan\sbe\s(?:seen|concluded|inferred)|it\s(?:appears|seems))\sthat\b
    | \b(?:here|below)\s(?:is|are)\s
        (?:(?:the|some|a\sfew|several|general|basic|additional|possible|typical|proper|main|key|detailed)\s){{0,4}}
        (?:steps?|tips?|ways?|things?|instructions?|points?|guidelines?|reasons?|information)?\b
        (?:\s(?:to|on\show\sto|for|about|that)\b)?
    | \b(?:by\sfollowing|follow|use|take|try)\s(?:one\sof\s|any\sof\s)?(?:these|the\sfollowing|the)\s
        (?:(?:general|simple|basic)\s)?(?:steps?|instructions?|methods?|guidelines?|tips?)\b
    """
_COURTESY = (
    rf"""\b{_MATERIAL}\s(?:no\.\s)?\[?\d{{1,3}}\]?(?:(?:,\s?|\sand\s|\s?&\s?|[-\u2013])\d{{1,3}}){{0,9}}|"""
    r"""\b(?:
      it(?:['\u2019]s|\sis)\s(?:also\s)?(?:important|worth|good)\s(?:to\s)?(?:note|noting|remember|mention|mentioning|know)
    | (?:please\s)?know\sthat | what\s(?:i|we)\s(?:found|know|can\s(?:conclude|infer|say))
    | (?:i|we)(?:['\u2019]m|['\u2019]re|\sam|\sare)\s(?:glad|happy|here)\sto\s(?:help|assist)
    | thank(?:s|\syou)\sfor\s(?:asking|your\squestion|reaching\sout|your\s(?:message|interest|patience))
    | (?:(?:i|we)\s)?hope\s(?:this|that|it)\s
        (?:helps|is\shelpful|was\shelpful|answers\syour\squestions?|clarifies(?:\sthings)?)(?:\syou)?
    | you(?:['\u2019]re|\sare)\swelcome | (?:best|kind|warm)\sregards | dear\s(?:mr|mrs|ms|dr|prof)\.?\s\w+
    | would\syou\slike\s(?:me\sto\s(?:go\son|continue|explain)|(?:any|more|further)\s(?:details?|information|help))
    | (?:please\s)?(?:let\s(?:me|us)\sknow
        |(?:feel\sfree|do(?:n['\u2019]t|\snot)\shesitate)\sto\s(?:ask|reach\sout|let\sme\sknow|contact\sme))
    | if\s(?:you(?:\shave|\sneed|['\u2019]d\slike|\swould\slike|\swant)|there(?:['\u2019]s|\sis|\sare))\s
        (?:(?:any|more|further|additional|other|anything|else|some|to\sknow|help|with|a|or|and|questions?|concerns?
          |information|details?|assistance|clarification|follow-up|specific)\b\s?){1,8}
    | how\s(?:can|may)\s(?:i|we)\s(?:help|assist)(?:\syou)?(?:\stoday)?
    | here(?:['\u2019]s|\sis|\sare)\s(?:(?:my|the|a|an|your|some|brief|short|quick|final|i|found|steps?|answer|summary
        |list|overview|response|information|to|of|for|on)\b\s?){1,8}
    | (?:methods?|steps?|options?|parts?|sections?|tips?|answers?|responses?)\s\d{1,2}
    | (?:the|these|those|some|following|are|is|as|you\sshould|you\scan|steps?|methods?|ways?|tips?)\s
        (?:following|as\sfollows|follows)
    )\b"""
)
_LEFT = 2  # words that must remain: a claim that is only a frame is about the sources, and stays whole


def frame_end(sentence: str) -> int:
    """Finds where the statement of a sentence begins, behind words about the sources, the talk or the line of thought.

    `Therefore` and its like are no frame: that one thing follows from another is itself stated.
    """
    return _behind(_FRAMES, sentence)


def quote_start(sentence: str) -> int:
    """Finds where the quote of a statement begins: words that only link it to others (`However,`) stay in the quote."""
    return _behind(_SOURCED, sentence)


def _behind(pattern: str, sentence: str) -> int:
    found = grammar(pattern).match(sentence)
    return found.end() if found and any(sign.isalnum() for sign in sentence[found.end() :]) else 0


def answers(text: str) -> bool:
    """Tells whether a sentence says what `the answer` is, which needs its question to say anything."""
    return grammar(_ANSWER).match(text) is not None


def unframed(text: str) -> str:
    """Blanks out what frames a statement: `Based on the passages, ...`, `(passage 2)`, `It is worth noting that ...`.

    No source holds such words, so counting them as missing would make a claim that says where it comes from look less
    supported than one that does not. Who said something (`according to the minister`) is not a frame.

    Returns:
        A text of the same length, so that offsets stay true.
    """
    blanked = grammar(f"{_BRACKETS}|{_ASIDES}").sub(blank, text)
    return blanked if len(blanked.split()) >= _LEFT else text


def without_talk(text: str) -> str:
    """Blanks out all frames, whatever is left, and what only greets, thanks, offers or counts."""
    return grammar(_COURTESY).sub(blank, grammar(_ASIDES).sub(blank, text))


def blank(match: re.Match[str]) -> str:
    """Writes blanks in place of a match, so that offsets stay true."""
    return " " * len(match[0])
