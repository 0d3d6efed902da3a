"""Passages that have nothing to do with the question, nor with the other passages."""

from __future__ import annotations

from collections.abc import Mapping

from trail_callbacks.language.detect import is_english, language
from trail_callbacks.language.terms import keys

__all__ = ["outliers"]

_QUESTION = 2  # keys a question has at least
_PASSAGE = 6  # and a passage: a heading or a figure is not judged
_ON_TOPIC = 2  # other passages that share a key with the question: without them the topic is unknown
_STRAY = 0.08  # share of its keys that an outlier may have in common with those passages by chance
_PREFIX = 4  # letters that make two words forms of one


def outliers(question: str, texts: Mapping[int, str]) -> dict[int, float]:
    """Finds passages that share no word with the question and next to none with the passages that do.

    A passage that is apparently in another language than the question is not judged, nor is anything if the question
    is too short or fewer than two passages share a word with it.

    Args:
        question: What was asked.
        texts: Passages by position.

    Returns:
        For each outlier the share of its words that nothing else has, 0.0 to 1.0.
    """
    asked = frozenset(map(_root, keys(question)))
    if len(asked) < _QUESTION:
        return {}
    english, asked_in = is_english(question), language(question)
    read = {i: frozenset(map(_root, keys(text))) for i, text in texts.items()}
    on_topic = [i for i, roots in read.items() if roots & asked]
    if len(on_topic) < _ON_TOPIC:
        return {}
    common = frozenset().union(*(read[i] for i in on_topic))
    found = {}
    for i, roots in read.items():
        if i in on_topic or len(roots) < _PASSAGE:
            continue
        if is_english(texts[i]) != english or (asked_in and language(texts[i]) not in {"", asked_in}):
            continue
        shared = len(roots & common) / len(roots)
        if shared <= _STRAY:
            found[i] = 1.0 - shared
    return found


def _root(key: str) -> str:
    """Short enough to join forms of a word that stemming keeps apart, in other languages than English too."""
    return key if key[:1].isdigit() else key[: max(_PREFIX, len(key) - 3)]
