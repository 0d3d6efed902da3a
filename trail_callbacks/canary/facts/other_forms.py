"""Words that look like another form of a name: `Haldener` beside `Halden`, or another case ending."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

__all__ = ["other_forms"]

_STEM: Final = 4
_DERIVED: Final = 4  # letters by which another form of a word may be longer
_SUFFIX: Final = re.compile(r"e?s|e?ns?|ern?|i?ans?|n?ers?|ese|ish|ic|ists?|isms?|y|sche?[nrs]?|[aeiou]|em|um")
_OF_PEOPLE: Final = re.compile(r"\w{0,2}(?:ese|ish|ans?|ers?|ic)")  # `Portuguese` of `Portugal`


def other_forms(words: Iterable[str], capital: Iterable[str], lower: Iterable[str]) -> dict[str, str]:
    """Finds a word that looks like another form of a name, for each that has one.

    Args:
        words: Words of names, case-folded as all others.
        capital: Words that are written with a capital somewhere.
        lower: Words that are written without one.

    Returns:
        The first such word in the order of the alphabet, by the word of the name.
    """
    named, plain = _by_stem(capital), _by_stem(lower)
    others: dict[str, str] = {}
    for word in words:
        near = {each for each in named.get(word[:_STEM], ()) if _derived(each, word, named=True)}
        if len(word) > _STEM:
            near |= {each for each in plain.get(word[:_STEM], ()) if _derived(each, word, named=False)}
        if near:
            others[word] = min(near)
    return others


def _by_stem(words: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for word in words:
        found[word[:_STEM]].add(word)
    return found


def _derived(other: str, word: str, *, named: bool) -> bool:
    """Whether a word looks like another form of a name: `haldener` of `halden`, or with another case ending.

    Args:
        other: The word, case-folded.
        word: The word of the name, likewise.
        named: Whether the other word has a capital too.
    """
    if other == word or abs(len(other) - len(word)) > _DERIVED or min(len(other), len(word)) < _STEM:
        return False
    if other.startswith(word):
        return not word.isascii() or _SUFFIX.fullmatch(other, len(word)) is not None
    if not named:
        return False
    if word.startswith(other):
        return not word.isascii() or _SUFFIX.fullmatch(word, len(other)) is not None
    shared = 0
    while shared < min(len(word), len(other)) and word[shared] == other[shared]:
        shared += 1
    return shared >= max(_STEM, len(word) - 2) and (
        not word.isascii() or _OF_PEOPLE.fullmatch(other, shared) is not None
    )
