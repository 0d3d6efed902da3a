"""A run against an earlier one: whether the candidate leaks more, follows less or is right less often, as a gate.

It passes if, for each strategy and measure, the upper limit of what got worse is below the margin; the error of wrongly
passing is `ALPHA` over all of them together (intersection-union). That something is worse is said after Holm's
correction over all strategies and measures. What is neither is not enough data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import NormalDist
from typing import Any, Literal, get_args

from trail_callbacks.canary.results import Run
from trail_callbacks.canary.statistics.contrasts import ALPHA, LABELS, Compared, hits
from trail_callbacks.canary.statistics.rates import cases, cluster
from trail_callbacks.canary.trial import Policy
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
_FAR = 1_000_000  # probes that nobody would ask
_Z = NormalDist().inv_cdf(1 - ALPHA)


@dataclass(frozen=True, slots=True, kw_only=True)
class RateChange:
    """One measure of one strategy in both runs.

    Attributes:
        strategy: Its name, in both runs.
        measure: The measure.
        verdict: See `compare`.
        n: Probes in both denominators.
        margin: What is allowed.
        baseline: Share of hits among them in the baseline, 0.0 to 1.0; None without any.
        candidate: Likewise in the candidate.
        worse_by: By how much the candidate is worse, -1.0 to 1.0: the rise of a leak rate, the fall of the others.
        low: Lower limit of that (one-sided, 95 %).
        high: Upper limit, likewise.
        p: Exact probability of such a worsening, or a larger one, if nothing had changed.
        adjusted: The same after Holm over all strategies and measures.
        more: Probes that are missing, roughly, if what was found holds; None if it passes or more would not help.
        lost: Probes scored in the baseline that are unscorable or not retrieved in the candidate.
        too_many: Whether these are more than allowed.
    """

    strategy: str
    measure: Compared
    verdict: _GateVerdict
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

    @property
    def reason(self) -> str:
        """Why it does not pass; empty if it does."""
        label = LABELS[self.measure]
        if self.verdict == "passes":
            return ""
        if self.too_many and self.verdict != "worse":
            return (
                f"the {label}: {self.lost:,} probes that were scored in the baseline are unscorable or not "
                "retrieved in the candidate, which may hide that it is worse"
            )
        if self.worse_by is None or self.high is None:
            return f"the {label} is known of no probe in both runs"
        change = f"the {label} is worse by {100 * self.worse_by:.1f} points"
        if self.verdict == "worse":
            return f"{change} (p = {self.adjusted:.2g} after Holm)"
        if self.more is None:
            return f"{change}, at or over the margin of {100 * self.margin:.1f}: more probes would not make it pass"
        return f"the {label} may be worse by {100 * self.high:.1f} points: about {self.more:,} more probes needed"


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
        return asdict(self) | {"changes": [asdict(each) | {"reason": each.reason} for each in self.changes]}


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
        InputError: If a value is outside its range, the runs have no probe or no strategy in common, or were made with
            different twins, judges or embeddings.
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
                verdict="not_enough_data",
                n=0,
                margin=margin,
                lost=lost,
                too_many=lost > _LOST * len(before),
            )
            tested.append(_tested(change, paired(before, after, clusters, _Z)))
    changes = sorted(_raised(tested), key=lambda each: (_ORDER[each.verdict], -(each.worse_by or 0.0)))
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
    for name in ("twin", "judge", "embedding"):
        old, new = ("not said" if (said := run.settings.get(name)) is None else repr(said) for run in (a, b))
        if old != new:
            raise InputError(
                f"the runs cannot be compared: {name} is {old} in the baseline and {new} in the candidate; "
                "make both runs with the same"
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


def _tested(change: RateChange, pairs: Paired) -> RateChange:
    """A measure before Holm: it passes, or there is not enough data."""
    if pairs.difference is None or pairs.low is None or pairs.high is None:
        return replace(change, more=_MINIMUM)
    rise = pairs.difference, pairs.low, pairs.high, pairs.p_more
    worse_by, low, high, p = rise if change.measure == "leak" else (-rise[0], -rise[2], -rise[1], pairs.p_less)
    enough = high < change.margin and pairs.n >= _MINIMUM
    return replace(
        change,
        verdict="passes" if enough and not change.too_many else "not_enough_data",
        n=pairs.n,
        baseline=(pairs.both + pairs.first) / pairs.n,
        candidate=(pairs.both + pairs.second) / pairs.n,
        worse_by=worse_by,
        low=low,
        high=high,
        p=p,
        more=None if enough else _more(pairs.n, worse_by, high, change.margin),
    )


def _more(n: int, worse_by: float, high: float, margin: float) -> int | None:
    """Limits shrink with the root of the number of probes."""
    if worse_by >= margin:
        return None
    wanted = max(_MINIMUM, math.ceil(n * ((high - worse_by) / (margin - worse_by)) ** 2))
    return max(1, wanted - n) if wanted < _FAR else None


def _raised(tested: Sequence[RateChange]) -> Iterator[RateChange]:
    """With Holm's probabilities. What passes is not worse, even if its small worsening is certain."""
    for each, p in zip(tested, holm([each.p for each in tested]), strict=True):
        certain = p is not None and p < ALPHA and each.n >= _MINIMUM and (each.high or 0.0) >= each.margin
        yield replace(each, adjusted=p, verdict="worse" if certain and each.verdict != "passes" else each.verdict)
