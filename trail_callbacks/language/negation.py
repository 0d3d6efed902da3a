"""Words that deny what is said, by language: the same letters deny in one and mean "in the" in another."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["implied", "negation"]

_WORDS = {
    "en": r"not|no|never|none|nobody|nothing|neither|nor|nowhere|without|cannot|\w+n['\u2019]t",
    "de": "nicht|nichts|kein(?:e[mnrs]?)?|nie|niemals|niemand(?:em|en)?|nirgends|nirgendwo|weder|ohne",
    "fr": r"ne|n['\u2019](?=\w)|pas|jamais|rien|aucune?|personne|sans|ni",
    "es": "no|nunca|jam\u00e1s|nada|nadie|ning\u00fan|ningun[ao]|sin|tampoco",
    "it": "non|mai|niente|nulla|nessun[oa]?|senza|n\u00e9",
    "pt": "n\u00e3o|nunca|jamais|nada|nenhuma?|ningu\u00e9m|nem|sem",
    "nl": "niet|niets|geen|nooit|niemand|zonder",
    "da": "ikke|aldrig|ingen|intet|uden",
    "no": "ikke|aldri|ingen|intet|uten",
    "sv": "inte|aldrig|ingen|inget|inga|utan",
    "pl": "nie|nigdy|nikt|nic|\u017caden|\u017cadn[aey]|bez",
    "cs": r"nikdy|nikdo|nic|\u017e\u00e1dn[\u00e1\u00e9\u00fd]|bez|nen\u00ed|nebyl\w*|nejsou|nem\w+",
    "ru": (
        "\u043d\u0435|\u043d\u0435\u0442|\u043d\u0438|\u043d\u0438\u043a\u043e\u0433\u0434\u0430|"
        "\u043d\u0438\u043a\u0442\u043e|\u043d\u0438\u0447\u0435\u0433\u043e|\u0431\u0435\u0437"
    ),
    "uk": (
        "\u043d\u0435|\u043d\u0435\u043c\u0430\u0454|\u043d\u0456|\u043d\u0456\u043a\u043e\u043b\u0438|"
        "\u043d\u0456\u0445\u0442\u043e|\u0431\u0435\u0437"
    ),
    "tr": r"de\u011fil\w*|yok\w*|hi\u00e7|asla",
    "ar": (
        "\u0644\u0627|\u0644\u0645|\u0644\u0646|\u0644\u064a\u0633(?:\u062a)?|\u063a\u064a\u0631|"
        "\u0628\u062f\u0648\u0646"
    ),
}
_UNSPACED = {
    "zh": "\u4e0d|\u6ca1|\u6c92|\u672a|\u65e0|\u7121|\u975e",
    "ja": "\u306a\u3044|\u306a\u304b\u3063|\u306a\u304f|\u307e\u305b\u3093|\u305a\u306b",
    "ko": "\uc54a|\uc5c6|\uc544\ub2c8|\ubabb",
}
_IMPLIED = (
    r"lack\w*|fail\w*|absen\w+|den(?:y|ies|ied)|refus\w+|exclu\w+|avoid\w*|prevent\w*|prohibit\w*|forbid\w*|stop\w*|"
    r"ceas\w+|(?:un|dis|ab)\w{3,}|(?:in|im|il|ir|non)\w{4,}|\w+less|rarely|seldom|hardly|barely|scarcely|only|little|"
    r"few|free|false|wrong|off|closed?|end(?:s|ed)?|neutral|mixed|different|other|rather|instead"
)


@cache
def negation(code: str) -> re.Pattern[str]:
    """Returns what finds the words that deny in a language; of one that is not known, those of English.

    Args:
        code: ISO 639-1, see `detect.language`.
    """
    if code in _UNSPACED:
        return re.compile(_UNSPACED[code])
    return re.compile(rf"\b(?:{_WORDS.get(code, _WORDS['en'])})\b" if code != "fr" else _french(), re.IGNORECASE)


def _french() -> str:
    """An elided `n'` has no end of a word behind it."""
    return rf"\b(?:{_WORDS['fr']})(?:\b|(?<=['\u2019]))"


@cache
def implied() -> re.Pattern[str]:
    """Finds English words that may say by themselves what "not" says of their opposite: "lacks", "unable"."""
    return re.compile(rf"\b(?:{_IMPLIED})\b", re.IGNORECASE)
