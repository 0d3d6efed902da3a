"""Coined words: names that could be names, and nonce words that nobody can have read."""

# ruff: noqa: RUF001 - words of other scripts
from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from trail_callbacks.canary.edit import Size

__all__ = ["coined", "nonce", "scripts"]


class _Sounds(NamedTuple):
    """What words of a script are coined of.

    Attributes:
        onsets: What begins a syllable.
        vowels: What follows.
        clusters: What no common word or name has inside; each coined word has one.
        endings: Ends of names that show a sex, a people or a kind of place, the longest first.
    """

    onsets: str
    vowels: str
    clusters: str
    endings: str


_SCRIPTS: Final[Mapping[str, _Sounds]] = {
    "LATIN": _Sounds(
        "b d f g h k l m n p r s t v br dr gr kr tr st fl gl",
        "aeiou",
        "gv mv mz zg bv vg lzd rzv ndv kz lvr rvl nzl dzm gzn",
        """skaya stein worth mouth field ville ovich evich sson berg burg bury stad holm ford dale land wick enko
        shire escu ton ham sen son ski ska sky ova eva ina ov ev ia ez ic""",
    ),
    "CYRILLIC": _Sounds(
        "б в г д з к л м н п р с т бр др гр кр тр ст",
        "аеиоу",
        "гв мв мз зг бв лзд рзв ндв кз лвр рвл нзл",
        "ович евич овна евна ский ская град ова ева ина енко ов ев ин ия ск",
    ),
    "GREEK": _Sounds(
        "β γ δ ζ θ κ λ μ ν π ρ τ φ χ δρ στ τρ",
        "αειοω",
        "μζ ζγ γζ λζ ρζγ νζ κζ ζδ",
        "όπουλος οπούλου ίδης άκης ιος ος ης ας ου ία",
    ),
}
_ODD: Final = ("z v kv x zv thr kr dr gl pl", "aeiou", "rv zl xv ldr mpv rx gz nq lv vr", "nth lq rx mph zz lth rg")
_VOWELS: Final = "aeiouy" + "àáâãäåæèéêëìíîïòóôõöøùúûüýőűąęěůı" + "аеёиоуыэюяієї" + "αειουηωάέίόύήώ"
_VOWEL: Final = re.compile(f"[{_VOWELS}]")
_ONSET: Final = re.compile(f"[^{_VOWELS}]+")
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
    onsets, clusters = sounds.onsets.split(), sounds.clusters.split()
    folded = word.lower()  # folding would take the final form of a Greek letter away
    ending = _ending(folded, size, sounds)
    keeps = size == "small" or initial
    begin = _ONSET.match(folded)
    for _ in range(_TRIES):
        onset = rng.choice(onsets)
        vowel = rng.choice(sounds.vowels)
        if keeps:
            onset = (begin[0] if size == "small" else folded[0]) if begin else ""
            vowel = vowel if begin else folded[0]
        made = onset + vowel + rng.choice(clusters)
        for _ in range((len(folded) > _LONGEST) + (size == "large")):
            made += rng.choice(sounds.vowels) + rng.choice(onsets[:8])
        made += ("" if _VOWEL.match(ending) else rng.choice(sounds.vowels)) + ending
        fits = len(made) >= _SHORTEST and (made[0] == folded[0]) == keeps
        if fits and made != folded and not taken(made.casefold()):
            return made[0].upper() + made[1:]
    return None


def _ending(folded: str, size: Size, sounds: _Sounds) -> str:
    """What of a word stays at its end."""
    for ending in sounds.endings.split() if size != "large" else ():
        if folded.endswith(ending) and len(folded) >= len(ending) + 2:
            return ending
    # Two consonants behind a vowel, two vowels or a vowel and a consonant can be said behind any cluster.
    last = folded[-2:] if size == "small" else folded[-1:]
    return last if len(last) == 1 or _VOWEL.search(last) else folded[-1:]


def nonce(rng: random.Random, taken: Callable[[str], bool]) -> str:
    """Coins a word of three syllables that looks like no word of any language, in Latin letters: `Zorvaldrinth`."""
    onsets, vowels, clusters, ends = _ODD
    while True:
        made = rng.choice(onsets.split())
        for parts in (clusters, clusters, ends):
            made += rng.choice(vowels) + rng.choice(parts.split())
        if not taken(made):
            return made[0].upper() + made[1:]
