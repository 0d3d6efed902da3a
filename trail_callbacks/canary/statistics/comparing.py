"""Strategies against each other and a run against an earlier one, paired by probe."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import NormalDist
from typing import Any, Final, Literal, get_args

from trail_callbacks.canary.statistics.rates import MEASURES, ProbeCase, cases, cluster, right
from trail_callbacks.canary.trial import Policy, Run
from trail_callbacks.errors import InputError
from trail_callbacks.statistics.contrasts import ALPHA, Contrast, contrasted
from trail_callbacks.statistics.rates import Paired, groups, holm, paired

Compared = Literal["leak", "follow", "right_real", "right_fictive"]
"""What strategies and runs are compared by: leak and follow rate, and the share that is right by the policy in two
arms."""

LABELS: Final[Mapping[Compared, str]] = {
    "leak": "leak rate",
    "follow": "follow rate",
    "right_real": "share of right answers with the real context",
    "right_fictive": "share of right answers with the fictive context",
}


def _hits(found: Iterable[ProbeCase], measure: Compared, policy: Policy) -> dict[str, dict[str, bool]]:
    """Of each strategy the probes in the denominator of a measure, and whether each is a hit."""
    counted: dict[str, dict[str, bool]] = defaultdict(dict)
    for case in found:
        trial, hit = case.trial, None
        if measure == f"right_{trial.arm}":
            hit = right(case.probe, trial.arm, trial.finding, policy)
        elif measure in MEASURES:
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
    """Compares each pair of strategies, in their order, by one measure; `found` are the trials, see `rates.cases`."""
    clusters = {case.probe.id: cluster(case.probe) for case in found}
    return contrasted({measure: _hits(found, measure, policy)}, strategies, clusters)


def ranking(found: Sequence[Contrast], shares: Mapping[str, float], *, best: Literal["high", "low"]) -> list[list[str]]:
    """Groups of strategies that cannot be told apart, the best first; see `statistics.paired.groups`."""
    sign = -1 if best == "high" else 1
    ordered = sorted(shares, key=lambda name: (sign * shares[name], name))
    return groups(ordered, [(each.a, each.b) for each in found if each.verdict != "tie"])


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
    """One measure of one strategy in both runs."""

    strategy: str  # its name, in both runs
    measure: Compared
    margin: float  # what is allowed
    pairs: Paired  # what the probes in both denominators say, candidate minus baseline; limits are one-sided, 95 %
    adjusted: float | None = None  # `p` after Holm over all strategies and measures
    lost: int = 0  # probes scored in the baseline that are unscorable or not retrieved in the candidate
    too_many: bool = False  # whether these are more than allowed

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
        return self._decided[0]

    @property
    def reason(self) -> str:
        """Why it does not pass; empty if it does."""
        return f"the {LABELS[self.measure]}{self._decided[1]}" if self._decided[1] else ""

    @property
    def _decided(self) -> tuple[_GateVerdict, str]:
        change, _, high = self.worse_by or (0.0, 0.0, 1.0)
        is_known, is_inside = self.pairs.n >= _MINIMUM, high < self.margin
        said = f" is worse by {100 * change:.1f} points"
        if is_known and not is_inside and self.adjusted is not None and self.adjusted < ALPHA:
            return "worse", f"{said} (p = {self.adjusted:.2g} after Holm)"
        if is_known and is_inside and not self.too_many:
            return "passes", ""
        lost = (
            f": {self.lost:,} probes that were scored in the baseline are unscorable or not retrieved in the "
            "candidate, which may hide that it is worse"
        )
        unsure = f"{said}, and may be by {100 * high:.1f}: more probes would tell"
        unknown = unsure if self.worse_by else " is known of no probe in both runs"
        return "not_enough_data", lost if self.too_many else unknown

    def as_data(self) -> dict[str, Any]:
        """JSON-like."""
        names = ("strategy", "measure", "verdict", "margin", "p", "adjusted", "lost", "too_many", "reason")
        counts = {name: getattr(self.pairs, name) for name in ("n", "both", "first", "second")}
        limits = dict(zip(("worse_by", "low", "high"), self.worse_by or (None, None, None), strict=True))
        return {name: getattr(self, name) for name in names} | counts | limits


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """The decision on a candidate run."""

    verdict: _GateVerdict  # the worst of all changes
    policy: Policy  # what counts as right
    changes: Sequence[RateChange]  # every strategy and measure, the worst first
    common: int  # number of probes in both runs
    left_out: tuple[int, int]  # numbers of probes in one run only: of the baseline, and of the candidate
    unmatched: Sequence[str] = ()  # names of strategies that are in one run only

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
        first, second = _hits(old, measure, policy), _hits(new, measure, policy)
        for name in names:
            before, after = first.get(name, {}), second.get(name, {})
            lost = len(before.keys() - after.keys())
            tested.append(
                RateChange(
                    strategy=name,
                    measure=measure,
                    margin=margin,
                    pairs=paired(before, after, clusters, _Z),
                    lost=lost,
                    too_many=lost > _LOST * len(before),
                )
            )
    adjusted = holm([each.p for each in tested])
    changes = [replace(each, adjusted=p) for each, p in zip(tested, adjusted, strict=True)]
    changes.sort(key=lambda each: (_ORDER[each.verdict], -(each.worse_by or (0.0,))[0]))
    return RunComparison(
        verdict=changes[0].verdict,
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
