"""What a process that forks leaves to its child: locks that nobody holds, and no work that only the parent does.

A fork copies the memory but only the thread that forks. A lock that another thread held then is never released, a queue
is never read again. Objects that have either register here how they are made anew.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from threading import RLock
from typing import Any, TypeVar

T = TypeVar("T")
_PATIENCE = 5.0  # seconds a fork waits for imports to be done
_owners: dict[int, tuple[weakref.ref[Any], Callable[[Any], None]]] = {}
_importing = RLock()
_held: list[bool] = []


def renewed_in_child(owner: T, renew: Callable[[T], None]) -> None:
    """Has an object made anew in each forked child, before any other code runs there.

    Args:
        owner: Referred to weakly.
        renew: Called with the owner; it replaces locks and drops what belongs to the parent's threads. What it raises
            is ignored: there is nobody to tell.
    """
    key = id(owner)
    _owners[key] = weakref.ref(owner, lambda _: _owners.pop(key, None)), renew


class ChildSafeLock:
    """A re-entrant lock that nobody holds in a forked child."""

    def __init__(self) -> None:
        self._renew()
        renewed_in_child(self, ChildSafeLock._renew)

    def _renew(self) -> None:
        self._lock = RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


@contextmanager
def unforked() -> Iterator[None]:
    """Lets a fork on another thread wait, for seconds at most, until the block is left.

    For code that imports: a child could never import what its parent was importing when it forked.
    """
    with _importing:
        yield


def _before() -> None:
    _held.append(_importing.acquire(timeout=_PATIENCE))


def _in_parent() -> None:
    if _held.pop():
        _importing.release()


def _in_child() -> None:
    global _importing  # noqa: PLW0603 - a new one, whoever holds the old one
    _held.clear()
    _importing = RLock()
    if sys.version_info < (3, 12):
        _renew_properties()
    for reference, renew in list(_owners.values()):
        owner = reference()
        if owner is not None:
            try:
                renew(owner)
            except Exception:  # noqa: BLE001, S112 - the others must be made anew all the same
                continue


def _renew_properties() -> None:
    """Until Python 3.12 a cached property has a lock, one for all instances, which is held while it is computed."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == __package__:
            for kind in [each for each in vars(module).values() if isinstance(each, type)]:
                for each in vars(kind).values():
                    if isinstance(each, cached_property):
                        each.lock = RLock()  # type: ignore[attr-defined]  # what it is, typeshed does not say


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
