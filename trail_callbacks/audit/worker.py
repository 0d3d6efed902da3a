"""A worker process: `main` judges what it is sent, until its parent is gone.

It never runs the main module of the app, so that no script needs a guard for it.
"""

from __future__ import annotations

import asyncio
import os
import pickle
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from queue import SimpleQueue
from threading import Lock, Thread
from typing import IO, Any

from trail_callbacks.audit.judging import Judging, Task
from trail_callbacks.models.call import Usage
from trail_callbacks.models.failure import Failure
from trail_callbacks.session.worker import receive, send

__all__ = ["main"]

_THREADS = 16  # that read rows and wait for grants


class _Parent:
    """The process that sends tasks and grants calls."""

    def __init__(self, requests: IO[bytes], replies: IO[bytes]) -> None:
        self.tasks: SimpleQueue[Task] = SimpleQueue()
        self._requests, self._replies = requests, replies
        self._lock = Lock()  # one message at a time
        self._asked: dict[int, Future[float | Failure]] = {}
        self._numbers = count()

    def settings(self) -> Any:
        """Waits for judge and options."""
        return pickle.loads(receive(self._requests))  # noqa: S301 - both ends are ours

    def listen(self) -> None:
        """Receives tasks and grants; ends the process with its parent: nobody wants to pay for what is in work."""
        try:
            while True:
                kind, *rest = pickle.loads(receive(self._requests))  # noqa: S301 - as above
                if kind == "task":
                    self.tasks.put(rest[0])
                else:
                    self._asked.pop(rest[0]).set_result(rest[1])
        finally:
            os._exit(0)

    def tell(self, *message: Any) -> None:
        """Sends a message."""
        with self._lock, suppress(OSError):  # gone: the listener ends this process
            send(self._replies, pickle.dumps(message, pickle.HIGHEST_PROTOCOL))

    def admit(self, tokens: int) -> float | Failure:
        """See `Grants`."""
        number: int = next(self._numbers)
        self._asked[number] = Future()
        waiting = self._asked[number]
        self.tell("admit", number, tokens)
        return waiting.result()

    def settle(self, tokens: int, usage: Usage, retry_after: float | None) -> None:
        """See `Grants`."""
        self.tell("settle", tokens, usage, retry_after)


def main() -> None:
    """Judges what is sent."""
    parent = _Parent(*_private_pipes())
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
    if judge.model is not None:
        asyncio.run(_together(parent, judging))
    while True:
        parent.tell("outcome", judging.judge(parent.tasks.get()))


async def _together(parent: _Parent, judging: Judging) -> None:
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
