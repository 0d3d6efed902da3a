"""Whether a passage that was served states the fact of a probe."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence

from trail_callbacks.canary.passages.places import letters, looks_like_html, shared_start, text_of_html
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import Arm
from trail_callbacks.language.terms import keys
from trail_callbacks.text import words

_REACH = 24  # words on each side of a value in which those of its sentence are looked for
_CONTEXT = 3  # words kept on each side of what differs between two sentences


def holds(probe: Probe, passages: Sequence[str], arm: Arm) -> bool | None:
    """Tells whether one of the passages served states the fact that a probe asks for.

    A passage does if it has the sentence that states it; or the value, with at least half of those words of the
    sentence that the passage has room for, so that a sentence cut by the border of a passage counts as long as the
    value is on this side and two of its words, or all that there are, are too; or, where the value is not written in
    its sentence (negation, order), the words in which the two sentences differ. Whitespace, case and punctuation do not
    matter.

    Returns None where nothing can hold the fact (closed book, no context, a fact that the twin does not have), or where
    it cannot be told: neither a sentence was given, nor is the value in a passage.
    """
    if arm in ("closed_book", "empty") or (arm == "fictive" and probe.fictive is None):
        return None
    quote, other, values = probe.real_quote, probe.fictive_quote, [probe.real, *probe.real_forms]
    if arm == "fictive":
        quote, other, values = other, quote, [probe.fictive or "", *probe.fictive_forms, probe.also or ""]
    quote, other, *shown = (
        text_of_html(each)[0] if looks_like_html(each) else each for each in (quote, other, *passages)
    )
    values = [value for value in dict.fromkeys(values) if value.strip()]
    if any(_states(passage, quote, other, values, probe.question) for passage in shown):
        return True
    return False if quote.strip() else None


def _states(passage: str, quote: str, other: str, values: Sequence[str], question: str) -> bool:
    folded, whole = letters(passage).folded, letters(quote).folded
    if whole and whole in folded and not any(map(_signs, values)):
        return True
    sentence = quote if quote.strip() else question
    written = next((value for value in values if _at(words(sentence).forms, words(value).forms)), None)
    if written is not None or sentence is question:  # the others may stand in its place
        return any(_near(passage, value, sentence, written or value) for value in values)
    key = _difference(quote, other)
    return bool(key) and key in folded


def _near(passage: str, value: str, sentence: str, written: str) -> bool:
    """True if a passage has a value among the words around another one in a sentence, as far as there is room."""
    found, wanted, signs = words(passage), words(value).forms, _signs(value)
    own = {*keys(value), *keys(written)}
    have, inner = words(sentence).forms, words(written).forms
    place = next(iter(_at(have, inner)), None)
    # Of a sentence without the value, such as a question, all words may stand on both sides.
    left, right = (have, have) if place is None else (have[:place], have[place + len(inner) :])
    for at in _at(found.forms, wanted):
        end = at + len(wanted)
        # What is a word for nobody else tells `$75` from `€75`.
        if signs - set(passage[max(0, found.starts[at] - 2) : found.ends[end - 1] + 2]):
            continue
        before = passage[found.starts[max(0, at - _REACH)] : found.starts[at]]
        behind = passage[found.ends[end - 1] : found.ends[min(len(found), end + _REACH) - 1]]
        # Words that the border has cut off are not missed.
        room = (*left[max(0, len(left) - at) :], "|", *right[: len(found) - end])
        expected, every = (set(keys(" ".join(each))) - own for each in (room, (*left, "|", *right)))
        enough = max(min(2, len(expected)), math.ceil(len(expected) / 2))
        if not every or (expected and len({*keys(before), *keys(behind)} & every) >= enough):
            return True
    return False


def _signs(value: str) -> set[str]:
    """Signs of currencies and parts in a value."""
    return {character for character in value if character in "%‰°" or unicodedata.category(character) == "Sc"}


def _at(have: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Where words stand among others, in a row."""
    size = len(wanted)
    return [at for at in range(len(have) - size + 1) if have[at : at + size] == wanted] if size else []


def _difference(quote: str, other: str) -> str:
    """The words in which a sentence differs from another one, with some on each side, as folded letters."""
    one, two = words(quote), words(other).forms
    first = shared_start(one.forms, two)
    last = len(one) - shared_start(one.forms[first:][::-1], two[first:][::-1])
    low, high = max(0, first - _CONTEXT), min(len(one), last + _CONTEXT)
    return letters(quote[one.starts[low] : one.ends[high - 1]]).folded if high > low else ""
