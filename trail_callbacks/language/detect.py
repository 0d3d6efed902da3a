"""Which language a text is in: what decides whether rules for English apply, and how `1.000` is meant.

Most scripts tell the language, in Latin letters the commonest words do, and letters that few languages have. To take a
short English sentence full of foreign names for another language is the worst error here: in doubt there is none.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache

from trail_callbacks.language.terms import keys

NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "es": "Spanish", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi",
    "hu": "Hungarian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish",
    "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
"""English names of the languages that are told apart, by ISO 639-1 code."""

_LONGEST = 2000  # characters that are looked at
_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"(?<=[\w,;-][ -])[A-ZÀ-ÞĆČĐĘŁŃŒŚŞŠŹŻŽ][^\W\d_]*")
_SCRIPTS = {  # the first of which a text has a letter, if most of its letters are of any
    "ja": "\u3040-\u30ff", "zh": "\u3400-\u9fff", "ko": "\uac00-\ud7af", "th": "\u0e00-\u0e7f",
    "hi": "\u0900-\u097f", "ar": "\u0600-\u06ff", "he": "\u0590-\u05ff", "el": "\u0370-\u03ff",
    "uk": "\u0404\u0406\u0407\u0454\u0456\u0457\u0490\u0491", "ru": "\u0400-\u04ff",
}  # fmt: skip
_OF_SCRIPTS = re.compile("[\u0370-\u06ff\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_RUSSIAN = re.compile("[\u044b\u044d\u0451]")  # letters that Bulgarian has not; there the hard sign is a vowel
_LETTERS = {
    "de": "ßäöü", "es": "ñáíóú", "fr": "çèéêëîïùœ", "it": "àèìòù", "pt": "ãõçâáíóú", "pl": "łżźśąęćń", "cs": "řěůčšž",
    "tr": "ğışü", "hu": "őűáó", "ro": "țăşș", "sv": "åäö", "da": "øæå", "no": "øå", "fi": "äö",
    "vi": "đơưạảấầẩậắằẹẻếềểệ",
}  # fmt: skip
_COMMON = {
    "en": """the and of with that which from are were this have they not been would their than there when where while
        who what its his her she you your should could about after into only other these those through because between
        a is was in to for by on it has had an at as be or can will does do did all he more most one no over per each
        once""",
    "de": """der die das und ist nicht ein eine einen einem einer von mit den dem des im zu auf für sich auch wird
        wurde sind es als bei nach aus haben hat werden muss kein keine wenn oder nur noch zum zur bis um über durch
        ich sie wir dass pro hatte kann diese dieser kostet nichts einmal am an vom""",
    "es": """el la los las de que y en un una es por con para del se no su al lo como más fue son está pero sus esta
        entre cuando muy sin sobre también hasta desde nos era ser hay todo cada puede tiene mide cuesta nada""",
    "fr": """le la les de des et est un une en que qui dans du pour pas sur au aux avec ne se par ce il elle sont
        mais ou été fut cette nous vous ont à son sa ses leur leurs être peut y avant après chaque fois""",
    "it": """il lo la gli le di che è e un una in per non con del della dei delle si da al alla sono anche ma nel nella
        più come ha fu era questo questa ogni dal dalla costa hanno suo sua""",
    "pt": """o a os as de que e em um uma é para com não do da dos das no na nos nas se por mais foi são ao sua seu
        como mas tem pela pelo também custa cada até está ser""",
    "nl": """de het een en van is niet in op te dat voor met zijn aan er ook wordt werd bij uit als maar om door naar
        heeft over of nog kan deze dit geen tot meer dan ik je hij was per niets hoog""",
    "sv": "och är att det en ett som på av för med inte den till har i om var från kan eller vid deras finns",
    "da": "og er at det en et som på af for med ikke den til har i om var fra kan eller ved blev hvor bliver",
    "no": "og er at det en et som på av for med ikke den til har i om var fra kan eller ved ble hvor blir",
    "pl": """w i na jest się nie do to że o jak od po dla przez był była są który która oraz ale czy już roku ze pod
        wszystkie""",
    "cs": "je v na se že do to pro jako ale o po jsou byl byla který která nebo za od při jeho není bylo roku",
    "fi": "ja on ei se että oli ovat myös kun tai mutta joka sen hän ole hänen mukaan vuonna sekä",
    "hu": "a az és nem hogy egy van volt is meg ez de már csak még vagy mint lehet ki el magas",
    "ro": "și de la în a cu nu este pe un o că din sunt pentru mai au fost se al ale lui sau prin",
    "tr": "ve bir bu için ile de da olarak en çok daha değil var olan gibi kadar sonra ne ya",
    "vi": "và của là có không các được cho một trong người với những này đã từ về đến",
}
_OF_WORD: dict[str, list[str]] = defaultdict(list)
for _code, _words in _COMMON.items():
    for _each in _words.split():
        _OF_WORD[_each].append(_code)
_LEAD, _SURE = 2, 1.5  # signs of a language beyond those of English, and by how many times, that make a text one in it
_LETTER = frozenset("AEIO")  # an article or pronoun in several languages, or a letter
_FEW = 4  # words; in so few one sign is enough


def language(text: str) -> str:
    """Guesses the language of a text.

    Args:
        text: Any text; its first 2000 characters decide. The more of a text is given, the surer is the guess.

    Returns:
        An ISO 639-1 code among `NAMES`, or nothing where that cannot be told.
    """
    return _guess(text[:_LONGEST])


@cache
def common(code: str) -> frozenset[str]:
    """Returns the keys of the commonest words of a language, such as its articles and pronouns; few are known."""
    return frozenset(keys(_COMMON.get(code, "")))


def is_english(text: str) -> bool:
    """Tells whether rules for English apply: to a text in English, and to one too short to tell."""
    return language(text) in {"en", ""}


def limits(claims: Mapping[str, str]) -> tuple[str, ...]:
    """Says what rules for English leave undone.

    Args:
        claims: The texts of the claims of one answer, by id. Where a claim is too short to tell, the language of all
            of them counts.

    Returns:
        A warning for each other language than English, in order of the claims.
    """
    whole = language(" ".join(claims.values()))
    ids: dict[str, list[str]] = defaultdict(list)
    for claim_id, text in claims.items():
        ids[language(text) or whole].append(claim_id)
    return tuple(
        f"in {NAMES[code]}, where only numbers, dates, names, quotes and shared words were compared, not negation, "
        f"tense, quantity words, attribution or forms of words: {', '.join(those)}"
        for code, those in ids.items()
        if code not in {"en", ""}
    )


@lru_cache(maxsize=4096)
def _guess(part: str) -> str:
    words = _WORD.findall(part)
    if not part.isascii() and 2 * len(_OF_SCRIPTS.findall(part)) > sum(map(len, words)):
        code = next((code for code, letters in _SCRIPTS.items() if re.search(f"[{letters}]", part)), "")
        return "bg" if code == "ru" and "\u044a" in part and not _RUSSIAN.search(part) else code
    signs: Counter[str] = Counter()
    for word in _WORD.findall(_NAME.sub("", part)):
        signs.update(() if word in _LETTER else _OF_WORD.get(word.casefold(), ()))
        if not word.isascii():
            signs.update(code for code, letters in _LETTERS.items() for letter in letters if letter in word)
    best = max(signs, key=signs.__getitem__, default="")
    if best and signs["en"] >= signs[best]:
        return "en"
    clear = signs[best] >= signs["en"] + _LEAD and signs[best] >= _SURE * signs["en"]
    return best if clear or (not signs["en"] and len(words) <= _FEW) else ""
