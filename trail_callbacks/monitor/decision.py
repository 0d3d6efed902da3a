"""What a gate decided, with the figures behind it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

from trail_callbacks.errors import InputError
from trail_callbacks.verify.threshold import OnUndecided

__all__ = [
    "ALPHA", "POWER", "Arm", "Decision", "GateOutcome", "Measure", "MeasureName", "Policy", "SegmentDecision",
]  # fmt: skip

MeasureName: TypeAlias = Literal["unsupported_claims", "contradictions"]
"""Share of the decided claims that are unsupported; share of the runs with a contradiction."""

GateOutcome: TypeAlias = Literal["passes", "worse", "not_enough_data"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """Counts over the runs of a release, or of a segment of it."""

    answers: int = 0  # runs
    undecided: int = 0  # runs that the judge failed on, or of which it decided nothing
    declined: int = 0  # runs in which the app declined to answer
    claims: int = 0  # decided claims
    open_claims: int = 0  # claims that the judge left undecided or failed on, in runs of which it decided others
    unsupported: int = 0  # decided claims that are unsupported
    flawed: int = 0  # runs with an unsupported claim
    contradicted: int = 0  # runs with a contradiction
    # share of the answers that is not known, 0.0 to 1.0: one for each undecided, and of each other the share of its
    # claims that is open
    open_share: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One measure in one segment."""

    name: MeasureName  # what is measured
    outcome: GateOutcome  # what it says by itself
    margin: float  # by how much it may rise
    # share in the baseline, 0.0 to 1.0; of paired runs, mean of the questions' shares. None without data.
    baseline: float | None = None
    candidate: float | None = None  # share in the candidate, likewise
    difference: float | None = None  # candidate minus baseline; None without data
    low: float | None = None  # lower limit of the difference, one-sided with error alpha
    high: float | None = None  # upper limit, likewise: the candidate passes if it is below the margin
    p: float | None = None  # probability of such a rise if nothing had changed
    adjusted: float | None = None  # the same after Holm's correction over all segments and measures
    # questions in the baseline and in the candidate; of paired runs, the pairs, twice
    questions: tuple[int, int] = (0, 0)
    design: float | None = None  # design effect of the difference, see `Share`
    # correlation of claims of one answer, 0.0 to 1.0; None where answers have one each, or without data
    icc: float | None = None
    # further questions of the baseline and of the candidate that are needed; None if they are enough, or if no number
    # would help
    more: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentDecision:
    """One segment."""

    name: str  # its value; `rest` for merged ones; `all` without segments
    merged: tuple[str, ...]  # values that were merged into it
    critical: bool  # whether contradictions may not rise at all
    outcome: GateOutcome  # what is decided
    reasons: tuple[str, ...]  # why, in words; empty if it passes
    baseline: Arm  # what was counted in the baseline
    candidate: Arm  # what was counted in the candidate
    # runs of the baseline and of the candidate that were left out: nobody asked their question in the other release. Of
    # unpaired runs (0, 0).
    unmatched: tuple[int, int]
    measures: tuple[Measure, ...]  # both measures


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

    outcome: GateOutcome
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


ALPHA = 0.05
"""How often a candidate that is worse by the margin may pass, and one that is as good be called worse."""

POWER = 0.8
"""How often a candidate without a change is to pass: what the missing number of answers is computed for."""

_MINIMUM = 10  # below, no limit used here keeps what it says


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The rules of a gate. They are to be fixed before anybody sees the figures.

    Attributes:
        segment: Name of the segments that are decided one by one, see `Observation.segment`; None: all runs together.
        margin: By how much the share of unsupported claims may rise, above 0.0, below 1.0.
        contradiction_margin: By how much the share of runs with a contradiction may rise, likewise. It is larger,
            because one run says less than its several claims.
        critical: Values of the segment in which contradictions may not rise at all.
        minimum: Questions in each release below which a segment is merged with others, 10 or more.
        max_undecided: Share of the candidate's answers that the judge may have left open, 0.0 to 1.0.
        on_undecided: What claims that the judge left undecided beside decided ones mean, in both releases: `pass`
            leaves them open, `fail` counts each as unsupported.

    Raises:
        InputError: If a value is out of its range.
    """

    segment: str | None = None
    margin: float = 0.02
    contradiction_margin: float = 0.05
    critical: frozenset[str] = frozenset()
    minimum: int = 30
    max_undecided: float = 0.1
    on_undecided: OnUndecided = "pass"

    def __post_init__(self) -> None:
        for name in ("margin", "contradiction_margin"):
            if not 0.0 < getattr(self, name) < 1.0:
                raise InputError(f"{name} is {getattr(self, name)}, expected above 0.0 and below 1.0")
        if not 0.0 <= self.max_undecided <= 1.0:
            raise InputError(f"max_undecided is {self.max_undecided}, expected 0.0 to 1.0")
        if self.on_undecided not in get_args(OnUndecided):
            raise InputError(f"on_undecided is {self.on_undecided!r}, expected 'pass' or 'fail'")
        if self.minimum < _MINIMUM:
            raise InputError(f"minimum is {self.minimum}, expected {_MINIMUM} or more: fewer answers show nothing")
        if self.critical and self.segment is None:
            raise InputError("critical names values of a segment: say of which one, with segment")
