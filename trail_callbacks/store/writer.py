"""A queue and a thread that writes what is in it, in batches: the app only appends, and nothing is lost in silence."""

from __future__ import annotations

import atexit
import logging
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from itertools import count
from threading import Condition, RLock, Thread, current_thread
from typing import Any, Generic, TypeVar

from trail_callbacks.forking import renewed_in_child

Item = TypeVar("Item")

_BATCH = 100  # items a transaction
_GATHER = 0.05  # seconds after which the thread looks again, and that a batch has to fill
_IDLE = 5.0  # seconds after which a thread without work ends, and lets go of the file
_KEPT = 100  # errors
_LAST = 10.0  # seconds that the end of the interpreter waits for what is queued
_PAUSES = (0.2, 1.0, 5.0)  # seconds before a batch is tried again; the last one again and again
_BURST = 60.0  # seconds after which losses are told that have no end
_logger = logging.getLogger("trail_callbacks")


class Writer(Generic[Item]):
    """Writes items on one thread a process, which lives as long as there is work.

    Args:
        write: Writes a batch.
        again: Whether to try a batch again, from what it raised and how often it was tried.
        most: Items that may wait; those beyond are lost.
    """

    def __init__(
        self, write: Callable[[Sequence[Item]], None], again: Callable[[Exception, int], bool], most: int
    ) -> None:
        self._write, self._again, self._most = write, again, most
        self._renew()
        renewed_in_child(self, Writer._renew)
        _open.add(self)

    def _renew(self) -> None:
        """Sets up what a forked child has anew: what waits is the parent's, who writes it."""
        self._changed = Condition(RLock())
        self._waiting: deque[Item] = deque()
        self._underway = 0
        self._thread: Thread | None = None
        self._hurried = self._ended = self._is_held_up = False
        self.lost = self.written = self._untold = 0
        self._lost_since = 0.0
        self.errors: deque[Exception] = deque(maxlen=_KEPT)
        self._logged: set[str] = set()

    def add(self, item: Item) -> None:
        """Queues an item: microseconds, and it raises nothing.

        Without a lock, which the thread may hold while it waits for its turn, and without waking it: it looks by
        itself.
        """
        if len(self._waiting) >= self._most:
            self._lose(1, RuntimeError(f"{self._most} runs wait to be stored: one more was left out"))
            return
        self._waiting.append(item)
        if self._thread is None:
            with self._changed:
                self._start()

    def _start(self) -> None:
        if self._thread is not None:
            return
        self._ended = False
        self._thread = Thread(target=self._serve, name="trail-store", daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:  # the interpreter is on its way out
            self._thread = None
            self.keep(error)

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until all that was queued is written or lost; returns False if the time was too short.

        Without a timeout it does not wait for a database that stays away.
        """
        with self._changed:
            self._hurried = True
            self._changed.notify_all()
            try:
                if not self._is_done():
                    self._start()
                if self._thread is not None:
                    self._changed.wait_for(lambda: self._is_done() or (timeout is None and self._is_held_up), timeout)
                return self._is_done()
            finally:
                self._hurried = False

    def _is_done(self) -> bool:
        return not self._waiting and not self._underway

    def close(self, timeout: float | None = None) -> bool:
        """Writes what is queued, at most for `timeout` seconds, and lets the thread end; the rest is lost, and counted.

        What is added later starts a new thread.
        """
        done = self.flush(timeout)
        with self._changed:
            self._ended = True
            if left := len(self._waiting):
                self._lose(left, TimeoutError("the store was closed while runs waited to be stored"))
                self._waiting.clear()
            self._changed.notify_all()
        self._tell(at_once=True)
        return done

    def _serve(self) -> None:
        while not self._is_left():
            while batch := self._next():
                self._carry_out(batch)
                self._tell(at_once=not self._waiting)
                with self._changed:
                    self._underway = 0
                    self._is_held_up = False
                    self._changed.notify_all()
                del batch  # while this thread waits, nothing of a run is kept

    def _is_left(self) -> bool:
        """Whether this thread may end: what was added while it made up its mind is its own, or a new thread's."""
        with self._changed:
            if self._thread is None and self._waiting:
                self._thread = current_thread()
            return self._thread is not current_thread()

    def _next(self) -> list[Item]:
        """Takes the next batch; an empty one if the thread is to end."""
        until = time.monotonic() + _IDLE
        with self._changed:
            while not self._waiting:
                if self._ended or time.monotonic() > until:
                    self._thread = None
                    return []
                self._changed.wait(_GATHER)
            self._changed.wait_for(lambda: len(self._waiting) >= _BATCH or self._hurried or self._ended, _GATHER)
            batch = [self._waiting.popleft() for _ in range(min(_BATCH, len(self._waiting)))]
            self._underway = len(batch)
            return batch

    def _carry_out(self, batch: Sequence[Item]) -> None:
        error = self._tried(batch)
        if error is not None and len(batch) > 1 and not self._ended:  # one of them cannot be written
            for item in batch:
                self._carry_out([item])
        elif error is not None:
            self._lose(len(batch), error)

    def _tried(self, batch: Sequence[Item]) -> Exception | None:
        for tries in count():
            try:
                self._write(batch)
            except Exception as error:  # noqa: BLE001 - kept and shown; the app must not see our faults
                if not self._again(error, tries):
                    return error
                if not tries:
                    self.keep(error)
                self._tell()
                with self._changed:
                    self._is_held_up = tries >= len(_PAUSES)
                    self._changed.notify_all()
                    if self._changed.wait_for(lambda: self._ended, _PAUSES[min(tries, len(_PAUSES) - 1)]):
                        return error
            else:
                self.written += len(batch)
                break
        return None

    def _lose(self, items: int, error: Exception) -> None:
        with self._changed:
            self.lost += items
            if not self._untold:
                self._lost_since = time.monotonic()
                self.errors.append(error)
            self._untold += items

    def _tell(self, *, at_once: bool = False) -> None:
        """Logs what was lost in a row, with its number: once, when it is over."""
        with self._changed:
            if not self._untold or not (at_once or time.monotonic() > self._lost_since + _BURST):
                return
            items, self._untold = self._untold, 0
        _logger.warning("%d runs could not be stored, the app is not affected: %r", items, self.errors[-1])

    def keep(self, error: Exception) -> None:
        """Keeps an exception of ours so that it can be seen; logs the first of each type."""
        self.errors.append(error)
        name = type(error).__name__
        if name not in self._logged:
            self._logged.add(name)
            _logger.warning("storing runs failed, the app is not affected: %r", error)


_open: weakref.WeakSet[Writer[Any]] = weakref.WeakSet()


def _last() -> None:
    """The interpreter is about to end: what is queued may be written first, within limits."""
    until = time.monotonic() + _LAST
    for writer in list(_open):
        writer.close(max(0.0, until - time.monotonic()))


# Twice: forked children of `multiprocessing` know the first only, and a report may still come after it.
_at_exit: Any = getattr(threading, "_register_atexit", None)
if _at_exit is not None:
    _at_exit(_last)
atexit.register(_last)
