"""Frames: words of an answer about its sources, the talk or itself, which belong to no statement.

English, but for the label `Answer:`.

`frame_end` and `quote_start` find where a sentence begins behind them, so that claims are split without them. A claim
that a judge is given may still hold some, at any place: `unframed` blanks those out.
"""

from __future__ import annotations

import re
from functools import cache

__all__ = ["answers", "bare_lead", "frame_end", "quote_start", "unframed"]

_MATERIAL = (
    r"(?:passages?|contexts?|documents?|sources?|texts?|information|materials?|excerpts?|snippets?|(?:search\s)?results?|"
    r"articles?|data|content|knowledge\sbase|references?|evidence)"
)
_GIVEN = (
    r"(?:given|provided|retrieved|supplied|available|above|following|presented|attached|cited|relevant|two|three|\w+ly)"
)
_GROUND = (
    rf"(?:(?:based\s(?:up)?on|according\sto|as\sper|per|given|from|judging\sby|going\sby|using|as\s(?:stated|mentioned|described|outlined)\sin|"
    rf"in|within)\s(?:all\s|only\s)?(?:of\s)?(?:(?:the|these|those|this|your|my)\s(?:{_GIVEN}\s){{0,3}}|(?:{_GIVEN}\s){{1,3}})(?:\w+\s)?{_MATERIAL}"
    rf"(?:\s(?:that\s)?(?:you\s|i\s|was\s|were\s|have\sbeen\s)?(?:have\s)?(?:{_GIVEN}|gave|shared|have|found|at\shand|here))?"
    rf"(?:\s(?:\d{{1,3}})(?:(?:,\s|\sand\s)\d{{1,3}}){{0,5}})?,\s*)"
)
_OPENING = (
    r"(?:(?:sure|certainly|absolutely|of\scourse|great|okay|ok|yes|well|alright|thanks|hello|hi|beware|note|warning|caution|"
    r"important|attention|tip)(?:\sthing)?(?:\s?[!:\u2014]\s*|\s-\s+)|(?:sure|certainly|of\scourse|okay|ok|well|alright),\s)"
)
_LINKING = (
    r"(?:(?:however|additionally|furthermore|moreover|also|in\saddition|besides|likewise|similarly|overall|in\ssummary|to\ssummari[sz]e|to\ssum\sup|in\sconclusion|in\sshort|"
    r"to\sconclude|finally|lastly|for\sexample|for\sinstance|in\sfact|indeed|on\sthe\sother\shand|in\scontrast|by\scontrast|conversely|nevertheless|nonetheless|"
    r"on\sthe\sone\shand|in\sother\swords|in\sparticular|specifically|notably|importantly|interestingly|that\ssaid|meanwhile|still),\s)"
)
_NOTED = (
    r"(?:(?:and\s|but\s|it\sis\salso\s)?(?:please\s)?(?:note|keep\sin\smind|be\saware|remember|mind|bear\sin\smind)\sthat\s"
    r"|(?:(?:it(?:'s|\u2019s|\sis)|it\sshould\sbe)\s(?:also\s)?(?:important|worth|crucial|essential|noted|interesting|useful|good|necessary)\s?"
    r"(?:to\s(?:note|remember|mention|know|keep\sin\smind|point\sout|be\saware|recogni[sz]e)\s|noting\s|mentioning\s|remembering\s)?that\s))"
)
_LABEL = (  # `Answer` in languages with most writers
    r"(?:antwort|r\u00e9ponse|respuesta|risposta|resposta|antwoord|odpowied\u017a|cevap|yan\u0131t|jawaban|"
    r"tr\u1ea3 l\u1eddi|svar|vastaus|v\u00e1lasz|\u03b1\u03c0\u03ac\u03bd\u03c4\u03b7\u03c3\u03b7|"
    r"\u043e\u0442\u0432\u0435\u0442|\u7b54\u6848|\u56de\u7b54|\u7b54\u3048|\ub2f5\ubcc0|"
    r"\u0627\u0644\u0625\u062c\u0627\u0628\u0629|\u0627\u0644\u062c\u0648\u0627\u0628|"
    r"\u0909\u0924\u094d\u0924\u0930)\s?[:\uff1a]\s*"
)
_TOLD = (
    rf"(?:{_LABEL}|"
    r"(?:the\s)?(?:short\s|final\s|correct\s)?answer\s?:\s*|(?:response|answer)\s\d{1,3}\s?:\s*|(?:here(?:'s|\u2019s|\sis)\s(?:my|the|an|your)\s(?:\w+\s){0,2}"
    r"(?:answer|summary|response)[^.:\n]{0,60}:\s*))"
)
_SOURCED = rf"^(?:[*_]{{0,3}}(?:{_OPENING}|{_GROUND}|{_NOTED}|{_TOLD})[*_]{{0,3}}){{1,4}}"
_FRAMES = rf"^(?:[*_]{{0,3}}(?:{_OPENING}|{_GROUND}|{_LINKING}|{_NOTED}|{_TOLD})[*_]{{0,3}}){{1,4}}"
_ANSWER = r"^(?:the|my)\s(?:\w+\s)?answer\s(?:to\s[^.:]{1,200}\s)?is\b"
_HERE = (
    r"^(?:here(?:'s|\u2019s|\sis|\sare)|below(?:\sis|\sare)|the\sfollowing\s(?:is|are))\s"
    r"(?:(?:some|a\sfew|several|the|an?|my|brief|short|quick)\s){0,3}(?:(?:answers?|summary|response|list|overview|breakdown)\b[^:]{0,200}|(?=\w))"
)
_FOLLOWS = (
    r"(?:,?\s(?:as\sfollows|follow\sthese\s(?:\w+\s)?steps|these\sare\sthe\s\w+|you\scan\sfollow\sthese\s\w+|the\sfollowing(?:\s\w+)?|"
    r"(?:is|are|include)(?:\sthe\sfollowing)?))$"
)
_CITED = r"""(?:(?:the|these|this|those|our|your|all)\s+)?
    (?:(?:given|provided|above|retrieved|available|supplied|following|different|various|first|second|third|two|three|
        context)\s+){0,3}
    (?:passages?|contexts?|documents?|information|sources?|texts?|articles?|excerpts?|snippets?|search\s+results?|
        materials?|references?)
    (?:\s+(?:provided|given|above|\d{1,3})){0,3}(?:(?:\s*[,&]\s*|\s+and\s+)\d{1,3}){0,9}"""
