"""What a gate could show with the runs of one release, told before anybody sets a gate up.

A release passes only where it is shown not to be worse, which takes many answers: with few of them, most releases
without any change are stopped for want of data. Fewer are needed if both releases answer the same questions, and if
segments are decided together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from trail_callbacks.monitor.decision import ALPHA, POWER, MeasureName, Policy, words
from trail_callbacks.monitor.gate import Answer, clusters, judge_of, measured_by, split
from trail_callbacks.monitor.observation import Observation
from trail_callbacks.statistics.clusters import Difference, prior_design, residuals, share

ALIKE = 0.5
"""Correlation that is assumed of what goes wrong on one question in two releases; a gate itself measures it."""

COLUMNS = ("segment", "measure", "share", "margin", "n", "unchanged passes", "n needed", "same questions")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizing:
    """One measure in one segment."""

    segment: str  # value of the segment, as in a decision
    name: MeasureName  # what is measured
    margin: float  # by how much it may rise
    questions: int  # questions that there are
    share: float | None = None  # share of what is bad, 0.0 to 1.0; None with fewer than two questions
    # how often a release without a change would pass with so many questions in each release; likewise
    passes: float | None = None
    needed: int | None = None  # questions in each release with which it passes in 80 of 100; None if no number helps
    paired: int | None = None  # the same, if both releases answer the same questions


def sizes(runs: Iterable[Observation], policy: Policy | None = None) -> tuple[Sizing, ...]:
    """Sizes a gate by the judged runs of the release that it would compare with.

    Args:
        runs: Judged runs.
        policy: The rules; by default those of `Policy()`.

    Raises:
        InputError: If there is no run, several judges judged, or a critical segment does not occur.
    """
    rules = policy or Policy()
    answers = [Answer.read(run, rules.segment, rules.on_undecided) for run in runs]
    judge_of(answers, answers)
    return tuple(
        _sized(group.name, name, margin, group.arms[0])
        for group in split(answers, answers, rules, paired=False)
        for name, margin in measured_by(group.arms[0], rules).items()
    )


def _sized(segment: str, name: MeasureName, margin: float, answers: Sequence[Answer]) -> Sizing:
    known = clusters(answers, name)
    sized = Sizing(segment=segment, name=name, margin=margin, questions=len(known))
    found = residuals(known.values())
    if found is None:
        return sized
    one = share(found, prior_design([found]))
    needed, paired = (Difference(one, one, r).planned(margin, ALPHA, POWER) for r in (0.0, ALIKE))
    passes = Difference(one, one).power(margin, ALPHA)
    return replace(sized, share=one.value, passes=passes, needed=needed, paired=paired)


def at_most(found: Sequence[Sizing]) -> float:
    """How often a release without a change passes at most: in each segment by its weakest measure, 0.0 to 1.0."""
    segments = dict.fromkeys(each.segment for each in found)
    return prod(min(each.passes or 0.0 for each in found if each.segment == name) for name in segments)


def advice(runs: Sequence[Observation], policy: Policy, found: Sequence[Sizing]) -> Iterator[str]:
    """Yields what a gate by these rules could show, and the designs that need less."""
    yield f"With as many answers a release without any change passes in {at_most(found):.0%} of cases at most."
    yield f"For 80% in each segment, both releases need up to {_most(each.needed for each in found)} questions in each."
    same = _most(each.paired for each in found)
    yield f"If both answer the same questions, up to {same} (where half of what goes wrong does so in both)."
    if policy.segment is not None:
        pooled = sizes(runs, replace(policy, segment=None, critical=frozenset()))
        whole = _most(each.needed for each in pooled)
        yield f"With all segments decided together: {whole} in all; now it passes in {at_most(pooled):.0%} at most."


def _most(numbers: Iterable[int | None]) -> str:
    return f"{max((n for n in numbers if n is not None), default=0):,}"


def rows(found: Iterable[Sizing]) -> Iterator[tuple[str, ...]]:
    """Yields the cells of each, as `COLUMNS` names them."""
    for each in found:
        shares = ["-" if part is None else f"{part:.1%}" for part in (each.share, each.margin, each.passes)]
        numbers = ["-" if n is None else f"{n:,}" for n in (each.needed, each.paired)]
        yield each.segment, words(each.name), *shares[:2], f"{each.questions:,}", shares[2], *numbers
