"""The checks by name, in the order in which a finding is looked for."""

from __future__ import annotations

from collections.abc import Callable

from trail_callbacks.judges.local.checks import entity, negation, number, strength
from trail_callbacks.judges.local.checks.reading import Finding, Reading

__all__ = ["ANY_LANGUAGE", "CHECKS", "Check"]

Check = Callable[[Reading, Reading], "Finding | None"]
"""Compares a claim, the first argument, with a passage, the second."""

CHECKS: dict[str, Check] = {
    "number": number.compare,
    "entity": entity.compare,
    "negation": negation.compare,
    "temporal": strength.temporal,
    "quantifier": strength.quantifier,
    "hyperbole": strength.hyperbole,
    "attribution": strength.attribution,
}
"""Checks by the names that `LocalJudge(without=...)` takes."""

ANY_LANGUAGE = ("number", "entity")
"""Checks that need no English grammar; the others are made only where claim and passage are English."""
