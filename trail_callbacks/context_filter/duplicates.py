"""Passages that are copies of each other: whoever repeats a text does not confirm it."""

from __future__ import annotations

from collections.abc import Mapping

from trail_callbacks.text import forms

__all__ = ["originals"]

_RUN = 8  # words; sources that report one fact hardly share so many in a row
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
    runs: dict[int, frozenset[tuple[str, ...]]] = {}
    for i, text in texts.items():
        words = forms(text)
        mine = frozenset(words[k : k + _RUN] for k in range(len(words) - _RUN + 1))
        copied = (k for k, its in runs.items() if len(mine & its) >= max(1, _COPIED * min(len(mine), len(its))))
        found[i] = found[first] if (first := seen.get(words, next(copied, None))) is not None else i
        seen.setdefault(words, i)
        runs[i] = mine
    return found
