"""An answer that is scored, the places in it that name a value, and what it says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from trail_callbacks.canary.arm import Arm
from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.trial import How, Stated

ValueForms = dict[Stated, tuple[str, ...]]
"""The written forms of each of a probe's values, the value itself first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """An answer to be scored; see `classify`."""

    probe: Probe
    arm: Arm
    answer: str | None
    served: bool | None = None


@dataclass(frozen=True, slots=True)
class ValueMention:
    """A value in an answer.

    Attributes:
        value: Which of the probe's; None if it is another one of the same sort.
        start: Offset in the plain text.
        end: Offset after it.
        sure: Whether the comparison leaves no doubt which value it is.
    """

    value: Stated | None
    start: int
    end: int
    sure: bool = True


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


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStatement:
    """What an answer says.

    Attributes:
        states: The values that it gives as its answer; None where code cannot tell.
        among: Where code cannot tell: the values of which it gives one or more; empty if these are not known either.
        rejects: It says that the documents are wrong or contradict each other.
        declines: It says that it, or the documents, do not know.
        other: It gives another value of the same sort.
        reason: In a few words, for a person.
    """

    states: tuple[Stated, ...] | None
    among: tuple[Stated, ...] = ()
    rejects: bool = False
    declines: bool = False
    other: bool = False
    reason: str = ""


def forms_of(probe: Probe) -> ValueForms:
    """The values of a probe with their other forms; what is blank is left out."""
    forms: dict[Stated, Sequence[str | None]] = {
        "real": (probe.real, *probe.real_forms),
        "fictive": (probe.fictive, *probe.fictive_forms),
        "also": (probe.also,),
    }
    written = {name: tuple(each for each in listed if each and each.strip()) for name, listed in forms.items()}
    return {name: listed for name, listed in written.items() if listed and forms[name][0] is not None}
