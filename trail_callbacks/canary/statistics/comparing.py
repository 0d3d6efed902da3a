"""A run against an earlier one: whether the candidate leaks more, follows less or is right less often, as a gate.

It passes if, for each strategy and measure, the upper limit of what got worse is below the margin; the error of wrongly
passing is `ALPHA` over all of them together (intersection-union). That something is worse is said after Holm's
correction over all strategies and measures. What is neither is not enough data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import NormalDist
from typing import Any, Literal, get_args

from trail_callbacks.canary.statistics.contrasts import ALPHA, LABELS, Compared, hits
from trail_callbacks.canary.statistics.rates import cases, cluster
from trail_callbacks.canary.trial import Policy, Run
from trail_callbacks.errors import InputError
from trail_callbacks.statistics.paired import Paired, holm, paired

__all__ = ["RateChange", "RunComparison", "compare"]

_GateVerdict = Literal["passes", "worse", "not_enough_data"]

_ORDER: Mapping[_GateVerdict, int] = {"worse": 0, "not_enough_data": 1, "passes": 2}
_COMPARED: Mapping[Policy, tuple[Compared, ...]] = {  # where contexts are to be verified, following one is no virtue
    "context_is_authoritative": ("leak", "follow", "right_real", "right_fictive"),
    "verify_the_context": ("right_real", "right_fictive"),
}
_MINIMUM = 30  # common probes below which nothing passes and nothing is worse
_LOST = 0.1  # share of scored probes that may not be scored any more: an app must not pass by failing on what is hard
_Z = NormalDist().inv_cdf(1 - ALPHA)


@dataclass(frozen=True, slots=True, kw_only=True)
class RateChange:
    """One measure of one strategy in both runs.

    Attributes:
        strategy: Its name, in both runs.
        measure: The measure.
        margin: What is allowed.
        pairs: What the probes in both denominators say, candidate minus baseline; limits are one-sided, 95 %.
        adjusted: `p` after Holm over all strategies and measures.
        lost: Probes scored in the baseline that are unscorable or not retrieved in the candidate.
        too_many: Whether these are more than allowed.
    """

    strategy: str
    measure: Compared
    margin: float
    pairs: Paired
    adjusted: float | None = None
    lost: int = 0
    too_many: bool = False

    @property
    def p(self) -> float | None:
        """Exact probability of such a worsening, or a larger one, if nothing had changed."""
        return self.pairs.p_more if self.measure == "leak" else self.pairs.p_less

    @property
    def worse_by(self) -> tuple[float, float, float] | None:
        """By how much the candidate is worse, and the limits of that: the rise of a leak rate, the fall of others."""
        found = self.pairs
        if found.difference is None or found.low is None or found.high is None:
            return None
        if self.measure == "leak":
            return found.difference, found.low, found.high
        return -found.difference, -found.high, -found.low

    @property
    def verdict(self) -> _GateVerdict:
        """See `compare`; what passes is not worse, even if its small worsening is certain."""
        if self.worse_by is None or self.pairs.n < _MINIMUM:
            return "not_enough_data"
        inside = self.worse_by[2] < self.margin
        if not inside and self.adjusted is not None and self.adjusted < ALPHA:
            return "worse"
        return "passes" if inside and not self.too_many else "not_enough_data"

    @property
    def reason(self) -> str:
        """Why it does not pass; empty if it does."""
        label = LABELS[self.measure]
        if self.verdict == "passes":
            return ""
        if self.verdict != "worse" and self.too_many:
            return (
                f"the {label}: {self.lost:,} probes that were scored in the baseline are unscorable or not "
                "retrieved in the candidate, which may hide that it is worse"
            )
        if self.worse_by is None:
            return f"the {label} is known of no probe in both runs"
        change, _, high = (100 * each for each in self.worse_by)
        if self.verdict == "worse":
            return f"the {label} is worse by {change:.1f} points (p = {self.adjusted:.2g} after Holm)"
        return f"the {label} is worse by {change:.1f} points, and may be by {high:.1f}: more probes would tell"

    def as_data(self) -> dict[str, Any]:
        """JSON-like."""
        names = ("strategy", "measure", "verdict", "margin", "p", "adjusted", "lost", "too_many", "reason")
        worse_by, low, high = self.worse_by or (None, None, None)
        counts = {name: getattr(self.pairs, name) for name in ("n", "both", "first", "second")}
        return {name: getattr(self, name) for name in names} | counts | {"worse_by": worse_by, "low": low, "high": high}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """The decision on a candidate run.

    Attributes:
        verdict: The worst of all changes.
        policy: What counts as right.
        changes: Every strategy and measure, the worst first.
        common: Number of probes in both runs.
        left_out: Numbers of probes in one run only: of the baseline, and of the candidate.
        unmatched: Names of strategies that are in one run only.
    """

    verdict: _GateVerdict
    policy: Policy
    changes: Sequence[RateChange]
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
        return asdict(self) | {"changes": [each.as_data() for each in self.changes]}


def compare(a: Run, b: Run, *, margin: float = 0.05, policy: Policy = "context_is_authoritative") -> RunComparison:
    """Decides whether a candidate run is no worse than a baseline, strategy by strategy and paired by probe.

    A measure passes if the upper limit of its worsening is below the margin, on 30 common probes or more; it is worse
    if the exact one-sided test rejects after Holm; otherwise there is not enough data. So it is where more than a tenth
    of the probes scored in the baseline are unscorable or not retrieved in the candidate.

    Args:
        a: The baseline.
        b: The candidate.
        margin: By how much a share may be worse, over 0.0 and below 1.0.
        policy: What counts as right; with `verify_the_context` leak and follow rate are not compared.

    Raises:
        InputError: If a value is outside its range, the runs have no probe or no strategy in common, or other judges.
    """
    if not 0.0 < margin < 1.0:
        raise InputError(f"margin is {margin!r}, expected over 0.0 and below 1.0")
    if policy not in get_args(Policy):
        raise InputError(f"policy is {policy!r}, expected {' or '.join(get_args(Policy))}")
    common, names = _in_common(a, b)
    old, new = ([case for case in cases(run) if case.probe.id in common] for run in (a, b))
    clusters = {id_: cluster(a.probes[id_]) for id_ in common}
    tested = []
    for measure in _COMPARED[policy]:
        first, second = hits(old, measure, policy), hits(new, measure, policy)
        for name in names:
            before, after = first.get(name, {}), second.get(name, {})
            lost = sum(id_ not in after for id_ in before)
            change = RateChange(
                strategy=name,
                measure=measure,
                margin=margin,
                pairs=paired(before, after, clusters, _Z),
                lost=lost,
                too_many=lost > _LOST * len(before),
            )
            tested.append(change)
    adjusted = holm([each.p for each in tested])
    changes = [replace(each, adjusted=p) for each, p in zip(tested, adjusted, strict=True)]
    changes.sort(key=lambda each: (_ORDER[each.verdict], -(each.worse_by or (0.0,))[0]))
    return RunComparison(
        verdict=min((each.verdict for each in changes), key=_ORDER.__getitem__),
        policy=policy,
        changes=tuple(changes),
        common=len(common),
        left_out=(len(a.probes) - len(common), len(b.probes) - len(common)),
        unmatched=tuple(name for name in (*a.strategies, *b.strategies) if name not in names),
    )


def _in_common(a: Run, b: Run) -> tuple[set[str], list[str]]:
    """Probes and strategies of both runs, which were made alike."""
    old, new = (run.settings.get("judge") for run in (a, b))
    if old != new:
        raise InputError(
            f"the runs cannot be compared: the judge is {old!r} in the baseline and {new!r} in the candidate"
        )
    asked = [{(id_, x.question, x.real, x.fictive, x.also) for id_, x in run.probes.items()} for run in (a, b)]
    common = {each[0] for each in asked[0] & asked[1]}
    names = [name for name in a.strategies if name in b.strategies]
    if not common:
        raise InputError("the runs have no probe in common: the same id, question, real and fictive value")
    if not names:
        raise InputError(
            f"the runs have no strategy in common: the baseline has {', '.join(a.strategies)}, the candidate "
            f"{', '.join(b.strategies)}; strategies are matched by name"
        )
    return common, names
