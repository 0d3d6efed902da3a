"""Words that deny what is said, in the languages that answers come in, as parts of regular expressions.

Only words: a denial inside a verb, as in Turkish, is not found. A word that denies in one language and means something
else in another (`no` is `in the` in Portuguese) counts in its own only.
Tag questions (`isn't it?`) deny nothing.
"""

from __future__ import annotations

import re
from functools import cache

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
ABSENCE = r"""
    lack\w*|fail\w*|absen\w*|miss(?:es|ed|ing)|empty|devoid|refus\w*|den(?:y|ies|ied|ial)|reject\w*|prevent\w*|avoid\w*
    |prohibit\w*|forb[ai]d\w*|exclud\w*|except|exempt\w*|ban(?:s|ned)?|illegal|impossible|inactive|instead|rather|unlike|off\slimits|until
    |unless|only|few(?:er)?|little|less|hardly|scarcely|barely|rarely|seldom|zero|free|stop\w*|ceas\w*|discontinu\w*|neglect\w*
    |far\sfrom|too|different\w*|differs?|contrary|false\w*|wrong\w*|incorrect\w*|myth|doubt\w*|disput\w*|remains?|yet
    |un\w{3,}|in(?:ability|complete\w*|valid|sufficient\w*|adequate\w*|consistent\w*|effective\w*|sensitive|accurate\w*)|dis\w{4,}|\w{3,}less|\w{3,}-free
"""
"""English words that say the same as a denial does: `lacks a roof` is `has no roof`."""


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


@cache
def absence() -> re.Pattern[str]:
    """Compiles what finds the words in `ABSENCE`."""
    return re.compile(rf"\b(?=\w)(?:{''.join(ABSENCE.split())})\b", re.IGNORECASE)
