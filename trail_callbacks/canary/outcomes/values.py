"""Dates, amounts and names as values: `2019-03-12`, `2/3 hour` for 40 minutes, `Solvang, Marta` for Marta Solvang.

A date, whole or in part, gives the value that shares the most parts with it, if no part differs. An amount gives one
that it equals or rounds (`language.values.follows`). Where it fits several, one that it equals goes first; else none is
sure. Of names the words in which the values differ are looked for, without case and diacritics; one of them is enough.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import isclose

from trail_callbacks.canary.outcomes.reading import plain
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import How, Stated
from trail_callbacks.language.detect import language
from trail_callbacks.language.terms import stem, vocabulary
from trail_callbacks.language.values import (
    EXACT,
    CalendarDate,
    Quantity,
    calendar_dates,
    folded,
    follows,
    is_same_name,
    measures,
)

ValueForms = dict[Stated, tuple[str, ...]]
"""The written forms of each of a probe's values, the value itself first."""

_DAY = 24  # hours
_EQUAL, _UNITLESS, _ROUNDED, _WEAK = 1.0, 0.75, 0.5, 0.25  # how well a number gives a value
_WORD = re.compile(
    r"(?=[^\W\d_]*+\d)[^\W_]++(?:[./-][^\W_]+)+(?<=\d)|"  # `4.2.1`, `P-300`
    r"[^\W_]+(?:[\u0300-\u036f\u0900-\u0903\u093a-\u094f]+[^\W_]*)*(?:['\u2019][^\W_]{1,2}(?!\w))?"
)
_SMALL = vocabulary("the a an of and at in on by from with for to is was are it he she they")


def forms_of(probe: Probe) -> ValueForms:
    """The values of a probe with their other forms; what is blank is left out."""
    forms: dict[Stated, Sequence[str | None]] = {
        "real": (probe.real, *probe.real_forms),
        "fictive": (probe.fictive, *probe.fictive_forms),
        "also": (probe.also,),
    }
    written = {name: tuple(each for each in listed if each and each.strip()) for name, listed in forms.items()}
    return {name: listed for name, listed in written.items() if listed and forms[name][0] is not None}


@dataclass(frozen=True, slots=True)
class ValueMention:
    """A value in an answer, by its offsets in the plain text."""

    value: Stated | None  # which of the probe's; None if it is another one of the same sort
    start: int
    end: int
    sure: bool = True  # whether the comparison leaves no doubt which value it is


class ValueMatcher(ABC):
    """Compares one sort of values; false where the values of the probe are of another sort."""

    how: How = "words"

    @abstractmethod
    def __bool__(self) -> bool: ...

    @abstractmethod
    def find(self, text: str) -> Sequence[ValueMention]:
        """Finds the values in a plain text."""

    def reads(self, _: str, /) -> bool:
        """Tells whether a plain text in which no value is found gives another one; no, where words may not be known."""
        return False


class DateMatcher(ValueMatcher):
    """Compares dates by the parts that are written."""

    how: How = "value"

    def __init__(self, values: ValueForms) -> None:
        found = {name: [_dates(plain(form))[:1] for form in forms] for name, forms in values.items()}
        self._are_dates = all(forms[0] for forms in found.values())
        self._wanted = {name: [date for form in forms for date in form] for name, forms in found.items()}

    def __bool__(self) -> bool:
        return self._are_dates

    def find(self, text: str) -> Sequence[ValueMention]:
        """Finds all dates of a text."""
        found = []
        for date in _dates(text):
            shared = {name: max(date.agrees(each) for each in listed) for name, listed in self._wanted.items()}
            named = [name for name, n in shared.items() if n == max(shared.values()) > 0]
            found.append(ValueMention(named[0] if named else None, date.start, date.end, sure=len(named) <= 1))
        return found

    def reads(self, text: str, /) -> bool:
        """Whether there is a number that is more than a bare one: it is another value then."""
        return any(each.kind != "count" or each.noun for each in measures(text))


def _dates(text: str) -> list[CalendarDate]:
    return [date for date in calendar_dates(measures(text), text) if not date.is_decade]


