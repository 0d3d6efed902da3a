"""Which language a text is in, guessed from its script and its commonest words.

A guess serves to read `1.000` and `once` as their writer meant them, and to say what was not looked at. It counts words
that other languages do not have: a library that tells a hundred languages apart is larger than this package.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

__all__ = ["NAMES", "language", "limits"]

NAMES = {
    "ar": "Arabic", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fr": "French", "he": "Hebrew",
    "hi": "Hindi", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "pt": "Portuguese",
    "ru": "Russian", "th": "Thai", "zh": "Chinese",
}  # fmt: skip
"""English names of the languages that are told apart, by ISO 639-1 code."""

_LONGEST = 2000  # signs that are looked at
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
)
_LETTERS = 0.3  # share of a text's letters in a script that makes it the script of the text
_COMMON = {
    "en": """the of and to in is was for that it with as on are by be at from this were has have had not they which or
    an but its their he she his her been will would there about after into over more than""",
    "de": """der die das und ist nicht ein eine einen einem einer mit von zu den dem des im in für auf wird sind werden
    wurde wurden er sie es hat haben war als auch an bei nach aus um am zum zur über sich dass oder nur noch etwa
    liegt rund""",
    "es": """el la los las del y es un una unos que por con para se su en fue son como al lo más pero sus le ha está
    entre cuando muy sin sobre también era tiene desde hasta durante fueron unas""",
    "fr": """le la les et est dans pour sur qui pas au aux du des un une il elle en que ce cette par avec son sa ses ne
    se sont été plus ou mais comme leur été fut ont à où""",
    "it": """il lo la gli le che di e è un una uno non sono della del dei delle nel nella per con da al alla si come
    più ma anche fu ha questo questa stato i dal degli""",
    "pt": """o a os as e é um uma uns que de do da dos das em no na nos nas por com para se não como mais ao foi são
    seu sua pelo pela foram também tem à""",
    "nl": """de het een en van in is niet dat op te zijn voor met die aan er om ook als bij door naar uit werd wordt
    heeft hij ze maar over tot nog dan was worden""",
    "xx": "och att som är inte av på på den det til og ikke av na w nie jest się w że ve bir bu için și la nu ce",
}
_SETS = {code: frozenset(words.split()) for code, words in _COMMON.items()}


_SIGNS = {"de": "ßäöü", "es": "ñ¿¡", "fr": "èêçœù", "it": "ò", "pt": "ãõ", "nl": "ĳ"}  # where common words tie


def language(text: str) -> str:
    """Guesses the language of a text.

    Args:
        text: Any text; its first 2000 signs decide.

    Returns:
        An ISO 639-1 code among `NAMES`, or nothing where the text is too short to tell, or is in another language.
    """
    return _guess(text[:_LONGEST])


def limits(claims: Mapping[str, str]) -> tuple[str, ...]:
    """Says what rules for English leave undone.

    Args:
        claims: Texts that are not in English, by the id of their claim.

    Returns:
        A warning a language, in order of the claims.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for claim_id, text in claims.items():
        found[NAMES.get(language(text), "another language than English")].append(claim_id)
    return tuple(
        f"in {name}, where only numbers, dates, names, quotes and shared words were compared, not negation, tense, "
        f"quantity words, attribution or forms of words: {', '.join(ids)}"
        for name, ids in found.items()
    )


@lru_cache(maxsize=4096)
def _guess(part: str) -> str:
    if not part.isascii():
        letters = sum(map(str.isalpha, part))
        for code, script in _SCRIPTS:
            if len(script.findall(part)) > _LETTERS * letters:
                return code
    words = [word.casefold() for word in _WORD.findall(part)]
    scores = {
        code: sum(word in common for word in words) + 0.5 * sum(map(part.count, _SIGNS.get(code, "")))
        for code, common in _SETS.items()
    }
    best, second = sorted(scores.values(), reverse=True)[:2]
    found = max(scores, key=scores.__getitem__)
    return found if best > second and found in NAMES else ""
