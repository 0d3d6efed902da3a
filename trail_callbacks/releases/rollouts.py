"""New versions, as runs show them, and whether runs are worse with them.

A version is compared with the one before over the time between the rollouts next to it: otherwise whatever is rolled
out after something broke, or long before, would look as if it were the cause.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from trail_callbacks.observations import Observation, Signal
from trail_callbacks.releases.contrast import Contrast, contrast, tallied, weighed

__all__ = ["Rollout", "rollouts"]

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
    contrast: Contrast


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
