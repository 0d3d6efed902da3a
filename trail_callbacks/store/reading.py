"""What the page for the team asks a store: lists of runs, in pages, one run, and documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from trail_callbacks.monitor import Signal
from trail_callbacks.store.counting import Window, bad
from trail_callbacks.store.schema import details, documents, plain, runs

Sort = Literal["newest", "oldest", "worst", "best"]

_SOURCES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """A page of runs."""

    rows: tuple[Mapping[str, Any], ...]
    # where the next page begins: the value that is sorted by, and the number of the last run; None at the end
    after: tuple[float, int] | None


def listed(
    connection: sa.Connection,
    window: Window,
    *,
    state: str = "",
    signal: Signal | None = None,
    stage: str = "",
    words: str = "",
    sort: Sort = "newest",
    after: tuple[float, int] | None = None,
    size: int = 50,
) -> RunPage:
    """Lists runs. A page begins where the last one ended, so that its time does not grow with the pages before it."""
    source, conditions = window.chosen()
    by = runs.c.score if sort in {"worst", "best"} else runs.c.at
    downwards = sort in {"newest", "worst"}
    wanted = plain(words.strip())
    texts = [column.icontains(wanted, autoescape=True) for column in (details.c.question, details.c.answer)]
    conditions += [
        by.is_not(None),
        *([runs.c.state == state] if state else ()),
        *([runs.c.broken == stage] if stage else ()),
        *([bad(signal).is_(sa.true())] if signal else ()),
        *([sa.or_(*texts)] if wanted else ()),
    ]
    if after is not None:
        place, last = sa.tuple_(by, runs.c.n), sa.tuple_(*map(sa.literal, after))
        conditions.append(place < last if downwards else place > last)
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
    return RunPage(rows=shown, after=more)


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
