"""Search by keywords over passages: BM25 on the words of the engine, for apps without embeddings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

import numpy as np

from trail_callbacks.language.terms import keys

__all__ = ["Keywords"]

_K1, _B = 1.2, 0.75  # as in most search engines


class Keywords:
    """An index of passages by their words: English ones by stem, function words left out.

    Args:
        passages: The passages.
    """

    def __init__(self, passages: Sequence[str]) -> None:
        found: dict[str, list[tuple[int, int]]] = {}
        lengths = np.zeros(len(passages))
        for i, passage in enumerate(passages):
            counts = Counter(keys(passage))
            lengths[i] = counts.total()
            for key, count in counts.items():
                found.setdefault(key, []).append((i, count))
        self._size = len(passages)
        damping = _K1 * (1 - _B + _B * lengths / (lengths.mean() or 1.0 if len(lengths) else 1.0))
        self._postings = {}
        for key, places in found.items():
            at, counts_ = np.array(places).T
            rarity = log(1 + (self._size - len(places) + 0.5) / (len(places) + 0.5))
            self._postings[key] = at, rarity * counts_ * (_K1 + 1) / (counts_ + damping[at])

    def search(self, question: str, k: int) -> list[tuple[int, float]]:
        """Returns indices of the passages that share most with a question, best first, with their scores.

        Args:
            question: Any text.
            k: How many at most; passages without a common word are left out.
        """
        scores = np.zeros(self._size)
        for key in keys(question):
            if (posting := self._postings.get(key)) is not None:
                scores[posting[0]] += posting[1]
        best = np.argsort(-scores, kind="stable")[:k]
        return [(int(i), float(scores[i])) for i in best if scores[i] > 0]
