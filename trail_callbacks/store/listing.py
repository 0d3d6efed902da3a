"""Lists of runs and documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from trail_callbacks.observations import Signal
from trail_callbacks.store.schema import details, documents, plain, runs
from trail_callbacks.store.series import Window
from trail_callbacks.store.tallies import bad

__all__ = ["Page", "Sort", "listed", "run_facts", "sources"]

Sort = Literal["newest", "oldest", "worst", "best"]

_SOURCES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of runs.

    Attributes:
        rows: The runs.
        after: Where the next page begins: the value that is sorted by, and the number of the last run; None at the end.
    """

    rows: tuple[Mapping[str, Any], ...]
    after: tuple[float, int] | None


def listed(
    connection: sa.Connection,
    window: Window,
    *,
    state: str | None = None,
    signal: Signal | None = None,
    stage: str | None = None,
    words: str = "",
    sort: Sort = "newest",
    after: tuple[float, int] | None = None,
    size: int = 50,
) -> Page:
    """Lists runs. A page begins where the last one ended, so that its time does not grow with the pages before it.

    Args:
        connection: The database.
        window: When they began, and their segments.
        state: State of the report.
        signal: Only runs that are bad by this signal.
        stage: Only runs whose evidence path broke first at this stage.
        words: What the beginning of the question or of the answer holds, whatever its case.
        sort: Order. By score, runs without one are left out.
        after: Where the page begins.
        size: Runs of a page.
    """
    source, conditions = window.chosen()
    by = runs.c.score if sort in {"worst", "best"} else runs.c.at
    downwards = sort in {"newest", "worst"}
    conditions += [by.is_not(None)] if sort in {"worst", "best"} else []
    conditions += [] if not state else [runs.c.state == state]
    conditions += [] if not stage else [runs.c.broken == stage]
    conditions += [] if signal is None else [bad(signal).is_(sa.true())]
    if words.strip():
        wanted = plain(words.strip())
        conditions.append(
            sa.or_(*(column.icontains(wanted, autoescape=True) for column in (details.c.question, details.c.answer)))
        )
    if after is not None:
        value, n = after
        beyond = by < value if downwards else by > value
        conditions.append(sa.or_(beyond, sa.and_(by == value, runs.c.n < n if downwards else runs.c.n > n)))
        conditions.append(by <= value if downwards else by >= value)  # by which the index is entered
    order = (by.desc(), runs.c.n.desc()) if downwards else (by, runs.c.n)
    asked = (
        sa.select(runs, details.c.question)
        .select_from(source.join(details, details.c.n == runs.c.n))
        .where(*conditions)
        .order_by(*order)
        .limit(size + 1)
    )
    rows = tuple(dict(row) for row in connection.execute(asked).mappings())
    shown = rows[:size]
    more = (shown[-1][by.name], shown[-1]["n"]) if len(rows) > size else None
    return Page(rows=shown, after=more)


def run_facts(connection: sa.Connection, run: str) -> Mapping[str, Any] | None:
    """The row of a run; None if the store has no such run."""
    asked = sa.select(runs, details.c.question).join(details, details.c.n == runs.c.n).where(runs.c.run == plain(run))
    found = connection.execute(asked).mappings().first()
    return None if found is None else dict(found)


def sources(connection: sa.Connection, window: Window) -> list[Mapping[str, Any]]:
    """The documents that were retrieved most, with how old they are and how many answers over them are flawed."""
    source, conditions = window.chosen()
    decided = sa.case((runs.c.decided > 0, 1), else_=0)
    flawed = sa.case((runs.c.unsupported > 0, 1), else_=0)
    count = sa.func.count()
    asked = (
        sa.select(
            documents.c.name,
            count.label("runs"),
            sa.func.sum(documents.c.passages).label("passages"),
            sa.func.sum(documents.c.selected).label("selected"),
            sa.func.max(documents.c.updated).label("updated"),
            sa.func.max(documents.c.ingested).label("ingested"),
            sa.func.sum(decided).label("decided"),
            sa.func.sum(decided * flawed).label("flawed"),
        )
        .select_from(source.join(documents, documents.c.n == runs.c.n))
        .where(*conditions)
        .group_by(documents.c.name)
        .order_by(count.desc(), documents.c.name)
        .limit(_SOURCES)
    )
    return [dict(row) for row in connection.execute(asked).mappings()]
