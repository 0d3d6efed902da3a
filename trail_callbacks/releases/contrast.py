"""Bad runs of two groups side by side: now and before, one segment and the others, a new version and the old one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from trail_callbacks.observations import Observation, Recorded, Signal, Tally
from trail_callbacks.statistics.clusters import Share
from trail_callbacks.statistics.differences import Difference
from trail_callbacks.statistics.paired import holm

__all__ = ["Contrast", "contrast", "tallied", "weighed"]

_ALPHA = 0.05
_FEWEST = 10  # decided runs in each group, below which nothing is said
_EVER = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
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


def contrast(name: str, now: Tally, then: Tally) -> Contrast:
    """Compares two groups; whether one is worse is said by `weighed`."""
    if min(now.decided, then.decided) < _FEWEST:
        return Contrast(name=name, now=now, then=then)
    shares = [Share(each.share or 0.0, each.decided, each.effective) for each in (now, then)]
    return Contrast(name=name, now=now, then=then, p=Difference(shares[0], shares[1]).p_worse())


def weighed(contrasts: Sequence[Contrast]) -> tuple[Contrast, ...]:
    """Says of contrasts of one kind which are worse, so that all of them together err in 5 % at most."""
    adjusted = iter(holm([each.p for each in contrasts if each.p is not None]))
    return tuple(each if each.p is None else replace(each, worse=next(adjusted) < _ALPHA) for each in contrasts)
