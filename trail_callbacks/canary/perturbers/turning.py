"""Edits that turn one statement of a sentence into another, in all sentences that say the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from trail_callbacks.canary.corpus import Corpus, Skipped
from trail_callbacks.canary.edit import Edit, EditKind, Replacement
from trail_callbacks.canary.facts.sayings import Saying, sayings_of
from trail_callbacks.language.detect import language

__all__ = ["Turn", "turned"]

_LONGEST = 240  # characters of a sentence

Turn = tuple[int, int, str, str, str]
"""A change of a sentence: start and end in it, the new words, and what is said before and after, for a person."""


def turned(
    corpus: Corpus, rng: random.Random, kind: EditKind, turn: Callable[[str, str], Turn | None]
) -> Iterator[Edit | Skipped]:
    """Proposes edits that change one statement of a sentence.

    Args:
        corpus: The documents.
        rng: Of all choices.
        kind: The kind of the edits.
        turn: Says how a sentence is changed, given it and the ISO 639-1 code of its language; None if it is not.
    """
    sayings = sayings_of(corpus)
    order = [saying for saying in sayings.found if saying.whole and len(saying.text) <= _LONGEST]
    rng.shuffle(order)
    done: set[tuple[str, int]] = set()
    languages = {document.id: language(document.text) for document in corpus}
    for saying in order:
        if (saying.document, saying.start) in done:
            continue
        found, code = _found(saying.text, turn, languages.get(saying.document))
        if found is None:
            continue
        same, kindred = sayings.same(saying)
        done.update((each.document, each.start) for each in same)
        turns = [turn(each.text, code) for each in same]
        if kindred or not all(each is not None and each[3:] == found[3:] for each in turns):
            yield Skipped(f"{saying.document}: {kind} {found[3]!r}", "other sentences speak of the same in other words")
            continue
        yield _edit(kind, same, [each for each in turns if each is not None])


def _found(said: str, turn: Callable[[str, str], Turn | None], around: str | None) -> tuple[Turn | None, str]:
    """How a sentence is changed, with its language; asks for the language only where there may be something."""
    if (found := turn(said, "en")) and (code := language(said)) in {"en", ""}:
        return found, "en"
    code = language(said) if found else around or "en"
    return (turn(said, code), code) if code not in {"en", ""} else (None, "en")


def _edit(kind: EditKind, same: Sequence[Saying], turns: Sequence[Turn]) -> Edit:
    places = [
        Replacement(each.document, each.start + start, each.start + end, each.text[start:end], new)
        for each, (start, end, new, _, _) in zip(same, turns, strict=True)
    ]
    return Edit(id="", kind=kind, real=turns[0][3], fictive=turns[0][4], replacements=tuple(places))
