"""Inconsistency: two passages that state the same fact disagree, on two values which are both fictive."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, Size
from trail_callbacks.canary.facts.facts import Fact, facts, neighbours
from trail_callbacks.canary.facts.names import Name, names_of
from trail_callbacks.canary.facts.pages import Page
from trail_callbacks.canary.facts.sayings import Saying, Sayings, sayings_of
from trail_callbacks.canary.perturbers import names, numbers
from trail_callbacks.language.terms import keys

__all__ = ["propose"]

_LEAST = 2  # words beside the value that sentences share which state it of the same thing
_ALIKE = 0.6  # and share of the words of the shorter one, in documents that are about the same
_EQUAL = 0.8  # in one document, and of a name, which may be what a sentence is about and not what it tells


def propose(corpus: Corpus, rng: random.Random, sizes: Sequence[Size]) -> Iterator[Edit]:
    """Proposes to change a number or a name to one value in the first passage that states it, to another in the rest.

    Only what all passages say in much the same words can disagree: the same value or name said of different things is
    no contradiction. Passages are documents, or sentences where only one document states it.
    """
    sayings, near = sayings_of(corpus), neighbours(corpus)
    stated = [fact for fact in facts(corpus) if _is_stated(fact, sayings, near)]
    named = [name for name in names_of(corpus).found if _is_told(name, sayings)]
    rng.shuffle(stated)
    rng.shuffle(named)
    waiting = [
        _doubled(lambda own: numbers.changed(stated, corpus, own, sizes), rng, sayings),
        _doubled(lambda own: names.changed(named, names_of(corpus), own, sizes), rng, sayings),
    ]
    while waiting:
        for each in list(waiting):
            edit = next(each, None)
            if edit is None:
                waiting.remove(each)
            else:
                yield edit


def _doubled(
    change: Callable[[random.Random], Iterator[Edit | Skipped]], rng: random.Random, sayings: Sayings
) -> Iterator[Edit]:
    """Edits of two draws that change the same places to different values."""
    draws = []
    for _ in range(2):
        own = random.Random(rng.getrandbits(64))  # noqa: S311 - no secret
        made = (each for each in change(own) if isinstance(each, Edit) and not each.repairs)
        draws.append({tuple((one.document, one.start) for one in edit.replacements): edit for edit in made})
    for places, edit in draws[0].items():
        other = draws[1].get(places)
        if other is None or edit.fictive == other.fictive:
            continue
        several = len({document for document, _ in places}) > 1
        stating = [sayings.at(*place) for place in places]
        passages = [each and (each.document if several else (each.document, each.start)) for each in stating]
        mixed = [
            one if passage == passages[0] else two
            for passage, one, two in zip(passages, edit.replacements, other.replacements, strict=True)
        ]
        forms = tuple(dict.fromkeys((*edit.forms, *other.forms)))
        yield replace(edit, kind="inconsistent", also=other.fictive, replacements=tuple(mixed), forms=forms)


def _is_stated(fact: Fact, sayings: Sayings, near: Mapping[Page, Sequence[Page]]) -> bool:
    """Whether several sentences say the same of a number that can be asked for, in one unit."""
    first, *others = dict.fromkeys(each.page for each in fact.figures)
    one_unit = len({each.quantity.raw for each in fact.figures}) == 1
    asked = any(not each.isdigit() and each not in ".,- " for each in fact.named.words)
    if not (asked and one_unit and all(each in near[first] for each in others)):
        return False
    stating = [sayings.at(each.page.document.id, each.start) for each in fact.figures]
    alike = _ALIKE if len(others) + 1 == len(fact.figures) else _EQUAL
    return _agree(stating, (each.words for each in fact.figures), alike)


def _is_told(name: Name, sayings: Sayings) -> bool:
    """Whether several sentences say the same of a name."""
    stating = [sayings.at(each.document, each.start) for word in name.words for each in name.mentions[word]]
    return _agree(stating, name.forms, _EQUAL)


def _agree(stating: Sequence[Saying | None], values: Iterable[str], alike: float) -> bool:
    """Whether several sentences say the same beside a value; a row of a table says of what in another cell."""
    found = [each for each in stating if each is not None and "|" not in each.text]
    if len(found) < len(stating) or len({(each.document, each.start) for each in found}) < _LEAST:
        return False
    own = frozenset(keys(" ".join(values)))
    first, *others = [each.keys - own for each in found]
    for other in others:
        one, two = ({key for key in each if key[0].isdigit()} for each in (first, other))
        if one and two and not one & two:
            return False  # another number tells them apart
        if first != other and len((first & other) - one) < max(_LEAST, alike * min(len(first), len(other))):
            return False
    return True
