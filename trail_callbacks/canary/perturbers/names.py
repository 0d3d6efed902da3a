"""Names: a coined one of the same kind and shape, or a nonce word, in all mentions of it in all documents."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, EditKind, Replacement, Size
from trail_callbacks.canary.facts.names import Name, Names, names_of
from trail_callbacks.canary.perturbers.coined import coined, nonce, scripts

__all__ = ["changed", "propose", "propose_nonce"]

_WORD = re.compile(r"[^\W\d_]+")
_MOST_WORDS = 6  # of names that share words: more are a family nobody asks one question about


def propose(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes a coined name for each name of the corpus.

    Every mention is changed: the full name, one word of it, possessives, capitals; what describes (`Lake`, `Society`)
    stays, and so do initials where an acronym is made of them. Refused are names that are also common words, stand in a
    link, an address or code, or have forms that cannot be told from it; and scripts in which no name is told by its
    writing.
    """
    names = names_of(corpus)
    for place, word, why in names.refused:
        yield Skipped(f"{place}: name {word!r}", why)
    yield from changed(rng.sample(names.found, len(names.found)), names, rng, sizes)


def changed(found: Sequence[Name], names: Names, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Coins a name for each of some names of a corpus, in their order; see `propose`."""
    taken = set(names.vocabulary)
    for turn, name in enumerate(found):
        why = (
            "no coined word of its shape is free"
            if all(map(scripts, name.words))
            else "no words are coined in its script"
        )
        if len(name.words) > _MOST_WORDS:
            why = f"it shares its words with other names, more than {_MOST_WORDS} words in all"
        for size in (sizes[(turn + i) % len(sizes)] for i in range(len(sizes))):
            new = _coined(name, size, rng, taken) if len(name.words) <= _MOST_WORDS else {}
            if new:
                taken.update(map(str.casefold, new.values()))
                yield _renamed(name, new, "name", size)
                break
        else:
            yield Skipped(f"{name.document}: name {name.full!r}", why)


def propose_nonce(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes a nonce word for names of one word: what no model can have read anywhere. It has no size."""
    del sizes
    names = names_of(corpus)
    taken = set(names.vocabulary)
    for name in rng.sample(names.found, len(names.found)):
        if len(name.words) == 1 and scripts(name.words[0]) == "LATIN":
            word = nonce(rng, taken.__contains__)
            taken.add(word.casefold())
            yield _renamed(name, {name.words[0]: word}, "nonce", None)


def _coined(name: Name, size: Size, rng: random.Random, taken: set[str]) -> dict[str, str]:
    """A coined word for each word of a name; nothing if there is none for one."""
    initials = ("".join(word[0] for word in _WORD.findall(form) if word[0].isupper()) for form in name.forms)
    keeps = any(len(each) > 1 and each.casefold() in taken for each in initials)
    new: dict[str, str] = {}
    own: set[str] = set()
    for word in name.words:
        made = coined(word, size, rng, lambda each: each in taken or each in own, initial=keeps)
        if made is None:
            return {}
        new[word] = made
        own.add(made.casefold())
    return new


def _renamed(name: Name, new: Mapping[str, str], kind: EditKind, size: Size | None) -> Edit:
    """The edit that gives a name other words, of which there is one for each of `name.words`, capitalised."""
    order: dict[str, int] = {}
    places = []
    for word in name.words:
        for each in name.mentions[word]:
            order.setdefault(each.document, len(order))
            shown = _cased(new[word] + each.ending, each.written)
            places.append(Replacement(each.document, each.start, each.end, each.written, shown))
    places.sort(key=lambda place: (order[place.document], place.start))
    forms = [(form, _in(form, new)) for form in (*name.forms, *(_cased(word, "Xx") for word in name.words))]
    pairs = dict.fromkeys(pair for pair in forms if pair[0] != name.full and pair[0] != pair[1])
    return Edit(
        id="", kind=kind, size=size, real=name.full, fictive=_in(name.full, new), replacements=tuple(places),
        forms=tuple(pairs),
    )  # fmt: skip


def _in(form: str, new: Mapping[str, str]) -> str:
    return _WORD.sub(lambda found: _cased(new.get(found[0].casefold(), found[0]), found[0]), form)


def _cased(word: str, like: str) -> str:
    """A word in capitals where another one is."""
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word[0].upper() + word[1:] if like[0].isupper() else word
