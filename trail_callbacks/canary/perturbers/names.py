"""Names: a coined one of the same shape, or a nonce word, in all mentions of it in all documents."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from trail_callbacks.canary.corpus import Skipped
from trail_callbacks.canary.facts.names import WORD, Name
from trail_callbacks.canary.facts.reading import FactReading
from trail_callbacks.canary.twin import Edit, EditKind, Replacement, Size

_LETTERS = "b d f g h k l m n p r s t v br dr gr kr tr st fl gl"
_JOINTS = "gv mv mz zg bv vg lzd rzv ndv kz lvr rvl nzl dzm gzn"  # in no common word or name
_ONSETS, _CLUSTERS, _VOWELS = _LETTERS.split(), _JOINTS.split(), "aeiou"
_VOWEL = re.compile(
    "[aeiouy\u00e0-\u00e6\u00e8-\u00ef\u00f2-\u00f6\u00f8-\u00fd\u0105\u0119\u011b\u0131\u0151\u016f\u0171]"
)
_SHORTEST, _LONGEST = 6, 9  # letters: shorter ones are often words; of longer words one syllable more is coined
_TRIES = 200
_MOST_WORDS = 6  # of names that share words: more are a family nobody asks one question about


def propose(reading: FactReading, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes a coined name for each name of the corpus.

    Every mention is changed: the full name, one word of it, possessives, capitals; what describes (`Lake`, `Society`)
    stays. Refused are names that are also common words, stand in a link, an address or code, or are not written in
    Latin letters.
    """
    names = reading.names
    yield from (Skipped(f"{place}: name {word!r}", why) for place, word, why in names.refused)
    taken = set(names.vocabulary)
    for turn, name in enumerate(rng.sample(names.found, len(names.found))):
        size, new = sizes[turn % len(sizes)], dict[str, str]()
        why = f"it shares its words with other names, more than {_MOST_WORDS} words in all"
        if len(name.words) <= _MOST_WORDS:
            why = "no coined word of its shape and script is free"
            for word in name.words:
                if made := coined(word, size, rng, taken.__contains__):
                    new[word] = made
                    taken.add(made.casefold())
        whole = bool(new) and len(new) == len(name.words)
        yield _renamed(name, new, "name", size) if whole else Skipped(f"{name.document}: name {name.full!r}", why)


def propose_nonce(reading: FactReading, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes a nonce word for names of one word: what no model can have read anywhere. It has no size."""
    del sizes
    taken = set(reading.names.vocabulary)
    for name in rng.sample(reading.names.found, len(reading.names.found)):
        if len(name.words) == 1 and (word := coined(name.words[0], "large", rng, taken.__contains__)):
            taken.add(word.casefold())
            yield _renamed(name, {name.words[0]: word}, "nonce", None)


def coined(word: str, size: Size, rng: random.Random, taken: Callable[[str], bool]) -> str | None:
    """Coins a word that may stand in the place of a word of a name, in Latin letters.

    It has at least six letters and consonants beside each other that no common name has, so that it is none by chance.
    A small change keeps what is before the first vowel and two letters at the end; a medium one the latter, so that
    most inflection stays; a large one is a syllable longer and keeps the last letter only.
    """
    folded = word.lower()
    if any(letter > "\u024f" for letter in folded):
        return None
    ending = folded[-2:] if size != "large" and _VOWEL.search(folded[-2:]) else folded[-1:]
    first, keeps = _VOWEL.search(folded), size == "small"
    begin = folded[: max(1, first.start() if first else 1)]
    for _ in range(_TRIES):
        made = begin if keeps else rng.choice(_ONSETS)
        made += "" if _VOWEL.match(made) else rng.choice(_VOWELS)
        made += rng.choice(_CLUSTERS)
        for _ in range((len(folded) > _LONGEST) + (size == "large")):
            made += rng.choice(_VOWELS) + rng.choice(_ONSETS[:8])
        made += ("" if _VOWEL.match(ending) else rng.choice(_VOWELS)) + ending
        fits = len(made) >= _SHORTEST and (made[0] == folded[0]) == keeps
        if fits and made != folded and not taken(made.casefold()):
            return made[0].upper() + made[1:]
    return None


def _renamed(name: Name, new: Mapping[str, str], kind: EditKind, size: Size | None) -> Edit:
    """The edit that gives a name other words, of which there is one for each of `name.words`, capitalised."""
    order: dict[str, int] = {}
    places = []
    for word in name.words:
        for each in name.mentions[word]:
            order.setdefault(each.document, len(order))
            end = each.start + len(each.written)
            made = _cased(new[word] + each.ending, each.written)
            places.append(Replacement(each.document, each.start, end, each.written, made))
    places.sort(key=lambda place: (order[place.document], place.start))
    forms = [(form, _in(form, new)) for form in (*name.forms, *(word.capitalize() for word in name.words))]
    pairs = dict.fromkeys(pair for pair in forms if pair[0] != name.full and pair[0] != pair[1])
    return Edit(
        id="",
        kind=kind,
        size=size,
        real=name.full,
        fictive=_in(name.full, new),
        replacements=tuple(places),
        forms=tuple(pairs),
    )


def _in(form: str, new: Mapping[str, str]) -> str:
    return WORD.sub(lambda found: _cased(new.get(found[0].casefold(), found[0]), found[0]), form)


def _cased(word: str, like: str) -> str:
    """A word in capitals where another one is."""
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word[0].upper() + word[1:] if like[0].isupper() else word
