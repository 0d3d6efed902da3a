"""A worker, where it is: it judges what it is sent, until its parent is gone.

`main` is that of a process on this machine, `Seat` the actor of a Ray cluster. Neither runs the main module of the app,
so that no script needs a guard for it.
"""

from __future__ import annotations

import asyncio
import os
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from itertools import count
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import sleep
from typing import Any

from trail_callbacks.audit.judging import AuditTask, Judging
from trail_callbacks.models.call import Failure, Usage
from trail_callbacks.session.worker import private_pipes, receive, send

_THREADS = 16  # that read rows and wait for grants
_GATHER = 0.05  # seconds for which results are collected where nobody waits for one: a message costs a millisecond


class Parent:
    """The process that sends tasks, grants calls and, for some, keeps the cache."""

    def __init__(self, tell: Callable[[tuple[Any, ...]], object]) -> None:
        self.tell = tell  # sends it a message; see `crew`
        self.problem: str | None = None
        self.asks = False  # whether the judge asks a model: then all that is sent is in work at once
        self._tasks: SimpleQueue[AuditTask] = SimpleQueue()
        self._asked: dict[int, Future[Any]] = {}
        self._numbers = count()

    def hear(self, message: tuple[Any, ...]) -> None:
        """Takes a message of the parent: a task, or the reply to a request."""
        kind, *rest = message
        if kind == "task":
            self._tasks.put(rest[0])
        else:
            self._asked.pop(rest[0]).set_result(rest[1])

    def admit(self, tokens: int) -> float | Failure:
        """See `Grants`."""
        granted: float | Failure = self._ask("admit", tokens)
        return granted

    def settle(self, tokens: int, usage: Usage, retry_after: float | None) -> None:
        """See `Grants`."""
        self.tell(("settle", tokens, usage, retry_after))

    def get(self, key: str) -> Any | None:
        """See `Kept`."""
        value, self.problem = self._ask("recall", key)
        return value

    def put(self, key: str, value: Any) -> None:
        """See `Kept`."""
        self.tell(("keep", key, value))

    def _ask(self, kind: str, what: Any) -> Any:
        number = next(self._numbers)
        waiting = self._asked[number] = Future()
        self.tell((kind, number, what))
        return waiting.result()

    def serve(self, settings: bytes, *, keeps: bool) -> None:
        """Judges what it sends, for ever; returns if the judge of the settings cannot be used."""
        try:
            judge, options = pickle.loads(settings)  # noqa: S301 - both ends are ours
            judging = Judging(judge, options, self, self if keeps else None)
        except Exception as error:  # noqa: BLE001 - shown by the parent
            self.tell(("unusable", f"{type(error).__name__}: {error}"))
            return
        self.asks = judge.model is not None
        self.tell(("ready", version("trail-callbacks")))
        if self.asks:
            asyncio.run(self._together(judging))
        while True:
            self.tell(("outcome", judging.judge(self._tasks.get())))

    async def _together(self, judging: Judging) -> None:
        """Judges all that is sent at once: the parent sends no more than is wanted."""

        async def one(task: AuditTask) -> None:
            outcome = await judging.ajudge(task)
            await asyncio.to_thread(self.tell, ("outcome", outcome))

        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_THREADS, thread_name_prefix="trail-audit"))
        running: set[asyncio.Task[None]] = set()
        while True:
            task = await asyncio.to_thread(self._tasks.get)
            running.add(started := asyncio.create_task(one(task)))
            started.add_done_callback(running.discard)


def main() -> None:
    """Judges what comes through standard input; ends with its parent: nobody wants to pay for what is in work."""
    requests, replies = private_pipes()
    lock = Lock()  # one message at a time

    def tell(message: tuple[Any, ...]) -> None:
        with lock, suppress(OSError):  # gone: the listener ends this process
            send(replies, pickle.dumps(message, pickle.HIGHEST_PROTOCOL))

    def listen() -> None:
        try:
            while True:
                parent.hear(pickle.loads(receive(requests)))  # noqa: S301 - both ends are ours
        finally:
            os._exit(0)

    parent = Parent(tell)
    with suppress(EOFError):
        settings = receive(requests)
        Thread(target=listen, daemon=True).start()
        parent.serve(settings, keeps=False)


class Seat:
    """The actor. Ray makes it, and runs its methods on threads."""

    def __init__(self, settings: bytes, keeps: bool) -> None:
        self._said: SimpleQueue[tuple[Any, ...]] = SimpleQueue()
        self._parent = Parent(self._said.put)
        self._serve = partial(self._parent.serve, settings, keeps=keeps)

    def hear(self, messages: list[tuple[Any, ...]]) -> None:
        """Takes tasks and replies."""
        for message in messages:
            self._parent.hear(message)

    def listen(self) -> Iterator[list[tuple[Any, ...]]]:
        """Begins to work, and yields what there is to say."""
        Thread(target=self._serve, daemon=True).start()
        while True:
            said = [self._said.get()]
            if not self._parent.asks:
                sleep(_GATHER)
            with suppress(Empty):
                while True:
                    said.append(self._said.get_nowait())
            yield said
