"""Time slices: work on a thread of ours that lets the app's threads run every millisecond.

Python runs one thread at a time, and lets a busy one go on for five milliseconds before another has its turn. An event
loop waits for its turn many times in a request. Background work is therefore cut into slices, with rests that are the
longer the busier the app is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter, sleep

_SLICE = 0.001  # seconds of work
_SHORTEST, _LONGEST = 0.0002, 0.008  # seconds of rest
_LATE = 0.001  # seconds of waking up late that show that other threads are at work


class Slices:
    """The slices of one piece of work.

    Args:
        patient: Rest longer while other threads are busy; without it all rests are short, because somebody waits.
    """

    def __init__(self, *, patient: bool) -> None:
        self._patient = patient
        self._rest = _SHORTEST
        self._end = perf_counter() + _SLICE

    def pause(self) -> None:
        """Rests if the slice is over. Called by functions that all work comes through often."""
        now = perf_counter()
        if now < self._end:
            return
        sleep(self._rest)
        woken = perf_counter()
        if self._patient:
            late = woken - now - self._rest > _LATE
            self._rest = min(self._rest * 2, _LONGEST) if late else max(self._rest / 2, _SHORTEST)
        self._end = woken + _SLICE


current: ContextVar[Slices | None] = ContextVar("trail_slices", default=None)
"""The slices of the work on this thread; None where the app itself waits for it, as in `check`."""


@contextmanager
def sliced() -> Iterator[None]:
    """Works in slices from here on, if the caller does not already: an event loop waits between them."""
    token = current.set(current.get() or Slices(patient=False))
    try:
        yield
    finally:
        current.reset(token)
