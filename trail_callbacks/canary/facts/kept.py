"""What several perturbers read from the same corpus is read once."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from trail_callbacks.canary.corpus import Corpus

__all__ = ["of_last_corpus"]

T = TypeVar("T")


def of_last_corpus(read: Callable[[Corpus], T]) -> Callable[[Corpus], T]:
    """Lets a function of a corpus keep its last result, as long as that corpus exists."""
    last: list[tuple[weakref.ref[Corpus], T]] = []

    def forget(gone: weakref.ref[Corpus]) -> None:
        last[:] = [each for each in last if each[0] is not gone]

    @wraps(read)
    def kept(corpus: Corpus) -> T:
        for known, result in last:
            if known() is corpus:
                return result
        result = read(corpus)
        last[:] = [(weakref.ref(corpus, forget), result)]
        return result

    return kept