_REPORTING = r"""(?:mention|state|say|provide|suggest|explain|note|indicate|describe|highlight|discusse?|recommend|
    advise|emphasi[sz]e|show)s?"""
_ASIDES = rf"""(?x)
      [(\[]\s?(?:see\s|from\s|according\sto\s|as\sper\s)?{_CITED}[^()\[\]]{{0,30}}[)\]]
    | (?:(?<=^)|(?<=[\s:;(]))(?:based\s(?:solely\s|only\s)?(?:on|upon)|according\sto|as\sper|from|in)\s{_CITED}
        (?:\s?,|(?=\s))
    | ,?\s?\bas\s(?:[a-z]+ly\s)?
        (?:mentioned|stated|described|noted|indicated|explained|seen|shown|discussed|outlined)\s(?:in|by)\s{_CITED}
    | \b{_CITED}\s(?:also\s|further\s|clearly\s|specifically\s)?{_REPORTING}(?:\sthat)?\b
    | (?:(?<=^)|(?<=[,:]\s))(?:therefore|thus|hence|in\s(?:summary|conclusion|short|general)|
        to\s(?:summari[sz]e|sum\sup|conclude)|overall|additionally|moreover|furthermore|however|finally|lastly|also|note|
        for\sexample|on\sthe\sother\shand)\b\s?[:,]?(?:\sthat\b)?
    | \bit(?:['\u2019]s|\sis)\s(?:also\s)?(?:important|worth|essential|crucial|necessary)\s
        (?:to\s(?:note|remember|mention|keep\sin\smind)|noting|mentioning)(?:\sthat\b)?\s?:?
    | \b(?:please\s)?(?:note|keep\sin\smind|remember)\sthat\b
    | \b(?:we\scan\ssee|it\scan\sbe\s(?:seen|concluded|inferred)|it\s(?:appears|seems))\sthat\b
    | \b(?:here|below)\s(?:is|are)\s
        (?:(?:the|some|a\sfew|several|general|basic|additional|possible|typical|proper|main|key|detailed)\s){{0,4}}
        (?:steps?|tips?|ways?|things?|instructions?|points?|guidelines?|reasons?|information)?\b
        (?:\s(?:to|on\show\sto|for|about|that)\b)?
    | \b(?:by\sfollowing|follow)\s(?:these|the\sfollowing|the)\s(?:(?:general|simple|basic)\s)?
        (?:steps|instructions|guidelines|tips)\b
    """
_LEFT = 2  # words that must remain: a claim that is only a frame is about the sources, and stays whole


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiles at first use: importing the package must stay cheap."""
    return re.compile(pattern, re.IGNORECASE)


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


def bare_lead(lead: str) -> str:
    """What a lead-in names: `how raffles work` for `Based on the passages, here is how raffles work`."""
    lead = lead[frame_end(lead) :]
    answered = _compiled(_ANSWER).match(lead)
    if answered:
        return lead[answered.end() :].strip(" :,")
    lead = _compiled(_HERE).sub("", lead, count=1)
    return _compiled(_FOLLOWS).sub("", lead).strip(" :,")


def answers(text: str) -> bool:
    """Tells whether a sentence says what `the answer` is, which needs its question to say anything."""
    return _compiled(_ANSWER).match(text) is not None


def unframed(text: str) -> str:
    """Blanks out what frames a statement: `Based on the passages, ...`, `(passage 2)`, `It is worth noting that ...`.

    No source holds such words, so counting them as missing would make a claim that says where it comes from look less
    supported than one that does not. Who said something (`according to the minister`) is not a frame.

    Args:
        text: A claim; English frames are known.

    Returns:
        A text of the same length, so that offsets stay true.
    """
    blanked = _compiled(_ASIDES).sub(lambda match: " " * len(match[0]), text)
    return blanked if len(blanked.split()) >= _LEFT else text
