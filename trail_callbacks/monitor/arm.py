"""The answers of releases by segment; small segments are merged, and runs paired where that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from trail_callbacks.errors import InputError
from trail_callbacks.monitor.decision import Arm, MeasureName, Policy
from trail_callbacks.monitor.observation import Observation
from trail_callbacks.monitor.signals import SIGNALS
from trail_callbacks.statistics.clusters import Cluster
from trail_callbacks.verify.threshold import OnUndecided, is_decided

__all__ = ["Answer", "ReleaseSegment", "clusters", "common", "counted", "read", "split"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a gate reads of a run.

    Attributes:
        question: What it is clustered and paired by: the key of its question, or else its own id.
        key: The key alone; empty without a question.
        segment: Value of the segment that is decided by; None if it has none.
        judge: Name of the judge.
        weight: How many runs it stands for, 1.0 or more.
        left: How much of it the judge left open, 0.0 to 1.0.
        open_claims: Claims that the judge left undecided or failed on.
        unsupported: Decided claims that are unsupported.
        decided: Decided claims.
        contradicted: Whether it has a contradiction; None if nothing was decided.
        declined: Whether the app declined to answer.
    """

    question: str
    key: str
    segment: str | None
    judge: str
    weight: float
    left: float
    open_claims: int
    unsupported: int
    decided: int
    contradicted: bool | None
    declined: bool


def read(run: Observation, segment: str | None = None, on_undecided: OnUndecided = "pass") -> Answer:
    """Reads a run. Of one that the judge failed on, or of which it decided nothing, no claim counts.

    Args:
        run: The run.
        segment: Name of the segment that is decided by.
        on_undecided: With `fail`, claims left undecided beside decided ones count as unsupported.
    """
    undecided = run.outcomes.get("undecided", 0)
    counted = undecided if on_undecided == "fail" else 0
    unsupported, decided = run.unsupported + counted, run.decided + counted
    claims = undecided - counted + run.outcomes.get("not_judged", 0)
    if not is_decided(run.state, run.decided):
        left, unsupported, decided, claims, contradicted = 1.0, 0, 0, 0, None
    else:
        left = claims / (claims + decided) if claims else 0.0
        contradicted = SIGNALS["contradiction"].bad(run)
    return Answer(
        question=run.key or f"run {run.id}",
        key=run.key,
        segment=None if segment is None else run.segment(segment),
        judge=run.judge,
        weight=1.0 / run.rate,
        left=left,
        open_claims=claims,
        unsupported=unsupported,
        decided=decided,
        contradicted=contradicted,
        declined=run.state == "abstained",
    )


def counted(answers: Sequence[Answer]) -> Arm:
    """Counts answers."""
    return Arm(
        answers=len(answers),
        undecided=sum(each.left >= 1.0 for each in answers),
        declined=sum(each.declined for each in answers),
        claims=sum(each.decided for each in answers),
        open_claims=sum(each.open_claims for each in answers),
        unsupported=sum(each.unsupported for each in answers),
        flawed=sum(each.unsupported > 0 for each in answers),
        contradicted=sum(each.contradicted is True for each in answers),
        open_share=sum(each.left for each in answers) / len(answers) if answers else 0.0,
    )


def clusters(answers: Iterable[Answer], measure: MeasureName | Literal["open"]) -> dict[str, Cluster]:
    """Sums a measure up by question; answers without a question are one each.

    Args:
        answers: The answers.
        measure: What is counted; `open` is how much of its answers the judge left open.
    """
    found: dict[str, Cluster] = {}
    for each in answers:
        bad: float
        if measure == "unsupported_claims":
            bad, whole = each.unsupported, each.decided
        elif measure == "contradictions":
            bad, whole = bool(each.contradicted), int(each.contradicted is not None)
        else:
            bad, whole = each.left, 1
        if whole:
            old = found.get(each.question, (0.0, 0.0, 0.0))
            found[each.question] = (old[0] + each.weight * bad, old[1] + each.weight * whole, old[2] + whole)
    return found


