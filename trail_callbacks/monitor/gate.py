"""The decision on a release: not worse than the one before by more than a margin, in each segment.

It passes if every segment passes, and a segment if the upper limit of each difference is below its margin. Each of
these tests has the error `alpha`, and all of them together have no more: a candidate passes wrongly only if it passes
where it is worse (intersection-union), so that no correction is due. That a candidate is worse is said after Holm's
correction over all segments and measures: otherwise some alarm among many segments would be the rule. What is neither
is not enough data. A test that only fails to find a difference would reward small samples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from trail_callbacks.errors import InputError
from trail_callbacks.monitor.arm import Answer, ReleaseSegment, clusters, common, counted, read, split
from trail_callbacks.monitor.decision import Arm, Decision, GateOutcome, Measure, MeasureName, Policy, SegmentDecision
from trail_callbacks.monitor.observation import Observation
from trail_callbacks.statistics.clusters import Cluster, Difference, Residuals, prior_design, residuals, share
from trail_callbacks.statistics.paired import holm

__all__ = ["decide"]

_SAME = 0.8  # of the runs of both releases: fewer are not the same questions but for a few
_ORDER: Mapping[GateOutcome, int] = {"worse": 0, "not_enough_data": 1, "passes": 2}
_MEASURES: tuple[MeasureName, ...] = ("unsupported_claims", "contradictions")
_WORDS: Mapping[MeasureName, str] = {
    "unsupported_claims": "the share of unsupported claims",
    "contradictions": "the share of runs with a contradiction",
}


@dataclass(frozen=True, slots=True)
class _Test:
    """A measure of a segment before Holm's correction."""

    name: MeasureName
    old: dict[str, Cluster]
    new: dict[str, Cluster]
    parts: tuple[Residuals | None, Residuals | None]
    correlation: float = 0.0


def decide(baseline: Iterable[Observation], candidate: Iterable[Observation], policy: Policy | None = None) -> Decision:
    """Decides whether a candidate may replace the baseline.

    Args:
        baseline: Judged runs of the release before.
        candidate: Judged runs of the release in question.
        policy: The rules; by default those of `Policy()`.

    Raises:
        InputError: If a release has no run, judges differ, a critical segment does not occur, or runs are to be paired
            and no question was asked in both.
    """
    rules = policy or Policy()
    old, new = ([read(run, rules.segment, rules.on_undecided) for run in runs] for runs in (baseline, candidate))
    judge = _judge(old, new)
    matched = common(old, new)
    paired = rules.pairing == "paired" or (rules.pairing == "auto" and matched >= _SAME)
    if paired and not matched:
        raise InputError("the runs cannot be paired: no question of the baseline was asked in the candidate")
    segments = split(old, new, rules, paired=paired)
    tests = [[_test(each, name, paired=paired) for name in _MEASURES] for each in segments]
    priors = {
        name: prior_design(part for row in tests for test in row if test.name == name for part in test.parts)
        for name in _MEASURES
    }
    measured = [[_measured(test, priors[test.name], rules, paired=paired) for test in row] for row in tests]
    adjusted = iter(holm([each.p for row in measured for each in row]))
    known = [[_alarmed(each, next(adjusted), rules) for each in row] for row in measured]
    decided = [_decided(each, row, rules) for each, row in zip(segments, known, strict=True)]
    decided.sort(key=lambda each: (_ORDER[each.outcome], not each.critical, -max(_rises(each), default=0.0)))
    worst = min((each.outcome for each in decided), key=_ORDER.__getitem__)
    return Decision(outcome=worst, policy=rules, judge=judge, paired=paired, matched=matched, segments=tuple(decided))


def _judge(old: Sequence[Answer], new: Sequence[Answer]) -> str:
    for name, runs in (("baseline", old), ("candidate", new)):
        if not runs:
            raise InputError(f"the {name} has no run: nothing can be compared")
    judges = [sorted({run.judge for run in runs}) for runs in (old, new)]
    if judges[0] != judges[1] or len(judges[0]) > 1:
        words = " and ".join(", ".join(map(repr, each)) for each in judges)
        raise InputError(
            f"the releases were not judged by one judge (baseline and candidate: {words}): a judge that misses more "
            "makes every difference smaller; judge both with the same one"
        )
    return judges[0][0]


def _test(segment: ReleaseSegment, name: MeasureName, *, paired: bool) -> _Test:
    old, new = clusters(segment.baseline, name), clusters(segment.candidate, name)
    if not paired:
        return _Test(name, old, new, (residuals(new.values()), residuals(old.values())))
    both = [key for key in old if key in new]
    old, new = {key: old[key] for key in both}, {key: new[key] for key in both}
    change = [new[key][0] / new[key][1] - old[key][0] / old[key][1] for key in both]
    size = sum(old[key][2] + new[key][2] for key in both) / (2 * len(both)) if both else 0.0
    rises, falls = ([(max(0.0, sign * each) * size, size, size) for each in change] for sign in (1, -1))
    parts = residuals(rises), residuals(falls)
    return _Test(name, old, new, parts, _correlation(change))


def _correlation(change: Sequence[float]) -> float:
    """Of rises and falls: a question that rose did not fall."""
    if not change:
        return 0.0
    rises, falls = (np.maximum(0.0, sign * np.array(change)) for sign in (1, -1))
    spread = float(rises.std() * falls.std())
    return max(-1.0, -float(rises.mean() * falls.mean()) / spread) if spread else 0.0


