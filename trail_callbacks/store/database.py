"""The connection to a store's database: a file of SQLite or a PostgreSQL server."""

from __future__ import annotations

import os
import sqlite3
import stat
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from trail_callbacks.errors import MissingExtraError, StoreError, TrailError
from trail_callbacks.forking import renewed_in_child
from trail_callbacks.store.schema import meta, migrate

_WAIT = 30  # seconds for a lock that another process holds
_READERS = 5  # seconds for those who read what was just deleted
_CONNECT = 10  # seconds for a server to answer
_PRAGMAS = (
    f"busy_timeout={_WAIT * 1000}",
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "foreign_keys=ON",
    "secure_delete=ON",  # what is deleted is overwritten: it was users' text
    "cache_size=-65536",
    "journal_size_limit=67108864",
    "trusted_schema=OFF",  # the file may be another's
)
_inherited: list[sa.Engine] = []  # of the parent of this process: closing them here would disturb it


class Database:
    """Opens connections, in any thread and in forked children. The tables are made by whoever connects first."""

    def __init__(self, where: str | os.PathLike[str], *, make: bool = True) -> None:
        self._url = _url(where)
        self.url = _shown(where)
        self.sqlite = self._url.get_backend_name() == "sqlite"
        self.path = Path(self._url.database or "") if self.sqlite else None
        if self.path is not None and make:
            _make(self.path)
        self._engines = [_engine(self._url)]
        self._is_open = False
        if not make:
            self._check_is_store()
        weakref.finalize(self, _let_go, self._engines)
        renewed_in_child(self, Database._renew)

    def open(self) -> None:
        """Brings the tables to the newest version, unless this was done before."""
        if not self._is_open:
            with self._errors("opened"), self._engine.connect() as connection, connection.begin():
                migrate(connection)
            self._is_open = True

    def is_away(self) -> bool:
        """Tells whether nothing can be written at all: the server is down or read-only, the file locked or full."""
        try:
            with self.writing() as connection:
                connection.execute(sa.update(meta).values(version=meta.c.version))
        except StoreError:
            return True
        return False

    def _check_is_store(self) -> None:
        if self.path is not None and not self.path.exists():
            raise StoreError(f"there is no store at {self.path}: name the one that the app writes")
        if self.path is not None and not self.path.is_file():
            raise StoreError(f"{self.path} is no file: a store is one, or the URL of a database")
        # Not with the engine of a store, which sets the file's mode.
        waits = {"timeout": _WAIT} if self.sqlite else {"connect_timeout": _CONNECT}
        engine = sa.create_engine(self._url, poolclass=sa.pool.NullPool, connect_args=waits)
        with self._errors("opened"), engine.connect() as connection:
            if not sa.inspect(connection).has_table(meta.name):
                raise StoreError(f"there is no store in {self.url}: name the one that the app writes")

    def _renew(self) -> None:
        """In a forked child: leaves the parent's connections alone."""
        _inherited.extend(self._engines)
        self._engines[:] = [_engine(self._url)]

    def close(self) -> None:
        """Closes the connections that nobody uses; what is asked later opens new ones."""
        _let_go(self._engines)

    @property
    def _engine(self) -> sa.Engine:
        return self._engines[0]

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection that sees one state of the database."""
        self.open()
        with self._errors("read"), self._engine.connect() as connection:
            yield connection.execution_options(reads=True)

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction, which is carried out whole or not at all."""
        self.open()
        with self._errors("written"), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keeps a connection open for as long as several transactions follow one another: a file is opened once."""
        with self._errors("opened"), self._engine.connect():
            yield

    def truncate_log(self) -> None:
        """Empties SQLite's log, in which deleted content is until it is overwritten.

        Raises:
            StoreError: If somebody reads a state from before, and goes on with it.
        """
        if not self.sqlite:
            return
        with self._errors("written"), closing(self._engine.raw_connection()) as connection:
            cursor = connection.cursor()
            cursor.execute(f"PRAGMA busy_timeout={_READERS * 1000:.0f}")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # in no transaction
            is_done = cursor.fetchall()[0][0] == 0
        if not is_done:
            raise StoreError(
                f"what was deleted still stands in {self.path}-wal, because somebody reads the store in a transaction "
                "that began before: end it and do this again"
            )

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        """Makes a `StoreError` of what a database raises, and of what its values do that nobody of ours wrote."""
        try:
            yield
        except TrailError:
            raise
        except (sa.exc.SQLAlchemyError, sqlite3.Error, ValueError, TypeError, ArithmeticError, OSError) as error:
            lines = str(getattr(error, "orig", error)).strip().splitlines()  # without the statement's values
            raise StoreError(f"the store {self.url} cannot be {what}: {lines[0] if lines else repr(error)}") from error


def _let_go(engines: list[sa.Engine]) -> None:
    for engine in engines:
        engine.dispose()


def _shown(where: str | os.PathLike[str]) -> str:
    """What the user wrote, with every password masked."""
    text = os.fsdecode(where)
    url = sa.make_url(text) if "://" in text else sa.URL.create("sqlite")
    hidden = {name: "***" for name in url.query if "password" in name}
    if not hidden and url.password is None:
        return text
    return url.update_query_dict(hidden).render_as_string(hide_password=True)


def _url(where: str | os.PathLike[str]) -> sa.URL:
    text = os.fsdecode(where)
    if not text or "\0" in text:
        raise StoreError(f"{where!r} is no store: expected a file, such as 'trail.db', or the URL of a database")
    if "://" not in text:
        return sa.URL.create("sqlite", database=str(Path(text).expanduser()))
    try:
        url = sa.make_url(text)
    except (sa.exc.ArgumentError, ValueError):  # a port that is no number
        raise StoreError("the URL of the store cannot be read: expected postgresql://user@host/database") from None
    name = url.get_backend_name()
    if name in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if name != "sqlite":
        raise StoreError(f"a store in {name} is not supported: expected sqlite:///FILE or postgresql://...")
    if url.database in (None, "", ":memory:"):
        raise StoreError("a store in memory would be another one in each thread: name a file")
    return url


def _engine(url: sa.URL) -> sa.Engine:
    try:
        if url.get_backend_name() != "sqlite":
            waits = {"connect_timeout": _CONNECT}
            return sa.create_engine(url, pool_pre_ping=True, pool_size=2, max_overflow=14, connect_args=waits)
    except ImportError as error:
        raise MissingExtraError("a store in PostgreSQL", "postgres") from error
    # Without a pool: what is not open while the process forks need not be left alone by the child.
    engine = sa.create_engine(url, poolclass=sa.pool.NullPool, connect_args={"timeout": _WAIT})
    sa.event.listen(engine, "connect", _prepare)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _: object) -> None:
    connection.isolation_level = None  # the driver must not begin by itself
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: sa.Connection) -> None:
    # A transaction that reads first and writes later would fail where it meets another, however long it waits.
    reads = connection.get_execution_options().get("reads")
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _make(path: Path) -> None:
    """Makes the file of a new store, and its folder, for their owner only; the files beside it take its mode."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            path.touch(mode=0o600)
        elif not stat.S_ISREG(path.stat().st_mode):
            raise StoreError(f"{path} is no file: a store is one, or the URL of a database")
    except OSError as error:
        raise StoreError(f"the store {path} cannot be made: {error.strerror or error}") from error
