"""A place in an answer that names one of the probe's values, or another value of the same sort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import How, Stated

__all__ = ["Matcher", "Mention", "Values", "values_of"]

Values = dict[Stated, tuple[str, ...]]
"""The written forms of each of a probe's values, the value itself first."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A value in an answer.

    Attributes:
        value: Which of the probe's; None if it is another one of the same sort.
        start: Offset in the plain text.
        end: Offset after it.
        sure: Whether the comparison leaves no doubt which value it is.
        joined: Ends of the range that it is a part of, as text offsets; None if it stands alone.
    """

    value: Stated | None
    start: int
    end: int
    sure: bool = True
    joined: tuple[int, int] | None = None


class Matcher(Protocol):
    """Compares one sort of values."""

    how: How

    def find(self, text: str) -> Sequence[Mention]:
        """Finds the values in a plain text, in order."""

    def reads(self, text: str, /) -> bool:
        """Tells whether a plain text in which no value is found gives another one."""


def values_of(probe: Probe) -> Values:
    """The values of a probe with their other forms; what is blank is left out."""
    forms: Values = {"real": (probe.real, *probe.real_forms)}
    if probe.fictive is not None:
        forms["fictive"] = (probe.fictive, *probe.fictive_forms)
    if probe.also is not None:
        forms["also"] = (probe.also,)
    found: Values = {name: tuple(each for each in listed if each.strip()) for name, listed in forms.items()}
    return {name: listed for name, listed in found.items() if listed}
