"""A figure that follows from others: how, and what it is when they change."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from trail_callbacks.canary.facts.figures import Figure

__all__ = ["Dependency", "Rule", "by_line", "equal", "is_whole", "tolerance"]

Rule = Literal["sum", "share", "change", "product", "mean", "same", "celsius", "fahrenheit", "rounded"]

_HALF = 0.5 + 1e-6
_EXACT = 1e-6
_NEARLY = re.compile(r"\b(?:nearly|almost|not quite|knapp|fast|presque|casi|quasi|bijna)\s$", re.IGNORECASE)
_LOOK_BACK = 12
_WHOLE = 100.0


@dataclass(frozen=True, slots=True, eq=False)
class Dependency:
    """A figure that follows from others beside it.

    Attributes:
        result: The figure that follows.
        parts: What it follows from; of a share the part and then what make the whole, of a change the earlier value
            first.
        rule: How.
    """

    result: Figure
    parts: Sequence[Figure]
    rule: Rule

    def value(self, new: Mapping[Figure, float]) -> float:
        """Works the result out.

        Args:
            new: New values, in base units; figures that are not in it keep theirs.

        Returns:
            The value in base units, not rounded; infinite where it would be divided by 0 or rise instead of fall.
        """
        values = [new.get(each, each.quantity.value) for each in self.parts]
        if self.rule == "change" and (values[0] < values[1]) != self._rises:
            return float("inf")  # what rose would fall
        return _RULES[self.rule](values) if self.rule != "rounded" else _rounded(values[0], self.result)

    @property
    def _rises(self) -> bool:
        return self.parts[0].quantity.value < self.parts[1].quantity.value

    def holds(self, new: Mapping[Figure, float]) -> bool:
        """Whether the result is what the rule gives, as far as its digits tell."""
        value = new.get(self.result, self.result.quantity.value)
        return abs(self.value(new) - value) <= tolerance(self.result, self.rule)


def _rounded(value: float, like: Figure) -> float:
    """A value in the digits of a rounder one: below it behind `over`, above it behind `nearly`."""
    bound, step = like.quantity.bound, like.quantity.step
    steps = value / step
    if bound == "over":
        steps = math.ceil(steps - _EXACT) - 1
    elif bound == "under" or _NEARLY.search(like.page.text[max(0, like.start - _LOOK_BACK) : like.start]):
        steps = math.floor(steps + _EXACT) + 1
    return round(steps) * step


def _share(values: Sequence[float]) -> float:
    whole = sum(values[1:])
    return _WHOLE * values[0] / whole if whole else float("inf")


def _change(values: Sequence[float]) -> float:
    return _WHOLE * abs(values[1] - values[0]) / abs(values[0]) if values[0] else float("inf")


_RULES: Mapping[Rule, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "share": _share,
    "change": _change,
    "product": lambda values: values[0] * values[1],
    "mean": lambda values: sum(values) / len(values),
    "same": lambda values: values[0],
    "celsius": lambda values: (values[0] - 32) * 5 / 9,
    "fahrenheit": lambda values: values[0] * 9 / 5 + 32,
}


def tolerance(figure: Figure, rule: Rule) -> float:
    """How far a figure may be from the value that is meant, by its last digit."""
    if figure.numeral is None:
        return 1e-9 * abs(figure.quantity.value)
    digit = abs(figure.numeral.factor) * 10.0**-figure.numeral.decimals
    return 1e-6 * digit if rule in {"sum", "product", "rounded"} else _HALF * digit


def by_line(figures: Sequence[Figure]) -> Sequence[list[Figure]]:
    """Figures by sentence or table row, in order."""
    lines: dict[tuple[int, int | None], list[Figure]] = {}
    for each in figures:
        lines.setdefault((each.line if each.row is None else -1, each.row), []).append(each)
    return list(lines.values())


def is_whole(figure: Figure) -> bool:
    """Whether a figure is 100 %, the whole of anything."""
    return figure.quantity.kind == "percent" and figure.quantity.value == _WHOLE


def equal(one: float, other: float) -> bool:
    """Whether two values are the same but for the arithmetic of a computer."""
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other))
