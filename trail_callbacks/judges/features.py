"""Features: a claim and its passages as the few numbers from which the risk of a claim is read off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from math import log1p

from trail_callbacks.judges.checks.overlap import Overlap
from trail_callbacks.judges.checks.reading import Reading

__all__ = ["Features", "features"]

_MOST = 3  # numbers or names that are missing; more make it no worse
_RUN = 3  # words of a run


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What is counted about one claim.

    Attributes:
        team: Share of the claim's words, by weight, that the best passage holds together with up to two others, 0..1.
        anywhere: The share that all passages hold together, 0..1.
        missing: log(1 + weight of the words that the team lacks), 0 or more.
        pairs: Share of the neighbouring words of content that stand together in one passage, 0..1.
        runs: Share of all words that are part of three words in a row that a passage has, too, 0..1.
        numbers: Numbers of the claim that the team lacks, 0..3.
        names: Names that it lacks, 0..3.
        contradiction: 1.0 if a check found a contradiction, else 0.0.
        departure: 1.0 if a check found something weaker, else 0.0.
    """

    team: float
    anywhere: float
    missing: float
    pairs: float
    runs: float
    numbers: float
    names: float
    contradiction: float
    departure: float

    def values(self) -> tuple[float, ...]:
        """The numbers in the order of the attributes."""
        return astuple(self)


def features(overlap: Overlap, team: Sequence[int], *, contradiction: bool, departure: bool) -> Features:
    """Counts.

    Args:
        overlap: What the passages hold of the claim.
        team: Indices of the passages that together hold most of it.
        contradiction: Whether a check found a contradiction.
        departure: Whether a check found something weaker.
    """
    everything = overlap.without(None)
    total = overlap.weight(everything)
    have = overlap.covered(team)
    lacking = [overlap.items[i].kind for i in everything - have]
    return Features(
        team=overlap.weight(have) / total if total else 0.0,
        anywhere=overlap.weight(overlap.covered(range(len(overlap.held)))) / total if total else 0.0,
        missing=log1p(overlap.weight(everything - have)),
        pairs=_pairs(overlap.claim, overlap.passages),
        runs=_runs(overlap.claim, overlap.passages),
        numbers=min(lacking.count("number"), _MOST),
        names=min(lacking.count("name"), _MOST),
        contradiction=float(contradiction),
        departure=float(departure),
    )


def _pairs(claim: Reading, passages: Sequence[Reading]) -> float:
    held = [frozenset(i for i, term in enumerate(claim.content) if passage.has(term)) for passage in passages]
    together = [any(i in has and i + 1 in has for has in held) for i in range(len(claim.content) - 1)]
    return sum(together) / len(together) if together else 1.0


def _runs(claim: Reading, passages: Sequence[Reading]) -> float:
    forms = [term.form for term in claim.terms]
    covered: set[int] = set()
    for i in range(len(forms) - _RUN + 1):
        if any(tuple(forms[i : i + _RUN]) in passage.runs for passage in passages):
            covered.update(range(i, i + _RUN))
    return len(covered) / len(forms) if forms else 0.0
