"""What a judge must be able to do to walk back as VeriTrail does: take claims apart, point at evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Passage
from trail_callbacks.models.call import Pipeline

__all__ = ["Search", "Selection", "Tracer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A claim and the texts to be searched for what addresses it.

    Attributes:
        claim: The claim.
        parts: Simpler statements that it is made of: they help to see what matters, and get no verdict of their own.
        passages: All sentences of the texts, in order, each text's together.
    """

    claim: Claim
    parts: tuple[str, ...] = ()
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The evidence for one search.

    Attributes:
        passages: Those passages of the search that strongly imply the claim or a part of it, true or false.
        summaries: What they say, by node id; a node may be missing.
        error: Why the search failed, or None.
    """

    passages: tuple[Passage, ...] = ()
    summaries: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None


@runtime_checkable
class Tracer(Protocol):
    """A judge that can take claims apart and select evidence. Both methods are pipelines, as those of `Judge` are."""

    def decompose(self, claims: Sequence[Claim]) -> Pipeline[tuple[tuple[str, ...], ...]]:
        """Splits claims into simpler statements.

        Returns:
            The parts of each claim, in order; the claim's own text alone if it cannot be split, or if the judge failed.
        """

    def select(self, searches: Sequence[Search]) -> Pipeline[tuple[Selection, ...]]:
        """Points at evidence, reading each text once for all claims that need it.

        Returns:
            One selection a search, in order.
        """
