"""The checks by name, and the rule by which several passages settle what one of them disputes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trail_callbacks.judges.local.checks import (
    attribution,
    binding,
    comparison,
    concatenation,
    condition,
    designation,
    entity,
    hyperbole,
    modality,
    negation,
    number,
    phase,
    quantifier,
    reasoning,
    role,
    superlative,
    temporal,
)
from trail_callbacks.judges.local.checks.number import stated
from trail_callbacks.judges.local.checks.reading import Finding, Reading
from trail_callbacks.judges.local.checks.slots import agreement, within

__all__ = ["CHECKS", "NEUTRAL", "WIDE", "Pairwise", "Wide", "settled"]

Pairwise = Callable[[Reading, Reading], "Finding | None"]
Wide = Callable[[Reading, Sequence[Reading]], "Finding | None"]

CHECKS: dict[str, Pairwise] = {
    "number": number.compare,
    "binding": binding.compare,
    "entity": entity.compare,
    "designation": designation.compare,
    "role": role.compare,
    "comparison": comparison.compare,
    "negation": negation.compare,
    "temporal": temporal.compare,
    "modality": modality.compare,
    "phase": phase.compare,
    "quantifier": quantifier.compare,
    "condition": condition.compare,
    "hyperbole": hyperbole.compare,
    "attribution": attribution.compare,
}
"""Checks of a claim against one passage, in the order in which a finding is looked for."""

WIDE: dict[str, Wide] = {
    "superlative": superlative.compare_all,
    "concatenation": concatenation.compare_all,
    "reasoning": reasoning.compare_all,
}
"""Checks of a claim against all its passages together."""

NEUTRAL = ("number", "entity", "designation")
"""Checks that need no English grammar."""

_RELATED = 0.6  # part of the agreement of the disputing passage that a passage which settles the dispute must have


def settled(check: Pairwise, claim: Reading, passages: Sequence[Reading]) -> Finding | None:
    """Returns what a check finds against a passage, unless another passage states the disputed words of the claim.

    That one must be about as much on the subject, and the check must find nothing against it: a bridge that was
    repainted in 1962 was still built in 1926.

    Args:
        check: A check against one passage.
        claim: The claim.
        passages: Passages on its subject, the best first.
    """
    findings = [check(claim, passage) for passage in passages]
    for passage, finding in zip(passages, findings, strict=True):
        if finding is None:
            continue
        floor = _RELATED * agreement(claim, passage, finding.claim_span)
        if not any(
            other is None and agreement(claim, rival, finding.claim_span) >= floor and _states(claim, rival, finding)
            for rival, other in zip(passages, findings, strict=True)
        ):
            return finding
    return None


def _states(claim: Reading, passage: Reading, finding: Finding) -> bool:
    """Whether a passage has all words, names and numbers that a finding disputes."""
    first, last = finding.claim_span
    numbers = [quantity for quantity in claim.quantities if first <= quantity.start < last]
    words = list(within(claim, finding.claim_span))
    if not numbers and not words:
        words = [term for term in claim.terms if first <= term.start < last]
    return all(map(passage.has, words)) and all(stated(quantity, claim, passage) for quantity in numbers)
