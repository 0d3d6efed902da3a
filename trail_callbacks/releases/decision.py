"""What a gate decided, with the figures behind it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from trail_callbacks.releases.arm import Arm, MeasureName
from trail_callbacks.releases.policy import Policy

__all__ = ["Decision", "Measure", "Outcome", "SegmentDecision"]

Outcome: TypeAlias = Literal["passes", "worse", "not_enough_data"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One measure in one segment.

    Attributes:
        name: What is measured.
        outcome: What it says by itself.
        margin: By how much it may rise.
        baseline: Share in the baseline, 0.0 to 1.0; of paired runs, mean of the questions' shares. None without data.
        candidate: Share in the candidate, likewise.
        difference: Candidate minus baseline; None without data.
        low: Lower limit of the difference, one-sided with error alpha.
        high: Upper limit, likewise: the candidate passes if it is below the margin.
        p: Probability of such a rise if nothing had changed.
        adjusted: The same after Holm's correction over all segments and measures.
        questions: Questions in the baseline and in the candidate; of paired runs, the pairs, twice.
        design: Design effect of the difference, see `Share`.
        icc: Correlation of claims of one answer, 0.0 to 1.0; None where answers have one each, or without data.
        more: Further questions of the baseline and of the candidate that are needed; None if they are enough, or if
            no number would help.
    """

    name: MeasureName
    outcome: Outcome
    margin: float
    baseline: float | None = None
    candidate: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    adjusted: float | None = None
    questions: tuple[int, int] = (0, 0)
    design: float | None = None
    icc: float | None = None
    more: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentDecision:
    """One segment.

    Attributes:
        name: Its value; `rest` for merged ones; `all` without segments.
        merged: Values that were merged into it.
        critical: Whether contradictions may not rise at all.
        outcome: What is decided.
        reasons: Why, in words; empty if it passes.
        baseline: What was counted in the baseline.
        candidate: What was counted in the candidate.
        unmatched: Runs of the baseline and of the candidate that were left out: nobody asked their question in the
            other release. Of unpaired runs (0, 0).
        measures: Both measures.
    """

    name: str
    merged: tuple[str, ...]
    critical: bool
    outcome: Outcome
    reasons: tuple[str, ...]
    baseline: Arm
    candidate: Arm
    unmatched: tuple[int, int]
    measures: tuple[Measure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a gate decided.

    Attributes:
        outcome: `worse` if a segment is; else `not_enough_data` if one has not enough; else `passes`.
        policy: By which rules.
        judge: Who judged both releases.
        paired: Whether question was compared with question.
        matched: Share of the runs of each release whose question was asked in the other too, the smaller of both.
        segments: All segments, the worst first.
    """

    outcome: Outcome
    policy: Policy
    judge: str
    paired: bool
    matched: float
    segments: tuple[SegmentDecision, ...]

    def as_data(self) -> dict[str, Any]:
        """Returns the decision as JSON-safe values."""
        data = asdict(self)
        data["policy"]["critical"] = sorted(self.policy.critical)
        return data