def _measured(test: _Test, prior: float, rules: Policy, *, paired: bool) -> Measure:
    margin = rules.margin if test.name == "unsupported_claims" else rules.contradiction_margin
    counts = len(test.old), len(test.new)
    first, second = test.parts
    if first is None or second is None:
        missing = max(0, rules.minimum - counts[0]), max(0, rules.minimum - counts[1])
        return Measure(name=test.name, outcome="not_enough_data", margin=margin, questions=counts, more=missing)
    new, old = share(first, prior), share(second, prior)
    found = Difference(new, old, test.correlation)
    low, high = found.limits(NormalDist().inv_cdf(1 - rules.alpha))
    passes = high < margin and min(counts) >= rules.minimum
    more = None
    if not passes:
        wanted = found.needed(margin, rules.alpha, rules.power)
        wanted = None if wanted is None else max(wanted, rules.minimum)
        more = None if wanted is None else (max(0, wanted - counts[0]), max(0, wanted - counts[1]))
    shares = _means(test) if paired else (old.value, new.value)
    weight = new.effective + old.effective
    return Measure(
        name=test.name,
        outcome="passes" if passes else "not_enough_data",
        margin=margin,
        baseline=shares[0],
        candidate=shares[1],
        difference=found.value,
        low=low,
        high=high,
        p=found.p_worse(),
        questions=counts,
        design=(first.whole + second.whole) / weight,
        icc=None if old.icc is None or new.icc is None else (old.icc + new.icc) / 2,
        more=more,
    )


def _means(test: _Test) -> tuple[float, float]:
    old, new = (sum(bad / whole for bad, whole, _ in each.values()) / len(each) for each in (test.old, test.new))
    return old, new


def _alarmed(measure: Measure, adjusted: float | None, rules: Policy) -> Measure:
    """With Holm's probability. What passes is not worse, even if its small rise is certain."""
    certain = adjusted is not None and adjusted < rules.alpha and min(measure.questions) >= rules.minimum
    worse = certain and measure.outcome != "passes" and (measure.difference or 0.0) > 0
    return replace(measure, adjusted=adjusted, outcome="worse" if worse else measure.outcome)


def _decided(segment: ReleaseSegment, measures: Sequence[Measure], rules: Policy) -> SegmentDecision:
    old, new = counted(segment.baseline), counted(segment.candidate)
    worse = [
        f"{_WORDS[each.name]} rose by {100 * (each.difference or 0.0):.1f} points (p = {each.adjusted:.3g} after Holm)"
        for each in measures
        if each.outcome == "worse"
    ]
    contradictions = next(each for each in measures if each.name == "contradictions")
    if segment.critical and (contradictions.difference or 0.0) > 0:
        worse.append(
            f"critical segment: runs with a contradiction rose from {contradictions.baseline or 0.0:.2%} to "
            f"{contradictions.candidate or 0.0:.2%}"
        )
    unsure = [_unsure(each, rules) for each in measures if each.outcome == "not_enough_data"]
    unsure += [left] if (left := _opened(segment, old, new, rules)) else []
    outcome: GateOutcome = "worse" if worse else "not_enough_data" if unsure else "passes"
    return SegmentDecision(
        name=segment.name,
        merged=segment.merged,
        critical=segment.critical,
        outcome=outcome,
        reasons=(*worse, *unsure),
        baseline=old,
        candidate=new,
        unmatched=segment.unmatched,
        measures=tuple(measures),
    )


def _unsure(measure: Measure, rules: Policy) -> str:
    words = _WORDS[measure.name]
    if measure.more is None:
        return (
            f"{words} is {100 * (measure.difference or 0.0):+.1f} points, at or over the margin of "
            f"{100 * measure.margin:.1f}: more answers would not make it pass"
        )
    old, new = measure.more
    if min(measure.questions) < rules.minimum:
        have = f"{measure.questions[0]} and {measure.questions[1]} questions"
        return f"{words}: {have}, at least {rules.minimum} each: {old} (baseline) and {new} (candidate) more needed"
    need = str(new) if old == new else f"{old} (baseline) and {new} (candidate)"
    return f"{words} may have risen by {100 * (measure.high or 0.0):.1f} points: {need} more needed"


def _opened(segment: ReleaseSegment, old: Arm, new: Arm, rules: Policy) -> str | None:
    """What the judge left open is not known to be good."""
    left = f"the judge left {new.open_share:.1%} of the candidate's answers open"
    if new.open_share > rules.max_undecided:
        return f"{left}, allowed are {rules.max_undecided:.1%}: judge them again"
    first, second = (residuals(clusters(runs, "open").values()) for runs in (segment.candidate, segment.baseline))
    if first is None or second is None:
        return None
    prior = prior_design((first, second))
    rise = Difference(share(first, prior), share(second, prior))
    if rise.limits(NormalDist().inv_cdf(1 - rules.alpha))[0] <= rules.margin:
        return None
    return f"{left} and {old.open_share:.1%} of the baseline's, which may hide a rise: judge them again"


def _rises(segment: SegmentDecision) -> list[float]:
    return [each.difference for each in segment.measures if each.difference is not None]
