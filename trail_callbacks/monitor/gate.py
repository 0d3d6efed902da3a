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
from typing import Literal, TypeAlias

import numpy as np

from trail_callbacks.errors import InputError
from trail_callbacks.monitor.decision import (
    ALPHA,
    MARGIN,
    POWER,
    WHERE_KNOWN,
    Arm,
    Decision,
    GateOutcome,
    Measure,
    MeasureName,
    Policy,
    SegmentDecision,
    words,
)
from trail_callbacks.monitor.observation import SIGNALS, Observation, SignalName
from trail_callbacks.statistics.clusters import Cluster, Difference, Residuals, prior_design, residuals, share
from trail_callbacks.statistics.rates import holm
from trail_callbacks.verify.threshold import OnUndecided, is_decided

_SAME = 0.8  # of the runs of both releases: fewer are not the same questions but for a few
_ORDER: Mapping[GateOutcome, int] = {"worse": 0, "not_enough_data": 1, "passes": 2}
_ALL, _REST, _NONE = "all", "rest", "(none)"
_SHOWN = 8  # values in a message

Clusters: TypeAlias = dict[str, Cluster]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a gate reads of a run."""

    run: Observation
    segment: str  # value of the segment that is decided by
    # of each measure, what is bad and of how much; `open` is how much of the answer the judge left open
    shares: Mapping[MeasureName | Literal["open"], tuple[float, int]]
    open_claims: int  # claims that the judge left undecided or failed on, beside decided ones

    @property
    def left(self) -> float:
        """How much of it the judge left open, 0.0 to 1.0."""
        return self.shares["open"][0]

    @classmethod
    def read(cls, run: Observation, segment: str | None = None, on_undecided: OnUndecided = "pass") -> Answer:
        """Reads a run. Of one that the judge failed on, or of which it decided nothing, no claim counts."""
        value = _ALL if segment is None else run.segment(segment)
        name = _NONE if value is None else value
        known = {name: SIGNALS[name].bad(run) for name in SIGNALS}
        shares: dict[MeasureName | Literal["open"], tuple[float, int]] = {
            **{name: (bool(bad), int(bad is not None)) for name, bad in known.items()},
            "unsupported_claims": (0, 0),
            "open": (1.0, 1),
        }
        if not is_decided(run.state, run.decided):
            return cls(run, name, shares, 0)
        undecided = run.outcomes.get("undecided", 0)
        counted = undecided if on_undecided == "fail" else 0
        decided, left = run.decided + counted, undecided - counted + run.outcomes.get("not_judged", 0)
        shares |= {
            "unsupported_claims": (run.unsupported + counted, decided),
            "open": (left / (left + decided) if left else 0.0, 1),
        }
        return cls(run, name, shares, left)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The runs of a segment in both releases, and how many were left out for want of a partner."""

    name: str
    arms: tuple[Sequence[Answer], Sequence[Answer]]
    merged: tuple[str, ...] = ()
    critical: bool = False
    unmatched: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class _Test:
    """A measure of a segment before Holm's correction; of paired runs, `parts` are the falls and the rises."""

    name: MeasureName
    known: tuple[Clusters, Clusters]
    parts: tuple[Residuals | None, Residuals | None]
    correlation: float = 0.0


