"""A number in a text, with what else it may mean."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["EXACT", "Quantity"]

EXACT = frozenset({"year", "month", "weekday", "day", "rank", "clock", "clock utc", "quarter", "label", "id"})
"""Kinds that are equal or different, never near: nothing is rounded, added up or converted."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text.

    Attributes:
        raw: As written, magnitude applied but without its unit.
        value: In the base unit of its kind: metres, kilograms, seconds, watts, percent, plain count, month 1-12, years
            before Christ negative, identifiers as the number of their digits modulo 2**53.
        kind: `count`, `year`, `month`, `day`, `weekday`, `clock` (minutes after midnight), `quarter` (of a year),
            `rank`, `label` (Chapter IV), `id` (telephone numbers and the like), `money:<code>` or a dimension such as
            `length`; values of different kinds are not comparable.
        noun: For a count, the word behind the number, for a label the one before it, case-folded; otherwise empty.
        bound: `exact`, or what the words before it make of it: `about`, `over`, `under`; `during` for a decade or
            century, of which `value` is the first year.
        step: Size of the last digit written, in base units: how coarse the number is. 0 for spelt-out numbers.
        start: Offset in the text.
        end: Offset after it, unit included.
        also: Kind and value of what it may stand for as well: `1.000` where nothing tells whether the point parts
            thousands, `03/04/2020`, `5:30` without a half of the day, `two years later` behind a date.
        within: First and last value of the range or period that it is an end of, in base units.
    """

    raw: float
    value: float
    kind: str
    noun: str
    bound: str
    step: float
    start: int
    end: int
    also: tuple[tuple[str, float], ...] = ()
    within: tuple[float, float] | None = None

    @property
    def readings(self) -> tuple[Quantity, ...]:
        """It and what else it may stand for, each as a quantity that can mean one thing only."""
        if not self.also:
            return (self,)
        factor = self.raw / self.value if self.value else 1.0
        others = [
            replace(self, raw=value * factor if kind == self.kind else value, value=value, kind=kind, also=())
            for kind, value in self.also
        ]
        return (replace(self, also=()), *others)

    def may_be(self, other: Quantity) -> bool:
        """Tells whether one leaves open that it is the other: a year in a decade, a number in a range, 3 April.

        It is no reason to call the other stated, only one not to call it wrong.
        """
        return any(
            mine.kind == its.kind and (mine.value == its.value or _holds(mine, its) or _holds(its, mine))
            for mine in self.readings
            for its in other.readings
        )


def _holds(one: Quantity, other: Quantity) -> bool:
    return one.within is not None and one.within[0] <= other.value <= one.within[1]
