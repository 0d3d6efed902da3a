"""A number with its unit as an answer or a value writes it: parts of one measure are joined, a label is none."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from functools import cache

from trail_callbacks.canary.outcomes.wording import alternatives, table
from trail_callbacks.language.detect import language
from trail_callbacks.language.terms import stem, vocabulary
from trail_callbacks.language.values import Quantity, quantities

__all__ = ["Amount", "amounts", "is_label", "is_labelled"]

_COMPOUND = frozenset({"time", "length", "mass", "volume"})
_BETWEEN = frozenset({"", "and", ",", "und", "et", "y", "e", "en", ", and"})
_NO_NOUNS = vocabulary(
    """oder und sondern aber statt nicht mais pero sino instead rather not also maar sowie plutôt invece
    can cannot may must will would should shall could might was were are has had have does did only nor
    according based depending if when while though although however per cada zijn sind sont son sono selon laut"""
)  # what `quantities` takes for the thing counted
_LABEL = re.compile(r"(?:^|[\n|])[ \t]*(?:[-*][ \t]*)?(?P<label>[^\W\d_][^\n|:\d]{0,40}?)[ \t]*[:|][ \t]*$")
_INCLUSIVE = re.compile(
    r"(?:up\sto|at\s(?:most|least)|no\s(?:more|less|fewer)\sthan|as\smany\sas|mindestens|höchstens|bis\szu|au\s(?:moins|plus)|jusqu'à|"
    r"al\smenos|hasta|como\smáximo|almeno|fino\sa|pelo\smenos|até|minstens|hoogstens|≤|≥)\W*$",
    re.IGNORECASE,
)
_OF_THEM = re.compile(r"\s(?:of|out\sof)\s(?:them|these|those|which|whom|the)\b|\s(?:davon|d'entre)\b", re.IGNORECASE)
_PROPER = re.compile(
    r"[^\s.!?:|*\"'(-][\s,]+(?!About|Around|In|At|On|Is)[A-Z][\w-]*[ -]$"
)  # `the TerraVac 900`, in mid-sentence
_WORDS = re.compile(r"[^\W\d_]+")
_BEHIND = 3  # words behind a number in which the counted thing is: `870 API requests`


@dataclass(frozen=True, slots=True)
class Amount:
    """A quantity, or several that make one: `1 hour and 3 minutes`."""

    quantity: Quantity
    converted: float  # base units in one of the unit that it is written in
    behind: tuple[str, ...] = ()  # stems of the words behind it
    text: str = ""  # where it stands

    @property
    def value(self) -> float:
        """In base units."""
        return self.quantity.value

    @property
    def is_foreign(self) -> bool:
        """In a text of another language than English, whose units are not all known. Takes time to tell."""
        return language(self.text) not in {"en", ""}


def amounts(text: str) -> Iterator[Amount]:
    """Reads the numbers of a text; parts of one measure are joined."""
    found = [_plain(each, text) for each in quantities(text)]
    i = 0
    while i < len(found):
        one = found[i]
        factor = one.value / one.raw if one.raw else 1.0
        while i + 1 < len(found) and _continues(one, factor, found[i + 1], text):
            part = found[i + 1]
            factor = part.value / part.raw if part.raw else 1.0
            value = one.value + math.copysign(part.value, one.value)
            one = replace(one, raw=value / factor, value=value, step=part.step, end=part.end, also=())
            i += 1
        behind = tuple(stem(word.casefold()) for word in _WORDS.findall(text[one.end : one.end + 40])[:_BEHIND])
        yield Amount(one, factor, behind, text)
        i += 1


def _plain(one: Quantity, text: str) -> Quantity:
    """A quantity whose limit includes it (`up to 63`) gives it; words such as `or` are nothing that is counted."""
    if one.bound in {"over", "under"} and _INCLUSIVE.search(text[max(0, one.start - 24) : one.start]):
        one = replace(one, bound="exact")
    if one.kind == "count" and (measures := _measures().get(one.noun)) is not None:
        (kind, factor), *others = measures
        also = tuple((other, one.raw * its) for other, its in others)
        return replace(one, kind=kind, value=one.raw * factor, step=one.step * factor, noun="", also=also)
    return replace(one, noun="") if one.noun in _NO_NOUNS else one


@cache
def _measures() -> dict[str, tuple[tuple[str, float], ...]]:
    """What counted words measure that `quantities` knows as no units, or that have two meanings: kinds and factors."""
    found: dict[str, tuple[tuple[str, float], ...]] = {}
    for words, written in table("measures").items():
        parts = written.split()
        measures = tuple((kind, float(factor)) for kind, factor in zip(parts[::2], parts[1::2], strict=True))
        found |= dict.fromkeys(words.split(), measures)
    return found


def _continues(one: Quantity, factor: float, part: Quantity, text: str) -> bool:
    """Whether a quantity is a smaller part of the one before it: `1 h 3 min`, `5 ft 4 in`."""
    smaller = part.value / part.raw if part.raw else 1.0
    return (
        one.kind == part.kind
        and one.kind in _COMPOUND
        and smaller < factor
        and one.raw == int(one.raw)
        and 0 < part.value < factor
        and one.within is None
        and part.within is None
        and text[one.end : part.start].strip() in _BETWEEN
    )


def is_label(one: Quantity, text: str, *, proper: bool = True, asked: Container[str] = ()) -> bool:
    """Tells whether a number only numbers something, or is a part of another one: `room 63`, `No. 40`, `12 of them`.

    Args:
        one: The number.
        text: The text.
        proper: Whether it may belong to a name before it: `the TerraVac 900`.
        asked: Stems of the question: what it asks for (`which port`) is no label.
    """
    before = text[max(0, one.start - 24) : one.start]
    if one.kind not in {"count", "year"} or one.noun:
        return False
    if (proper and _PROPER.search(before) is not None) or _OF_THEM.match(text, one.end) is not None:
        return True
    label = _numbered().search(before)
    return label is not None and stem(label["label"].casefold()) not in asked


@cache
def _numbered() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?P<label>{alternatives('numbered')})[.\s#]*$", re.IGNORECASE)


def is_labelled(one: Quantity, text: str) -> bool:
    """Whether a number without a unit is in a row or line of its own label: `passengers: 40`."""
    return (
        one.kind in {"count", "year"}
        and not one.noun
        and _LABEL.search(text[max(0, one.start - 60) : one.start]) is not None
    )
