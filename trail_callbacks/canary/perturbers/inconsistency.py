"""Inconsistency: two passages that state the same fact disagree, on two values which are both fictive."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from trail_callbacks.canary.corpus import Corpus
from trail_callbacks.canary.edit import Edit, Size
from trail_callbacks.canary.facts.sayings import Saying, sayings_of
from trail_callbacks.canary.perturbers import names, numbers
from trail_callbacks.language.terms import keys

__all__ = ["propose"]

_LEAST = 2  # words beside the value that sentences share which state it of the same thing
_ALIKE = 0.5  # and share of the words of the shorter one
_EQUAL = 0.8  # of a name, which may be what a sentence is about and not what it tells


def propose(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit]:
    """Proposes to change a number or a name to one value in the first passage that states it, to another in the rest.

    Only what all passages say in much the same words can disagree: the same value or name said of different things is
    no contradiction. Passages are documents, or sentences where only one document states it.

    Args:
        corpus: The documents.
        rng: Of all choices.
        sizes: Sizes to draw from, in turn.

    Yields:
        Edits, numbers and names in turn. What only one sentence states cannot disagree with anything.
    """
    waiting = [_doubled(each, corpus, rng, sizes) for each in (numbers.propose, names.propose)]
    while waiting:
        for each in list(waiting):
            edit = next(each, None)
            if edit is None:
                waiting.remove(each)
            else:
                yield edit


def _doubled(
    propose_one: Callable[[Corpus, random.Random, Sequence[Size]], Iterator[object]],
    corpus: Corpus,
    rng: random.Random,
    sizes: Sequence[Size],
) -> Iterator[Edit]:
    """Edits of two draws that change the same places to different values."""
    draws = []
    for _ in range(2):
        own = random.Random(rng.getrandbits(64))  # noqa: S311 - no secret
        made = (each for each in propose_one(corpus, own, sizes) if isinstance(each, Edit) and not each.repairs)
        draws.append({tuple((one.document, one.start) for one in edit.replacements): edit for edit in made})
    first, second = draws
    sayings = sayings_of(corpus)
    for places, edit in first.items():
        other = second.get(places)
        if other is None or edit.fictive == other.fictive:
            continue
        stating = [sayings.at(*place) for place in places]
        if edit.kind == "number" and not (_asked(edit.real) and _one_unit(edit)):
            continue
        if not _agree(stating, edit):
            continue
        several = len({each.document for each in edit.replacements}) > 1
        passages = [each and (each.document if several else (each.document, each.start)) for each in stating]
        mixed = [
            one if passage == passages[0] else two
            for passage, one, two in zip(passages, edit.replacements, other.replacements, strict=True)
        ]
        forms = tuple(dict.fromkeys((*edit.forms, *other.forms)))
        yield replace(edit, kind="inconsistent", also=other.fictive, replacements=tuple(mixed), forms=forms)


def _asked(real: str) -> bool:
    """Whether a value can be asked for: a name, or a number with a unit or with what it counts."""
    return any(not each.isdigit() and each not in ".,- " for each in real)


def _counted(words: str) -> str:
    """The last word of a number with a unit or noun; nothing if it has none."""
    last = words.casefold().split()[-1]
    return last if last.isalpha() and " " in words else ""


def _one_unit(edit: Edit) -> bool:
    """Whether a number counts the same at all places, be it shortened: `min` and `minutes`."""
    wanted = _counted(edit.real)
    units = {_counted(old) for old, _ in edit.forms} - {""}
    return all(each.startswith(wanted) or wanted.startswith(each) for each in units)


def _agree(stating: Sequence[Saying | None], edit: Edit) -> bool:
    """Whether several sentences say the same of a value."""
    found = [each for each in stating if each is not None]
    if len(found) < len(stating) or len({(each.document, each.start) for each in found}) < 2:  # noqa: PLR2004
        return False
    if any("|" in each.text for each in found):
        return False  # a row of a table says of which thing it is in another cell
    own = frozenset(keys(" ".join((edit.real, *(old for old, _ in edit.forms)))))
    alike = _ALIKE if edit.kind == "number" else _EQUAL
    first, *others = [each.keys - own for each in found]
    return all(_same(first, each, alike) for each in others)


def _same(one: frozenset[str], other: frozenset[str], alike: float) -> bool:
    """Whether what two sentences say beside a value is the same, and no other number in it tells them apart."""
    numbers_of = [{key for key in each if key[0].isdigit()} for each in (one, other)]
    if all(numbers_of) and not (numbers_of[0] & numbers_of[1]):
        return False
    shared = len((one & other) - numbers_of[0])
    return one == other or shared >= max(_LEAST, alike * min(len(one), len(other)))
