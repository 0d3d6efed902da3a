"""The verdict on one claim: its class, the evidence for it, and the walk to where it came in."""

from __future__ import annotations

from dataclasses import dataclass

from trail_callbacks.evidence import Evidence
from trail_callbacks.taxonomy import ErrorType, SupportClass

__all__ = ["Layer", "Verdict"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One step of the walk back from the answer for an unsupported claim.

    Attributes:
        nodes: Nodes looked at.
        stated_by: Those that state the claim.
        note: What the judge said, or why the walk stopped here.
        statement: What was looked for, where it is a part of the claim and not the whole.
    """

    nodes: tuple[str, ...]
    stated_by: tuple[str, ...] = ()
    note: str = ""
    statement: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is known about one claim.

    Attributes:
        claim_id: The claim.
        support: Its class; None exactly when `error` is set.
        error_type: One of ten, set if and only if the claim is contradicted, absent or partially supported.
        second_type: A second-ranked error type.
        detail: A finer word under the type.
        rationale: Why, in a sentence or two.
        evidence: Verbatim passages that decided: of leaves; where a walk of `veritrail` ended at outputs, of those too.
        confidence: A calibrated probability, or None where the judge is not calibrated.
        introduced_at: Where unsupported content entered: the first node that states the claim although its own
            inputs do not. None for supported claims, and where it could not be determined.
        carried_through: Later nodes that repeat it, in order, ending with the answer.
        history: One entry a layer walked; empty for supported claims.
        judge: Name, version and prompt hash of who decided.
        error: Why there is no class: a judge failure is data, not an exception.
    """

    claim_id: str
    support: SupportClass | None = None
    error_type: ErrorType | None = None
    second_type: ErrorType | None = None
    detail: str | None = None
    rationale: str = ""
    evidence: tuple[Evidence, ...] = ()
    confidence: float | None = None
    introduced_at: str | None = None
    carried_through: tuple[str, ...] = ()
    history: tuple[Layer, ...] = ()
    judge: str = ""
    error: str | None = None

    @property
    def conflicting(self) -> bool:
        """Whether sources disagree: some state the claim, some contradict it."""
        against = any(item.relation == "contradicts" for item in self.evidence)
        return against and self.support is SupportClass.SUPPORTED
