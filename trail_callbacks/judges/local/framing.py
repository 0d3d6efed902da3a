"""Framing: words of an answer about its sources or about itself, which no source can confirm."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["unframed"]

_SOURCES = r"""(?:(?:the|these|this|those|our|your|all)\s+)?
    (?:(?:given|provided|above|retrieved|available|supplied|following|different|various|first|second|third|two|three|
        context)\s+){0,3}
    (?:passages?|contexts?|documents?|information|sources?|texts?|articles?|excerpts?|snippets?|search\s+results?|
        materials?|references?)
    (?:\s+(?:provided|given|above|\d{1,3})){0,3}(?:(?:\s*[,&]\s*|\s+and\s+)\d{1,3}){0,9}"""
_REPORT = r"""(?:mention|state|say|provide|suggest|explain|note|indicate|describe|highlight|discusse?|recommend|advise|
    emphasi[sz]e|show)s?"""
_FRAMES = rf"""
      [(\[]\s?(?:see\s|from\s|according\sto\s|as\sper\s)?{_SOURCES}[^()\[\]]{{0,30}}[)\]]
    | (?:(?<=^)|(?<=[\s:;(]))(?:based\s(?:solely\s|only\s)?(?:on|upon)|according\sto|as\sper|from|in)\s{_SOURCES}
        (?:\s?,|(?=\s))
    | ,?\s?\bas\s(?:[a-z]+ly\s)?
        (?:mentioned|stated|described|noted|indicated|explained|seen|shown|discussed|outlined)\s(?:in|by)\s{_SOURCES}
    | \b{_SOURCES}\s(?:also\s|further\s|clearly\s|specifically\s)?{_REPORT}(?:\sthat)?\b
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


def unframed(text: str) -> str:
    """Blanks out what frames a statement: `Based on the passages, ...`, `(passage 2)`, `It is worth noting that ...`.

    No source holds such words, so counting them as missing would make a claim that says where it comes from look less
    supported than one that does not. Who said something (`according to the minister`) is not a frame.

    Args:
        text: A claim; English frames are known.

    Returns:
        A text of the same length, so that offsets stay true.
    """
    blanked = _frames().sub(lambda match: " " * len(match[0]), text)
    return blanked if len(blanked.split()) >= _LEFT else text


@cache
def _frames() -> re.Pattern[str]:
    return re.compile(_FRAMES, re.IGNORECASE | re.VERBOSE)
