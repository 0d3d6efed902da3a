"""Judged runs in a database: SQLite in a file, or PostgreSQL. It writes off the app's path and counts in SQL.

What is read of a run is decided in `monitor`; here it is written, counted, deleted. Needs the extra `store`.
"""

from trail_callbacks.errors import MissingExtraError

try:
    import sqlalchemy as _sqlalchemy
except ImportError as _error:
    raise MissingExtraError("the store", "store") from _error

from trail_callbacks.store.store import Store, opened

del _sqlalchemy

__all__ = ["Store", "opened"]
