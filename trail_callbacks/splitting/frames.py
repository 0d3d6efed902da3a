"""Frames: words of an answer about its sources, the talk or itself, which belong to no statement. English.

`frame_end` and `quote_start` find where a sentence begins behind them, so that claims are split without them. A claim
that a judge is given may still hold some, at any place: `unframed` blanks those out. `without_talk` blanks out courtesy
as well, for whoever looks whether an answer states anything besides. Each phrase is written out word by word: where any
word fitted in, an answer could hide a statement there.
"""

from __future__ import annotations

import re
from functools import cache

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
_BRACKETS = rf"[(\[]\s?(?:see\s|from\s|according\sto\s|as\sper\s)?{_SOURCES}[^()\[\]]{{0,30}}[)\]]"
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


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiles at first use: importing the package must stay cheap."""
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


def frame_end(sentence: str) -> int:
    """Finds where the statement of a sentence begins, behind words about the sources, the talk or the line of thought.

    `Therefore` and its like are no frame: that one thing follows from another is itself stated.
    """
    return _behind(_FRAMES, sentence)


def quote_start(sentence: str) -> int:
    """Finds where the quote of a statement begins: words that only link it to others (`However,`) stay in the quote."""
    return _behind(_SOURCED, sentence)


def _behind(pattern: str, sentence: str) -> int:
    found = _compiled(pattern).match(sentence)
    return found.end() if found and any(sign.isalnum() for sign in sentence[found.end() :]) else 0


def answers(text: str) -> bool:
    """Tells whether a sentence says what `the answer` is, which needs its question to say anything."""
    return _compiled(_ANSWER).match(text) is not None


def unframed(text: str) -> str:
    """Blanks out what frames a statement: `Based on the passages, ...`, `(passage 2)`, `It is worth noting that ...`.

    No source holds such words, so counting them as missing would make a claim that says where it comes from look less
    supported than one that does not. Who said something (`according to the minister`) is not a frame.

    Returns:
        A text of the same length, so that offsets stay true.
    """
    blanked = _compiled(f"{_BRACKETS}|{_ASIDES}").sub(_blank, text)
    return blanked if len(blanked.split()) >= _LEFT else text


def without_talk(text: str) -> str:
    """Blanks out all frames, whatever is left, and what only greets, thanks, offers or counts."""
    return _compiled(_COURTESY).sub(_blank, _compiled(_ASIDES).sub(_blank, text))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])
