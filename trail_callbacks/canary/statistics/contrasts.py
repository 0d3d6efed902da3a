"""Strategies against each other, paired by probe: which differ, and which cannot be told apart."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from trail_callbacks.canary.policy import right
from trail_callbacks.canary.statistics.measures import MEASURES, Case
from trail_callbacks.canary.statistics.rate import FEW, cluster, quantile, steadied
from trail_callbacks.canary.trial import Policy
from trail_callbacks.releases.difference import Residuals, residuals, share
from trail_callbacks.report.scoring import difference, holm

__all__ = [
    "ALPHA",
    "COMPARED",
    "LABELS",
    "Compared",
    "Contrast",
    "Hits",
    "Paired",
    "contrasts",
    "hits",
    "paired",
    "ranking",
    "sign_flip",
]

Compared = Literal["leak", "follow", "right_real", "right_fictive"]
"""What strategies and runs are compared by: leak and follow rate, see `measures`, and the share that is right by the
policy in two arms."""

LABELS: Final[Mapping[Compared, str]] = {
    "leak": "leak rate",
    "follow": "follow rate",
    "right_real": "share of right answers with the real context",
    "right_fictive": "share of right answers with the fictive context",
}
COMPARED: Final[Mapping[Policy, tuple[Compared, ...]]] = {
    "context_is_authoritative": ("leak", "follow", "right_real", "right_fictive"),
    "verify_the_context": ("right_real", "right_fictive"),
}
"""What is compared under a policy: where contexts are to be verified, following a fictive one is no virtue."""

ALPHA = 0.05
_Z = 1.96

Hits: TypeAlias = Mapping[str, bool]
"""Of each probe in the denominator, by id, whether it is a hit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """What two sets of trials say of the probes that they have in common; second minus first.

    Attributes:
        n: Probes in both denominators.
        both: Hits in both.
        first: Hits in the first only.
        second: Hits in the second only.
        design: Design effect of the difference, 1.0 or more; 1.0 where no document has several probes.
        low: Lower limit of the difference, -1.0 to 1.0; None without probes in common.
        high: Upper limit.
        p: Exact probability of such a difference, or a larger one, in either direction, if there were none; see
            `sign_flip`. None without probes in common.
        p_more: The same in the direction of more hits in the second.
        p_less: The same in the other direction.
    """

    n: int
    both: int = 0
    first: int = 0
    second: int = 0
    design: float = 1.0
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_more: float | None = None
    p_less: float | None = None

    @property
    def difference(self) -> float | None:
        """Second minus first, -1.0 to 1.0."""
        return (self.second - self.first) / self.n if self.n else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Two strategies by one measure.

    Attributes:
        measure: The measure.
        a: Name of a strategy.
        b: Name of the other.
        pairs: What their common probes say, b minus a.
        adjusted: `pairs.p` after Holm over all pairs of strategies by this measure; None without common probes.
        verdict: `differ` if `adjusted` is below 0.05; otherwise a `tie`, or `unpaired` without common probes.
    """

    measure: Compared
    a: str
    b: str
    pairs: Paired
    adjusted: float | None = None
    verdict: Literal["differ", "tie", "unpaired"] = "unpaired"

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
        found = self.pairs
        counts = {"n": found.n, "both": found.both, "only_a": found.first, "only_b": found.second}
        limits = {"difference": found.difference, "low": found.low, "high": found.high, "design": found.design}
        tests = {"p": found.p, "adjusted": self.adjusted, "verdict": self.verdict}
        return {"measure": self.measure, "a": self.a, "b": self.b, **counts, **limits, **tests}


def hits(found: Iterable[Case], measure: Compared, policy: Policy) -> dict[str, dict[str, bool]]:
    """Of each strategy the probes in the denominator of a measure, and whether each is a hit."""
    counted: dict[str, dict[str, bool]] = defaultdict(dict)
    for case in found:
        trial = case.trial
        if measure == f"right_{trial.arm}":
            hit = right(case.probe, trial.arm, trial.finding, policy)
        elif measure in ("follow", "leak") and trial.arm == MEASURES[measure].arm:
            hit = MEASURES[measure].counts(case)
        else:
            continue
        if hit is not None:
            counted[trial.strategy][case.probe.id] = hit
    return counted


def contrasts(
    found: Sequence[Case],
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
    counted = hits(found, measure, policy)
    clusters = {case.probe.id: cluster(case.probe) for case in found}
    pairs = [
        Contrast(measure=measure, a=a, b=b, pairs=paired(counted.get(a, {}), counted.get(b, {}), clusters))
        for a, b in combinations(strategies, 2)
    ]
    adjusted = iter(holm([each.pairs.p for each in pairs if each.pairs.p is not None]))
    return tuple(each if each.pairs.p is None else _decided(each, next(adjusted)) for each in pairs)


def _decided(found: Contrast, adjusted: float) -> Contrast:
    return replace(found, adjusted=adjusted, verdict="differ" if adjusted < ALPHA else "tie")


def paired(first: Hits, second: Hits, clusters: Mapping[str, str], z: float = _Z) -> Paired:
    """Compares hits on common probes.

    The limits are Newcombe's for paired shares (`report.scoring.difference`), widened by the design effect of the
    difference where documents hold several probes, and by Student's t for so many documents. Probes of fewer than
    `rate.FEW` documents are taken as independent: see there.

    Args:
        first: Hits of the one.
        second: Hits of the other.
        clusters: Cluster of each probe, see `rate.cluster`.
        z: Standard normal quantile of the limits.
    """
    common = [id_ for id_ in first if id_ in second]
    if not common:
        return Paired(n=0)
    before, after = [first[id_] for id_ in common], [second[id_] for id_ in common]
    places = [clusters.get(id_, id_) for id_ in common]
    if len(set(places)) < FEW:
        places = common
    changes: dict[str, list[int]] = defaultdict(list)
    for place, old, new in zip(places, before, after, strict=True):
        changes[place].append(new - old)
    effect = _design(list(changes.values()))
    reach = quantile(len(changes), z) if len(changes) < len(common) else z
    low, high = difference(before, after, len(common), reach * math.sqrt(effect))
    less, more, either = sign_flip([sum(each) for each in changes.values()])
    return Paired(
        n=len(common),
        both=sum(old and new for old, new in zip(before, after, strict=True)),
        first=sum(old and not new for old, new in zip(before, after, strict=True)),
        second=sum(new and not old for old, new in zip(before, after, strict=True)),
        design=effect,
        low=low,
        high=high,
        p=either,
        p_more=more,
        p_less=less,
    )


def _design(changes: Sequence[Sequence[int]]) -> float:
    """Design effect of a paired difference: the mean of those of rises and falls, weighted by how many there are."""
    if all(len(each) == 1 for each in changes):
        return 1.0
    sides = [
        residuals((sum(step == sign for step in each), len(each), len(each)) for each in changes) for sign in (1, -1)
    ]
    known: list[Residuals] = [each for each in sides if each is not None]
    if not known:
        return 1.0
    prior, weights = steadied(known), [each.expected for each in known]
    effects = [share(each, prior).design for each in known]
    whole = sum(weights)
    return sum(e * w for e, w in zip(effects, weights, strict=True)) / whole if whole else max(effects)


def sign_flip(changes: Sequence[int]) -> tuple[float, float, float]:
    """McNemar's exact test, for clusters too.

    If two strategies did not differ, they could be exchanged on each document: the sum of changes would have each
    document's sign by a fair coin. The distribution of that sum is computed exactly. With one probe a document, the
    two-sided probability is that of McNemar's exact test: twice the binomial tail of the discordant pairs. It is not
    the mid-p variant, which is less conservative but may exceed its level.

    Args:
        changes: Of each document, its hits in the second minus those in the first.

    Returns:
        Probability of such a sum or a lower one, of such a sum or a higher one, and of one as far in either direction.
    """
    steps = [abs(each) for each in changes if each]
    if not steps:
        return 1.0, 1.0, 1.0
    total, reach = sum(changes), sum(steps)
    chances = np.zeros(2 * reach + 1)
    chances[reach] = 1.0
    for step in steps:
        moved = np.zeros_like(chances)
        moved[step:] += chances[:-step] / 2
        moved[:-step] += chances[step:] / 2
        chances = moved
    less, more = float(chances[: reach + total + 1].sum()), float(chances[reach + total :].sum())
    return min(1.0, less), min(1.0, more), min(1.0, 2 * min(less, more))


def ranking(found: Sequence[Contrast], shares: Mapping[str, float], *, best: Literal["high", "low"]) -> list[list[str]]:
    """Groups of strategies that cannot be told apart, the best first; a strategy may be in several.

    Ties are not transitive: the first may tie with the second and the second with the third, while the first and the
    third differ. Each group is therefore a largest set in which no two differ (compact letter display; Piepho,
    Journal of Computational and Graphical Statistics 13:456-466, 2004).

    Args:
        found: All contrasts of the strategies by one measure.
        shares: Share of each strategy; those without any are left out.
        best: Whether a high or a low share is best.
    """
    sign = -1 if best == "high" else 1
    ordered = sorted(shares, key=lambda name: (sign * shares[name], name))
    groups = [frozenset(ordered)] if ordered else []
    for each in found:
        if each.verdict == "tie":
            continue  # those that could not be paired do not count as tied
        split = [part for group in groups for part in _parted(group, each.a, each.b)]
        groups = [group for n, group in enumerate(split) if not _covered(group, n, split)]
    place = {name: n for n, name in enumerate(ordered)}
    rows = [sorted(group, key=place.__getitem__) for group in groups if group]
    return sorted(rows, key=lambda names: [place[name] for name in names])


def _parted(group: frozenset[str], a: str, b: str) -> tuple[frozenset[str], ...]:
    return (group - {a}, group - {b}) if a in group and b in group else (group,)


def _covered(group: frozenset[str], place: int, groups: Sequence[frozenset[str]]) -> bool:
    return any(group < other or (group == other and n < place) for n, other in enumerate(groups))
