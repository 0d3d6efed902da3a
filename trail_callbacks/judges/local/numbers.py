"""Whether a number of a claim follows from one of a passage, and whether it names a thing instead of counting."""

from __future__ import annotations

import re

from trail_callbacks.judges.local.reading import Reading
from trail_callbacks.language.terms import vocabulary
from trail_callbacks.language.values import Quantity

__all__ = ["is_about_another", "is_label"]

_WORD = 24  # characters before a number in which its label stands
_BEHIND = re.compile(r"([^\W\d_]+)[ \u00a0-]$")
_LABELS = vocabulary(
    """passage step source document doc chunk snippet page chapter section figure fig table method option item tip note
    question answer part reason paragraph line article appendix footnote result reference level no nr number
    lot room track version volume"""
)
_BIG = 1000.0  # a count from here on is no label


def is_about_another(claim: Reading, passage: Reading) -> bool:
    """Whether a passage is about another one of several things that are numbered: `lot 3` and `lot 4`."""
    mine, its = _labels(claim), _labels(passage)
    return any(word in its and not values & its[word] for word, values in mine.items())


def _labels(reading: Reading) -> dict[str, set[float]]:
    """The numbers of labels, by the word in front."""
    found: dict[str, set[float]] = {}
    for quantity in reading.quantities:
        match = _BEHIND.search(reading.text[max(0, quantity.start - _WORD) : quantity.start])
        if match is not None and is_label(quantity, reading):
            found.setdefault(match[1].casefold(), set()).add(quantity.value)
    return found


def is_label(quantity: Quantity, reading: Reading) -> bool:
    """Tells whether a number names what it stands behind: `step 4`, `[2]`, `Windows 10`, `Article 5`."""
    before = reading.text[max(0, quantity.start - _WORD) : quantity.start]
    if before.endswith(("[", "(", "#")) and reading.text[quantity.end : quantity.end + 1] in {"]", ")"}:
        return True
    match = _BEHIND.search(before)
    if match is None or quantity.bound != "exact" or quantity.kind not in {"count", "rank", "year"}:
        return False
    word = match[1]
    if word.casefold().removesuffix("s") in _LABELS:
        return True
    plain = quantity.kind == "count" and not quantity.noun and quantity.value < _BIG
    named = word[0].isupper() and reading.text[quantity.start].isdigit()
    return plain and named and all(term.kind != "function" for term in reading.terms if term.form == word.casefold())
