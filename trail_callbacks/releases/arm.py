"""One release in one segment: its answers, what was counted, and its clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from trail_callbacks.observations import SIGNALS, Observation
from trail_callbacks.statistics.clusters import Cluster
from trail_callbacks.verify.threshold import OnUndecided, is_decided

__all__ = ["Answer", "Arm", "MeasureName", "clusters", "counted", "read"]

MeasureName: TypeAlias = Literal["unsupported_claims", "contradictions"]
"""Share of the decided claims that are unsupported; share of the runs with a contradiction."""


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
