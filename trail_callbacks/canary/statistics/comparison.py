"""A decision on a canary run: what changed against an earlier one, strategy by strategy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from trail_callbacks.canary.statistics.contrasts import LABELS, Compared
from trail_callbacks.canary.trial import Policy

__all__ = ["Change", "Comparison", "Verdict"]

Verdict = Literal["passes", "worse", "not_enough_data"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One measure of one strategy in both runs.

    Attributes:
        strategy: Its name, in both runs.
        measure: The measure.
        verdict: See `comparing.compare`.
        n: Probes in both denominators.
        baseline: Share of hits among them in the baseline, 0.0 to 1.0; None without any.
        candidate: Likewise in the candidate.
        worse_by: By how much the candidate is worse, -1.0 to 1.0: the rise of a leak rate, the fall of the others.
        low: Lower limit of that (one-sided, 95 %).
        high: Upper limit, likewise.
        margin: What is allowed.
        p: Exact probability of such a worsening, or a larger one, if nothing had changed.
        adjusted: The same after Holm over all strategies and measures.
        more: Probes that are missing, roughly, if what was found holds; None if it passes or more would not help.
        lost: Probes scored in the baseline that are unscorable or not retrieved in the candidate.
        too_many: Whether these are more than allowed.
        only_baseline: Probes that were a hit in the baseline only.
        only_candidate: Probes that were a hit in the candidate only.
    """

    strategy: str
    measure: Compared
    verdict: Verdict
    n: int
    margin: float
    baseline: float | None = None
    candidate: float | None = None
    worse_by: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    adjusted: float | None = None
    more: int | None = None
    lost: int = 0
    too_many: bool = False
    only_baseline: int = 0
    only_candidate: int = 0

    @property
    def label(self) -> str:
        """The measure in words."""
        return LABELS[self.measure]

    @property
    def reason(self) -> str:
        """Why it does not pass; empty if it does."""
        if self.verdict == "passes":
            return ""
        if self.too_many and self.verdict != "worse":
            return (
                f"the {self.label}: {self.lost:,} probes that were scored in the baseline are unscorable or not "
                "retrieved in the candidate, which may hide that it is worse"
            )
        if self.worse_by is None or self.high is None:
            return f"the {self.label} is known of no probe in both runs"
        change = f"the {self.label} is worse by {100 * self.worse_by:.1f} points"
        if self.verdict == "worse":
            return f"{change} (p = {self.adjusted:.2g} after Holm)"
        if self.more is None:
            return f"{change}, at or over the margin of {100 * self.margin:.1f}: more probes would not make it pass"
        return f"the {self.label} may be worse by {100 * self.high:.1f} points: about {self.more:,} more probes needed"

    def as_data(self) -> dict[str, Any]:
        """JSON-like."""
        return {name: getattr(self, name) for name in self.__slots__} | {"reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The decision on a candidate run.

    Attributes:
        verdict: The worst of all changes.
        policy: What counts as right.
        changes: Every strategy and measure, the worst first.
        common: Number of probes in both runs.
        left_out: Numbers of probes in one run only: of the baseline, and of the candidate.
        unmatched: Names of strategies that are in one run only.
    """

    verdict: Verdict
    policy: Policy
    changes: Sequence[Change]
    common: int
    left_out: tuple[int, int]
    unmatched: Sequence[str] = ()

    def remarks(self) -> Iterator[str]:
        """What a reader must know beside the table."""
        if any(self.left_out):
            yield (
                f"Compared on the {self.common:,} probes of both runs; left out: {self.left_out[0]:,} of the baseline "
                f"and {self.left_out[1]:,} of the candidate."
            )
        if self.unmatched:
            yield f"In one run only, not compared: {', '.join(self.unmatched)}."
        yield f"Policy: {self.policy.replace('_', ' ')}. Each limit is one-sided, 95 %; n is probes in both runs."

    def as_data(self) -> dict[str, Any]:
        """JSON-like."""
        return {
            "verdict": self.verdict,
            "policy": self.policy,
            "common": self.common,
            "left_out": list(self.left_out),
            "unmatched": list(self.unmatched),
            "changes": [each.as_data() for each in self.changes],
        }
