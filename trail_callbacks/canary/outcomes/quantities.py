"""Dates and amounts as values: `12 March 2019` is `2019-03-12`, `40 minutes` is `2/3 hour` and `about 40`.

A date, whole or in part, gives the value that shares the most parts with it, if no part differs. An amount gives one
that it equals or rounds (`language.values.follows`). Where it fits several, one that it equals goes first; else none is
sure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from math import isclose

from trail_callbacks.canary.outcomes.answer import plain
from trail_callbacks.canary.outcomes.matching import ValueForms, ValueMatcher, ValueMention
from trail_callbacks.canary.outcomes.wording import alternatives
from trail_callbacks.canary.trial import How, Stated
from trail_callbacks.language.terms import stem, terms
from trail_callbacks.language.values import EXACT, CalendarDate, Quantity, calendar_dates, follows, measures

__all__ = ["AmountMatcher", "DateMatcher"]

_INCLUSIVE = re.compile(
    r"(?:up\sto|at\s(?:most|least)|no\s(?:more|less|fewer)\sthan|as\smany\sas|mindestens|höchstens|bis\szu|au\s(?:moins|plus)|jusqu'à|"
    r"al\smenos|hasta|como\smáximo|almeno|fino\sa|pelo\smenos|até|minstens|hoogstens|≤|≥)\W*$",
    re.IGNORECASE,
)
_LABEL = re.compile(rf"(?<!\w)(?P<label>{alternatives('numbered')})[.\s#]*$", re.IGNORECASE)
_NEAR = 24  # characters before a number in which such words stand
_GAP = "___"  # in a question for what is missing in a sentence: `under ___` says the limit itself
_DAY = 24  # hours
_EQUAL, _UNITLESS, _ROUNDED, _WEAK = 1.0, 0.75, 0.5, 0.25  # how well a number gives a value


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
    """Compares the numbers in which a probe's values differ, of the thing that the question asks for."""

    how: How = "value"

    def __init__(self, values: ValueForms, question: str) -> None:
        self._asked = {term.stem for term in terms(question)}
        before, gap, _ = question.partition(_GAP)
        self._bound = measures(f"{before}9")[-1].bound if gap else None
        read = {name: [measures(plain(form)) for form in forms] for name, forms in values.items()}
        self._wanted: dict[Stated, list[Quantity]] = {}
        for name, forms in read.items():
            others = [form for other, listed in read.items() if other != name for form in listed]
            telling = ([one for one in form if not others or not _in_all(one, others)] for form in forms)
            self._wanted[name] = [form[0] for form in telling if form]

    def __bool__(self) -> bool:
        return all(self._wanted.values())

    def find(self, text: str) -> Sequence[ValueMention]:
        """Finds numbers that are of the kind of the values; others are left out."""
        found = []
        for one in self._told(text):
            limited = one.bound in {"over", "under"} - {self._bound} and not _INCLUSIVE.search(
                text, max(0, one.start - _NEAR), one.start
            )
            grades = {
                name: max(_grade(one, value, limited=limited) for value in listed)
                for name, listed in self._wanted.items()
            }
            best = max(grades.values())
            named = [name for name, grade in grades.items() if grade == best]
            if best:
                found.append(ValueMention(named[0], one.start, one.end, sure=len(named) == 1 and best > _WEAK))
            elif any(self._is_of_one_sort(one, value) for listed in self._wanted.values() for value in listed):
                found.append(ValueMention(None, one.start, one.end))
        return found

    def reads(self, text: str, /) -> bool:
        """Whether there is a number: it is another value then."""
        return bool(self._told(text))

    def _told(self, text: str) -> list[Quantity]:
        """The quantities that do not only number something: `room 63`, unless the question asks which room."""
        found = []
        for one in measures(text):
            label = _LABEL.search(text, max(0, one.start - _NEAR), one.start) if not one.noun else None
            if label is None or one.kind not in {"count", "year"} or stem(label["label"].casefold()) in self._asked:
                found.append(one)
        return found

    def _is_of_one_sort(self, one: Quantity, value: Quantity) -> bool:
        """Whether a number is another value: of the same kind, and of the thing that was asked for."""
        if one.kind == "count" and one.noun and value.kind == "count" and not value.noun:
            return stem(one.noun) in self._asked
        return value.kind in {each.kind for each in one.readings} or (one.kind == "count" and not one.noun)


def _in_all(one: Quantity, forms: Sequence[Sequence[Quantity]]) -> bool:
    return all(any(_grade(one, other) == _EQUAL for other in form) for form in forms)


def _grade(said: Quantity, wanted: Quantity, *, limited: bool = False) -> float:
    """How well a number gives a value, in whatever way both can be read."""
    return max(_graded(one, value, limited=limited) for one, value in product(said.readings, wanted.readings))


def _graded(one: Quantity, value: Quantity, *, limited: bool) -> float:
    if one.kind != value.kind:
        return _UNITLESS if _is_bare(one, value) else 0.0
    of_another = one.kind == "count" and one.noun and value.noun and stem(one.noun) != stem(value.noun)
    limited = (limited and one.bound != value.bound) or one.bound == "during"
    if isclose(one.value, value.value, rel_tol=1e-9):
        return _WEAK if of_another or limited else _UNITLESS if value.noun and not one.noun else _EQUAL
    return _ROUNDED if not (of_another or limited or one.kind in EXACT) and follows(one, value) else 0.0


def _is_bare(one: Quantity, value: Quantity) -> bool:
    """Whether a number gives a value of another kind, as one of the two has no unit: `at three` for a time of day."""
    if value.kind == "count" and not value.noun and one.kind not in EXACT:
        return isclose(one.raw, value.raw)
    if one.kind not in {"count", "year"} or one.noun or value.kind in EXACT - {"clock"}:
        return False
    if value.kind == "clock":
        return one.raw <= _DAY and (60 * one.raw - value.value) % (60 * _DAY / 2) == 0
    return isclose(one.raw, value.raw)
