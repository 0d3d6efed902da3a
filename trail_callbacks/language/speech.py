"""What a sentence does: state something, or greet, ask, offer, judge, decline. English rules, by small grammars."""

from __future__ import annotations

import re
from functools import cache

from trail_callbacks.language.refusals import declines
from trail_callbacks.language.terms import terms, vocabulary

__all__ = ["declines", "greets", "is_question", "is_statement"]

_QUESTION = re.compile(
    r"(?:[?\uff1f\u061f\u037e]|(?:\u3067\u3059|\u307e\u3059|\u307e\u3057\u305f|\u3067\u3057\u3087\u3046|"
    r"\u307e\u305b\u3093)\u304b[\u3002.]?|\u5417[\u3002.]?)"
    r"[\s\"'\u201d\u2019\u00bb\u300d)\]*_]*$"
)
_WORD = re.compile(r"\w")
_WORDS = re.compile(r"[^\W\d_]+")
_GREETINGS = vocabulary(
    """hallo moin danke dank vielen guten herzlichen gerne hola gracias buenos buenas bienvenido bienvenida bonjour
    bonsoir merci salut bienvenue ciao grazie salve buongiorno buonasera benvenuto ol\u00e1 obrigado obrigada
    hoi goedemorgen goedendag bedankt \u4f60\u597d \u60a8\u597d \u8c22\u8c22 \u3053\u3093\u306b\u3061\u306f
    \u3042\u308a\u304c\u3068\u3046 \u3042\u308a\u304c\u3068\u3046\u3054\u3056\u3044\u307e\u3059
    \u0645\u0631\u062d\u0628\u0627 \u0634\u0643\u0631\u0627 \u0928\u092e\u0938\u094d\u0924\u0947
    \u0927\u0928\u094d\u092f\u0935\u093e\u0926"""
)
_EXCLAMATIONS = vocabulary("qu\u00e9 quel quelle che wat welch welche was wie")  # `\u00a1Qu\u00e9 buen plan!`
_GREETING = 6  # words of a greeting at most
_LONGEST = 3000  # characters of a sentence that are looked at
_COURTESY = r"""^\W*(?:
      (?:hi|hello|hey|dear|greetings|welcome|good\s(?:morning|afternoon|evening|day|luck))\b
        (?![^.]{0,40}\b(?:is|was|are|were|has|had)\b)[^.]{0,40}[.]?$
    | (?:thanks(?!\sto\s(?!you\b))|thank\syou|cheers|sorry|apologies|my\sapologies|congratulations|
        you(?:'|\u2019)re\swelcome|no\sproblem)\b(?!\s(?:is|was|are|were|has|had)\b)
    | (?:great|good|excellent|interesting)\s(?:question|point)\b
    | (?:(?:sure|certainly|absolutely|of\scourse|okay|ok|got\sit|understood|alright|definitely|unfortunately|
          yes|yeah|no|nope|true|right|exactly|indeed|maybe|oh|ah|wow|haha|hm+|bye|goodbye|wait|well|cool|nice|great|fine|that(?:\s?['\u2019]s|\sis)\strue|
          (?:it|that)\smakes\ssense|let['\u2019]s\sgo)\W*)+$
    | (?:i|we)\s(?:hope|trust)\b
    | (?:i(?:'m|\u2019m|\sam)|we(?:'re|\u2019re|\sare))\s(?:glad|happy|sorry|here|pleased|excited)\b
    | (?:i|we)\s(?:apologi[sz]e|understand|appreciate)\b
    | hope\s(?:this|that|it)\b
    | (?:here|below)(?:\s(?:is|are)|(?:'|\u2019)s)\b[^.]{0,60}[.]?$
    | (?:here|below)(?:\s(?:is|are)|(?:'|\u2019)s)\s(?:[\w'\u2019-]+\s){0,4}?(?:how|what|why|answers?|summary|steps?|
        tips?|lists?|overview|response|information|ways?|details?|examples?|breakdown|comparison|points?)\b[^.]{0,200}[.]?$
    | as\san?\s(?:ai|artificial|large|language|virtual|chat)\b
    | (?:i|we)(?:'m|\u2019m|\sam|\swas|\sare|\swere)\s(?:just\s|only\s)?(?:
        an?\s(?:\w+\s)?(?:ai|assistant|language|model|bot)|trained|designed|programmed)\b
    | my\s(?:training|knowledge)\b
    | (?:have|enjoy)\s(?:a|an|your)\b
    | dear\s[^,.]{1,40},\s(?:(?:i|we)(?:'m|\u2019m|\sam|\sare)\s(?:glad|happy|sorry)|thanks?)\b
    )"""
