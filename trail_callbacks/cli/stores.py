"""The store that a command reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trail_callbacks.store import Store

__all__ = ["existing"]


def existing(where: str) -> Store:
    """Opens a store that is there: one that was only just made has nothing to tell.

    Args:
        where: Its file, or the URL of its database. Neither is made or given tables.

    Raises:
        InputError: If it does not exist, is no store, or cannot be opened.
        MissingExtraError: If the extra is not installed.
    """
    from trail_callbacks.store import Store  # noqa: PLC0415 - SQLAlchemy is needed by few

    return Store(where, make=False)
