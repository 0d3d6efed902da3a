"""Bad runs of two groups side by side: now and before, one segment and the others, a new version and the old one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf

from trail_callbacks.monitor.observation import Observation
from trail_callbacks.monitor.signals import Recorded, Signal, Tally
from trail_callbacks.statistics.clusters import Difference, Share
from trail_callbacks.statistics.paired import holm

__all__ = ["Rise", "Rollout", "contrast", "rollouts", "tallied", "weighed"]

_ALPHA = 0.05
_FEWEST = 10  # decided runs in each group, below which nothing is said
_EVER = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rise:
    """Bad runs of two groups.

    Attributes:
        name: What is compared: a signal, a segment or a version.
        now: Counts of the group in question.
        then: Counts of what it is compared with.
        p: Probability of such a rise, or a larger one, if nothing differed; None with fewer than 10 decided runs in
            either group.
        worse: Whether there are more bad runs, with 5 % error over all contrasts of its kind (Holm).
    """

    name: str
    now: Tally
    then: Tally
    p: float | None = None
    worse: bool = False


def tallied(runs: Iterable[Observation], signal: Signal) -> Tally:
    """Counts runs, whenever they were."""
    return Recorded(runs).tally(signal, -_EVER, _EVER)


def contrast(name: str, now: Tally, then: Tally) -> Rise:
    """Compares two groups; whether one is worse is said by `weighed`."""
    if min(now.decided, then.decided) < _FEWEST:
        return Rise(name=name, now=now, then=then)
    shares = [Share(each.share or 0.0, each.decided, each.effective) for each in (now, then)]
    return Rise(name=name, now=now, then=then, p=Difference(shares[0], shares[1]).p_worse())


def weighed(contrasts: Sequence[Rise]) -> tuple[Rise, ...]:
    """Says of contrasts of one kind which are worse, so that all of them together err in 5 % at most."""
    adjusted = holm([each.p for each in contrasts])
    pairs = zip(contrasts, adjusted, strict=True)
    return tuple(replace(each, worse=p is not None and p < _ALPHA) for each, p in pairs)


_VERSIONS = 50  # of a part above which they are no rollouts
_ENOUGH = 50  # runs of a version; with fewer, the time goes on to the next rollout but one


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """A new version of a part.

    Attributes:
        part: The part: `app`, `model`, `prompt`, `retriever`, `reranker`, `index`, `chunker`.
        version: Its new version.
        replaced: The version that was seen before.
        at: When the first run with it began, seconds since the epoch.
        contrast: Runs with the new version, compared with those of the version before: of both the runs nearest to the
            rollout, up to the rollouts before and after it.
    """

    part: str
    version: str
    replaced: str
    at: float
    contrast: Rise


def rollouts(runs: Sequence[Observation], signal: Signal) -> tuple[Rollout, ...]:
    """Finds new versions, the most suspicious first.

    Args:
        runs: Runs in the order of time.
        signal: What makes a run bad.
    """
    found: list[tuple[str, Sequence[Observation], Sequence[Observation]]] = []
    for part in sorted({name for run in runs for name in run.versions}):
        known: dict[str, list[Observation]] = {}
        for run in runs:
            if part in run.versions:
                known.setdefault(run.versions[part], []).append(run)
        if len(known) <= _VERSIONS:
            found += [(part, known[old], known[new]) for old, new in pairwise(known)]  # as they were first seen
    times = sorted({new[0].at for _, _, new in found})
    contrasts = []
    for part, old, new in found:
        at = new[0].at
        begin = next((t for t in reversed(times) if t < at and _within(old, t, at) >= _ENOUGH), -inf)
        end = next((t for t in times if t > at and _within(new, at, t) >= _ENOUGH), inf)
        tallies = [tallied([run for run in each if begin <= run.at < end], signal) for each in (new, old)]
        contrasts.append(contrast(new[0].versions[part], *tallies))
    rows = [
        Rollout(part=part, version=each.name, replaced=old[0].versions[part], at=new[0].at, contrast=each)
        for (part, old, new), each in zip(found, weighed(contrasts), strict=True)
    ]
    rows.sort(key=lambda each: (not each.contrast.worse, 1.0 if each.contrast.p is None else each.contrast.p, -each.at))
    return tuple(rows)


def _within(runs: Sequence[Observation], begin: float, end: float) -> int:
    first, last = (bisect_left(runs, t, key=lambda run: run.at) for t in (begin, end))
    return last - first