_ALL, _REST, _NONE = "all", "rest", "(none)"
_SHOWN = 8  # values in a message


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseSegment:
    """The runs of a segment.

    Attributes:
        name: Its value; `all` without segments, `(none)` for runs without a value, `rest` for merged ones.
        merged: The values that were merged into it.
        critical: Whether contradictions may not rise at all.
        baseline: Runs of the baseline.
        candidate: Runs of the candidate.
        unmatched: Runs of each that were left out because their question is not in the other.
    """

    name: str
    baseline: Sequence[Answer]
    candidate: Sequence[Answer]
    merged: tuple[str, ...] = ()
    critical: bool = False
    unmatched: tuple[int, int] = (0, 0)


def common(old: Sequence[Answer], new: Sequence[Answer]) -> float:
    """Share of the runs of each release whose question was asked in the other too, the smaller of both."""
    keys = {run.key for run in old} & {run.key for run in new} - {""}
    return min(sum(run.key in keys for run in runs) / len(runs) for runs in (old, new))


def split(old: Sequence[Answer], new: Sequence[Answer], rules: Policy, *, paired: bool) -> list[ReleaseSegment]:
    """Splits the runs of both releases. Segments with too few questions are merged, critical ones never.

    Raises:
        InputError: If a critical value does not occur.
    """
    if rules.segment is None:
        return [_matched(_ALL, old, new, paired=paired)]
    values: dict[str, tuple[list[Answer], list[Answer]]] = {}
    for n, runs in enumerate((old, new)):
        for run in runs:
            value = run.segment
            values.setdefault(_NONE if value is None else value, ([], []))[n].append(run)
    if set(values) == {_NONE}:
        raise InputError(
            f"no run has a value of {rules.segment!r}: segments are metadata of the recorded run; reports alone "
            "have none, give their traces too or audit the traces"
        )
    _check_critical(rules, values)
    segments = [_matched(name, *runs, paired=paired, critical=name in rules.critical) for name, runs in values.items()]
    small = [each for each in segments if not each.critical and _smallest(each, paired=paired) < rules.minimum]
    kept = [each for each in segments if each not in small]
    if len(small) == 1 and kept:  # nothing to merge it with: it stands under its own name
        return segments
    if small:
        names = tuple(sorted(each.name for each in small))
        label = _REST if _REST not in {each.name for each in kept} else f"{_REST} (merged)"
        pairs = [sum(each.unmatched[n] for each in small) for n in (0, 1)]
        kept.append(
            ReleaseSegment(
                name=label,
                baseline=[run for each in small for run in each.baseline],
                candidate=[run for each in small for run in each.candidate],
                merged=names,
                unmatched=(pairs[0], pairs[1]),
            )
        )
    return kept


def _check_critical(rules: Policy, values: dict[str, tuple[list[Answer], list[Answer]]]) -> None:
    unknown = sorted(rules.critical - set(values))
    if unknown:
        known = ", ".join(map(repr, sorted(values)[:_SHOWN]))
        raise InputError(f"critical is {unknown[0]!r}, and no run has that {rules.segment}: there are {known}")


def _matched(
    name: str, old: Sequence[Answer], new: Sequence[Answer], *, paired: bool, critical: bool = False
) -> ReleaseSegment:
    if not paired:
        return ReleaseSegment(name=name, baseline=old, candidate=new, critical=critical)
    keys = {run.key for run in old} & {run.key for run in new} - {""}
    # What the judge left open is in no difference, and is told nonetheless: some of it is known by no question.
    kept = [[run for run in runs if run.key in keys or run.left >= 1.0] for runs in (old, new)]
    return ReleaseSegment(
        name=name,
        baseline=kept[0],
        candidate=kept[1],
        critical=critical,
        unmatched=(len(old) - len(kept[0]), len(new) - len(kept[1])),
    )


def _smallest(segment: ReleaseSegment, *, paired: bool) -> int:
    """Questions that can be compared, in the smaller release."""
    old, new = (clusters(runs, "unsupported_claims") for runs in (segment.baseline, segment.candidate))
    return len(old.keys() & new.keys()) if paired else min(len(old), len(new))
