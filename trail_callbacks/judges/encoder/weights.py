"""A model that is loaded once, when it is first needed, for all threads of a process."""

from __future__ import annotations

import os
import sys
from threading import RLock
from typing import Any
from weakref import WeakSet

from trail_callbacks.judges.encoder.loading import Loaded, Source, load

__all__ = ["Weights"]


class Weights:
    """Loads a model at first use, and again in a forked process.

    A fork copies locks as they stand and no threads, so a child begins anew, with one thread if torch was imported
    before: load after forking where you can. Pickling leaves the weights out.

    Args:
        source: Which model.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.forget()
        _ALL.add(self)

    def forget(self) -> None:
        """Drops the loaded model."""
        self._lock = RLock()
        self._loaded: Loaded | None = None

    def loaded(self) -> Loaded:
        """Returns the model, loading it if that is to be done yet; others wait.

        Raises:
            JudgeError: If it cannot be loaded; the next call tries again.
            MissingExtraError: If a library is missing.
        """
        with self._lock:
            if self._loaded is None:
                _spare_threads()
                with _loading:
                    self._loaded = load(self.source)
            return self._loaded

    def __reduce__(self) -> tuple[Any, ...]:
        return Weights, (self.source,)


_ALL: WeakSet[Weights] = WeakSet()
_loading = RLock()  # transformers patches itself and torch while it loads: of two at once, one may leave the patches
_orphaned = False  # whether this process was forked from one that had imported torch


def _forked() -> None:
    global _loading, _orphaned  # noqa: PLW0603 - facts about the process
    _loading = RLock()
    _orphaned = "torch" in sys.modules
    for weights in list(_ALL):
        weights.forget()


def _spare_threads() -> None:
    """Has torch use one thread in a forked process: it would wait for ever for those that were not copied."""
    if _orphaned:
        sys.modules["torch"].set_num_threads(1)


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_forked)
