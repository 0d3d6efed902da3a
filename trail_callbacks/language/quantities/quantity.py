"""A number in a text, with what else it may mean."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["EXACT", "Quantity", "exact"]

EXACT = frozenset({"year", "month", "weekday", "day", "rank", "clock", "quarter"})
"""Kinds that are equal or different, never near: nothing is rounded, added up or converted."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text.

    Attributes:
        raw: As written, magnitude applied but without its unit.
        value: In the base unit of its kind: metres, kilograms, seconds, watts, percent, plain count, month 1-12.
        kind: `count`, `year`, `month`, `day`, `weekday`, `clock` (minutes after midnight), `quarter`, `rank`,
            `money:<code>` or a dimension such as `length`; values of different kinds are not comparable.
        noun: For a count, the word behind the number, case-folded; otherwise empty.
        bound: `exact`, or what the words before it make of it: `about`, `over`, `under`; `during` for a decade, of
            which `value` is the first year.
        step: Size of the last digit written, in base units: how coarse the number is. 0 for spelt-out numbers.
        start: Offset in the text.
        end: Offset after it, unit included.
        also: Kind and value of what it may stand for as well: `1.000` where nothing tells whether the point separates
            thousands, `03/04/2020`, `5:30` without a half of the day.
        within: First and last value of the range or decade that it is an end of, in base units.
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

        That is not a reason to call the other stated, only one not to call it wrong.
        """
        return any(
            mine.kind == its.kind and (mine.value == its.value or _holds(mine, its) or _holds(its, mine))
            for mine in self.readings
            for its in other.readings
        )


def _holds(one: Quantity, other: Quantity) -> bool:
    return one.within is not None and one.within[0] <= other.value <= one.within[1]


def exact(kind: str, value: float, span: tuple[int, int], *also: float) -> Quantity:
    """Makes a quantity of one of the kinds in `EXACT`, with the values it may have as well."""
    return Quantity(value, value, kind, "", "exact", 0.0, *span, also=tuple((kind, other) for other in also))
