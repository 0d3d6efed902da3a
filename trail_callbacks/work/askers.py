"""Calls several functions at once, each within a time, whatever they do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple

from trail_callbacks.models.loop import PrivateLoop

_GRACE = 1.0  # seconds that a coroutine has to end once it is cancelled


class TooLateError(Exception):
    """The time of a call is over; its own TimeoutError is another matter."""


class CallEnd(NamedTuple):
    """How a call ended."""

    what: Any  # what it was begun for
    value: Any  # what it returned
    error: BaseException | None  # what it raised
    seconds: float  # wall time


@dataclass(slots=True, eq=False)
class _Call:
    what: Any
    work: Callable[[], Any]
    timeout: float | None
    started: float | None = None  # when a thread called it
    awaited: bool = False  # it returned a coroutine, which ends by itself when its time is over

    @property
    def deadline(self) -> float:
        if self.timeout is None:
            return float("inf")
        if self.started is None:  # the thread was not given any time yet
            return monotonic() + self.timeout
        return self.started + self.timeout + (_GRACE if self.awaited else 0.0)


class Askers:
    """Makes calls, each on a thread of its own. Those that do not come back in time are left behind.

    Coroutines run on one event loop for all runs of the process, so that clients which belong to a loop can be used
    again by the next run.
    """

    def __init__(self, most: int) -> None:
        self.hung = 0  # calls that did not come back
        self._most = most  # calls with a time limit at once
        self._events: SimpleQueue[tuple[_Call, CallEnd]] = SimpleQueue()
        self._busy: set[_Call] = set()

    @property
    def free(self) -> int:
        """How many more calls with a limit may be begun now."""
        return self._most - self.busy

    @property
    def busy(self) -> int:
        """How many calls with a limit are on their way."""
        return sum(call.timeout is not None for call in self._busy)

    def begin(self, what: Any, work: Callable[[], Any], timeout: float | None) -> None:
        """Calls a function, which may return a coroutine; `timeout` is in seconds, None for no limit."""
        self._busy.add(call := _Call(what, work, timeout))
        # It never keeps a process from ending.
        Thread(target=Context().run, args=(_call, call, self._events), name="trail-work", daemon=True).start()

    def wait(self, seconds: float) -> list[CallEnd]:
        """Waits until calls end, so many seconds at most; returns those that did, or whose time is over."""
        due = min((call.deadline for call in self._busy), default=float("inf"))
        found: list[tuple[_Call, CallEnd]] = []
        with suppress(Empty):
            found.append(self._events.get(timeout=max(0.0, min(seconds, due - monotonic()))))
            while True:
                found.append(self._events.get_nowait())
        ended = [end for call, end in found if call in self._busy]  # else it is too late
        self._busy -= {call for call, _ in found}
        return [*ended, *self._overdue()]

    def _overdue(self) -> list[CallEnd]:
        now, late = monotonic(), []
        for call in [each for each in self._busy if each.deadline <= now]:
            self._busy.remove(call)
            self.hung += 1
            if call.awaited:
                _LOOP.renew()  # something blocks it: others must not wait behind
            why = TooLateError(f"no answer within {call.timeout:g} s, and the app is still at work on it")
            late.append(CallEnd(call.what, None, why, now - (call.started or now)))
        return late


@dataclass(slots=True)
class _Loop:
    """The event loop of coroutines."""

    current: PrivateLoop = field(default_factory=PrivateLoop)
    stuck: list[PrivateLoop] = field(default_factory=list)  # kept: ending one waits for what it does

    def renew(self) -> None:
        self.stuck.append(self.current)
        self.current = PrivateLoop()


_LOOP = _Loop()


def _call(call: _Call, events: SimpleQueue[tuple[_Call, CallEnd]]) -> None:
    call.started = monotonic()
    value, error = _made(call)
    events.put((call, CallEnd(call.what, value, error, monotonic() - call.started)))


def _made(call: _Call) -> tuple[Any, BaseException | None]:
    try:
        found = call.work()
        if isinstance(found, Awaitable):
            call.awaited = True
            found = _LOOP.current.run(_in_time(found, call.timeout))
    except BaseException as error:  # noqa: BLE001 - whatever it raises, SystemExit too, is how it ended
        return None, error
    return found, None


async def _in_time(found: Awaitable[Any], timeout: float | None) -> Any:
    task = asyncio.ensure_future(found)
    done, _ = await asyncio.wait([task], timeout=timeout)
    if done:
        return task.result()
    task.cancel()
    await asyncio.wait([task], timeout=_GRACE / 2)
    raise TooLateError(f"no answer within {timeout:g} s")
