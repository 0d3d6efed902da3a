"""Which language a text is in: what decides whether rules for English apply, and how `1.000` is meant.

py3langid tells the languages apart by their letters. Its guess counts only where it is far likelier than English: to
take a short English sentence full of foreign names for another language is the worst error here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from trail_callbacks.language.terms import vocabulary

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "es": "Spanish", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi",
    "hu": "Hungarian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish",
    "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
"""English names of the languages that are told apart, by ISO 639-1 code."""

_LONGEST = 2000  # characters that are looked at
_LIKELIER = 20  # how much likelier than English another language has to be
_ENGLISH = 2  # different words of `_ONLY_ENGLISH` that make a text English
_ONLY_ENGLISH = vocabulary(
    """the and of with that which from are were this have they not been would their than there when where while who
    what its his her she you your should could about after into only other these those through because between"""
)
_WORD = re.compile(r"[^\W\d_]+")


def language(text: str) -> str:
    """Guesses the language of a text.

    Args:
        text: Any text; its first 2000 characters decide. The more of a text is given, the surer is the guess.

    Returns:
        An ISO 639-1 code among `NAMES`, or nothing where that cannot be told.
    """
    return _guess(text[:_LONGEST])


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
    words = {word.casefold() for word in _WORD.findall(part)}
    if not words:
        return ""
    if part.isascii() and len(words & _ONLY_ENGLISH) >= _ENGLISH:  # spares the model
        return "en"
    likely: dict[str, float] = dict(_model().rank(part))
    best = max(likely, key=likely.__getitem__)
    if best != "en" and likely[best] < _LIKELIER * likely["en"]:
        return ""
    return best


@cache
def _model() -> LanguageIdentifier:
    """Loads at first use: that takes half a second and 100 MB."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - imports no faster than it loads

    model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    model.set_languages(NAMES)
    return model