def decide(baseline: Iterable[Observation], candidate: Iterable[Observation], policy: Policy | None = None) -> Decision:
    """Decides whether a candidate may replace the baseline.

    Args:
        baseline: Judged runs of the release before.
        candidate: Judged runs of the release in question.
        policy: The rules; by default those of `Policy()`.

    Raises:
        InputError: If a release has no run, judges differ, or a critical segment does not occur.
    """
    rules = policy or Policy()
    old, new = ([Answer.read(run, rules.segment, rules.on_undecided) for run in runs] for runs in (baseline, candidate))
    judge = judge_of(old, new)
    keys = _common(old, new)
    matched = min(sum(each.run.key in keys for each in runs) / len(runs) for runs in (old, new))
    paired = matched >= _SAME
    groups = split(old, new, rules, paired=paired)
    margins = [measured_by(each.arms[0], rules) for each in groups]
    tests = [[_test(each, name, paired=paired) for name in own] for each, own in zip(groups, margins, strict=True)]
    priors = {
        name: prior_design(part for row in tests for test in row if test.name == name for part in test.parts)
        for name in {name for own in margins for name in own}
    }
    measured = [
        [_measured(test, priors[test.name], own[test.name], rules, paired=paired) for test in row]
        for own, row in zip(margins, tests, strict=True)
    ]
    adjusted = iter(holm([each.p for row in measured for each in row]))
    known = [[_alarmed(each, next(adjusted), rules) for each in row] for row in measured]
    decided = [_decided(each, row, rules) for each, row in zip(groups, known, strict=True)]
    decided.sort(key=lambda each: (_ORDER[each.outcome], not each.critical, -_largest_rise(each)))
    return Decision(
        outcome=decided[0].outcome, policy=rules, judge=judge, paired=paired, matched=matched, segments=tuple(decided)
    )


def measured_by(baseline: Sequence[Answer], rules: Policy) -> dict[MeasureName, float]:
    """The margins of what a segment is decided by."""

    def known(name: SignalName) -> bool:
        told = [each.shares[name] for each in baseline]
        decided = sum(whole for _, whole in told)
        return decided >= rules.minimum and sum(bad for bad, _ in told) < decided

    found: dict[MeasureName, float] = {"unsupported_claims": rules.margin, "contradiction": MARGIN}
    found.update((name, MARGIN) for name in WHERE_KNOWN if known(name))
    found.update(rules.margins.items())
    return found


def judge_of(old: Sequence[Answer], new: Sequence[Answer]) -> str:
    """The judge of both; refuses several, and releases without a run."""
    for name, runs in (("baseline", old), ("candidate", new)):
        if not runs:
            raise InputError(f"the {name} has no run: nothing can be compared")
    judges = [sorted({each.run.judge for each in runs}) for runs in (old, new)]
    if judges[0] != judges[1] or len(judges[0]) > 1:
        words = " and ".join(", ".join(map(repr, each)) for each in judges)
        raise InputError(
            f"the releases were not judged by one judge (baseline and candidate: {words}): a judge that misses more "
            "makes every difference smaller; judge both with the same one"
        )
    return judges[0][0]


def _common(old: Sequence[Answer], new: Sequence[Answer]) -> set[str]:
    """The keys of the questions that were asked in both releases."""
    return {each.run.key for each in old} & {each.run.key for each in new} - {""}


def split(old: Sequence[Answer], new: Sequence[Answer], rules: Policy, *, paired: bool) -> list[Group]:
    """Splits the runs of both releases. Segments with too few questions are merged, critical ones never."""
    values: dict[str, tuple[list[Answer], list[Answer]]] = {}
    for n, runs in enumerate((old, new)):
        for each in runs:
            values.setdefault(each.segment, ([], []))[n].append(each)
    if set(values) == {_NONE}:
        names = sorted({name for each in (*old, *new) for name in each.run.segments})
        raise InputError(
            f"no run has a value of {rules.segment!r}: there are {', '.join(map(repr, names[:_SHOWN]))}"
            if names
            else f"no run has a value of {rules.segment!r}: segments are metadata of the recorded run; reports alone "
            "have none, give their traces too or audit the traces"
        )
    if unknown := sorted(rules.critical - set(values)):
        known = ", ".join(map(repr, sorted(values)[:_SHOWN]))
        raise InputError(f"critical is {unknown[0]!r}, and no run has that {rules.segment}: there are {known}")
    groups = [Group(name=name, arms=arms, critical=name in rules.critical) for name, arms in values.items()]
    groups = [_matched(each) for each in groups] if paired else groups
    if rules.segment is None:
        return groups
    small = [each for each in groups if not each.critical and _questions(each, paired=paired) < rules.minimum]
    kept = [each for each in groups if each not in small]
    if not small or (len(small) == 1 and kept):  # nothing to merge it with: it stands under its own name
        return groups
    together = [[run for each in small for run in each.arms[n]] for n in (0, 1)]
    left = [sum(each.unmatched[n] for each in small) for n in (0, 1)]
    rest = Group(
        name=_REST if _REST not in {each.name for each in kept} else f"{_REST} (merged)",
        arms=(together[0], together[1]),
        merged=tuple(sorted(each.name for each in small)),
        unmatched=(left[0], left[1]),
    )
    return [*kept, rest]