class AmountMatcher(ValueMatcher):
    """Compares the numbers in which a probe's values differ."""

    how: How = "value"

    def __init__(self, values: ValueForms) -> None:
        read = {name: [measures(plain(form)) for form in forms] for name, forms in values.items()}
        self._wanted: dict[Stated, list[Quantity]] = {}
        for name, forms in read.items():
            others = [form for other, listed in read.items() if other != name for form in listed]
            telling = ([one for one in form if not others or not _is_in_all(one, others)] for form in forms)
            self._wanted[name] = [form[0] for form in telling if form]

    def __bool__(self) -> bool:
        return all(self._wanted.values())

    def find(self, text: str) -> Sequence[ValueMention]:
        """Finds the values, and other numbers of their kind."""
        found = []
        for one in measures(text):
            grades = {name: max(_grade(one, each) for each in listed) for name, listed in self._wanted.items()}
            best = max(grades.values())
            named = [name for name, grade in grades.items() if grade == best]
            if best:
                found.append(ValueMention(named[0], one.start, one.end, sure=len(named) == 1 and best > _WEAK))
            elif any(each.kind == one.kind for listed in self._wanted.values() for each in listed):
                found.append(ValueMention(None, one.start, one.end))
        return found

    def reads(self, text: str, /) -> bool:
        """Whether there is a number: it is another value then."""
        return bool(measures(text))


def _is_in_all(one: Quantity, forms: Sequence[Sequence[Quantity]]) -> bool:
    return all(any(_grade(one, other) == _EQUAL for other in form) for form in forms)


def _grade(said: Quantity, wanted: Quantity) -> float:
    """How well a number gives a value, in whatever way both can be read."""
    return max(_graded(one, value) for one, value in product(said.readings, wanted.readings))


def _graded(one: Quantity, value: Quantity) -> float:
    if one.kind != value.kind:
        return _UNITLESS if _is_bare(one, value) else 0.0
    of_another = one.kind == "count" and one.noun and value.noun and stem(one.noun) != stem(value.noun)
    if isclose(one.value, value.value, rel_tol=1e-9):
        return _WEAK if of_another else _EQUAL
    return _ROUNDED if not of_another and follows(one, value) else 0.0


def _is_bare(one: Quantity, value: Quantity) -> bool:
    """Whether a number gives a value of another kind, as one of the two has no unit: `at three` for a time of day."""
    if value.kind == "count" and not value.noun and one.kind not in EXACT:
        return isclose(one.raw, value.raw)
    if one.kind not in {"count", "year"} or one.noun or value.kind in EXACT - {"clock"}:
        return False
    if value.kind == "clock":
        return one.raw <= _DAY and (60 * one.raw - value.value) % (60 * _DAY / 2) == 0
    return isclose(one.raw, value.raw)


@dataclass(frozen=True, slots=True)
class _Form:
    value: Stated
    words: Sequence[str]
    telling: Sequence[str]  # those that no other value has


class NameMatcher(ValueMatcher):
    """Compares names and words; the words of the question tell nothing."""

    def __init__(self, values: ValueForms, question: str) -> None:
        asked = {folded(word) for word in _WORD.findall(question)}
        read = {name: [_WORD.findall(form) for form in forms] for name, forms in values.items()}
        words = [word for forms in read.values() for form in forms for word in form]
        self._is_ascii = all(folded(word).isascii() for word in words)
        self._are_names = all(any(word[0].isupper() for word in form) for forms in read.values() for form in forms)
        self._are_ranks = any(word.endswith("est") for word in words)
        self._forms: list[_Form] = []
        for name, forms in read.items():
            others = {folded(word) for other, those in read.items() if other != name for form in those for word in form}
            for form in forms:
                said = [folded(word) for word in form]
                own = [word for word in said if word not in _SMALL and word not in others]
                self._forms.append(_Form(name, said, [word for word in own if word not in asked] or own))

    def __bool__(self) -> bool:
        return all(form.telling for form in self._forms)

    def reads(self, text: str, /) -> bool:
        """Whether other words are another value: in the script of the values, and no translation of a common word."""
        if not self or self._are_ranks or (self._is_ascii and not folded(text).isascii()):
            return False
        return self._are_names or language(text) == "en"

    def find(self, text: str) -> Sequence[ValueMention]:
        """Finds the values."""
        places = [each.span() for each in _WORD.finditer(text)]
        words = [folded(text[start:end]) for start, end in places]
        found: list[ValueMention] = []
        i = 0
        while i < len(words):
            ends = ((form.value, end) for form in self._forms if (end := _end(words, i, form)) is not None)
            value, end = next(ends, (None, i + 1))
            if value is not None:
                one_name = found and found[-1].value == value and found[-1].end == places[i - 1][1]
                start = found.pop().start if one_name else places[i][0]  # one name: `Helene`, `Voss`
                found.append(ValueMention(value, start, places[end - 1][1]))
            i = end
        return found


def _end(words: Sequence[str], i: int, form: _Form) -> int | None:
    """The index after a value that begins with a word, or has its telling word there; None if there is none."""
    window = words[i : i + len(form.words)]
    if len(window) == len(form.words) > 0 and all(map(is_same_name, window, form.words)):
        return i + len(window)
    return i + 1 if any(is_same_name(words[i], meant) for meant in form.telling) else None
