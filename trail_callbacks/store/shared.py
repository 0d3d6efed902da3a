"""One store for all who name the same one in this process, so that one thread writes to it."""

from __future__ import annotations

import os
from pathlib import Path

from trail_callbacks.errors import InputError
from trail_callbacks.forking import ChildSafeLock
from trail_callbacks.store.store import Store

__all__ = ["opened"]

_lock = ChildSafeLock()
_stores: dict[str, Store] = {}


def opened(store: str | os.PathLike[str] | Store) -> Store:
    """Returns a store by what a setting names: itself, or the one of a file or URL.

    Raises:
        InputError: If it is something else.
        StoreError: If it cannot be opened.
        MissingExtraError: If the driver of the database is not installed.
    """
    if isinstance(store, Store):
        return store
    if not isinstance(store, str | os.PathLike):
        raise InputError(f"store is {type(store).__name__}, expected a file such as 'trail.db', a URL, or a Store")
    name = os.fsdecode(store)
    if "://" not in name:
        name = str(Path(name).expanduser().absolute())
    with _lock:
        found = _stores.get(name)
        if found is None:
            found = _stores[name] = Store(name)
    return found