_OFFER = r"""^\W*(?:
      (?:please\s)?(?:let\s(?:me|us)\sknow|feel\sfree|do(?:n't|\snot)\shesitate)\b
    | (?:if\s[^,.]{1,80},\s*)?(?:just\s)?(?:i|we)(?:\s(?:can|could|would|will)|(?:'|\u2019)(?:ll|d))\s
      (?:also\s|gladly\s|then\s|be\s(?:happy|glad)\sto\s|love\sto\s)*
      (?:help|provide|give|explain|show|draft|write|look|elaborate|go|add|summari[sz]e|assist|walk|check|search|tell|share)\b
    | (?:if\s[^,.]{1,80},\s*)?(?:just\s|please\s|simply\s)?(?:ask|let\s(?:me|us))\b
    )"""
_OPINION = r"""^\W*(?:(?:and|but|so|well|honestly|overall|yes|no|oh)\W+)?(?:
      (?:i|we)\s(?:\w+ly\s|also\s|would\s|'d\s|do\s)*
        (?:think|believe|feel|guess|suppose|recommend|suggest|prefer|love|like|enjoy|admire|wish|agree|disagree|doubt|consider)\b
    | (?:i|we)(?:'|\u2019)d\s(?:say|recommend|suggest|prefer|love)\b
    | (?:in\smy|to\smy|from\smy)\s(?:humble\s)?(?:opinion|view|mind|experience|perspective)\b
    | personally\b
    | my\s(?:favou?rite|advice|guess|recommendation|take)\b
    )"""
_DIRECTION = r"""^\W*(?:(?:for\s(?:more|further)\s[^,.]{1,50},|if\s[^,.]{1,80},|then|also)\s*)?(?:please|kindly)?\s*
    (?:see|refer\sto|consult|contact|ask|check\s(?:out|with)|visit|tell\sme|stay\stuned|read\smore|speak\s(?:to|with)|
       reach\sout)\b
    (?!\s(?:is|are|was|were|has|have|had)\b)"""  # about the talk: `Click OK` and `Try the lamp` are content


@cache
def _grammar(pattern: str) -> re.Pattern[str]:
    """Compiles at first use: together these cost a third of the time that importing the package may take."""
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


def is_question(text: str) -> bool:
    """Tells whether a text ends with a question mark of any script."""
    return _QUESTION.search(text) is not None


def greets(text: str) -> bool:
    """Tells whether a short text begins with a greeting or thanks in one of ten languages beside English."""
    words = [word.casefold() for word in _WORDS.findall(text[:_LONGEST])]
    exclaimed = text.rstrip().endswith(("!", "\uff01")) and bool(words) and words[0] in _EXCLAMATIONS
    return (
        0 < len(words) <= _GREETING
        and (exclaimed or words[0] in _GREETINGS)
        and not any(sign.isdigit() for sign in text)
    )


def is_statement(text: str) -> bool:
    """Tells whether a sentence says something about the world that evidence could confirm or deny.

    English rules for greetings, offers, opinions, directions and declining; questions of all scripts by their marks. In
    doubt a sentence is a statement, and so is any sentence with a digit that is not a question, greeting or refusal.
    """
    if not _WORD.search(text) or is_question(text):
        return False
    if _grammar(_COURTESY).match(text) or declines(text):
        return False
    if any(sign.isdigit() for sign in text):
        return True
    if all(term.kind == "function" for term in terms(text)):  # `It does.`
        return False
    return not (_grammar(_OFFER).match(text) or _grammar(_OPINION).match(text) or _grammar(_DIRECTION).match(text))
