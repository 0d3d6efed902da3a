"""Names: a coined one of the same kind and shape, or a nonce word, in all mentions of it in all documents."""

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
_ONSETS, _CLUSTERS = _LETTERS.split(), _JOINTS.split()
_VOWELS = "aeiou"
_ENDINGS = re.compile(
    r"(?<=..)(?:skaya|stein|worth|mouth|field|ville|ovich|evich|sson|berg|burg|bury|stad|holm|ford|dale|land|wick|enko"
    r"|shire|escu|ton|ham|sen|son|ski|ska|sky|ova|eva|ina|ov|ev|ia|ez|ic)$"
)  # they show a sex, a people or a kind of place
_ODD = ("z v kv x zv thr kr dr gl pl", "rv zl xv ldr mpv rx gz nq lv vr", "nth lq rx mph zz lth rg")
_VOWEL = re.compile(
    "[aeiouy\u00e0-\u00e6\u00e8-\u00ef\u00f2-\u00f6\u00f8-\u00fd\u0105\u0119\u011b\u0131\u0151\u016f\u0171]"
)
_SHORTEST, _LONGEST = 6, 9  # letters: shorter ones are often words; of longer words one syllable more is coined
_TRIES = 200
_MOST_WORDS = 6  # of names that share words: more are a family nobody asks one question about


def propose(reading: FactReading, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes a coined name for each name of the corpus.

    Every mention is changed: the full name, one word of it, possessives, capitals; what describes (`Lake`, `Society`)
    stays, and so do initials where an acronym is made of them. Refused are names that are also common words, stand in a
    link, an address or code, or are not written in Latin letters.
    """
    names = reading.names
    yield from (Skipped(f"{place}: name {word!r}", why) for place, word, why in names.refused)
    taken = set(names.vocabulary)
    for turn, name in enumerate(rng.sample(names.found, len(names.found))):
        if len(name.words) > _MOST_WORDS:
            why = f"it shares its words with other names, more than {_MOST_WORDS} words in all"
            yield Skipped(f"{name.document}: name {name.full!r}", why)
            continue
        size = sizes[turn % len(sizes)]
        new = _coined(name, size, rng, taken)
        taken.update(map(str.casefold, new.values()))
        why = "no coined word of its shape and script is free"
        yield _renamed(name, new, "name", size) if new else Skipped(f"{name.document}: name {name.full!r}", why)


def propose_nonce(reading: FactReading, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes a nonce word for names of one word: what no model can have read anywhere. It has no size."""
    del sizes
    taken = set(reading.names.vocabulary)
    onsets, clusters, ends = map(str.split, _ODD)
    for name in rng.sample(reading.names.found, len(reading.names.found)):
        if len(name.words) == 1 and _is_latin(name.words[0]):
            word = ""
            while not word or word in taken:
                word = rng.choice(onsets)
                for parts in (clusters, clusters, ends):
                    word += rng.choice(_VOWELS) + rng.choice(parts)
            taken.add(word)
            yield _renamed(name, {name.words[0]: word.capitalize()}, "nonce", None)


def _is_latin(word: str) -> bool:
    return all(letter <= "\u024f" for letter in word)


def coined(
    word: str, size: Size, rng: random.Random, taken: Callable[[str], bool], *, initial: bool = False
) -> str | None:
    """Coins a word that may stand in the place of a word of a name, in Latin letters.

    It has at least six letters and consonants beside each other that no common name has, so that it is none by chance.
    A small change keeps what is before the first vowel and the ending; a medium one the ending (`-ova`, `-bury`, or the
    last letter), so that inflection and what the sex of a person shows stay; a large one is a syllable longer and keeps
    the last letter only.
    """
    folded = word.lower()
    if not _is_latin(folded):
        return None
    ending = _ending(folded, size)
    first = _VOWEL.search(folded)
    begin = folded[: max(1, first.start())] if first and size == "small" else folded[:1]
    keeps = size == "small" or initial
    for _ in range(_TRIES):
        made = begin if keeps else rng.choice(_ONSETS)
        made += "" if keeps and _VOWEL.match(made) else rng.choice(_VOWELS)
        made += rng.choice(_CLUSTERS)
        for _ in range((len(folded) > _LONGEST) + (size == "large")):
            made += rng.choice(_VOWELS) + rng.choice(_ONSETS[:8])
        made += ("" if _VOWEL.match(ending) else rng.choice(_VOWELS)) + ending
        fits = len(made) >= _SHORTEST and (made[0] == folded[0]) == keeps
        if fits and made != folded and not taken(made.casefold()):
            return made[0].upper() + made[1:]
    return None


def _ending(folded: str, size: Size) -> str:
    """What of a word stays at its end."""
    listed = _ENDINGS.search(folded) if size != "large" else None
    # Two consonants behind a vowel, two vowels or a vowel and a consonant can be said behind any cluster.
    last = folded[-2:] if size == "small" and _VOWEL.search(folded[-2:]) else folded[-1:]
    return listed[0] if listed else last


def _coined(name: Name, size: Size, rng: random.Random, taken: set[str]) -> dict[str, str]:
    """A coined word for each word of a name; nothing if there is none for one."""
    initials = ("".join(word[0] for word in WORD.findall(form) if word[0].isupper()) for form in name.forms)
    keeps = any(len(each) > 1 and each.casefold() in taken for each in initials)
    new: dict[str, str] = {}
    for word in name.words:
        own = {each.casefold() for each in new.values()}
        made = coined(word, size, rng, lambda each: each in taken or each in own, initial=keeps)  # noqa: B023 - at once
        if made is None:
            return {}
        new[word] = made
    return new


def _renamed(name: Name, new: Mapping[str, str], kind: EditKind, size: Size | None) -> Edit:
    """The edit that gives a name other words, of which there is one for each of `name.words`, capitalised."""
    order: dict[str, int] = {}
    places = []
    for word in name.words:
        for each in name.mentions[word]:
            order.setdefault(each.document, len(order))
            end = each.start + len(each.written)
            places.append(
                Replacement(each.document, each.start, end, each.written, _cased(new[word] + each.ending, each.written))
            )
    places.sort(key=lambda place: (order[place.document], place.start))
    forms = [(form, _in(form, new)) for form in (*name.forms, *(_cased(word, "Xx") for word in name.words))]
    pairs = dict.fromkeys(pair for pair in forms if pair[0] != name.full and pair[0] != pair[1])
    fictive = _in(name.full, new)
    return Edit(
        id="", kind=kind, size=size, real=name.full, fictive=fictive, replacements=tuple(places), forms=tuple(pairs)
    )


def _in(form: str, new: Mapping[str, str]) -> str:
    return WORD.sub(lambda found: _cased(new.get(found[0].casefold(), found[0]), found[0]), form)


def _cased(word: str, like: str) -> str:
    """A word in capitals where another one is."""
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word[0].upper() + word[1:] if like[0].isupper() else word