def _matched(group: Group) -> Group:
    """Leaves out the runs without a partner.

    What the judge left open is in no difference, and is told nonetheless: some of it is known by no question.
    """
    keys = _common(*group.arms)
    old, new = ([each for each in runs if each.run.key in keys or each.left >= 1.0] for runs in group.arms)
    return replace(group, arms=(old, new), unmatched=(len(group.arms[0]) - len(old), len(group.arms[1]) - len(new)))


def _questions(group: Group, *, paired: bool) -> int:
    """Questions that can be compared, in the smaller release."""
    old, new = (clusters(runs, "unsupported_claims") for runs in group.arms)
    return len(old.keys() & new.keys()) if paired else min(len(old), len(new))


def clusters(answers: Iterable[Answer], measure: MeasureName | Literal["open"]) -> Clusters:
    """Sums a measure up by question; answers without a question are one each."""
    found: Clusters = {}
    for each in answers:
        bad, whole = each.shares[measure]
        if whole:
            question, weight = each.run.key or f"run {each.run.id}", 1.0 / each.run.rate
            old = found.get(question, (0.0, 0.0, 0.0))
            found[question] = (old[0] + weight * bad, old[1] + weight * whole, old[2] + whole)
    return found


def _test(group: Group, name: MeasureName, *, paired: bool) -> _Test:
    old, new = (clusters(runs, name) for runs in group.arms)
    if not paired:
        return _Test(name, (old, new), (residuals(new.values()), residuals(old.values())))
    both = [key for key in old if key in new]
    old, new = {key: old[key] for key in both}, {key: new[key] for key in both}
    change = np.array([new[key][0] / new[key][1] - old[key][0] / old[key][1] for key in both])
    size = sum(old[key][2] + new[key][2] for key in both) / (2 * len(both)) if both else 0.0
    rises, falls = (np.maximum(0.0, sign * change) for sign in (1, -1))
    parts = [residuals((each * size, size, size) for each in changes.tolist()) for changes in (rises, falls)]
    spread = float(rises.std() * falls.std()) if both else 0.0
    correlation = max(-1.0, -float(rises.mean() * falls.mean()) / spread) if spread else 0.0  # what rose did not fall
    return _Test(name, (old, new), (parts[0], parts[1]), correlation)


def _measured(test: _Test, prior: float, margin: float, rules: Policy, *, paired: bool) -> Measure:
    counts = len(test.known[0]), len(test.known[1])
    first, second = test.parts
    if first is None or second is None:
        return Measure(
            name=test.name, outcome="not_enough_data", margin=margin, questions=counts,
            more=_missing(rules.minimum, counts),
        )  # fmt: skip
    new, old = share(first, prior), share(second, prior)
    found = Difference(new, old, test.correlation)
    low, high = found.limits(NormalDist().inv_cdf(1 - ALPHA))
    passes = high < margin and min(counts) >= rules.minimum
    wanted = None if passes else found.needed(margin, ALPHA, POWER)
    shares = [old.value, new.value]
    if paired:
        shares = [sum(bad / whole for bad, whole, _ in each.values()) / len(each) for each in test.known]
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
        design=(first.whole + second.whole) / (new.effective + old.effective),
        icc=None if old.icc is None or new.icc is None else (old.icc + new.icc) / 2,
        more=None if wanted is None else _missing(max(wanted, rules.minimum), counts),
    )


def _missing(wanted: int, counts: tuple[int, int]) -> tuple[int, int]:
    return max(0, wanted - counts[0]), max(0, wanted - counts[1])


