"""What people say of verdicts: right or wrong. A claim that is judged anew keeps it as long as it says the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Literal, TypeAlias, get_args

import sqlalchemy as sa

from trail_callbacks.errors import InputError
from trail_callbacks.store.schema import claims, feedback, plain, runs
from trail_callbacks.store.writing import insert
from trail_callbacks.taxonomy import SupportClass

__all__ = ["Feedback", "Mark", "mark", "marks"]

Mark: TypeAlias = Literal["right", "wrong"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What somebody said of the verdict on a claim.

    Attributes:
        run: Id of the run.
        claim: Id of the claim in its report.
        verdict: Whether the judge was right.
        should: The class it should have, if the verdict is wrong and somebody says; None otherwise.
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
    should: str | None = None

    @property
    def label(self) -> str | None:
        """The class that the claim has after this person; None if they only say that it is not the judge's."""
        return self.outcome if self.verdict == "right" else self.should


def mark(
    connection: sa.Connection,
    run: str,
    claim: str,
    verdict: Mark,
    *,
    author: str,
    at: float,
    note: str | None,
    should: str | None = None,
) -> None:
    """See `Store.mark`."""
    classes = [each.value for each in SupportClass]
    if verdict not in get_args(Mark):
        raise InputError(f"verdict is {verdict!r}, expected one of {', '.join(get_args(Mark))}")
    if should is not None and should not in classes:
        raise InputError(f"should is {should!r}, expected one of {', '.join(classes)}")
    if should is not None and verdict == "right":
        raise InputError("a verdict that is right needs no other class")
    asked = sa.select(runs.c.n, runs.c.judge, claims.c.key, claims.c.outcome).join(claims, claims.c.n == runs.c.n)
    found = connection.execute(asked.where(runs.c.run == plain(run), claims.c.claim == claim)).first()
    if found is None:
        raise InputError(f"the store has no claim {claim!r} of a run {run!r}")
    values = {"verdict": verdict, "should": should, "at": at, "note": note}
    values |= {"outcome": found.outcome, "judge": found.judge}
    statement = insert(connection, feedback).values(n=found.n, claim=claim, key=found.key, author=author, **values)
    connection.execute(statement.on_conflict_do_update(index_elements=["n", "key", "author"], set_=values))


def marks(connection: sa.Connection, run: str | None = None) -> Iterator[Feedback]:
    """Yields what was said, in the order in which claims were first spoken of."""
    asked = sa.select(runs.c.run, feedback).join(runs, runs.c.n == feedback.c.n).order_by(feedback.c.f)
    if run is not None:
        asked = asked.where(runs.c.run == plain(run))
    for row in connection.execute(asked).mappings():
        yield Feedback(**{each.name: row[each.name] for each in fields(Feedback)})
