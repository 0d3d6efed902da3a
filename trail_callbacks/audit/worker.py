"""A worker: it judges what it is sent, until its parent is gone. `main` is that of a process on this machine.

It never runs the main module of the app, so that no script needs a guard for it.
"""

from __future__ import annotations

import asyncio
import os
import pickle
from abc import ABC, abstractmethod
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from queue import SimpleQueue
from threading import Lock, Thread
from typing import IO, Any

from trail_callbacks.audit.judging import Judging, Task
from trail_callbacks.models.call import Failure, Usage
from trail_callbacks.session.worker import receive, send

__all__ = ["Parent", "main", "work"]

_THREADS = 16  # that read rows and wait for grants


class Parent(ABC):
    """The process that sends tasks, grants calls and, for some, keeps the cache."""

    def __init__(self) -> None:
        self.tasks: SimpleQueue[Task] = SimpleQueue()
        self.problem: str | None = None
        self._asked: dict[int, Future[Any]] = {}
        self._numbers = count()

    @abstractmethod
    def tell(self, *message: Any) -> None:
        """Sends a message."""

    def hear(self, message: tuple[Any, ...]) -> None:
        """Takes a message of the parent: a task, or the reply to a request."""
        kind, *rest = message
        if kind == "task":
            self.tasks.put(rest[0])
        else:
            self._asked.pop(rest[0]).set_result(rest[1])

    def admit(self, tokens: int) -> float | Failure:
        """See `Grants`."""
        granted: float | Failure = self._ask("admit", tokens)
        return granted

    def settle(self, tokens: int, usage: Usage, retry_after: float | None) -> None:
        """See `Grants`."""
        self.tell("settle", tokens, usage, retry_after)

    def get(self, key: str) -> Any | None:
        """See `Kept`."""
        value, self.problem = self._ask("recall", key)
        return value

    def put(self, key: str, value: Any) -> None:
        """See `Kept`."""
        self.tell("keep", key, value)

    def _ask(self, kind: str, what: Any) -> Any:
        number = next(self._numbers)
        waiting = self._asked[number] = Future()
        self.tell(kind, number, what)
        return waiting.result()


class _Piped(Parent):
    """A parent at the other end of two pipes."""

    def __init__(self, requests: IO[bytes], replies: IO[bytes]) -> None:
        super().__init__()
        self._requests, self._replies = requests, replies
        self._lock = Lock()  # one message at a time

    def settings(self) -> Any:
        """Waits for judge and options."""
        return pickle.loads(receive(self._requests))  # noqa: S301 - both ends are ours

    def listen(self) -> None:
        """Receives tasks and grants; ends the process with its parent: nobody wants to pay for what is in work."""
        try:
            while True:
                self.hear(pickle.loads(receive(self._requests)))  # noqa: S301 - as above
        finally:
            os._exit(0)

    def tell(self, *message: Any) -> None:
        with self._lock, suppress(OSError):  # gone: the listener ends this process
            send(self._replies, pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


def main() -> None:
    """Judges what is sent."""
    parent = _Piped(*_private_pipes())
    try:
        judge, options = parent.settings()
        judging = Judging(judge, options, parent)
    except EOFError:
        return
    except Exception as error:  # noqa: BLE001 - shown by the parent
        parent.tell("unusable", f"{type(error).__name__}: {error}")
        return
    Thread(target=parent.listen, daemon=True).start()
    parent.tell("ready")
    work(parent, judging, asks=judge.model is not None)


def work(parent: Parent, judging: Judging, *, asks: bool) -> None:
    """Judges what is sent, for ever.

    Args:
        parent: Who sends tasks, and is told what came of them.
        judging: Judges them.
        asks: Whether the judge asks a model: then all that is sent is in work at once.
    """
    if asks:
        asyncio.run(_together(parent, judging))
    while True:
        parent.tell("outcome", judging.judge(parent.tasks.get()))


async def _together(parent: Parent, judging: Judging) -> None:
    """Judges all that is sent at once: the parent sends no more than is wanted."""

    async def one(task: Task) -> None:
        outcome = await judging.ajudge(task)
        await asyncio.to_thread(parent.tell, "outcome", outcome)

    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_THREADS, thread_name_prefix="trail-audit"))
    running: set[asyncio.Task[None]] = set()
    while True:
        task = await asyncio.to_thread(parent.tasks.get)
        running.add(started := asyncio.create_task(one(task)))
        started.add_done_callback(running.discard)


def _private_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Standard input and output for us alone: what a judge prints goes to the standard error."""
    requests, replies = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, replies
