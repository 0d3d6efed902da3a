"""What the filter says about each passage, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

__all__ = ["Action", "Decision", "Filtered", "Reason", "ReasonKind"]

Action = Literal["drop", "flag", "off"]
ReasonKind = Literal["instruction", "contradiction", "off_topic", "duplicate"]
P = TypeVar("P")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One thing found in a passage.

    Attributes:
        kind: `instruction` (to the model), `contradiction` (others contradict it), `off_topic` or `duplicate`.
        score: How sure, 0.0 to 1.0. A rule's weight, not a probability.
        drops: Whether it is enough to drop the passage; otherwise the passage is kept and flagged.
        start: Offset in the passage's text of what triggered it.
        end: Offset after it.
        quote: `text[start:end]`, verbatim, disguise included.
        signals: The rules that fired, e.g. `("override", "exfiltration")`.
        why: One sentence for a person.
        against: Positions in the input of the passages that it contradicts or repeats.
    """

    kind: ReasonKind
    score: float
    drops: bool
    start: int
    end: int
    quote: str
    signals: tuple[str, ...]
    why: str
    against: tuple[int, ...] = ()

    def to_dict(self, *, quotes: bool = True) -> dict[str, Any]:
        """Returns it as JSON-safe values; without `quotes`, nothing verbatim of any passage is in it."""
        data: dict[str, Any] = {
            "kind": self.kind,
            "score": round(self.score, 3),
            "drops": self.drops,
            "start": self.start,
            "end": self.end,
            "signals": list(self.signals),
        }
        if quotes:
            data |= {"quote": self.quote, "why": self.why}
        if self.against:
            data["against"] = list(self.against)
        return data


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(Generic[P]):
    """What becomes of one passage.

    Attributes:
        index: Its position in the input, from 0.
        passage: The object that was given, itself.
        kept: Whether it goes on to the model.
        reasons: What was found, most serious first; empty if nothing was.
        error: What kept a detector from reading it; the passage is kept then. Empty if all went well.
    """

    index: int
    passage: P
    kept: bool
    reasons: tuple[Reason, ...] = ()
    error: str = ""

    @property
    def flagged(self) -> bool:
        """Kept although something was found."""
        return self.kept and bool(self.reasons)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtered(Generic[P]):
    """The outcome for all passages, in their order.

    Attributes:
        decisions: One a passage, in the order of the input.
        errors: Faults of our own; the passages concerned were kept.
        warnings: What was not looked at, and why.
    """

    decisions: Sequence[Decision[P]]
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def kept(self) -> list[P]:
        """The passages that go on, in order."""
        return [decision.passage for decision in self.decisions if decision.kept]

    @property
    def dropped(self) -> list[Decision[P]]:
        """What was taken out, with reasons."""
        return [decision for decision in self.decisions if not decision.kept]

    @property
    def flagged(self) -> list[Decision[P]]:
        """What was kept with a doubt."""
        return [decision for decision in self.decisions if decision.flagged]
