"""Names: a coined one of the same kind and shape, in all mentions of it in all documents."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, EditKind, Replacement, Size
from trail_callbacks.canary.facts.mentions import Name, Names, names_of
from trail_callbacks.canary.perturbers.coined import coined, nonce, scripts

__all__ = ["changed", "propose", "propose_nonce", "renamed"]

_MOST_WORDS = 6  # of names that share words: more are a family nobody asks one question about


def propose(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes a coined name for each name of the corpus.

    Every mention is changed: the full name, one word of it, possessives, capitals; what describes (`Lake`, `Society`)
    stays, and so do initials where an acronym is made of them. Refused are names that are also common words, stand in a
    link, an address or code, or have forms that cannot be told from it; and scripts in which no name is told by its
    writing.

    Args:
        corpus: The documents.
        rng: Of all choices.
        sizes: Sizes to draw from, in turn.

    Yields:
        Edits in random order, and the names that were left alone.
    """
    names = names_of(corpus)
    yield from _refused(names, "name")
    order = list(names.found)
    rng.shuffle(order)
    yield from changed(order, names, rng, sizes)


def changed(found: Sequence[Name], names: Names, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Coins a name for each of some names of a corpus, in their order; see `propose`."""
    taken = set(names.vocabulary)
    for turn, name in enumerate(found):
        size = sizes[turn % len(sizes)]
        new = _coined(name, size, rng, taken, names)
        for other in sizes if isinstance(new, str) else ():
            size, new = other, _coined(name, other, rng, taken, names)
            if not isinstance(new, str):
                break
        if isinstance(new, str):
            yield Skipped(f"{_first(name)}: name {name.full!r}", new)
            continue
        taken.update(word.casefold() for word in new.values())
        yield renamed(name, new, "name", size)


def propose_nonce(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit | Skipped]:
    """Proposes a nonce word for names of one word: what no model can have read anywhere.

    Args:
        corpus: The documents.
        rng: Of all choices.
        sizes: Not used: a nonce word is as far from any word as the next.

    Yields:
        Edits in random order.
    """
    del sizes
    names = names_of(corpus)
    order = [name for name in names.found if len(name.words) == 1 and scripts(name.words[0]) == "LATIN"]
    rng.shuffle(order)
    taken = set(names.vocabulary)
    for name in order:
        word = nonce(rng, taken.__contains__)
        taken.add(word.casefold())
        yield renamed(name, {name.words[0]: word}, "nonce", None)


def _refused(names: Names, kind: EditKind) -> Iterator[Skipped]:
    for place, word, why in names.refused:
        yield Skipped(f"{place}: {kind} {word!r}", why)


def _first(name: Name) -> str:
    return name.mentions[name.words[0]][0].document


def _coined(name: Name, size: Size, rng: random.Random, taken: set[str], names: Names) -> dict[str, str] | str:
    """A coined word for each word of a name, or why there is none."""
    if len(name.words) > _MOST_WORDS:
        return f"it shares its words with other names, more than {_MOST_WORDS} words in all"
    new: dict[str, str] = {}
    own: set[str] = set()
    keeps = any(_acronym(form) in names.vocabulary for form in name.forms)

    def used(word: str) -> bool:
        return word in taken or word in own

    for word in name.words:
        if scripts(word) is None:
            return "no words are coined in its script"
        made = coined(word, size, rng, used, initial=keeps)
        if made is None:
            return "no coined word of its shape is free"
        new[word] = made
        own.add(made.casefold())
    return new


def _acronym(form: str) -> str:
    """The initials of a name of two words or more, case-folded; something that no text holds if it has fewer."""
    initials = "".join(word[0] for word in re.findall(r"[^\W\d_]+", form) if word[0].isupper())
    return initials.casefold() if len(initials) > 1 else "\0"


def renamed(name: Name, new: Mapping[str, str], kind: EditKind, size: Size | None) -> Edit:
    """Makes the edit that gives a name other words.

    Args:
        name: The name.
        new: A word for each of `name.words`, capitalised.
        kind: `name` or `nonce`.
        size: How far the words are from the real ones.
    """
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
    return re.sub(r"[^\W\d_]+", lambda found: _cased(new.get(found[0].casefold(), found[0]), found[0]), form)


def _cased(word: str, like: str) -> str:
    """A word in capitals where another one is."""
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word[0].upper() + word[1:] if like[0].isupper() else word
