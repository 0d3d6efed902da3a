"""One release in one segment: what was counted, and its clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from trail_callbacks.observations import SIGNALS, Observation
from trail_callbacks.releases.difference import Cluster

__all__ = ["Arm", "MeasureName", "clusters", "counted", "left_open"]

MeasureName: TypeAlias = Literal["unsupported_claims", "contradictions"]
"""Share of the decided claims that are unsupported; share of the runs with a contradiction."""

_FINISHED = frozenset({"assessed", "partial", "abstained", "no_checkable_claims"})
_OPEN = ("undecided", "not_judged")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """Counts over the runs of a release, or of a segment of it.

    Attributes:
        answers: Runs.
        undecided: Runs that the judge failed on, or of which it decided nothing.
        declined: Runs in which the app declined to answer.
        claims: Decided claims.
        open_claims: Claims that the judge left undecided or failed on, in runs of which it decided others.
        unsupported: Decided claims that are unsupported.
        flawed: Runs with an unsupported claim.
        contradicted: Runs with a contradiction.
        open_share: Share of the answers that is not known, 0.0 to 1.0: one for each undecided, and of each other the
            share of its claims that is open.
    """

    answers: int = 0
    undecided: int = 0
    declined: int = 0
    claims: int = 0
    open_claims: int = 0
    unsupported: int = 0
    flawed: int = 0
    contradicted: int = 0
    open_share: float = 0.0


def left_open(run: Observation) -> float:
    """How much of an answer the judge left open, 0.0 to 1.0."""
    if run.state not in _FINISHED or (run.state == "partial" and not run.decided):
        return 1.0
    left = sum(run.outcomes.get(each, 0) for each in _OPEN)
    return left / (left + run.decided) if left else 0.0


def counted(runs: Iterable[Observation]) -> Arm:
    """Counts runs."""
    known = list(runs)
    opened = [left_open(run) for run in known]
    read = [run for run, share in zip(known, opened, strict=True) if share < 1.0]
    return Arm(
        answers=len(known),
        undecided=len(known) - len(read),
        declined=sum(run.state == "abstained" for run in known),
        claims=sum(run.decided for run in read),
        open_claims=sum(run.outcomes.get(each, 0) for run in read for each in _OPEN),
        unsupported=sum(run.unsupported for run in read),
        flawed=sum(run.unsupported > 0 for run in read),
        contradicted=sum(SIGNALS["contradiction"].bad(run) is True for run in read),
        open_share=sum(opened) / len(known) if known else 0.0,
    )


def _claims(run: Observation) -> tuple[int, int]:
    return run.unsupported, run.decided


def _runs(run: Observation) -> tuple[int, int]:
    bad = SIGNALS["contradiction"].bad(run)
    return (0, 0) if bad is None else (int(bad), 1)


def _open(run: Observation) -> tuple[float, int]:
    return left_open(run), 1


_COUNTS: Mapping[str, Callable[[Observation], tuple[float, int]]] = {
    "unsupported_claims": _claims,
    "contradictions": _runs,
    "open": _open,
}


def clusters(runs: Iterable[Observation], measure: MeasureName | Literal["open"]) -> dict[str, Cluster]:
    """Sums a measure up by question; runs without a question are one each. Undecided runs count in neither measure.

    Args:
        runs: The runs.
        measure: What is counted; `open` is how much of its answers the judge left open.
    """
    found: dict[str, Cluster] = {}
    for run in runs:
        if measure != "open" and left_open(run) >= 1.0:
            continue
        bad, whole = _COUNTS[measure](run)
        if not whole:
            continue
        weight, name = 1.0 / run.rate, run.key or f"run {run.id}"
        old = found.get(name, (0.0, 0.0, 0.0))
        found[name] = (old[0] + weight * bad, old[1] + weight * whole, old[2] + whole)
    return found
