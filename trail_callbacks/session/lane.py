"""Work off the app's path: a queue, and threads that live as long as there is work.

By hand: a `ThreadPoolExecutor` holds up the end of the interpreter for as long as its work takes, cannot let work that
somebody waits for go first, and never works again in a forked child.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Condition, RLock, Thread
from typing import Any

from trail_callbacks.forking import renewed_in_child
from trail_callbacks.report import Report

__all__ = ["Lane"]

_IDLE = 60.0  # seconds after which a thread without work ends
_LAST = 60.0  # seconds that the end of the interpreter waits for work under way

Work = Callable[[bool], Report]
"""Makes a report; True if somebody waits for it."""


class _Queue:
    """What waits, and who is at work: the part of a lane that its threads refer to."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Empties it, without threads."""
        self.changed = Condition(RLock())  # re-entrant: a lane may be collected while this thread holds it
        self.waiting: deque[tuple[Future[Report], Work]] = deque()
        self.first: deque[tuple[Future[Report], Work]] = deque()  # what somebody waits for
        self.underway: set[Future[Report]] = set()
        self.threads = self.idle = 0
        self.ended = False

    def end(self) -> None:
        """Lets the threads end when nothing waits any more."""
        with self.changed:
            self.ended = True
            self.changed.notify_all()


class Lane:
    """Carries out work on a few threads, in order, those that are hurried first.

    Args:
        threads: How much is carried out at once, 1 or more.
        on_idle: Called, on a thread of the lane, when one ends; must not refer to the lane.
    """

    def __init__(self, threads: int = 1, on_idle: Callable[[], None] = lambda: None) -> None:
        self._most = threads
        self._on_idle = on_idle
        self._queue = _Queue()
        renewed_in_child(self._queue, _Queue.renew)
        _open.add(self)
        weakref.finalize(self, self._queue.end).atexit = False

    def submit(self, work: Work, *, hurry: bool = False) -> Future[Report]:
        """Queues work.

        Args:
            work: What to do. It gets True if somebody waits for it.
            hurry: Somebody waits: it goes before what nobody waits for.

        Raises:
            RuntimeError: If no thread can be started: above all when the interpreter is on its way out.
        """
        if _over:
            raise RuntimeError("the interpreter is on its way out: nothing is verified any more")
        future: Future[Report] = Future()
        queue = self._queue
        with queue.changed:
            queue.ended = False
            if queue.idle <= len(queue.waiting) + len(queue.first) and queue.threads < self._most:
                Thread(target=_serve, args=(queue, self._on_idle), name="trail", daemon=True).start()
                queue.threads += 1
            (queue.first if hurry else queue.waiting).append((future, work))
            queue.underway.add(future)
            queue.changed.notify()
        return future

    def hurry(self, future: Future[Report]) -> None:
        """Lets work go before what nobody waits for: somebody has begun to wait for it."""
        queue = self._queue
        with queue.changed:
            found = next((each for each in queue.waiting if each[0] is future), None)
            if found is not None:
                queue.waiting.remove(found)
                queue.first.append(found)

    def flush(self, timeout: float | None = None) -> bool:
        """Waits until all that was submitted is done; returns False if the time was too short."""
        with self._queue.changed:
            underway = set(self._queue.underway)
        return not wait(underway, timeout).not_done

    def close(self) -> None:
        """Cancels what waits and lets the threads end after the work they are at; new work starts new ones.

        The end of the interpreter does not wait for that work any more.
        """
        queue = self._queue
        with queue.changed:
            waiting = [*queue.first, *queue.waiting]
            queue.first.clear()
            queue.waiting.clear()
            queue.underway.clear()
            queue.end()
        for future, _ in waiting:
            if future.cancel():
                future.set_running_or_notify_cancel()  # or whoever waits for it waits for ever


def _serve(queue: _Queue, on_idle: Callable[[], None]) -> None:
    while (found := _next(queue)) is not None:
        future, work, hurried = found
        try:
            if future.set_running_or_notify_cancel():
                future.set_result(work(hurried))
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            future.set_exception(error)
        finally:
            with queue.changed:
                queue.underway.discard(future)
        del found, future, work  # while this thread waits, nothing of a session is kept
    on_idle()


def _next(queue: _Queue) -> tuple[Future[Report], Work, bool] | None:
    """Takes what is next; None if the thread is to end."""
    until = time.monotonic() + _IDLE
    with queue.changed:
        while not queue.first and not queue.waiting:
            left = until - time.monotonic()
            if queue.ended or left <= 0:
                queue.threads -= 1
                return None
            queue.idle += 1
            queue.changed.wait(left)
            queue.idle -= 1
        hurried = bool(queue.first)
        return *(queue.first if hurried else queue.waiting).popleft(), hurried


_open: weakref.WeakSet[Lane] = weakref.WeakSet()
_over = False


def _last() -> None:
    """The interpreter is about to end: what is under way may end first, within limits."""
    global _over  # noqa: PLW0603 - there is one interpreter
    until = time.monotonic() + _LAST
    for lane in list(_open):
        lane.flush(max(0.0, until - time.monotonic()))
        lane.close()
    _over = True


# Before the machinery of `concurrent.futures` stops, which a judge's calls need; later than that where it is missing.
_at_exit: Any = getattr(threading, "_register_atexit", atexit.register)
_at_exit(_last)
