"""Attacks in languages other than English, as sets of words that must occur in one sentence.

Word order differs too much for the phrases of `rules`, so a rule is one to three sets of words and fires where a word
of each occurs in the same sentence. That is coarser than English: translations of the known attacks are found, new
ideas are not. The words are in `translations.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import NamedTuple

from trail_callbacks.context_filter.mentions import sentence

__all__ = ["Match", "translated"]

_REACH = 160  # characters between words of one rule
_MATCHES = 50  # of one set that are looked at
_FOLDED_TO_ASCII = frozenset({"es", "fr", "de", "it", "pt", "nl", "sv", "pl", "tr"})
_RULES = (
    ("override", 0.75, "asks to ignore earlier instructions", ("ignore", "instructions", "earlier")),
    ("override", 0.4, "asks to ignore what was said before", ("ignore", "earlier")),
    ("reveal", 0.7, "asks for hidden instructions", ("show", "hidden")),
    ("role", 0.7, "gives the model another role", ("role", "model")),
    ("role", 0.45, "gives the reader another role", ("role",)),
)


class Match(NamedTuple):
    """Words of one rule in one sentence: kind, weight and reason as in `rules.Rule`, and the offsets of the words."""

    kind: str
    weight: float
    why: str
    start: int
    end: int


@cache
def _lexicons(*, ascii_only: bool) -> tuple[Mapping[str, re.Pattern[str]], ...]:
    """Compiles the words, at first use."""
    text = files(__package__).joinpath("translations.toml").read_text(encoding="utf-8")
    return tuple(
        {name: re.compile(pattern) for name, pattern in sets.items()}
        for language, sets in tomllib.loads(text).items()
        if not ascii_only or language in _FOLDED_TO_ASCII
    )


def translated(text: str) -> Iterator[Match]:
    """Finds attacks in any of the languages.

    Args:
        text: Normalized text.

    Yields:
        The first match of each rule in each language.
    """
    for words in _lexicons(ascii_only=text.isascii()):
        for kind, weight, why, names in _RULES:
            span = _together(text, [words[name] for name in names])
            if span is not None:
                yield Match(kind, weight, why, *span)


def _together(text: str, sets: Sequence[re.Pattern[str]]) -> tuple[int, int] | None:
    """The first stretch of a sentence that holds a word of each set, none upon another."""
    for match in islice(sets[0].finditer(text), _MATCHES):
        low, high = sentence(text, *match.span())
        low, high = max(low, match.start() - _REACH), min(high, match.end() + _REACH)
        found = [match.span()]
        for words in sets[1:]:
            spans = (other.span() for other in words.finditer(text, low, high))
            free = next((s for s in spans if all(s[1] <= f[0] or f[1] <= s[0] for f in found)), None)
            if free is None:
                break
            found.append(free)
        else:
            return min(start for start, _ in found), max(end for _, end in found)
    return None
