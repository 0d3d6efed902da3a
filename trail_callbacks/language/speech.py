"""What a sentence does: state or deny something, or greet, ask, offer, judge, decline. English by small grammars.

`refusals.txt` has the grammar of declining in each other language, and words for parts of sentences.

Words that deny are told in the languages that answers come in, as parts of regular expressions. Only words: a denial
inside a verb, as in Turkish, is not found. A word that denies in one language and means something else in another (`no`
is `in the` in Portuguese) counts in its own only. Tag questions (`isn't it?`) deny nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from trail_callbacks.language.terms import sections, terms, vocabulary

LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "pl", "ru", "tr", "zh", "ja", "ko", "ar", "hi", "id", "vi")
"""ISO 639-1 codes of the languages that are known; a refusal in another one is taken for a statement."""

_TABLE = Path(__file__).with_name("refusals.txt")
_UNSPACED = frozenset({"zh", "ja", "ko"})  # words are not between blanks, or have endings attached
_LONGEST_REFUSAL = 200  # characters of a refusal in another language
_LONGEST_ENGLISH, _LONGEST_CLAUSE = 3000, 600  # characters that are looked at
_REST = r"[^\d.;:!?\u3002\uff01\uff1f\u061b\u061f]{1,80}?"
_AROUND = re.compile(
    r"^[^\w\u0900-\u0963\u0966-\u0dff]+|[^\w\u0900-\u0963\u0966-\u0dff]+$"
)  # `re` takes no Indic vowel sign for a letter


_ENGLISH = re.compile(r"\b(?:the|and|this|that|with)\b|\d", re.IGNORECASE)  # nothing to refuse in another language
_SPEAKER = re.compile(
    r"(?<!\w)(?:i|we|my)(?!\w)|^\W*(?:no|not|unknown|n/a)\s(?!allowed|permitted)|(?:\bnot|n't)\s(?:\w+ly\s)?"
    r"(?:mentioned|stated|specified|addressed|disclosed|indicated|clear|known)\b",
    re.IGNORECASE,
)

# Declining: a small grammar of subject + negation + verb, not a list of phrases.
_SOURCE = (
    r"(?:contexts?|documents?|sources?|texts?|passages?|articles?|excerpts?|snippets?|information|"
    r"materials?|contents?|"
    r"reports?|pages?|records?|search\sresults|files?|knowledge\sbase|terms|transcripts?|notes|data|"
    r"database|web\s?sites?)"
)
_DETERMINED = (
    r"(?:(?:any\sof\s)?(?:the|these|this|those|your|my|our|available|provided|retrieved|given|supplied|none\sof)\s"
    rf"(?:[\w-]+\s){{0,3}}?)?{_SOURCE}"
)
_NOT = (
    r"(?:(?:do|does|did|could|can|would|is|are|was|were|has|have|had|will)(?:n['\u2019]t|\s?not)(?:\sbeen)?"
    r"|never|fails?\sto|failed\sto|nowhere)"
)
_NOTHING = r"(?:no(?:t\s(?:any|enough|sufficient))?|insufficient|little|any|enough)"
_CONTENT = r"(?:information|mention|details?|data|reference|evidence|answer|indication|record|statement|specifics?)"
_STATE = (
    r"(?:mention|contain|say|state|specify|include|provide|give|discuss|address|cover|indicate|describe|"
    r"explain|answer|list|"
    r"offer|tell|detail|clarify|elaborate|define|name|have|refer|report)s?"
)
_KNOW = (
    r"(?:know|answer|say|tell|determine|find|provide|give|confirm|verify|see|establish|identify|locate|help|comment|"
    r"assist|be\s(?:sure|certain)|conclude|judge|access|respond|have)"
)
_OPENING = (
    r"^\W*(?:note(?:\sthat|:)\s)?(?:(?:unfortunately|sorry|regrettably|no|however|but|therefore|"
    r"additionally|also|i(?:'|\u2019)m\s(?:sorry|afraid)|i\sam\s(?:sorry|afraid)|apologies|"
    r"(?:based\son|according\sto|from|given|in|within|after)\s[^,]{1,80}?|"
    r"as\san?\s[^,]{1,40})[,;.]?\s(?:but\s|that\s)?){0,3}"
)
_DECLINE = rf"""{_OPENING}(?:
      (?:i|we)\s(?:really\s|simply\s|currently\s|still\s)?
        (?:(?:do|did|can|could|would|am|are|was|were|have|will)(?:n['\u2019]t|\s?not)\s
            (?:\w+ly\s)?(?:{_KNOW}|able\sto|sure|certain|aware|found|enough|sufficient)
          |(?:am|are|was|were)\sunable\sto|cannot\s(?:\w+ly\s)?(?:{_KNOW})|lack\b|have\s(?:no|insufficient)\b|found\s(?:no|nothing)\b)
    | (?:the\sassistant|this\sassistant)\s(?:cannot|can['\u2019]t|is\sunable\sto|does\snot\sknow)\b
    | i['\u2019]m\s(?:not\s(?:sure|certain|aware|able)|unable)\b
    | {_DETERMINED}\s(?:[\w-]+\s){{0,4}}?{_NOT}\s(?:\w+ly\s)?{_STATE}\b
    | none\sof\s{_DETERMINED}\s{_STATE}\b
    | {_DETERMINED}\s(?:[\w-]+\s){{0,3}}?(?:contains?|has|have|gives?|provides?|makes?|offers?|includes?)\s
        {_NOTHING}\s(?:[\w-]+\s){{0,2}}?{_CONTENT}\b
    | there\s(?:is|are|was|were)(?:n['\u2019]t)?\s(?:simply\s)?{_NOTHING}\s(?:[\w-]+\s){{0,2}}?(?!evidence){_CONTENT}\b
    | (?:no|insufficient|not\senough)\s(?:[\w-]+\s){{0,3}}?{_CONTENT}\s(?:[\w-]+\s){{0,8}}?
        (?:is|are|was|were|could\sbe|can\sbe|has\sbeen|available|found|given|provided|in|about|on)\b
    | (?:it|this|that|the\sanswer)\s
        (?:(?:(?:is|was)(?:n['\u2019]t|\snot)|cannot\sbe|can['\u2019]t\sbe|could(?:n['\u2019]t|\snot)\sbe)\s(?:\w+ly\s)?
            (?:clear|known|stated|mentioned|specified|given|available|found|determined|answered|possible(?:\sto\s{_KNOW}\b|\W*$))
          |(?:is|was)\s(?:\w+ly\s)?(?:unclear|unknown|unspecified|not\spossible\sto\s{_KNOW}))(?!\w).{{0,60}}(?:{_SOURCE}\b|\W*$)
    | [^.;]{{1,120}}\s(?:is|are|was|were)(?:n['\u2019]t|\snot)\s(?:explicitly\s|directly\s)?
        (?:mentioned|stated|specified|given|provided|available|discussed|described|addressed|covered|included|found|known)\s(?:anywhere\s)?(?:in|by|from|within)\s{_DETERMINED}\W*$
    | (?:i(?:'|\u2019)m\s|i\sam\s)?unable\sto\s(?:\w+ly\s)?
        (?:answer|determine|find|provide|respond|say|tell|confirm|verify)\b
    | (?:unknown|unclear|n/a|(?:empty|no)\s(?:response|answer)
        |not\s(?:stated|mentioned|given|available|specified|provided|known|found))\W*$
    )"""
_REVERSED = (
    re.compile(  # words that turn a refusal into a statement: `There is no information that contradicts that ...`
        r"\b(?:contradict\w*|refut\w*|rebut\w*|(?<!\bor\s)(?:deny|denies|denied|denying)|doubt\w*|disput\w*|"
        r"disprov\w*|oppos(?:e|es|ed|ing)|"
        r"disagree\w*|contest(?:s|ed|ing)?|against|contrary|otherwise|other\sthan|help\s(?:but|\w+ing)\b|"
        r"wrong|false|untrue|incorrect|"
        r"inaccurate|mistaken|lie|myth|(?:say|tell|stress|emphasi[sz]e|repeat)\s(?:\w+\s)?enough|"
        r"enough\s(?:that|how)|overstate\w*|"
        r"overemphasi\w*|exaggerat\w*|except|apart\sfrom|aside\sfrom|nothing\sbut|anything\sbut|"
        r"more\sthan\sthat|challeng\w*|"
        r"question\w*\sthat|inconsistent|incompatible|rules?\sout|(?:any|no)\s?(?:one|body)\swho|besides)\b",
        re.IGNORECASE,
    )
)


def declines(text: str) -> bool:
    """Tells whether a sentence says that the speaker or the sources do not know or contain the answer.

    In English, and in `LANGUAGES`; there the whole sentence has to say so. A refusal that denies a denial ("There is no
    information that contradicts that it is so") is none.
    """
    if grammar(_DECLINE).match(text) is not None:
        return _REVERSED.search(text[:_LONGEST_ENGLISH]) is None
    return not _ENGLISH.search(text) and refuses(text)


def withholds(clause: str, *, is_rule: bool = False) -> bool:
    """Tells whether a clause or sentence says, in words of its own or beside others, that something is not told.

    Args:
        clause: Its first 600 characters count.
        is_rule: It may state a rule (`cannot be borrowed`, `is not included`): then only one that speaks of the speaker
            or of the sources withholds.
    """
    said = clause[:_LONGEST_CLAUSE].replace("\u2019", "'")
    if declines(said):
        return True
    if is_rule and not (_SPEAKER.search(said) or _source().search(said)):
        return False
    return _withheld().search(said) is not None


def sources() -> str:
    """Words for what answers are made from (`documents`, `Unterlagen`), as alternatives of a regular expression."""
    return "|".join(sections(_TABLE)["source"].split())


@cache
def _source() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{sources()})(?!\w)", re.IGNORECASE)


@cache
def _withheld() -> re.Pattern[str]:
    written, given = ("|".join(filter(None, sections(_TABLE)[name].splitlines())) for name in ("withheld", "given"))
    return re.compile(written.replace("{given}", given).replace("{source}", sources()), re.IGNORECASE)


def refuses(text: str) -> bool:
    """Tells whether a sentence in one of `LANGUAGES` says only that the speaker or the sources do not know the answer.

    The whole sentence has to be that: what states something besides, has a digit, or goes on after a "but" is none.
    An apology alone is one.
    """
    said = " ".join(
        unicodedata.normalize("NFC", text[: _LONGEST_REFUSAL + 1]).casefold().replace("\u2019", "'").split()
    )
    if len(said) > _LONGEST_REFUSAL or any(sign.isdigit() for sign in said):
        return False
    return any(_refuses(_bare(said), *language) for language in _languages())


def _refuses(said: str, opening: re.Pattern[str], but: re.Pattern[str], sentence: re.Pattern[str]) -> bool:
    rest = said
    while rest and (apology := opening.match(rest)):
        rest = _bare(rest[apology.end() :])
    return bool(said) if not rest else sentence.fullmatch(rest) is not None and but.search(rest) is None


def _bare(text: str) -> str:
    return _AROUND.sub("", text)


@cache
def _languages() -> tuple[tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]], ...]:
    """Of each language how apologies begin, what goes on after a refusal, and how whole refusals are worded."""
    return tuple(_read(code, sections(_TABLE)[code].splitlines()) for code in LANGUAGES)


def _read(code: str, lines: Sequence[str]) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    named = dict(line.split(" = ", 1) for line in lines if " = " in line)
    ask = rf"(?:,? (?:{named['ask']})\b(?:{_REST})?)?" if "ask" in named else ""
    whole = "|".join(f"(?:{line})" for line in lines if line and " = " not in line)
    start, end = ("", "") if code in _UNSPACED else (r"(?<!\w)", r"(?!\w)")
    but = f"{start}(?:{named['but']}){end}"
    opening = rf"(?:{named['open']}){end}(?:\W+{but})?"
    sentence = whole.replace("{ask}", ask).replace("{rest}", _REST)
    return re.compile(opening), re.compile(but), re.compile(sentence)


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
_LONGEST_READ = 3000  # characters of a sentence that are looked at
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
def grammar(pattern: str) -> re.Pattern[str]:
    """Compiles a pattern at first use: together they cost a third of the time that importing the package may take."""
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


def is_question(text: str) -> bool:
    """Tells whether a text ends with a question mark of any script."""
    return _QUESTION.search(text) is not None


def greets(text: str) -> bool:
    """Tells whether a short text begins with a greeting or thanks in one of ten languages beside English."""
    words = [word.casefold() for word in _WORDS.findall(text[:_LONGEST_READ])]
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
    if grammar(_COURTESY).match(text) or declines(text):
        return False
    if any(sign.isdigit() for sign in text):
        return True
    if all(term.kind == "function" for term in terms(text)):  # `It does.`
        return False
    return not (grammar(_OFFER).match(text) or grammar(_OPINION).match(text) or grammar(_DIRECTION).match(text))


EVERYWHERE = r"""
    not(?!\sonly)|never|nobody|neither|nowhere|cannot|\w+n['\u2019]t(?!\s(?:it|he|she|they|we|you|i|there)\W{0,3}\?)
    |nicht(?:s|(?!\swahr))|kein(?:e[mnrs]?)?|niemals|niemand(?:em|en)?|nirgends|nirgendwo|weder
    |jamais|aucune?
    |nunca|jam\u00e1s|nadie|ning\u00fan|ningun[oa]|tampoco
    |non(?!-)|niente|nessun[oa]?|senza
    |n\u00e3o|nenhuma?|ningu\u00e9m
    |niets?|geen|nooit|zonder
    |nigdy|nikt|\u017caden|\u017cadn(?:a|e|ych|ego|ej)|nincs(?:en)?|soha|niciodat\u0103|f\u0103r\u0103|nen\u00ed|nejsou|nem\u00e1|nelze|nikdy|\u017e\u00e1dn(?:\u00fd|\u00e1|\u00e9)
    |inte|ikke|ingen|inget|inga|aldrig|aldri|eiv\u00e4t
    |de\u011fil\w*|asla|kh\u00f4ng|ch\u01b0a
    |\u043d\u0435|\u043d\u0435\u0442|\u043d\u0438|\u043d\u0435\u043c\u0430(?:\u0454)?|\u043d\u0438\u043a\u043e\u0433\u0434\u0430|\u043d\u0438\u043a\u0442\u043e|\u043d\u0438\u0447\u0435\u0433\u043e|\u043d\u0438\u043a\u0430\u043a\u043e\u0433\u043e|\u0431\u0435\u0437|\u043d\u0456\u043a\u043e\u043b\u0438|\u043d\u044f\u043c\u0430|\u043d\u0438\u043a\u043e\u0433\u0430
    |\u03b4\u03b5\u03bd|\u03b4\u03b5|\u03bc\u03b7\u03bd?|\u03c7\u03c9\u03c1\u03af\u03c2|\u03c0\u03bf\u03c4\u03ad|\u03ba\u03b1\u03bd\u03ad\u03bd\u03b1\u03c2|\u03ba\u03b1\u03bc\u03af\u03b1|\u05dc\u05d0|\u05d0\u05d9\u05df|\u05d1\u05dc\u05d9|\u05de\u05e2\u05d5\u05dc\u05dd
    |\u0644\u0627|\u0644\u0645|\u0644\u0646|\u0644\u064a\u0633(?:\u062a)?|\u063a\u064a\u0631|\u0628\u062f\u0648\u0646
"""
"""Words that deny wherever they stand."""
OF_ONE_LANGUAGE = {
    "en": r"no|none|nor|nothing|without",
    "de": r"nie|ohne",
    "fr": r"ne|(?<!-ce\s)pas|rien|personne|sans|ni",
    "es": r"no|nada|sin|ni",
    "it": r"no|n\u00e9|mai|nulla",
    "pt": r"nem|sem|nada",
    "nl": r"niemand|nergens|noch",
    "pl": r"nie|nic|bez|ani",
    "cs": r"ne|bez|ani|nic",
    "fi": r"ei|en|et|emme|ette",
    "hu": r"nem|sem|ne",
    "ro": r"nu|nici",
    "sv": r"ej|utan",
    "da": r"ej|uden",
    "no": r"uten",
    "tr": r"yok\w*|hi\u00e7",
    "vi": r"\u0111\u1eebng",
}
"""Words that deny in one language only, by its ISO 639-1 code."""
UNSPACED = (
    r"\u4e0d(?![\u540c\u65ad\u4ec5\u904e\u8fc7\u4e45\u4f46\u53ea\u5c11\u9519\u9508])|[\u6ca1\u6c92](?!\u6536)"
    r"|\u672a(?![\u6765\u4f86])|\u975e(?![\u5e38\u6d32])"  # Chinese
    r"|[\u65e0\u7121](?![\u7ebf\u7dda\u8bba\u8ad6\u6570\u6578\u9650\u7591\u6599])"  # Chinese
    r"|(?<![\u5c11\u5371])(?:\u306a\u3044|\u306a\u304b\u3063)|\u307e\u305b\u3093|\u305a\u306b"  # Japanese
    r"|\uc54a|\uc5c6|\uc544\ub2c8|\ubabb"  # Korean
    r"|\u0e44\u0e21\u0e48"  # Thai
    r"|\u0928\u0939\u0940\u0902|\u092c\u093f\u0928\u093e"  # Hindi, whose vowel signs end a word for `re`
)
"""Parts of words that deny, where `re` finds no end of a word."""


@cache
def negation(code: str, ascii_only: bool) -> re.Pattern[str]:
    """Compiles what finds the words that deny in a language, by its ISO 639-1 code; in an unknown one those of English.

    Args:
        code: The language.
        ascii_only: The texts have no other characters, so that other scripts need not be looked for.
    """
    words = f"{''.join(EVERYWHERE.split())}|{OF_ONE_LANGUAGE[code if code in OF_ONE_LANGUAGE else 'en']}"
    elided = r"|\bn['\u2019](?=\w)(?!est-ce\spas)" if code == "fr" else ""
    unspaced = "" if ascii_only else f"|{UNSPACED}"  # takes half of the time
    return re.compile(rf"\b(?=\w)(?:{words})\b{elided}{unspaced}", re.IGNORECASE)
