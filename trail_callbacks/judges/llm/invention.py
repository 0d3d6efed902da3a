"""A check on claims that a model wrote: numbers and names in them must come from what the model was shown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from itertools import pairwise

from trail_callbacks.language.detect import language
from trail_callbacks.language.terms import keys
from trail_callbacks.language.values import quantities

_MARK = r"[.,'\u2019\u00a0\u2009\u202f ]"
_NUMBER = re.compile(r"\d+(?:[.,'\u2019]\d+|[\u00a0\u2009\u202f ]\d{3}(?!\d))*")
_GROUPED = re.compile(rf"(\d{{1,3}}(?:{_MARK}\d{{3}})+?)(?:[.,](\d+))?")
_SPAN = re.compile(r"(?<!\d)(\d\d)\d\d ?[-\u2013\u2014/] ?(\d\d)(?!\d)")  # `1932-35` names 1935
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_POSSESSIVE = re.compile(r"['\u2019]s?$")
_OPENS = re.compile(r"(?:^|[.!?:\u2026\"\u201c\u201e\u00ab(\u00bf\u00a1])\s*$")
_SAME = 4  # letters at the start that make two forms of one name: Norway, Norwegian


class Shown:
    """What a model was shown when it wrote claims: read once, for all of them.

    Numbers in digits must be there: as written, with other separators, or as the same value in (English) words. Names
    are judged leniently, since languages inflect, shorten and transcribe them: only where capitals mark names, and
    where no word of the texts begins alike or abbreviates them.

    Args:
        *texts: All that a claim may be made of: the answer, the question.
        names: Where words, but no numbers, may come from besides: what tells what a claim is about.
    """

    def __init__(self, *texts: str, names: str = "") -> None:
        self._text = text = unicodedata.normalize("NFKC", "\n".join(texts))
        self._numbers = _numbers(text) | {first + last for first, last in _SPAN.findall(text)}
        shown = quantities(text)
        self._values = {value for quantity in shown for value in (quantity.raw, quantity.value)}
        self._dates = {(quantity.kind, quantity.value) for quantity in shown}
        self._words = {_folded(word) for word in _WORD.findall(f"{text}\n{names}")}
        self._scripts = {_script(word) for word in self._words}
        self._told, self._read = _marks(text), _marks(names)

    def lacks(self, claim: str) -> bool:
        """Tells whether a claim holds a number or name that stands in none of the texts."""
        claim = unicodedata.normalize("NFKC", claim)
        return self._lacks_number(claim) or self._lacks_name(claim)

    def exchanges(self, claim: str, quote: str, said: str) -> bool:
        """Whether a claim has a word of `names` alone, and its quote one that is in nothing `said` about it."""
        if all(_resembles(mark, self._told) for mark in _marks(claim) & self._read):
            return False
        kept = _marks(said)
        return Shown(said).lacks(quote) or not all(_resembles(mark, kept) for mark in _marks(quote))

    def _lacks_number(self, claim: str) -> bool:
        new = _numbers(claim) - self._numbers
        for quantity in quantities(claim) if new else ():
            if quantity.raw in self._values or quantity.value in self._values:
                new -= _numbers(claim[quantity.start : quantity.end])
        return bool(new)

    def _lacks_name(self, claim: str) -> bool:
        dates = [quantity for quantity in quantities(claim) if (quantity.kind, quantity.value) in self._dates]
        new = [
            match
            for match in _WORD.finditer(claim)
            if match[0][0].isupper() and len(match[0]) > 1 and _script(match[0]) in self._scripts
            if not _OPENS.search(claim[max(0, match.start() - 8) : match.start()])
            if not _resembles(match[0], self._words)
            if not any(date.start <= match.start() < date.end for date in dates)
        ]
        if not new or _abbreviated(claim, self._text) or _abbreviated(self._text, claim):
            return False
        if language(f"{self._text} {claim}") != "de":  # there one capital does not mark a name
            return True
        return any(claim[a.end() : b.start()].isspace() for a, b in pairwise(new))


def _marks(text: str) -> set[str]:
    """The content words of a text, and its signs of currencies."""
    return set(map(_folded, keys(text))).union(sign for sign in set(text) if unicodedata.category(sign) == "Sc")


def _numbers(text: str) -> set[str]:
    """The numbers of a text in one spelling; `1,2,3` and `16.3.2026` are several."""
    numbers = set()
    for match in _NUMBER.finditer(text):
        parts = re.split(_MARK, match[0])
        grouped = _GROUPED.fullmatch(match[0])
        if grouped:
            numbers.add(_spelt(re.sub(_MARK, "", grouped[1]), grouped[2] or ""))
        elif len(parts) > 2:  # noqa: PLR2004 - a point, and more than one of it
            numbers.update(_spelt(part, "") for part in parts)
        else:
            numbers.add(_spelt(parts[0], "".join(parts[1:])))
    return numbers


def _spelt(whole: str, decimals: str) -> str:
    digits = "".join(str(unicodedata.decimal(digit)) for digit in whole).lstrip("0") or "0"
    behind = "".join(str(unicodedata.decimal(digit)) for digit in decimals).rstrip("0")
    return f"{digits}.{behind}" if behind else digits


def _folded(word: str) -> str:
    """Without case and accents."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _script(word: str) -> str:
    return unicodedata.name(word[0], "").partition(" ")[0]


def _resembles(word: str, known: Collection[str]) -> bool:
    form = _POSSESSIVE.sub("", _folded(word))
    if len(form) < _SAME:
        return any(other.startswith(form) for other in known)
    return any(
        other.startswith(form[:_SAME]) or form in other or (len(other) >= _SAME and other in form) for other in known
    )


def _abbreviated(name: str, text: str) -> bool:
    """Whether a text holds the initials of consecutive names in another: `WHO`."""
    initials = "".join(word[0] for word in _WORD.findall(name) if word[0].isupper())
    return any(word.isupper() and len(word) > 1 and word in initials for word in _WORD.findall(text))
