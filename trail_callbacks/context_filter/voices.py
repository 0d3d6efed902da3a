"""Which passages are copies of each other: whoever repeats a text does not confirm it."""

from __future__ import annotations

from collections.abc import Mapping

from trail_callbacks.text import forms

__all__ = ["voices"]

_RUN = 8  # words; sources that report one fact hardly share so many in a row
_COPIED = 0.5  # share of the shorter text's runs


def voices(texts: Mapping[int, str]) -> dict[int, int]:
    """Groups passages that are copies: equal words, or half of the shorter one taken over in runs of eight words.

    Args:
        texts: Passages by their position.

    Returns:
        For each position the first position of its group.
    """
    first: dict[tuple[str, ...], int] = {}
    runs: dict[int, frozenset[tuple[str, ...]]] = {}
    holders: dict[tuple[str, ...], list[int]] = {}
    found: dict[int, int] = {}
    for i, text in texts.items():
        words = forms(text)
        same = first.setdefault(words, i)
        if same != i:
            found[i] = found[same]
            continue
        mine = frozenset(words[k : k + _RUN] for k in range(len(words) - _RUN + 1))
        shared: dict[int, int] = {}
        for run in mine:
            for other in holders.get(run, ()):
                shared[other] = shared.get(other, 0) + 1
        copied = [other for other, n in shared.items() if n >= _COPIED * min(len(mine), len(runs[other]))]
        found[i] = found[min(copied)] if copied else i
        runs[i] = mine
        for run in mine:
            holders.setdefault(run, []).append(i)
    return found
