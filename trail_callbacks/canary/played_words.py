"""How a played model puts what it has to say: sentences, hedges, number words, refusals."""

from __future__ import annotations

import random
import re

from trail_callbacks.canary.probe import Probe
from trail_callbacks.language.values.numerals import NUMBER_WORDS

__all__ = ["blended", "declined", "invented", "stated"]

_PLAIN = (
    "{}",
    "{}.",
    "**{}**",
    "The answer is {}.",
    "It is {}.",
    "That would be {}.",
    "According to the documents, the answer is {}.",
    "Answer: {}",
    "I believe it is {}.",
    "As far as I can tell, it is {}.",
)
_RECALLED = (
    "{}",
    "{}.",
    "The answer is {}.",
    "It is {}.",
    "As far as I know, it is {}.",
    "If I remember correctly, it is {}.",
    "I believe it is {}.",
)
_POLAR = ("{}", "{}.", "**{}**", "The answer is {}.", "{}, according to the documents.", "{}, as far as I know.")
_REFUSALS = (
    "I don't know.",
    "The documents do not say.",
    "I could not find this in the documents.",
    "The context does not contain this information.",
    "I'm sorry, but the provided documents do not answer this question.",
    "There is no information about this in the passages.",
)
_BLENDS = ("It is either {0} or {1}.", "{0} or {1}.", "The answer is {0}, or {1}.")
_INVENTED = ("Orla Tennfjord", "Marten Ashgrove", "the Quillon Wharf", "Sefton Drayle")
_WORDS = {int(value): word for word, value in NUMBER_WORDS.items() if word not in {"dozen", "hundred"}}
_COUNT = re.compile(r"(?<![\w.,:/-])(\d{1,2})(?![\w%]|[.,:/-]\d)")
_NUMBER = re.compile(r"\d+")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_QUOTED, _SPELLED = 0.2, 0.15  # shares of answers that repeat the sentence, and that spell a number out


def stated(probe: Probe, value: str, quote: str, rng: random.Random, *, recalled: bool) -> str:
    """Gives a value in one of many ways.

    Args:
        probe: What was asked.
        value: The value.
        quote: The sentence that states it; empty if there is none.
        rng: Decides on the words.
        recalled: It comes from memory, and the answer does not pretend otherwise.
    """
    if quote and rng.random() < _QUOTED:
        return " ".join(_TAG.sub(" ", quote).split())
    if probe.kind in {"number", "unit"} and rng.random() < _SPELLED:
        value = _COUNT.sub(lambda found: _in_words(int(found[1])), value)
    if value in {"yes", "no"}:
        said = rng.choice(_POLAR).format(value)
        return said[0].upper() + said[1:]
    return rng.choice(_RECALLED if recalled else _PLAIN).format(value)


def blended(one: str, other: str, rng: random.Random) -> str:
    """Gives two values as the answer."""
    return rng.choice(_BLENDS).format(*rng.sample([one, other], 2))


def declined(rng: random.Random) -> str:
    """Gives no answer."""
    return rng.choice(_REFUSALS)


def invented(probe: Probe, rng: random.Random) -> str:
    """Gives a value that is none of the probe's."""
    known = " ".join(each for each in (probe.real, probe.fictive, probe.also) if each)
    taken = set(_NUMBER.findall(known))
    if not taken:
        return stated(probe, rng.choice(_INVENTED), "", rng, recalled=False)
    number = _NUMBER.findall(probe.fictive or probe.real)[-1]  # of a date the year
    low = 10 ** (len(number) - 1)
    high = {2: 59, 4: 1999}.get(len(number), 10 * low - 1) if probe.kind == "date" else 10 * low - 1
    made = next(str(each) for each in iter(lambda: rng.randint(low, high), None) if str(each) not in taken)
    return stated(probe, made.join((probe.fictive or probe.real).rsplit(number, 1)), "", rng, recalled=False)


def _in_words(number: int) -> str:
    if number in _WORDS:
        return _WORDS[number]
    return f"{_WORDS[number - number % 10]}-{_WORDS[number % 10]}"
