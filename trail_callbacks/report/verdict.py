"""The verdict on one claim: its class, the evidence, and the walk back to where it was introduced."""

from __future__ import annotations

from dataclasses import dataclass

from trail_callbacks.evidence import Evidence
from trail_callbacks.taxonomy import ErrorType, SupportClass


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """A sentence that was selected as bearing on a claim, for or against it.

    Attributes:
        node_id: The node it is from.
        start: Offset of its first character in the node's text.
        end: Offset after its last character.
        quote: `node.text[start:end]`, verbatim.
    """

    node_id: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What the sentences selected in one node say on a claim, in the words of the judge; no evidence.

    Attributes:
        node_id: The node.
        text: The summary.
    """

    node_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One step of the walk back from the answer: for an unsupported claim, in a `veritrail` walk for every claim.

    Attributes:
        nodes: The nodes that were examined.
        stated_by: Those that state the claim.
        note: The judge's rationale, or why the walk stopped here.
        statement: The part of the claim that was searched for; empty for the whole claim.
        selected: In a `veritrail` walk, the sentences that were selected in these nodes: what the verdict of this step
            rests on.
        summaries: Likewise what they say, by node, if `VerifyOptions.summaries` asks for it.
    """

    nodes: tuple[str, ...]
    stated_by: tuple[str, ...] = ()
    note: str = ""
    statement: str = ""
    selected: tuple[Selected, ...] = ()
    summaries: tuple[Summary, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The verdict on one claim.

    Attributes:
        claim_id: The claim.
        support: Its class; None exactly when `error` or `undecided` is set.
        error_type: One of ten, set if and only if the claim is contradicted, absent or partially supported.
        second_type: A second-ranked error type.
        detail: A finer label within the type.
        rationale: Why, in a sentence or two.
        evidence: The verbatim passages it is based on: of leaves, and of outputs if a `veritrail` walk ended there.
        confidence: A calibrated probability, or None if the judge is not calibrated.
        introduced_at: The entry step: the first node that states the claim although its own inputs do not. None for
            supported claims, and if it could not be determined.
        carried_through: Later nodes that repeat it, in order, ending with the answer.
        history: One entry for each layer walked; empty for supported claims, unless a `veritrail` walk was made.
        judge: Name, version and prompt hash of the judge.
        undecided: Why there is no class although the judge read the evidence: it abstains from what it cannot show.
            `evidence` may then hold the passages nearest to the claim (relation `nearest`); they decide nothing.
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
    undecided: str | None = None
    error: str | None = None

    @property
    def outcome(self) -> str:
        """How judging ended: the value of one of the five classes, `undecided`, or `not_judged` if the judge failed."""
        if self.support is not None:
            return self.support.value
        return "not_judged" if self.undecided is None or self.error is not None else "undecided"

    @property
    def conflicting(self) -> bool:
        """Whether the sources disagree: some support the claim, some contradict it."""
        against = any(item.relation == "contradicts" for item in self.evidence)
        return against and self.support is SupportClass.SUPPORTED
