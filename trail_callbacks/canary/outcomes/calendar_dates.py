"""Dates as values: `12 March 2019` is `2019-03-12`, and a part of it gives it where no other value shares the part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from trail_callbacks.canary.outcomes.mention import Mention, Values
from trail_callbacks.canary.outcomes.reading import plain
from trail_callbacks.canary.trial import How
from trail_callbacks.language.values import Quantity, quantities

__all__ = ["Dates"]

_PARTS = frozenset({"year", "month", "day", "weekday"})
_GAP = 8  # characters between parts of one date


@dataclass(frozen=True, slots=True)
class _Date:
    readings: tuple[dict[str, float], ...]
    start: int
    end: int


def _dates(text: str) -> Iterator[_Date]:
    run: list[Quantity] = []
    for each in quantities(text):
        if each.kind not in _PARTS or each.bound == "during":
            continue
        if run and (each.start - run[-1].end > _GAP or each.kind in {part.kind for part in run}):
            yield _of(run)
            run = []
        run.append(each)
    if run:
        yield _of(run)


def _of(run: Sequence[Quantity]) -> _Date:
    choices = [[(reading.kind, reading.value) for reading in part.readings] for part in run]
    readings = [dict(choice) for choice in product(*choices) if len({kind for kind, _ in choice}) == len(choice)]
    first, *others = readings or [{part.kind: part.value for part in run}]
    swapped = [
        each for each in others if each.get("day") == first.get("month") and each.get("month") == first.get("day")
    ]
    return _Date((first, *swapped), run[0].start, run[-1].end)


class Dates:
    """Compares dates by the parts that are written.

    Args:
        values: The values, by their forms.
    """

    how: How = "value"

    def __init__(self, values: Values) -> None:
        self.are_dates = all(list(_dates(plain(forms[0])))[:1] for forms in values.values())
        self.wanted = {
            name: [date for form in forms for date in list(_dates(plain(form)))[:1]] for name, forms in values.items()
        }

    def __bool__(self) -> bool:
        return self.are_dates and all(self.wanted.values())

    def find(self, text: str) -> Sequence[Mention]:
        """Finds all dates of a text."""
        return [self._mention(date) for date in _dates(text)]

    def reads(self, text: str, /) -> bool:
        """Whether there is a number that is more than a bare one: it is another value then."""
        return any(each.kind != "count" or each.noun for each in quantities(text))

    def _mention(self, date: _Date) -> Mention:
        grades = {
            name: max(
                (_grade(said, value) for said in date.readings for each in listed for value in each.readings), default=0
            )
            for name, listed in self.wanted.items()
        }
        best = max(grades.values(), default=0)
        if not best:
            return Mention(None, date.start, date.end)
        named = [name for name, grade in grades.items() if grade == best]
        return Mention(named[0], date.start, date.end, sure=len(named) == 1)


def _grade(said: dict[str, float], value: dict[str, float]) -> int:
    """How many parts agree, 0 if one does not or none is shared."""
    shared = said.keys() & value.keys()
    return len(shared) if shared and all(said[part] == value[part] for part in shared) else 0
