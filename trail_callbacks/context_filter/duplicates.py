"""Passages that are copies of each other: whoever repeats a text does not confirm it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from trail_callbacks.text import forms

__all__ = ["originals"]

_RUN = 8  # words; sources that report one fact hardly share so many in a row
_HOLDERS = 32  # passages by which a run is looked up, the first that hold it
_COPIED = 0.5  # share of the shorter text's runs


def originals(texts: Mapping[int, str]) -> dict[int, int]:
    """Groups passages that are copies: equal words, or half of the shorter one taken over in runs of eight words.

    Args:
        texts: Passages by position.

    Returns:
        For each position the first position of its group.
    """
    found: dict[int, int] = {}
    seen: dict[tuple[str, ...], int] = {}
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    sizes: dict[int, int] = {}
    for i, text in texts.items():
        words = forms(text)
        mine = frozenset(words[k : k + _RUN] for k in range(len(words) - _RUN + 1))
        first = seen.get(words)
        if first is None:
            shared = Counter(k for run in mine for k in holders.get(run, ()))
            copied = (k for k, n in shared.items() if n >= max(1, _COPIED * min(len(mine), sizes[k])))
            first = min(copied, default=None)
        found[i] = i if first is None else found[first]
        if words not in seen:
            seen[words], sizes[i] = i, len(mine)
            for run in mine:
                if len(holders[run]) < _HOLDERS:
                    holders[run].append(i)
    return found
