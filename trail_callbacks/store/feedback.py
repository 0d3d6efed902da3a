"""What people say of verdicts: right or wrong. A claim that is judged anew keeps it as long as it says the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast, get_args

import sqlalchemy as sa

from trail_callbacks.errors import InputError
from trail_callbacks.store.schema import claims, feedback, plain, runs
from trail_callbacks.store.writing import insert

__all__ = ["Feedback", "Mark", "mark", "marks"]

Mark: TypeAlias = Literal["right", "wrong"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What somebody said of the verdict on a claim.

    Attributes:
        run: Id of the run.
        claim: Id of the claim in its report.
        verdict: Whether the judge was right.
        outcome: What the judge had said then, see `Verdict.outcome`.
        judge: Name of the judge.
        author: Who said it.
        at: When, seconds since the epoch.
        note: Why.
    """

    run: str
    claim: str
    verdict: Mark
    outcome: str
    judge: str
    author: str
    at: float
    note: str | None = None


def mark(
    connection: sa.Connection, run: str, claim: str, verdict: Mark, *, author: str, at: float, note: str | None
) -> None:
    """Keeps what somebody says of a verdict, in place of what they said before.

    Raises:
        InputError: If there is no such claim, or no such mark.
    """
    if verdict not in get_args(Mark):
        raise InputError(f"verdict is {verdict!r}, expected one of {', '.join(get_args(Mark))}")
    asked = sa.select(runs.c.n, runs.c.judge, claims.c.key, claims.c.outcome).join(claims, claims.c.n == runs.c.n)
    found = connection.execute(asked.where(runs.c.run == plain(run), claims.c.claim == claim)).first()
    if found is None:
        raise InputError(f"the store has no claim {claim!r} of a run {run!r}")
    values = {"verdict": verdict, "outcome": found.outcome, "judge": found.judge, "at": at, "note": note}
    statement = insert(connection, feedback).values(n=found.n, claim=claim, key=found.key, author=author, **values)
    connection.execute(statement.on_conflict_do_update(index_elements=["n", "key", "author"], set_=values))


def marks(connection: sa.Connection, run: str | None = None) -> Iterator[Feedback]:
    """Yields what was said, in the order in which claims were first spoken of."""
    asked = sa.select(runs.c.run, feedback).join(runs, runs.c.n == feedback.c.n).order_by(feedback.c.f)
    if run is not None:
        asked = asked.where(runs.c.run == plain(run))
    for row in connection.execute(asked):
        yield Feedback(
            run=row.run,
            claim=row.claim,
            verdict=cast("Mark", row.verdict),
            outcome=row.outcome,
            judge=row.judge,
            author=row.author,
            at=row.at,
            note=row.note,
        )
