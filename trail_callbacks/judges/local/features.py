"""Features: a claim and its passages as the few numbers from which the risk of a claim is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from math import log1p

from trail_callbacks.judges.local.checks.number import stated
from trail_callbacks.judges.local.checks.reading import Reading
from trail_callbacks.judges.local.overlap import Overlap

__all__ = ["Features", "features"]

_MOST = 3  # numbers that are missing; more make it no worse
_RUN = 3  # words of a run


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What is counted about one claim.

    Attributes:
        covered: Share by weight that the best passage holds together with up to two others, 0.0 to 1.0.
        missing: log(1 + words that the best window lacks), 0.0 or more.
        runs: Share of all words that are part of three words in a row that a window has, too, 0.0 to 1.0.
        numbers: Numbers of the claim that no window with a word of it has, 0 to 3.
        contradiction: 1.0 if a check found a contradiction, else 0.0.
        departure: 1.0 if a check found something weaker, else 0.0.
    """

    covered: float
    missing: float
    runs: float
    numbers: float
    contradiction: float
    departure: float

    def values(self) -> tuple[float, ...]:
        """Returns the numbers in the order of the attributes."""
        return astuple(self)


def features(
    overlap: Overlap, windows: Sequence[Reading], best: Sequence[int], *, contradiction: bool, departure: bool
) -> Features:
    """Counts the features of a claim.

    Args:
        overlap: What the passages hold of the claim.
        windows: Each passage that may be about the claim, with the text before and after it.
        best: Indices of the passages that together hold most of the claim.
        contradiction: Whether a check found a contradiction.
        departure: Whether a check found something weaker.
    """
    claim = overlap.claim
    near = [window for window in windows if not claim.content or any(map(window.has, claim.content))]
    most = max((sum(map(window.has, claim.content)) for window in windows), default=0)
    return Features(
        covered=overlap.share(overlap.covered(best), overlap.everything),
        missing=log1p(len(claim.content) - most),
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
