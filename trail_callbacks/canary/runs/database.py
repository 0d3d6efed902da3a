"""SQLite files of canary runs: opened for their owner only, and locked for one process."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from trail_callbacks.errors import InputError

__all__ = ["connected", "is_busy", "locked"]


def connected(path: Path, query: str = "mode=rwc", *, timeout: float = 10.0) -> sqlite3.Connection:
    """Opens a database; transactions are begun and ended by hand.

    Args:
        path: The file; made, for its owner only, if `query` allows it.
        query: Parameters of SQLite's address.
        timeout: Seconds to wait for others that write.
    """
    if query == "mode=rwc" and not path.exists():
        path.touch(mode=0o600)  # it holds texts of users
    address = f"{path.resolve().as_uri()}?{query}"
    return sqlite3.connect(address, uri=True, isolation_level=None, timeout=timeout, check_same_thread=False)


def locked(path: Path, taken: str) -> sqlite3.Connection:
    """Locks a file of its own through SQLite, which knows how on each system; closing the connection ends the lock.

    Raises:
        InputError: If another connection holds it; begins with `taken`.
        sqlite3.Error: If it cannot be opened or locked for another reason.
    """
    if not path.exists():  # never opened besides: closing it would end the lock of this process
        path.touch(mode=0o600)
    lock = sqlite3.connect(path, isolation_level=None, timeout=0.5, check_same_thread=False)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        lock.close()
        if is_busy(error):
            raise InputError(f"{taken}: wait for it, or name another one") from error
        raise
    return lock


def is_busy(error: BaseException) -> bool:
    """Whether another connection holds what was asked for."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY  # the other bits tell more
