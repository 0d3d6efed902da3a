"""The verdict on a claim, what an answer's verdicts come to as a score, and the record that other tools take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from trail_callbacks.claims import Claim
from trail_callbacks.evidence import Evidence
from trail_callbacks.signatures import refuses_unknown
from trail_callbacks.taxonomy import UNSUPPORTED, ErrorType, SupportClass


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """A sentence that was selected as bearing on a claim, for or against it."""

    node_id: str  # the node it is from
    start: int  # offset of its first character in the node's text
    end: int  # offset after its last character
    quote: str  # `node.text[start:end]`, verbatim


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What the sentences selected in one node say on a claim, in the words of the judge; no evidence."""

    node_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One step of the walk back from the answer: for an unsupported claim, in a `veritrail` walk for every claim."""

    nodes: tuple[str, ...]  # the nodes that were examined
    stated_by: tuple[str, ...] = ()  # those that state the claim
    note: str = ""  # the judge's rationale, or why the walk stopped here
    statement: str = ""  # the part of the claim that was searched for; empty for the whole claim
    # in a `veritrail` walk, the sentences that were selected in these nodes: what the verdict of this step rests on
    selected: tuple[Selected, ...] = ()
    summaries: tuple[Summary, ...] = ()  # likewise what they say, by node, if `veritrail(summaries=True)` asks for it

    @property
    def names(self) -> set[str]:
        """Ids of all nodes that it names."""
        said = {each.node_id for each in self.selected} | {each.node_id for each in self.summaries}
        return {*self.nodes, *self.stated_by, *said}


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


@refuses_unknown
@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """Options of the score.

    Attributes:
        strict: Count unevaluatable claims as unsupported, as HalluMeasure's introduction does.
        severity: Weight partially supported claims 0.5 instead of 1.
        gate: Any contradiction sets the score to 1.0.
    """

    strict: bool = False
    severity: bool = False
    gate: bool = False


def score(classes: Sequence[SupportClass], scoring: Scoring | None = None) -> float | None:
    """Computes the hallucination score, 0.0 (all supported) to 1.0; None if nothing was checkable.

    It depends on nothing but the class of each claim:

        hallucination_score = (contradicted + absent + partially_supported) / (all - unevaluatable)

    Claims whose judge failed or abstained are left out of both sides. Worked example: of six claims three are
    supported, one is contradicted, one absent and one a greeting; the score is (1 + 1 + 0) / (6 - 1) = 0.4.

    >>> S = SupportClass
    >>> score([S.SUPPORTED] * 3 + [S.CONTRADICTED, S.ABSENT, S.UNEVALUATABLE])
    0.4
    >>> score([S.UNEVALUATABLE]) is None
    True
    """
    scoring = scoring or Scoring()
    weights = [value for support in classes if (value := weight(support, scoring)) is not None]
    if not weights:
        return None
    if scoring.gate and SupportClass.CONTRADICTED in classes:
        return 1.0
    return sum(weights) / len(weights)


def weight(support: SupportClass | None, scoring: Scoring) -> float | None:
    """The weight of one claim: 0.0, 0.5 or 1.0; None if it is not counted or was not judged (`support` is None)."""
    if support is SupportClass.UNEVALUATABLE:
        return 1.0 if scoring.strict else None
    if support is SupportClass.PARTIALLY_SUPPORTED and scoring.severity:
        return 0.5
    return None if support is None else float(support in UNSUPPORTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationFigures:
    """Counts and shares of the citations of one answer.

    After ALCE (Gao et al., EMNLP 2023), a claim in place of a sentence. Shares are 0.0 to 1.0, or None where there is
    nothing to divide by.
    """

    claims: int  # checkable claims
    cited: int  # those that name at least one source
    coverage: float | None  # `cited / claims`
    recall: float | None  # share of the claims that a source they cite supports
    citations: int  # citations in all; one of several claims counts for each
    decided: int  # those whose support was judged, or whose source is unknown
    precision: float | None  # share of the decided citations whose source supports the claim
    unknown: int  # citations of a source that did not reach the answer


def citation_figures(claims: Sequence[Claim]) -> CitationFigures | None:
    """Computes the figures; None for an answer that cites nothing."""
    checkable = [claim for claim in claims if claim.checkable]
    citing = [claim for claim in checkable if claim.citations]
    if not citing:
        return None
    statuses = [citation.status for claim in citing for citation in claim.citations]
    decided = [status for status in statuses if status != "undecided"]
    backed = sum(any(citation.status == "supported" for citation in claim.citations) for claim in citing)
    return CitationFigures(
        claims=len(checkable),
        cited=len(citing),
        coverage=len(citing) / len(checkable),
        recall=backed / len(checkable),
        citations=len(statuses),
        decided=len(decided),
        precision=decided.count("supported") / len(decided) if decided else None,
        unknown=statuses.count("unknown_source"),
    )


AnnotatorKind = Literal["LLM", "CODE"]
"""Whether a language model decided, or code. A report is never `HUMAN`."""


class Evaluation(TypedDict):
    """One judgement on an answer, a claim or a step; JSON-safe."""

    name: str  # what was judged, see `Report.to_evaluations`
    score: float | None  # 0.0 to 1.0 in the direction that `metadata["direction"]` names; None where there is no score
    label: str  # the outcome as a word
    explanation: str | None  # why, for people; None if there is nothing to say
    annotator_kind: AnnotatorKind  # `LLM` or `CODE`
    identifier: str  # a UUID, the same for the same report and trace, so that sending twice does not make two
    # what the judgement rests on, and as `trace_id` and `span_id` what it is about; None if unknown
    metadata: dict[str, Any]