def _alarmed(measure: Measure, adjusted: float | None, rules: Policy) -> Measure:
    """With Holm's probability. What passes is not worse, even if its small rise is certain."""
    certain = adjusted is not None and adjusted < ALPHA and min(measure.questions) >= rules.minimum
    worse = certain and measure.outcome != "passes" and (measure.difference or 0.0) > 0
    return replace(measure, adjusted=adjusted, outcome="worse" if worse else measure.outcome)


def _decided(group: Group, measures: Sequence[Measure], rules: Policy) -> SegmentDecision:
    old, new = map(_counted, group.arms)
    worse = [
        f"the share of {words(each.name)} rose by {100 * (each.difference or 0.0):.1f} points "
        f"(p = {each.adjusted:.3g} after Holm)"
        for each in measures
        if each.outcome == "worse"
    ]
    contradictions = next(each for each in measures if each.name == "contradiction")
    if group.critical and (contradictions.difference or 0.0) > 0:
        worse.append(
            f"critical segment: runs with a contradiction rose from {contradictions.baseline or 0.0:.2%} to "
            f"{contradictions.candidate or 0.0:.2%}"
        )
    unsure = [_unsure(each, rules) for each in measures if each.outcome == "not_enough_data"]
    unsure += _left_open(group, old, new, rules)
    return SegmentDecision(
        name=group.name,
        merged=group.merged,
        critical=group.critical,
        outcome="worse" if worse else "not_enough_data" if unsure else "passes",
        reasons=(*worse, *unsure),
        baseline=old,
        candidate=new,
        unmatched=group.unmatched,
        measures=tuple(measures),
    )


def _counted(answers: Sequence[Answer]) -> Arm:
    claims, contradicted = ([each.shares[name] for each in answers] for name in ("unsupported_claims", "contradiction"))
    return Arm(
        answers=len(answers),
        undecided=sum(each.left >= 1.0 for each in answers),
        declined=sum(each.run.state == "abstained" for each in answers),
        claims=sum(whole for _, whole in claims),
        open_claims=sum(each.open_claims for each in answers),
        unsupported=sum(int(bad) for bad, _ in claims),
        flawed=sum(bad > 0 for bad, _ in claims),
        contradicted=sum(bad > 0 for bad, _ in contradicted),
        open_share=sum(each.left for each in answers) / len(answers) if answers else 0.0,
    )


def _unsure(measure: Measure, rules: Policy) -> str:
    called = f"the share of {words(measure.name)}"
    if measure.more is None:
        return (
            f"{called} is {100 * (measure.difference or 0.0):+.1f} points, at or over the margin of "
            f"{100 * measure.margin:.1f}: more answers would not make it pass"
        )
    old, new = measure.more
    if min(measure.questions) < rules.minimum:
        have = f"{measure.questions[0]} and {measure.questions[1]} questions"
        return f"{called}: {have}, at least {rules.minimum} each: {old} (baseline) and {new} (candidate) more needed"
    need = str(new) if old == new else f"{old} (baseline) and {new} (candidate)"
    return f"{called} may have risen by {100 * (measure.high or 0.0):.1f} points: {need} more needed"


def _left_open(group: Group, old: Arm, new: Arm, rules: Policy) -> list[str]:
    """Why the candidate cannot pass for what the judge left open, which is not known to be good."""
    left = f"the judge left {new.open_share:.1%} of the candidate's answers open"
    if new.open_share > rules.max_undecided:
        return [f"{left}, allowed are {rules.max_undecided:.1%}: judge them again"]
    second, first = (residuals(clusters(runs, "open").values()) for runs in group.arms)
    if first is None or second is None:
        return []
    prior = prior_design((first, second))
    rise = Difference(share(first, prior), share(second, prior))
    if rise.limits(NormalDist().inv_cdf(1 - ALPHA))[0] <= rules.margin:
        return []
    return [f"{left} and {old.open_share:.1%} of the baseline's, which may hide a rise: judge them again"]


def _largest_rise(segment: SegmentDecision) -> float:
    return max((each.difference for each in segment.measures if each.difference is not None), default=0.0)
