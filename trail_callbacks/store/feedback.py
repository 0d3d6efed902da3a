"""What people say of verdicts: right or wrong, and what would be right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from trail_callbacks.errors import InputError
from trail_callbacks.store.schema import claims, feedback, plain, runs
from trail_callbacks.taxonomy import SupportClass

__all__ = ["Feedback", "marks", "put"]

_TEXT = 2_000  # characters of a note


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What a person says of the verdict on a claim.

    Attributes:
        run: The run.
        claim: Id of the claim in its report.
        right: Whether the verdict is right.
        should: The class it should have, if it is wrong and the person says; None otherwise.
        author: Who says so.
        at: When, seconds since the epoch.
        outcome: What the judge had said, see `Verdict.outcome`; filled in by the store.
        judge: Name of the judge; likewise.
        note: A remark.

    Raises:
        InputError: If `should` is no class, or is given for a verdict that is right.
    """

    run: str
    claim: str
    right: bool
    should: str | None = None
    author: str = ""
    at: float = 0.0
    outcome: str = ""
    judge: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        """Checks the class."""
        if self.should is not None and self.should not in {each.value for each in SupportClass}:
            raise InputError(f"should is {self.should!r}, expected one of {', '.join(SupportClass)}")
        if self.should is not None and self.right:
            raise InputError("a verdict that is right needs no other class")

    @property
    def label(self) -> str | None:
        """The class that the claim has after this person; None if the person only says that it is not the judge's."""
        return self.outcome if self.right else self.should


def put(connection: sa.Connection, said: Feedback) -> bool:
    """Writes what a person says, in place of what the same person said of the same claim before.

    Returns:
        False if the store has no such claim.
    """
    asked = (
        sa.select(runs.c.n, runs.c.judge, claims.c.key, claims.c.outcome)
        .join(claims, claims.c.n == runs.c.n)
        .where(runs.c.run == plain(said.run), claims.c.claim == plain(said.claim))
    )
    found = connection.execute(asked).first()
    if found is None:
        return False
    values = {
        "n": found.n,
        "claim": said.claim,
        "key": found.key,
        "verdict": "right" if said.right else "wrong",
        "should": said.should,
        "outcome": found.outcome,
        "judge": found.judge,
        "author": said.author,
        "at": said.at,
        "note": said.note[:_TEXT] or None,
    }
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    identity = ("n", "key", "author")
    changed = {name: value for name, value in values.items() if name not in identity}
    connection.execute(insert(feedback).values(values).on_conflict_do_update(index_elements=identity, set_=changed))
    return True


def marks(connection: sa.Connection, run: str | None = None) -> Iterator[Feedback]:
    """Yields what people said, of one run or of all, oldest first."""
    asked = sa.select(runs.c.run, feedback).join(runs, runs.c.n == feedback.c.n).order_by(feedback.c.at, feedback.c.f)
    if run is not None:
        asked = asked.where(runs.c.run == plain(run))
    for row in connection.execute(asked):
        yield Feedback(
            run=row.run,
            claim=row.claim,
            right=row.verdict == "right",
            should=row.should,
            author=row.author,
            at=row.at,
            outcome=row.outcome,
            judge=row.judge,
            note=row.note or "",
        )
