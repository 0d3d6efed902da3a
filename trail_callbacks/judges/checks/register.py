"""The checks by name, and the rule by which several passages settle what one of them disputes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trail_callbacks.judges.checks import attribution, entity, hyperbole, negation, number, quantifier, role, temporal
from trail_callbacks.judges.checks.reading import Finding, Reading

__all__ = ["CHECKS", "NEUTRAL", "WIDE", "Pairwise", "Wide", "settled"]

Pairwise = Callable[[Reading, Reading], "Finding | None"]
Wide = Callable[[Reading, Sequence[Reading]], "Finding | None"]

CHECKS: dict[str, Pairwise] = {
    "number": number.compare,
    "entity": entity.compare,
    "role": role.compare,
    "negation": negation.compare,
    "temporal": temporal.compare,
    "quantifier": quantifier.compare,
    "hyperbole": hyperbole.compare,
    "attribution": attribution.compare,
}
"""Checks of a claim against one passage, in the order in which a finding is looked for."""

WIDE: dict[str, Wide] = {}
"""Checks of a claim against all its passages together."""

NEUTRAL = ("number", "entity")
"""Checks that need no English grammar."""


def settled(check: Pairwise, claim: Reading, passages: Sequence[Reading]) -> Finding | None:
    """Returns what a check finds against passages, unless another of them states the disputed words of the claim.

    Args:
        check: A check against one passage.
        claim: The claim.
        passages: Passages about as much on the subject as each other, the best first.
    """
    found = [(p, finding) for p, passage in enumerate(passages) if (finding := check(claim, passage)) is not None]
    return found[0][1] if found else None
