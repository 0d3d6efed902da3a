"""An event loop of our own, on a thread of its own: asynchronous clients without touching the caller's loop.

A connection pool belongs to the loop that opened it. Apps call from many loops, or from none; one private loop
serves them all, and cancelling the caller cancels the request.
"""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, ContextVar
from typing import Any, TypeVar

from trail_callbacks.forking import renewed_in_child

T = TypeVar("T")
_PATIENCE = 2.0  # seconds a closing loop is waited for

alone: ContextVar[bool] = ContextVar("trail_alone", default=False)
"""True on a loop where nothing of the app waits: what we compute needs no other thread."""


class PrivateLoop:
    """Runs coroutines on a daemon thread that starts at first use and ends with this object.

    Args:
        at_end: Run on the loop before it stops, e.g. to close the client whose connections live on it. Must not
            refer to the owner of this object, which could then never be collected.
        name: That of the thread.
        calls: Threads for models that are asked on one, at most; None is asyncio's default.
    """

    def __init__(
        self,
        at_end: Callable[[], Coroutine[Any, Any, None]] | None = None,
        *,
        name: str = "trail-models",
        calls: int | None = None,
    ) -> None:
        self._at_end = at_end
        self._name = name
        self._calls = calls
        self._renew()
        renewed_in_child(self, PrivateLoop._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()  # protects the field below
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine and waits for it; the calling thread may have a running loop, which is not used."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._started())
        try:
            return future.result()
        except BaseException:  # Ctrl-C above all: an interrupted wait must not leave a paid request running
            future.cancel()
            raise

    async def arun(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine without blocking the caller's loop; cancelling the caller cancels it."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(coroutine, self._started()))

    def start(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Starts a coroutine, in a context of its own: nothing of the caller's is current in it."""
        try:
            loop = self._started()
        except RuntimeError:
            coroutine.close()
            raise
        loop.call_soon_threadsafe(loop.create_task, coroutine, context=Context())

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                loop = asyncio.new_event_loop()
                if self._calls is not None:
                    loop.set_default_executor(ThreadPoolExecutor(self._calls, thread_name_prefix="trail-call"))
                thread = threading.Thread(target=_serve, args=(loop, self._at_end), name=self._name, daemon=True)
                thread.start()
                self._loop = loop
                weakref.finalize(self, _stop, loop, thread, os.getpid())
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop, at_end: Callable[[], Coroutine[Any, Any, None]] | None) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        last = [at_end()] if at_end is not None else []
        loop.run_until_complete(asyncio.gather(*tasks, *last, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _stop(loop: asyncio.AbstractEventLoop, thread: threading.Thread, pid: int) -> None:
    if pid != os.getpid() or loop.is_closed():
        return
    loop.call_soon_threadsafe(loop.stop)
    if thread is not threading.current_thread():
        thread.join(_PATIENCE)
