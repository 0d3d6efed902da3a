"""The tables of a store.

What is counted is apart from what is read: `runs` is narrow and has an index that answers a tally by itself, texts are
in `details` and `bodies`. `n` is the run's number in this store. All names begin with `trail_`, so that a store may
share a database with others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args

import sqlalchemy as sa

from trail_callbacks.errors import StoreError
from trail_callbacks.monitor import FigureName
from trail_callbacks.taxonomy import SupportClass
from trail_callbacks.text import encodable

FIGURES: tuple[FigureName, ...] = get_args(FigureName)
"""Figures that have a column of their own."""

OUTCOMES = (*(support.value for support in SupportClass), "undecided", "not_judged")
"""Outcomes of claims that are counted by run, see `Verdict.outcome`."""

metadata = sa.MetaData()
_Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # only INTEGER counts by itself in SQLite


def plain(text: str) -> str:
    """Returns a text as every database can hold it: without a NUL, and without lone surrogates."""
    return encodable(text).replace("\0", "\ufffd")


class Plain(sa.types.TypeDecorator[str]):
    """A text made `plain`, in what is asked too."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> str | None:  # noqa: ARG002 - SQLAlchemy's protocol
        """Returns the text as it is stored."""
        return None if value is None else plain(str(value))

    def process_result_value(self, value: Any, dialect: Any) -> str | None:  # noqa: ARG002 - as above
        """Returns the text that is stored; SQLite would give whatever somebody put there."""
        if not isinstance(value, str | None):
            raise TypeError(f"a text is stored as {type(value).__name__}")
        return value


def _of_run() -> sa.Column[int]:
    return sa.Column("n", _Number, sa.ForeignKey("trail_runs.n", ondelete="CASCADE"), primary_key=True)


def _columns(kind: Any, *names: str, known: bool = True) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=not known) for name in names]


meta = sa.Table("trail_meta", metadata, sa.Column("version", sa.Integer, nullable=False))

runs = sa.Table(
    "trail_runs",
    metadata,
    sa.Column("n", _Number, primary_key=True, autoincrement=True),
    sa.Column("run", Plain, nullable=False, unique=True),
    *_columns(sa.Double, "at", "added", "rate"),  # when it began and was written here, seconds since the epoch
    *_columns(sa.Integer, "rank"),  # see `writing`
    *_columns(Plain, "digest", "key", "judge", "state"),
    # broken: stage at which its path broke first; session: the thread that it was a turn of
    *_columns(Plain, "release", "user_id", "broken", "session", known=False),
    *_columns(sa.Integer, "claims", "decided", "unsupported", *OUTCOMES),  # claims of each
    *_columns(sa.Boolean, "diagnosed"),
    *_columns(sa.Double, "score", *(f"f_{name}" for name in FIGURES), known=False),
    sqlite_autoincrement=True,
)
sa.Index(
    "trail_runs_tally",
    runs.c.at,
    *(runs.c[name] for name in ("state", "rate", "decided", "unsupported", *OUTCOMES)),
    *(runs.c[f"f_{name}"] for name in FIGURES),
    runs.c.broken,
    runs.c.diagnosed,
)
sa.Index("trail_runs_release", runs.c.release, runs.c.at)
sa.Index("trail_runs_score", runs.c.score, runs.c.n)
sa.Index("trail_runs_user", runs.c.user_id)
sa.Index("trail_runs_key", runs.c.key)
sa.Index("trail_runs_session", runs.c.session, runs.c.at)

details = sa.Table(
    "trail_details",
    metadata,
    _of_run(),
    sa.Column("question", Plain),  # their first characters: for lists and searches
    sa.Column("answer", Plain),
    sa.Column("data", sa.Text, nullable=False),  # what of an observation has no column, as ASCII JSON
)

segments = sa.Table(
    "trail_segments",
    metadata,
    sa.Column("s", _Number, primary_key=True, autoincrement=True),
    sa.Column("name", Plain, nullable=False),
    sa.Column("value", Plain, nullable=False),
    sa.UniqueConstraint("name", "value"),
)

run_segments = sa.Table(
    "trail_run_segments",
    metadata,
    _of_run(),
    sa.Column("s", _Number, sa.ForeignKey("trail_segments.s"), primary_key=True),
    sa.Column("at", sa.Double, nullable=False),
    sqlite_with_rowid=False,
)
sa.Index("trail_run_segments_at", run_segments.c.s, run_segments.c.at, run_segments.c.n)

claims = sa.Table(
    "trail_claims",
    metadata,
    _of_run(),
    sa.Column("position", sa.Integer, primary_key=True),  # in the answer, from 0
    *_columns(Plain, "claim", "key", "outcome"),  # its id in the report; hash of what it says: feedback is about that
    *_columns(sa.Double, "at"),
    *_columns(Plain, "error_type", "step", known=False),  # step: at which it was introduced, if it is unsupported
    sqlite_with_rowid=False,
)
sa.Index(
    "trail_claims_error",
    claims.c.at,
    claims.c.error_type,
    claims.c.step,
    sqlite_where=claims.c.error_type.is_not(None),
    postgresql_where=claims.c.error_type.is_not(None),
)

