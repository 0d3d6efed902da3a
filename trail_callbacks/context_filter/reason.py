"""What speaks against a passage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

ReasonKind = Literal["instruction", "contradiction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One thing found in a passage.

    Attributes:
        kind: `instruction` (to the model) or `contradiction` (others contradict it).
        score: How sure, 0.0 to 1.0. A rule's weight, not a probability.
        drops: Whether it is enough to drop the passage; otherwise the passage is kept and flagged.
        start: Offset in the passage's text of what triggered it.
        end: Offset after it.
        quote: `text[start:end]`, verbatim, disguise included.
        signals: The rules that fired, e.g. `("override", "exfiltration")`.
        why: One sentence for a person.
        against: Positions in the input of the passages that it contradicts.
    """

    kind: ReasonKind
    score: float
    drops: bool = False
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
