"""Work off the app's path: a queue, served as long as there is work by a few threads, or by tasks of one event loop.

By hand: a `ThreadPoolExecutor` holds up the end of the interpreter for as long as its work takes, cannot let work that
somebody waits for go first, and never works again in a forked child.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import threading
import time
import weakref
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from threading import Condition, RLock, Thread
from typing import Any, Generic, TypeVar

from trail_callbacks.forking import renewed_in_child
from trail_callbacks.models.loop import PrivateLoop, alone

AT_ONCE = 16  # verifications, by default, if they wait for a model
_IDLE = 60.0  # seconds after which a thread without work ends
_LAST = 60.0  # seconds that the end of the interpreter waits for work under way
_TICK = 0.01

T = TypeVar("T")


class GivenUpError(Exception):
    """The lane of this work was closed before it was done."""


class _Queue:
    """What waits, and who is at work: the part of a lane that its servers refer to."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Empties it, without servers."""
        self.changed = Condition(RLock())  # re-entrant: a lane may be collected while this thread holds it
        self.waiting: deque[tuple[Future[Any], Callable[[bool], Any]]] = deque()
        self.first: deque[tuple[Future[Any], Callable[[bool], Any]]] = deque()  # what somebody waits for
        self.underway: dict[Future[Any], asyncio.Task[None] | None] = {}  # and the task that is at it
        self.servers = self.idle = 0
        self.ended = False

    def end(self) -> None:
        """Lets the servers end when nothing waits any more."""
        with self.changed:
            self.ended = True
            self.changed.notify_all()


class Lane(Generic[T]):
    """Carries out work, so much at once, in order, what is hurried first.

    Args:
        most: How much is carried out at once, 1 or more.
        on_idle: Called, on a thread of the lane, when one ends; must not refer to the lane.
        waits: The work is a coroutine. It is a task of the one event loop that all such lanes share; what it computes
            between two waits holds up the others, and nobody else.
    """

    def __init__(self, most: int = 1, on_idle: Callable[[], None] = lambda: None, *, waits: bool = False) -> None:
        self._most = most
        self._on_idle = on_idle
        self._waits = waits
        self._queue = _Queue()
        renewed_in_child(self._queue, _Queue.renew)
        _open.add(self)
        weakref.finalize(self, self._queue.end).atexit = False

    def submit(self, work: Callable[[bool], T | Awaitable[T]], *, hurry: bool = False) -> Future[T]:
        """Queues work.

        Args:
            work: What to do. It gets True if somebody waits for it.
            hurry: Somebody waits: it goes before what nobody waits for.

        Returns:
            What comes of it; `GivenUpError` if the lane is closed before.

        Raises:
            RuntimeError: If no thread can be started: above all when the interpreter is on its way out.
        """
        if _over:
            raise RuntimeError("the interpreter is on its way out: nothing is verified any more")
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()  # others may wait for it: nobody cancels it
        queue = self._queue
        with queue.changed:
            queue.ended = False
            if queue.idle <= len(queue.waiting) + len(queue.first) and queue.servers < self._most:
                if self._waits:
                    _loop.start(_aserve(queue))
                else:
                    Thread(target=_serve, args=(queue, self._on_idle), name="trail", daemon=True).start()
                queue.servers += 1
            (queue.first if hurry else queue.waiting).append((future, work))
            queue.underway[future] = None
            queue.changed.notify()
        return future

    def hurry(self, future: Future[T]) -> None:
        """Lets work go before what nobody waits for: somebody has begun to wait for it."""
        queue = self._queue
        with queue.changed:
            found = next((each for each in queue.waiting if each[0] is future), None)
            if found is not None:
                queue.waiting.remove(found)
                queue.first.append(found)

    def close(self) -> int:
        """Gives up what is not done, except for what a thread is at, and says how much; new work starts new servers.

        The end of the interpreter does not wait for that work any more.
        """
        queue = self._queue
        with queue.changed:
            waiting, left = [*queue.first, *queue.waiting], sum(not future.done() for future in queue.underway)
            queue.first.clear()
            queue.waiting.clear()
            begun = [(future, task) for future, task in queue.underway.items() if task is not None]
            queue.underway.clear()
            queue.end()
        for future, _ in waiting:
            future.set_exception(GivenUpError("it was not begun"))
        for future, task in begun:
            task.get_loop().call_soon_threadsafe(_cancel, task, future)
        return left


def abreast(works: Iterable[Callable[[bool], Awaitable[T]]], most: int) -> Generator[T]:
    """Yields what comes of coroutines, as it comes, so many of them in work at once; closing it ends those in work."""
    lane: Lane[T] = Lane(most, waits=True)
    pending: set[Future[T]] = set()
    try:
        for work in works:
            pending.add(lane.submit(work))
            if len(pending) >= most:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        while pending:
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
    finally:
        lane.close()


def _cancel(task: asyncio.Task[None], future: Future[Any]) -> None:
    if not future.done():  # else the task is at other work by now, which was submitted later
        task.cancel()


def _serve(queue: _Queue, on_idle: Callable[[], None]) -> None:
    while (found := _next(queue, _IDLE)) is not None:
        future, work, hurried = found
        with _kept(queue, future):
            future.set_result(work(hurried))
        del found, future, work  # while this thread waits, nothing of a session is kept
    on_idle()


async def _aserve(queue: _Queue) -> None:
    alone.set(True)
    task = asyncio.current_task()
    while (found := _next(queue, 0.0)) is not None:
        future, work, hurried = found
        with _kept(queue, future, task):
            await asyncio.sleep(0)  # work without a wait in it, such as an answer from the cache, lets others go on
            future.set_result(await work(hurried))


@contextmanager
def _kept(queue: _Queue, future: Future[Any], task: asyncio.Task[None] | None = None) -> Iterator[None]:
    """Keeps what work raises for whoever waits for it."""
    with queue.changed:
        queue.underway[future] = task
    try:
        yield
    except asyncio.CancelledError:
        future.set_exception(GivenUpError("it was not finished"))
    except BaseException as error:  # noqa: BLE001 - raised where it is waited for
        future.set_exception(error)
    finally:
        with queue.changed:
            queue.underway.pop(future, None)


def _next(queue: _Queue, patience: float) -> tuple[Future[Any], Callable[[bool], Any], bool] | None:
    """Takes what is next; None if the server is to end."""
    until = time.monotonic() + patience
    with queue.changed:
        while not queue.first and not queue.waiting:
            left = until - time.monotonic()
            if queue.ended or left <= 0:
                queue.servers -= 1
                return None
            queue.idle += 1
            queue.changed.wait(left)
            queue.idle -= 1
        hurried = bool(queue.first)
        return *(queue.first if hurried else queue.waiting).popleft(), hurried


_loop = PrivateLoop(name="trail-judges", calls=4 * AT_ONCE)
_open: weakref.WeakSet[Lane[Any]] = weakref.WeakSet()
_over = False


def _last() -> None:
    """The interpreter is about to end: what is under way may end first, within limits."""
    global _over  # noqa: PLW0603 - there is one interpreter
    until = time.monotonic() + _LAST
    while any(lane._queue.underway for lane in list(_open)) and time.monotonic() < until:  # noqa: SLF001 - its module
        time.sleep(_TICK)
    left = sum(lane.close() for lane in list(_open))
    _over = True
    if left:
        logging.getLogger("trail_callbacks").warning("%d runs were not verified when the interpreter ended", left)


# Before the machinery of `concurrent.futures` stops, which a judge's calls need; later than that where it is missing.
_at_exit: Any = getattr(threading, "_register_atexit", atexit.register)
_at_exit(_last)
