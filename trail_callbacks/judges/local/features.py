"""Features: a claim and its passages as the few numbers from which the risk of a claim is read off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from math import log1p

from trail_callbacks.judges.local.checks.number import stated
from trail_callbacks.judges.local.checks.overlap import Overlap
from trail_callbacks.judges.local.checks.reading import Reading

__all__ = ["Features", "features"]

_MOST = 3  # numbers that are missing; more make it no worse
_RUN = 3  # words of a run


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What is counted about one claim.

    Attributes:
        team: Share by weight that the best passage holds together with up to two others, 0..1.
        missing: log(1 + words that the best window lacks), 0 or more.
        runs: Share of all words that are part of three words in a row that a window has, too, 0..1.
        numbers: Numbers of the claim that no window with a word of it has, 0..3.
        contradiction: 1.0 if a check found a contradiction, else 0.0.
        departure: 1.0 if a check found something weaker, else 0.0.
    """

    team: float
    missing: float
    runs: float
    numbers: float
    contradiction: float
    departure: float

    def values(self) -> tuple[float, ...]:
        """The numbers in the order of the attributes."""
        return astuple(self)


def features(
    overlap: Overlap, windows: Sequence[Reading], team: Sequence[int], *, contradiction: bool, departure: bool
) -> Features:
    """Counts.

    Args:
        overlap: What the passages hold of the claim.
        windows: Each passage that may be about the claim, with what stands before and behind it.
        team: Indices of the passages that together hold most of the claim.
        contradiction: Whether a check found a contradiction.
        departure: Whether a check found something weaker.
    """
    claim, everything = overlap.claim, overlap.without(None)
    total = overlap.weight(everything)
    near = [window for window in windows if not claim.content or any(map(window.has, claim.content))]
    best = max((sum(map(window.has, claim.content)) for window in windows), default=0)
    return Features(
        team=overlap.weight(overlap.covered(team)) / total if total else 0.0,
        missing=log1p(len(claim.content) - best),
        runs=_runs(claim, windows),
        numbers=min(_MOST, sum(not any(stated(q, claim, window) for window in near) for q in claim.quantities)),
        contradiction=float(contradiction),
        departure=float(departure),
    )


def _runs(claim: Reading, windows: Sequence[Reading]) -> float:
    forms = [term.form for term in claim.terms]
    covered: set[int] = set()
    for i in range(len(forms) - _RUN + 1):
        if any(tuple(forms[i : i + _RUN]) in window.runs for window in windows):
            covered.update(range(i, i + _RUN))
    return len(covered) / len(forms) if forms else 0.0
