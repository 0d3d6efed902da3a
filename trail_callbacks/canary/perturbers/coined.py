"""Coined words: names that could be names, and nonce words that nobody can have read."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from trail_callbacks.canary.edit import Size

__all__ = ["coined", "nonce", "scripts"]


def _listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


@dataclass(frozen=True, slots=True)
class _Sounds:
    """What words of a script are coined of.

    Attributes:
        onsets: What begins a syllable.
        vowels: What follows.
        clusters: What no common word or name has inside; each coined word has one.
        endings: Ends of names that show a sex, a people or a kind of place, the longest first.
    """

    onsets: tuple[str, ...]
    vowels: tuple[str, ...]
    clusters: tuple[str, ...]
    endings: tuple[str, ...]


_SCRIPTS: Mapping[str, _Sounds] = {
    "LATIN": _Sounds(
        _listed("b d f g h k l m n p r s t v br dr gr kr tr st fl gl"),
        tuple("aeiou"),
        _listed("gv mv mz zg bv vg lzd rzv ndv kz lvr rvl nzl dzm gzn"),
        _listed(
            """skaya stein worth mouth field ville ovich evich sson berg burg bury stad holm ford dale land wick enko
            shire escu ton ham sen son ski ska sky ova eva ina ov ev ia ez ic"""
        ),
    ),
    "CYRILLIC": _Sounds(
        _listed(
            """\u0431 \u0432 \u0433 \u0434 \u0437 \u043a \u043b \u043c \u043d \u043f \u0440 \u0441 \u0442
            \u0431\u0440 \u0434\u0440 \u0433\u0440 \u043a\u0440 \u0442\u0440 \u0441\u0442"""
        ),
        tuple("\u0430\u0435\u0438\u043e\u0443"),
        _listed(
            """\u0433\u0432 \u043c\u0432 \u043c\u0437 \u0437\u0433 \u0431\u0432 \u043b\u0437\u0434
            \u0440\u0437\u0432 \u043d\u0434\u0432 \u043a\u0437 \u043b\u0432\u0440 \u0440\u0432\u043b
            \u043d\u0437\u043b"""
        ),
        _listed(
            """\u043e\u0432\u0438\u0447 \u0435\u0432\u0438\u0447 \u043e\u0432\u043d\u0430
            \u0435\u0432\u043d\u0430 \u0441\u043a\u0438\u0439 \u0441\u043a\u0430\u044f
            \u0433\u0440\u0430\u0434 \u043e\u0432\u0430 \u0435\u0432\u0430 \u0438\u043d\u0430
            \u0435\u043d\u043a\u043e \u043e\u0432 \u0435\u0432 \u0438\u043d \u0438\u044f \u0441\u043a"""
        ),
    ),
    "GREEK": _Sounds(
        _listed(
            """\u03b2 \u03b3 \u03b4 \u03b6 \u03b8 \u03ba \u03bb \u03bc \u03bd \u03c0 \u03c1 \u03c4 \u03c6
            \u03c7 \u03b4\u03c1 \u03c3\u03c4 \u03c4\u03c1"""
        ),
        tuple("\u03b1\u03b5\u03b9\u03bf\u03c9"),
        _listed(
            """\u03bc\u03b6 \u03b6\u03b3 \u03b3\u03b6 \u03bb\u03b6 \u03c1\u03b6\u03b3 \u03bd\u03b6
            \u03ba\u03b6 \u03b6\u03b4"""
        ),
        _listed(
            """\u03cc\u03c0\u03bf\u03c5\u03bb\u03bf\u03c2 \u03bf\u03c0\u03bf\u03cd\u03bb\u03bf\u03c5
            \u03af\u03b4\u03b7\u03c2 \u03ac\u03ba\u03b7\u03c2 \u03b9\u03bf\u03c2 \u03bf\u03c2 \u03b7\u03c2
            \u03b1\u03c2 \u03bf\u03c5 \u03af\u03b1"""
        ),
    ),
}
_ODD: Final = (
    _listed("z v kv x zv thr kr dr gl pl"),
    tuple("aeiou"),
    _listed("rv zl xv ldr mpv rx gz nq lv vr"),
    _listed("nth lq rx mph zz lth rg"),
)
_VOWEL: Final = re.compile(
    "[aeiouy\u00e0\u00e1\u00e2\u00e3\u00e4\u00e5\u00e6\u00e8\u00e9\u00ea\u00eb\u00ec\u00ed"
    "\u00ee\u00ef\u00f2\u00f3\u00f4\u00f5\u00f6\u00f8\u00f9\u00fa\u00fb\u00fc\u00fd\u0151\u0171"
    "\u0105\u0119\u011b\u016f\u0131\u0430\u0435\u0451\u0438\u043e\u0443\u044b\u044d\u044e\u044f"
    "\u0456\u0454\u0457\u03b1\u03b5\u03b9\u03bf\u03c5\u03c9\u03b7\u03ac\u03ad\u03af\u03cc\u03cd"
    "\u03ce\u03ae]"
)
_ONSET: Final = re.compile(f"[^{_VOWEL.pattern[1:-1]}]+")
_SHORTEST: Final = 6  # letters: shorter ones are often words
_LONGEST: Final = 9  # letters of a word for which one syllable more is coined
_TRIES: Final = 200


def scripts(word: str) -> str | None:
    """The script of a word in which words can be coined: `LATIN`, `CYRILLIC`, `GREEK`; None for others or a mixture."""
    found = {unicodedata.name(letter, "").partition(" ")[0] for letter in word}
    return found.pop() if len(found) == 1 and found <= set(_SCRIPTS) else None


def coined(
    word: str, size: Size, rng: random.Random, taken: Callable[[str], bool], *, initial: bool = False
) -> str | None:
    """Coins a word that may stand in the place of a word of a name.

    It has at least six letters and consonants beside each other that no common name has, so that it is none by chance.
    A small change keeps what is before the first vowel and the ending; a medium one the ending (`-ova`, `-bury`, or the
    last letter), so that inflection and what the sex of a person shows stay; a large one is a syllable longer and keeps
    the last letter only.

    Args:
        word: The real word, capitalised.
        size: How far the coined word is from it.
        rng: Of all choices.
        taken: Tells whether a word, case-folded, cannot be used.
        initial: Whether the initial has to stay: an acronym is made of it.

    Returns:
        The word, capitalised; None if the script has no words of ours or none is free.
    """
    script = scripts(word)
    if script is None:
        return None
    sounds = _SCRIPTS[script]
    folded = word.lower()  # folding would take the final form of a Greek letter away
    ending = _ending(folded, size, sounds)
    for _ in range(_TRIES):
        onset = rng.choice(sounds.onsets)
        if size == "small" or initial:
            begin = _ONSET.match(folded)
            onset = begin[0] if begin and size == "small" else folded[0] if begin else ""
            vowel = rng.choice(sounds.vowels) if begin else folded[0]
        else:
            vowel = rng.choice(sounds.vowels)
        made = onset + vowel + rng.choice(sounds.clusters)
        for _ in range((len(folded) > _LONGEST) + (size == "large")):
            made += rng.choice(sounds.vowels) + rng.choice(sounds.onsets[:8])
        if not _VOWEL.match(ending):
            made += rng.choice(sounds.vowels)
        made += ending
        same = made[0] == folded[0]
        if (
            len(made) >= _SHORTEST
            and same == (size == "small" or initial)
            and made != folded
            and not taken(made.casefold())
        ):
            return made[0].upper() + made[1:]
    return None


def _ending(folded: str, size: Size, sounds: _Sounds) -> str:
    """What of a word stays at its end."""
    if size != "large":
        for ending in sounds.endings:
            if folded.endswith(ending) and len(folded) >= len(ending) + 2:
                return ending
    last = folded[-2:] if size == "small" else folded[-1:]
    # Two consonants behind a vowel, two vowels or a vowel and a consonant can be said behind any cluster.
    return last if len(last) == 1 or _VOWEL.search(last) else folded[-1:]


def nonce(rng: random.Random, taken: Callable[[str], bool]) -> str:
    """Coins a word of three syllables that looks like no word of any language, in Latin letters: `Zorvaldrinth`."""
    onsets, vowels, clusters, ends = _ODD
    while True:
        made = rng.choice(onsets)
        for parts in (clusters, clusters, ends):
            made += rng.choice(vowels) + rng.choice(parts)
        if not taken(made):
            return made[0].upper() + made[1:]