documents = sa.Table(
    "trail_documents",
    metadata,
    _of_run(),
    sa.Column("position", sa.Integer, primary_key=True),
    *_columns(Plain, "name"),
    *_columns(sa.Double, "at"),
    *_columns(sa.Integer, "passages", "selected"),
    *_columns(sa.Double, "updated", "ingested", known=False),
    sqlite_with_rowid=False,
)
sa.Index("trail_documents_name", documents.c.name, documents.c.at)

bodies = sa.Table(
    "trail_bodies",
    metadata,
    _of_run(),
    sa.Column("kind", Plain, primary_key=True),  # report, trace
    sa.Column("codec", Plain, nullable=False),  # see `rows.Body`
    sa.Column("size", sa.BigInteger, nullable=False),  # bytes before compression
    sa.Column("stored", sa.BigInteger, nullable=False),  # bytes here
    sa.Column("data", sa.LargeBinary),  # None if it was refused
    sa.Column("why", Plain),  # it was refused
)

feedback = sa.Table(
    "trail_feedback",
    metadata,
    sa.Column("f", _Number, primary_key=True, autoincrement=True),
    sa.Column("n", _Number, sa.ForeignKey("trail_runs.n", ondelete="CASCADE"), nullable=False),
    *_columns(Plain, "claim", "key", "outcome", "judge"),  # as the claim was judged then
    *_columns(Plain, "verdict", "author"),  # right, wrong
    *_columns(Plain, "should", "note", known=False),  # the class it should have
    *_columns(sa.Double, "at"),
    sa.UniqueConstraint("n", "key", "author"),
)

hours = sa.Table(
    "trail_hours",
    metadata,
    sa.Column("s", _Number, primary_key=True, autoincrement=False),  # a segment, or 0 for all runs
    sa.Column("hour", _Number, primary_key=True, autoincrement=False),  # since the epoch
    sa.Column("made_by", Plain, nullable=False),
    sa.Column("data", sa.Text, nullable=False),  # sums as JSON, see `counting`
    sqlite_with_rowid=False,
)
sa.Index("trail_hours_hour", hours.c.hour)

totals = sa.Table(
    "trail_totals",
    metadata,
    sa.Column("counter", Plain, primary_key=True),
    sa.Column("name", Plain, primary_key=True),  # of a segment, and its value; empty for all runs
    sa.Column("value", Plain, primary_key=True),
    sa.Column("count", sa.Double, nullable=False),
)


_LOCK = 0x7472_6169_6C  # of PostgreSQL: one process at a time


def _add_sessions(connection: sa.Connection) -> None:
    if "session" not in {column["name"] for column in sa.inspect(connection).get_columns(runs.name)}:
        connection.exec_driver_sql(f"ALTER TABLE {runs.name} ADD COLUMN session TEXT")
        connection.exec_driver_sql(f"CREATE INDEX trail_runs_session ON {runs.name} (session, at)")


def _forget_undecided(connection: sa.Connection) -> None:
    """Empties the coverage of older runs: nobody noted whether a judge decided it or shared words."""
    names = ("query_coverage", "evidence_overlap", "selection")
    connection.exec_driver_sql(f"UPDATE {runs.name} SET {', '.join(f'f_{name} = NULL' for name in names)}")  # noqa: S608 - no text of others
    connection.execute(sa.delete(hours))


MIGRATIONS: Sequence[Callable[[sa.Connection], None]] = (metadata.create_all, _add_sessions, _forget_undecided)
"""What makes version n of version n - 1, from 1. A change of `schema` comes with a function here; none is ever changed,
so that it states its tables itself where they differ from those of today."""


def migrate(connection: sa.Connection, steps: Sequence[Callable[[sa.Connection], None]] = MIGRATIONS) -> int:
    """Brings the tables to the newest version, all in one transaction."""
    if connection.dialect.name == "postgresql" and _version(connection) != len(steps):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
    found = _version(connection)
    if found > len(steps):
        raise StoreError(
            f"the store has version {found}, this release reads up to {len(steps)}: "
            "open it with the release of trail-callbacks that wrote it"
        )
    for step in steps[found:]:
        step(connection)
    if found != len(steps):
        connection.execute(sa.delete(meta))
        connection.execute(sa.insert(meta).values(version=len(steps)))
    return found


def _version(connection: sa.Connection) -> int:
    if not sa.inspect(connection).has_table(meta.name):
        return 0
    found = connection.execute(sa.select(meta.c.version)).scalar() or 0
    if not isinstance(found, int):
        raise StoreError(f"the table {meta.name} is no store's: its version is {found!r}")
    return found
