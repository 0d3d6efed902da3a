"""Worker processes on this machine: new interpreters that judge tasks, and are replaced when they die."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import IO, Any, cast

from trail_callbacks.audit.crew import Crew, Desk, Job, Said, portable
from trail_callbacks.audit.judging import Outcome, Task
from trail_callbacks.forking import unforked
from trail_callbacks.judges.judge import Judge
from trail_callbacks.session.worker import receive, send
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.work.budget import Grants

__all__ = ["run"]

_AHEAD = 2  # tasks that a worker without a model has, so that it need not wait for the next one
_BOOT = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.path[:] = sys.argv[1:]; "
    "from trail_callbacks.audit.worker import main; main()"
)


class _Process:
    """One process. Its messages go to a queue that all workers share; requests for grants are answered at once."""

    def __init__(self, settings: bytes, ahead: int, grants: Grants, events: SimpleQueue[Said]) -> None:
        from multiprocessing.spawn import get_executable  # noqa: PLC0415 - only here

        with unforked():  # a fork just now would inherit pipes that nobody knows of
            self.process = subprocess.Popen(  # noqa: S603 - our own module
                [os.fsdecode(get_executable() or sys.executable), "-c", _BOOT, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
            )
        self.jobs: dict[str, Job] = {}
        self.ready, self.ahead = False, ahead
        self._requests = cast("IO[bytes]", self.process.stdin)
        self._replies = cast("IO[bytes]", self.process.stdout)
        self._lock = Lock()  # one message at a time
        self._desk, self._events = Desk(grants, self._tell), events
        self._thread = Thread(target=self._listen, name="trail-audit", daemon=True)
        self._thread.start()
        self._send(settings)

    @property
    def cause(self) -> str:
        """See `Worker`."""
        return f"with status {self.process.returncode}"

    def begin(self, jobs: list[Job]) -> None:
        """See `Worker`."""
        for job in jobs:
            self.jobs[job.task.key] = job
            self._tell(("task", job.task))

    def end(self) -> None:
        """See `Worker`."""
        self.process.kill()
        self.process.wait()
        self._thread.join(1.0)
        with suppress(OSError):
            self._requests.close()
        self._replies.close()

    def _tell(self, message: tuple[Any, ...]) -> None:
        self._send(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))

    def _send(self, message: bytes) -> None:
        with self._lock, suppress(OSError, ValueError):  # gone: the listener notices
            send(self._requests, message)

    def _listen(self) -> None:
        with suppress(EOFError, OSError, ValueError):
            while True:
                message = pickle.loads(receive(self._replies))  # noqa: S301 - both ends are ours
                if message[0] == "outcome":
                    self._events.put(Said(self, ("outcomes", [message[1]])))
                elif not self._desk.serve(message):
                    self._events.put(Said(self, message))
        self._desk.close()
        self._events.put(Said(self, None))


def run(
    tasks: Iterator[Task], judge: Judge, options: VerifyOptions, grants: Grants, *, workers: int, concurrency: int
) -> Iterator[Outcome]:
    """Carries out tasks in processes. See `Engine.run`.

    Args:
        tasks: See there.
        judge: See there.
        options: See there.
        grants: See there.
        workers: Processes, at most.
        concurrency: Items in work at once in each, if the judge asks a model.

    Raises:
        JudgeError: If the judge cannot be sent to another process, or not be made there.
    """
    ahead = concurrency if judge.model is not None else _AHEAD
    settings = portable(judge, options)
    yield from Crew(hire=lambda events: _Process(settings, ahead, grants, events), most=workers).run(tasks)
