"""A run against an earlier one: whether the candidate leaks more, follows less or is right less often, as a gate.

It passes if, for each strategy and measure, the upper limit of what got worse is below the margin; the error of wrongly
passing is `ALPHA` over all of them together (intersection-union). That something is worse is said after Holm's
correction over all strategies and measures. What is neither is not enough data. The rule is that of `releases.gate`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, get_args

from trail_callbacks.canary.probe import Probe
from trail_callbacks.canary.results import Run
from trail_callbacks.canary.statistics.comparison import Change, Comparison, Verdict
from trail_callbacks.canary.statistics.contrasts import ALPHA, COMPARED, Compared, Hits, Paired, hits, paired
from trail_callbacks.canary.statistics.rate import cluster
from trail_callbacks.canary.statistics.rates import cases
from trail_callbacks.canary.trial import Policy
from trail_callbacks.errors import InputError
from trail_callbacks.report.scoring import holm

__all__ = ["Comparison", "compare"]

_ORDER: Mapping[Verdict, int] = {"worse": 0, "not_enough_data": 1, "passes": 2}
_SAME = ("twin", "judge", "policy", "embedding")
_FAR = 1_000_000  # probes that nobody would ask


@dataclass(frozen=True, slots=True)
class _Rules:
    clusters: Mapping[str, str]
    margin: float
    minimum: int
    max_lost: float


def compare(
    a: Run,
    b: Run,
    *,
    margin: float = 0.05,
    policy: Policy = "context_is_authoritative",
    minimum: int = 30,
    max_lost: float = 0.1,
) -> Comparison:
    """Decides whether a candidate run is no worse than a baseline, strategy by strategy and paired by probe.

    A measure passes if the upper limit of its worsening is below the margin, on enough probes; it is worse if the
    exact one-sided test rejects after Holm; otherwise there is not enough data.

    Args:
        a: The baseline.
        b: The candidate.
        margin: By how much a share may be worse, over 0.0 and below 1.0.
        policy: What counts as right; with `verify_the_context` leak and follow rate are not compared.
        minimum: Probes below which nothing passes and nothing is worse.
        max_lost: Share of the probes scored in the baseline that may be unscorable or not retrieved in the candidate,
            0.0 to 1.0: an app that fails on what is hard must not pass by it.

    Raises:
        InputError: If a value is outside its range, the runs have no probe or no strategy in common, or were made with
            different twins, judges, policies or embeddings.
    """
    if not 0.0 < margin < 1.0:
        raise InputError(f"margin is {margin!r}, expected over 0.0 and below 1.0")
    if not 0.0 <= max_lost <= 1.0:
        raise InputError(f"max_lost is {max_lost!r}, expected 0.0 to 1.0")
    if policy not in get_args(Policy):
        raise InputError(f"policy is {policy!r}, expected {' or '.join(get_args(Policy))}")
    _same_settings(a, b)
    common = {id_ for id_, probe in a.probes.items() if id_ in b.probes and _alike(probe, b.probes[id_])}
    names = [name for name in a.strategies if name in b.strategies]
    if not common:
        raise InputError("the runs have no probe in common: the same id, question, real and fictive value")
    if not names:
        raise InputError(
            f"the runs have no strategy in common: the baseline has {', '.join(a.strategies)}, the candidate "
            f"{', '.join(b.strategies)}; strategies are matched by name"
        )
    old, new = ([case for case in cases(run) if case.probe.id in common] for run in (a, b))
    rules = _Rules({id_: cluster(a.probes[id_]) for id_ in common}, margin, minimum, max_lost)
    tested = [
        _tested(name, measure, (first.get(name, {}), second.get(name, {})), rules)
        for measure in COMPARED[policy]
        for first, second in [(hits(old, measure, policy), hits(new, measure, policy))]
        for name in names
    ]
    raised = _raised(tested, minimum)
    raised.sort(key=lambda each: (_ORDER[each.verdict], -(each.worse_by or 0.0)))
    return Comparison(
        verdict=min((each.verdict for each in raised), key=_ORDER.__getitem__),
        policy=policy,
        changes=tuple(raised),
        common=len(common),
        left_out=(len(a.probes) - len(common), len(b.probes) - len(common)),
        unmatched=tuple(name for name in (*a.strategies, *b.strategies) if name not in names),
    )


def _same_settings(a: Run, b: Run) -> None:
    for name in _SAME:
        old, new = a.settings.get(name), b.settings.get(name)
        if old != new:
            raise InputError(
                f"the runs cannot be compared: {name} is {_shown(old)} in the baseline and {_shown(new)} in the "
                "candidate; make both runs with the same"
            )


def _shown(value: Any) -> str:
    return "not said" if value is None else repr(value)


def _alike(old: Probe, new: Probe) -> bool:
    return (old.question, old.real, old.fictive, old.also) == (new.question, new.real, new.fictive, new.also)


def _tested(strategy: str, measure: Compared, counted: tuple[Hits, Hits], rules: _Rules) -> Change:
    """A measure before Holm: it passes, or there is not enough data."""
    margin, minimum = rules.margin, rules.minimum
    lost = sum(id_ not in counted[1] for id_ in counted[0])
    too_many = lost > rules.max_lost * len(counted[0])
    change = Change(
        strategy=strategy, measure=measure, verdict="not_enough_data", n=0, margin=margin, lost=lost, too_many=too_many
    )
    found = paired(*counted, rules.clusters, NormalDist().inv_cdf(1 - ALPHA))
    if found.difference is None or found.low is None or found.high is None:
        return replace(change, more=minimum)
    worse_by, low, high, p = (
        (found.difference, found.low, found.high, found.p_more)
        if measure == "leak"
        else (-found.difference, -found.high, -found.low, found.p_less)
    )
    enough = high < margin and found.n >= minimum
    return replace(
        change,
        verdict="passes" if enough and not too_many else "not_enough_data",
        n=found.n,
        baseline=(found.both + found.first) / found.n,
        candidate=(found.both + found.second) / found.n,
        worse_by=worse_by,
        low=low,
        high=high,
        p=p,
        more=None if enough else _more(found, worse_by, high, margin, minimum),
        only_baseline=found.first,
        only_candidate=found.second,
    )


def _more(found: Paired, worse_by: float, high: float, margin: float, minimum: int) -> int | None:
    """Limits shrink with the root of the number of probes."""
    if worse_by >= margin:
        return None
    wanted = max(minimum, math.ceil(found.n * ((high - worse_by) / (margin - worse_by)) ** 2))
    return max(1, wanted - found.n) if wanted < _FAR else None


def _raised(tested: Sequence[Change], minimum: int) -> list[Change]:
    """With Holm's probabilities. What passes is not worse, even if its small worsening is certain."""
    adjusted = iter(holm([each.p for each in tested if each.p is not None]))
    found = []
    for each in tested:
        if each.p is None:
            found.append(each)
            continue
        p = next(adjusted)
        worse = each.verdict != "passes" and p < ALPHA and each.n >= minimum and (each.high or 0.0) >= each.margin
        found.append(replace(each, adjusted=p, verdict="worse" if worse else each.verdict))
    return found
