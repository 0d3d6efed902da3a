"""Who carries out an audit's tasks: the protocol of an engine, and the one for this machine."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Awaitable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import IO, Protocol, cast, runtime_checkable

from trail_callbacks.audit.crew import Crew, CrewWorker, Desk, Events, Message, portable
from trail_callbacks.audit.judging import AuditOutcome, AuditTask, Judging
from trail_callbacks.errors import InputError
from trail_callbacks.forking import unforked
from trail_callbacks.judges.judge import Judge
from trail_callbacks.models.lane import AT_ONCE, abreast
from trail_callbacks.session.worker import receive, send
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.work.budget import Grants


@runtime_checkable
class Engine(Protocol):
    """Carries out tasks somewhere. The audit knows what is to be done and keeps what is done; an engine does it.

    Any engine is resumable, because tasks have keys: what it loses is a task again in the next run.
    """

    def run(
        self, tasks: Iterator[AuditTask], judge: Judge, options: VerifyOptions, grants: Grants
    ) -> Iterator[AuditOutcome]:
        """Carries out tasks, and yields one outcome for each in any order.

        Takes no more tasks than it can soon begin: they may be without end. Closing the generator ends the work.

        Args:
            tasks: The tasks, each with a key of its own.
            judge: The judge.
            options: Settings of each verification.
            grants: Grants the calls, wherever they are made.
        """


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Works on this machine, in processes: each has a driver of its own, and pace and budget are one for all.

    With one worker, and no other process, it works in this one: with a judge that asks a model on one event loop.

    Args:
        workers: Processes, 1 or more.
        concurrency: Items in work at once in each, for a judge that asks a model, 1 or more.

    Raises:
        InputError: If a number is out of range.
    """

    workers: int = 1
    concurrency: int = AT_ONCE

    def __post_init__(self) -> None:
        """Checks ranges."""
        for name in ("workers", "concurrency"):
            if getattr(self, name) < 1:
                raise InputError(f"LocalEngine.{name} is {getattr(self, name)}, expected 1 or more")

    def run(
        self, tasks: Iterator[AuditTask], judge: Judge, options: VerifyOptions, grants: Grants
    ) -> Iterator[AuditOutcome]:
        """See `Engine`."""
        if self.workers > 1:
            settings = portable(judge, options)
            desk = Desk(grants, None if judge.model is None else self.concurrency)
            yield from Crew(hire=lambda events: _Process(settings, desk, events), most=self.workers).run(tasks)
            return
        judging = Judging(judge, options, grants)
        if judge.model is None:
            yield from map(judging.judge, tasks)
            return
        yield from abreast((partial(_judge, judging, task) for task in tasks), self.concurrency)


def _judge(judging: Judging, task: AuditTask, _: bool) -> Awaitable[AuditOutcome]:
    return judging.ajudge(task)


def cores() -> int:
    """Returns how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS, Windows
        return os.cpu_count() or 1


_BOOT = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.path[:] = sys.argv[1:]; "
    "from trail_callbacks.audit.worker import main; main()"
)


class _Process(CrewWorker):
    """A process on this machine, with a pipe each way."""

    def __init__(self, settings: bytes, desk: Desk, events: Events) -> None:
        from multiprocessing.spawn import get_executable  # noqa: PLC0415 - only here

        with unforked():  # a fork just now would inherit pipes that nobody knows of
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [os.fsdecode(get_executable() or sys.executable), "-c", _BOOT, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
            )
        self._requests = cast("IO[bytes]", self._process.stdin)
        self._replies = cast("IO[bytes]", self._process.stdout)
        self._lock = Lock()  # one message at a time
        super().__init__(desk, events)
        self._send(settings)

    def send(self, messages: list[Message]) -> None:
        for message in messages:
            self._send(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))

    def _send(self, data: bytes) -> None:
        with self._lock, suppress(OSError, ValueError):  # gone: the listener notices
            send(self._requests, data)

    def receive(self) -> Iterator[list[Message]]:
        while True:
            yield [pickle.loads(receive(self._replies))]  # noqa: S301 - both ends are ours

    def kill(self) -> None:
        self._process.kill()
        self.cause = f"with status {self._process.wait()}"

    def end(self) -> None:
        super().end()
        with suppress(OSError):
            self._requests.close()
        self._replies.close()
