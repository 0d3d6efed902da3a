"""What is looked for in an alignment, by the names that `LocalJudge(without=...)` takes, in the order of the search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from trail_callbacks.judges.local.aligned import losses, novelties, polarity, slots
from trail_callbacks.judges.local.aligned.alignment import Alignment
from trail_callbacks.judges.local.checks.reading import Finding
from trail_callbacks.judges.local.checks.registry import CHECKS

__all__ = ["ANY_LANGUAGE", "MISMATCHES", "Mismatch", "found"]

Mismatch = Callable[[Alignment], "Finding | None"]
"""Compares a claim with one sentence."""

MISMATCHES: dict[str, tuple[Mismatch, ...]] = {
    "number": (slots.number,),
    "entity": (slots.name,),
    "negation": (polarity.negation, slots.opposite),
    "temporal": (losses.plan,),
    "quantifier": (losses.limit,),
    "hyperbole": (losses.hedge,),
    "attribution": (losses.view,),
    "condition": (losses.condition,),
    "invented": (novelties.new_name, novelties.new_year),
}

ANY_LANGUAGE = ("number", "entity")
"""Those that need no English grammar."""

_SAME = 0.8  # share of the claim that must be paired for a check that reads no alignment
_CHECKED = ("entity", "temporal", "quantifier", "hyperbole", "attribution")


def found(alignment: Alignment, names: Sequence[str]) -> Iterator[Finding]:
    """Yields what a sentence says differently from a claim.

    Args:
        alignment: Both.
        names: What to look for.
    """
    for name in names:
        for mismatch in MISMATCHES[name]:
            if (finding := mismatch(alignment)) is not None:
                yield finding
    if alignment.coverage() < _SAME:
        return
    for name in _CHECKED:
        if name in names and (finding := CHECKS[name](alignment.claim, alignment.passage)) is not None:
            yield finding
