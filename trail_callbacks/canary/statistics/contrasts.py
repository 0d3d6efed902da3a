"""Strategies against each other, paired by probe: which differ, and which cannot be told apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, Literal

from trail_callbacks.canary.statistics.measures import MEASURES, ProbeCase, right
from trail_callbacks.canary.statistics.rates import cluster
from trail_callbacks.canary.trial import Policy
from trail_callbacks.statistics.paired import Paired, groups, holm, paired

__all__ = ["ALPHA", "LABELS", "Compared", "Contrast", "contrasts", "hits", "ranking"]

Compared = Literal["leak", "follow", "right_real", "right_fictive"]
"""What strategies and runs are compared by: leak and follow rate, see `measures`, and the share that is right by the
policy in two arms."""

LABELS: Final[Mapping[Compared, str]] = {
    "leak": "leak rate",
    "follow": "follow rate",
    "right_real": "share of right answers with the real context",
    "right_fictive": "share of right answers with the fictive context",
}
ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Two strategies by one measure.

    Attributes:
        measure: The measure.
        a: Name of a strategy.
        b: Name of the other.
        pairs: What their common probes say, b minus a.
        adjusted: `pairs.p` after Holm over all pairs of strategies by this measure; None without common probes.
    """

    measure: Compared
    a: str
    b: str
    pairs: Paired
    adjusted: float | None = None

    @property
    def verdict(self) -> Literal["differ", "tie", "unpaired"]:
        """`differ` if `adjusted` is below 0.05; otherwise a `tie`, or `unpaired` without common probes."""
        if self.adjusted is None:
            return "unpaired"
        return "differ" if self.adjusted < ALPHA else "tie"

    @property
    def words(self) -> str:
        """The verdict as a sentence; names no strategy."""
        found = self.pairs
        if found.difference is None or found.low is None or found.high is None:
            return "cannot be compared: no probe counts under both"
        span = f"[{100 * found.low:+.1f}, {100 * found.high:+.1f}] points"
        if self.verdict == "tie":
            return f"cannot be told apart at n = {found.n:,}: difference within {span}"
        return f"differ by {100 * found.difference:+.1f} points {span}, p = {self.adjusted:.2g} after Holm"

    def as_data(self) -> dict[str, Any]:
        """JSON-like."""
        names = ("n", "both", "first", "second", "difference", "low", "high", "design", "p")
        found = {name: getattr(self.pairs, name) for name in names}
        return {"measure": self.measure, "a": self.a, "b": self.b, "adjusted": self.adjusted, **found} | {
            "verdict": self.verdict
        }


def hits(found: Iterable[ProbeCase], measure: Compared, policy: Policy) -> dict[str, dict[str, bool]]:
    """Of each strategy the probes in the denominator of a measure, and whether each is a hit."""
    counted: dict[str, dict[str, bool]] = defaultdict(dict)
    for case in found:
        trial, hit = case.trial, None
        if measure == f"right_{trial.arm}":
            hit = right(case.probe, trial.arm, trial.finding, policy)
        elif measure in MEASURES and trial.arm == MEASURES[measure].arm:
            hit = MEASURES[measure].counts(case)
        if hit is not None:
            counted[trial.strategy][case.probe.id] = hit
    return counted


def contrasts(
    found: Sequence[ProbeCase],
    strategies: Sequence[str],
    measure: Compared,
    policy: Policy = "context_is_authoritative",
) -> tuple[Contrast, ...]:
    """Compares each pair of strategies by one measure.

    Args:
        found: The trials, see `rates.cases`.
        strategies: Names of strategies; pairs are in their order.
        measure: The measure.
        policy: What counts as right.
    """
    counted, clusters = hits(found, measure, policy), {case.probe.id: cluster(case.probe) for case in found}
    pairs = [(a, b, paired(counted.get(a, {}), counted.get(b, {}), clusters)) for a, b in combinations(strategies, 2)]
    adjusted = holm([each.p for _, _, each in pairs])
    return tuple(
        Contrast(measure=measure, a=a, b=b, pairs=each, adjusted=p)
        for (a, b, each), p in zip(pairs, adjusted, strict=True)
    )


def ranking(found: Sequence[Contrast], shares: Mapping[str, float], *, best: Literal["high", "low"]) -> list[list[str]]:
    """Groups of strategies that cannot be told apart, the best first; see `statistics.paired.groups`.

    Args:
        found: All contrasts of the strategies by one measure.
        shares: Share of each strategy; those without any are left out.
        best: Whether a high or a low share is best.
    """
    sign = -1 if best == "high" else 1
    ordered = sorted(shares, key=lambda name: (sign * shares[name], name))
    return groups(ordered, [(each.a, each.b) for each in found if each.verdict != "tie"])
