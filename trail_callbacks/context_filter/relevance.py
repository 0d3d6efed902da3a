"""Passages that have nothing to do with the question, nor with the other passages."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping

from trail_callbacks.language.detect import is_english
from trail_callbacks.language.terms import keys

__all__ = ["outliers"]

_QUESTION = 2  # keys a question has at least
_PASSAGE = 6  # and a passage: a heading or a figure is not judged
_ON_TOPIC = 2  # other passages that share a key with the question: without them the topic is unknown
_STRAY = 0.08  # share of its keys that an outlier may have in common with those passages by chance
_PREFIX = 4  # letters that make two words forms of one
_LETTERS = 0.6  # share of one script that makes a text be written in it


def outliers(question: str, texts: Mapping[int, str]) -> dict[int, float]:
    """Finds passages that share no word with the question and next to none with the passages that do.

    A passage in another script or apparently in another language than the question is not judged, nor is anything if
    the question is too short or fewer than two passages share a word with it.

    Args:
        question: What was asked.
        texts: Passages by position.

    Returns:
        For each outlier the share of its words that nothing else has, 0.0 to 1.0.
    """
    asked = frozenset(map(_root, keys(question)))
    script, english = _script(question), is_english(question)
    if len(asked) < _QUESTION or script is None:
        return {}
    read = {i: frozenset(map(_root, keys(text))) for i, text in texts.items()}
    on_topic = [i for i, roots in read.items() if roots & asked]
    if len(on_topic) < _ON_TOPIC:
        return {}
    common = frozenset().union(*(read[i] for i in on_topic))
    found = {}
    for i, roots in read.items():
        if i in on_topic or len(roots) < _PASSAGE or _script(texts[i]) != script or is_english(texts[i]) != english:
            continue
        stray = sum(root in common for root in roots) / len(roots)
        if stray <= _STRAY:
            found[i] = 1.0 - stray
    return found


def _root(key: str) -> str:
    """Short enough to join forms of a word that stemming keeps apart, in other languages than English too."""
    return key if key[:1].isdigit() else key[: max(_PREFIX, len(key) - 3)]


def _script(text: str) -> str | None:
    """The script that most letters are of."""
    names = Counter(unicodedata.name(sign, "?").split()[0] for sign in text[:2000] if sign.isalpha())
    if not names:
        return None
    if names.keys() & {"HIRAGANA", "KATAKANA"}:
        return "JAPANESE"
    name, count = names.most_common(1)[0]
    return name if count >= _LETTERS * names.total() else None
