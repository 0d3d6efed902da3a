"""Handing a finished report to the app: to its `on_report`, a function or a coroutine function."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeAlias

from trail_callbacks.models.loop import PrivateLoop
from trail_callbacks.report import Report

OnReport: TypeAlias = Callable[[Report], object]
"""Takes a report. What it returns is awaited if it can be: it may be a coroutine function."""
Failed: TypeAlias = Callable[[Exception], None]
"""Takes what a hook raises, on whatever thread, and perhaps after the call that reported has returned."""


class Delivery:
    """Calls a hook with reports; what the hook raises is raised nowhere.

    A coroutine runs in the app's own event loop wherever there is one, because the clients it uses belong to that loop,
    and is never waited for by a thread: the loop may be waiting for that very thread. Without one it runs in a loop of
    ours, the same for all reports, and is waited for as a function is.

    Args:
        hook: The hook; None for none.
    """

    def __init__(self, hook: OnReport | None) -> None:
        self._hook = hook
        self._own_loop = PrivateLoop()
        self._tasks: set[asyncio.Task[None]] = set()  # a loop keeps its tasks by weak reference only

    def deliver(self, report: Report, failed: Failed, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Calls the hook, from code that is not a coroutine."""
        awaitable = self._called(report, failed)
        if awaitable is None:
            return
        coroutine = _awaited(awaitable, failed)
        try:
            if running_loop() is not None:
                self._start(coroutine)
            elif loop is None or not _handed_over(loop, self._start, coroutine):
                self._own_loop.run(coroutine)
        except RuntimeError as error:  # the interpreter is on its way out and starts no thread any more
            coroutine.close()
            failed(error)

    async def adeliver(self, report: Report, failed: Failed, timeout: float | None = None) -> None:
        """As `deliver`, and waits for the hook. If the caller is cancelled, the hook is not."""
        awaitable = self._called(report, failed)
        if awaitable is not None:
            await asyncio.wait({self._start(_awaited(awaitable, failed))}, timeout=timeout)

    def _called(self, report: Report, failed: Failed) -> Awaitable[object] | None:
        if self._hook is None:
            return None
        try:
            returned = self._hook(report)
        except Exception as error:  # noqa: BLE001 - the hook is the user's, the run is not to suffer from it
            failed(error)
            return None
        return returned if inspect.isawaitable(returned) else None

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def _awaited(awaitable: Awaitable[object], failed: Failed) -> None:
    try:
        await awaitable
    except asyncio.CancelledError as error:  # also if the app stops its loop before the hook is done
        failed(RuntimeError(f"on_report was cancelled: {error!r}"))
    except Exception as error:  # noqa: BLE001 - as in `_called`
        failed(error)


def _handed_over(
    loop: asyncio.AbstractEventLoop, start: Callable[[Coroutine[Any, Any, None]], object], coroutine: Any
) -> bool:
    """Lets another thread's loop start a coroutine; False if that loop has ended."""
    with suppress(RuntimeError):  # closed meanwhile
        if loop.is_running():
            loop.call_soon_threadsafe(start, coroutine)
            return True
    return False


def running_loop() -> asyncio.AbstractEventLoop | None:
    """Returns the event loop that runs on this thread, which must not be blocked; None if there is none."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
