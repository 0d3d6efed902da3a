"""Runs of two releases by segment; small segments are merged, and runs paired where that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trail_callbacks.errors import InputError
from trail_callbacks.releases.arm import Answer, clusters
from trail_callbacks.releases.policy import Policy

__all__ = ["Segment", "common", "split"]

_ALL, _REST, _NONE = "all", "rest", "(none)"
_SHOWN = 8  # values in a message


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
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


def split(old: Sequence[Answer], new: Sequence[Answer], rules: Policy, *, paired: bool) -> list[Segment]:
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
            Segment(
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
) -> Segment:
    if not paired:
        return Segment(name=name, baseline=old, candidate=new, critical=critical)
    keys = {run.key for run in old} & {run.key for run in new} - {""}
    # What the judge left open is in no difference, and is told nonetheless: some of it is known by no question.
    kept = [[run for run in runs if run.key in keys or run.left >= 1.0] for runs in (old, new)]
    return Segment(
        name=name,
        baseline=kept[0],
        candidate=kept[1],
        critical=critical,
        unmatched=(len(old) - len(kept[0]), len(new) - len(kept[1])),
    )


def _smallest(segment: Segment, *, paired: bool) -> int:
    """Questions that can be compared, in the smaller release."""
    old, new = (clusters(runs, "unsupported_claims") for runs in (segment.baseline, segment.candidate))
    return len(old.keys() & new.keys()) if paired else min(len(old), len(new))
