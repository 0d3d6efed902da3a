"""Reading runs back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from trail_callbacks.monitor import Observation, Signal
from trail_callbacks.store.counting import Window, bad, chosen
from trail_callbacks.store.database import Database
from trail_callbacks.store.rows import observation, unpacked
from trail_callbacks.store.schema import bodies, claims, details, documents, feedback, meta, plain, runs, segments

_PAGE = 500  # runs a question
_VALUES = 500  # of a segment: what has more is an id


def observations(
    database: Database,
    since: float | None = None,
    until: float | None = None,
    segment: Mapping[str, str] | None = None,
) -> Iterator[Observation]:
    """Yields runs, oldest first. Each page is a question of its own: a slow reader holds up nobody."""
    source, conditions = chosen(since, until, segment)
    asked = (
        sa.select(runs, details.c.data)
        .select_from(source.join(details, details.c.n == runs.c.n))
        .where(*conditions)
        .order_by(runs.c.at, runs.c.n)
        .limit(_PAGE)
    )
    after: sa.ColumnElement[bool] = sa.true()
    while True:
        with database.reading() as connection:
            rows = [dict(row) for row in connection.execute(asked.where(after)).mappings()]
            used = _documents(connection, [row["n"] for row in rows])
        yield from (observation(row, used[row["n"]]) for row in rows)
        if len(rows) < _PAGE:
            return
        last = sa.tuple_(sa.literal(rows[-1]["at"]), sa.literal(rows[-1]["n"]))
        after = sa.tuple_(runs.c.at, runs.c.n) > last


def _documents(connection: sa.Connection, numbers: Sequence[int]) -> Mapping[int, list[Mapping[str, Any]]]:
    found: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    asked = sa.select(documents).where(documents.c.n.in_(numbers)).order_by(documents.c.n, documents.c.position)
    for row in connection.execute(asked).mappings() if numbers else ():
        found[row["n"]].append(dict(row))
    return found


def segment_values(connection: sa.Connection) -> dict[str, tuple[str, ...]]:
    """See `Store.segments`."""
    found: dict[str, list[str]] = defaultdict(list)
    names = sa.select(segments.c.name).group_by(segments.c.name).having(sa.func.count() <= _VALUES)
    for row in connection.execute(sa.select(segments.c.name, segments.c.value).where(segments.c.name.in_(names))):
        found[row.name].append(row.value)
    return {name: tuple(sorted(found[name])) for name in sorted(found)}


def body(connection: sa.Connection, run: str, kind: str, most: int) -> str | None:
    """The report or the trace of a run; None if there is none."""
    asked = sa.select(bodies.c.codec, bodies.c.data).join(runs, runs.c.n == bodies.c.n)
    found = connection.execute(asked.where(runs.c.run == plain(run), bodies.c.kind == kind)).first()
    return None if found is None or found.data is None else unpacked(found.codec, found.data, most)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """How much is in a store."""

    url: str  # where it is, without a password
    version: int  # of its tables
    runs: int  # number of runs
    claims: int  # number of claims
    feedback: int  # number of marks by people
    first: float | None  # when the oldest run began, seconds since the epoch; None without runs
    last: float | None  # when the newest did
    bytes: int  # reports and traces as they are stored
    uncompressed: int  # the same before compression
    refused: int  # reports and traces that were too large to be kept
    file: int | None  # bytes of the file; None if it is none


def contents(database: Database) -> Contents:
    """See `Store.contents`."""
    kept, total = bodies.c.why.is_(None), sa.func.coalesce
    with database.reading() as connection:
        counts = [
            connection.execute(sa.select(sa.func.count()).select_from(t)).scalar_one() for t in (runs, claims, feedback)
        ]
        first, last = connection.execute(sa.select(sa.func.min(runs.c.at), sa.func.max(runs.c.at))).one()
        stored, size, refused = connection.execute(
            sa.select(
                total(sa.func.sum(bodies.c.stored), 0),
                total(sa.func.sum(sa.case((kept, bodies.c.size), else_=0)), 0),
                sa.func.count(bodies.c.why),
            )
        ).one()
        version = connection.execute(sa.select(meta.c.version)).scalar_one()
    return Contents(
        url=database.url,
        version=version,
        runs=counts[0],
        claims=counts[1],
        feedback=counts[2],
        first=first,
        last=last,
        bytes=int(stored),
        uncompressed=int(size),
        refused=refused,
        file=None if database.path is None else database.path.stat().st_size,
    )
