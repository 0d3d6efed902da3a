"""Worker processes: new interpreters that judge tasks, and are replaced when they die.

The parent keeps budget and pace, so a worker asks it before each call. A task whose worker died is done again by
another, alone; one that was in work when three died is given up, with a message.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock, Thread
from typing import IO, Any, cast

from trail_callbacks.audit.budget import Grants
from trail_callbacks.audit.judging import Outcome, Task
from trail_callbacks.errors import JudgeError
from trail_callbacks.forking import unforked
from trail_callbacks.judges.judge import Judge
from trail_callbacks.models.call import Usage
from trail_callbacks.models.failure import Failure
from trail_callbacks.session.worker import receive, send
from trail_callbacks.verify.options import VerifyOptions

__all__ = ["run"]

_AHEAD = 2  # tasks that a worker without a model has, so that it need not wait for the next one
_DEATHS = 3
_BOOT = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); sys.path[:] = sys.argv[1:]; "
    "from trail_callbacks.audit.worker import main; main()"
)


@dataclass(slots=True)
class _Job:
    task: Task
    deaths: int = 0


@dataclass(slots=True)
class _Event:
    worker: _Worker
    message: tuple[Any, ...] | None  # None: the worker is gone


class _Worker:
    """One process. Its messages go to a queue that all workers share; requests for grants are answered at once."""

    def __init__(self, settings: bytes, grants: Grants, events: SimpleQueue[_Event]) -> None:
        from multiprocessing.spawn import get_executable  # noqa: PLC0415 - only here

        with unforked():  # a fork just now would inherit pipes that nobody knows of
            self.process = subprocess.Popen(  # noqa: S603 - our own module
                [os.fsdecode(get_executable() or sys.executable), "-c", _BOOT, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
            )
        self.jobs: dict[str, _Job] = {}
        self.ready = False
        self._requests = cast("IO[bytes]", self.process.stdin)
        self._replies = cast("IO[bytes]", self.process.stdout)
        self._lock = Lock()  # one message at a time
        self._grants, self._events = grants, events
        self._admitted: Counter[int] = Counter()  # estimates of calls in flight
        self._thread = Thread(target=self._listen, name="trail-audit", daemon=True)
        self._thread.start()
        self._send(settings)

    @property
    def is_alone(self) -> bool:
        """Whether it has a task that was in work when a worker died."""
        return any(job.deaths for job in self.jobs.values())

    def begin(self, job: _Job) -> None:
        """Sends a task."""
        self.jobs[job.task.key] = job
        self._send(pickle.dumps(("task", job.task), pickle.HIGHEST_PROTOCOL))

    def end(self) -> None:
        """Ends it at once: what it has in work is a task again in the next run."""
        self.process.kill()
        self.process.wait()
        self._thread.join(1.0)
        with suppress(OSError):
            self._requests.close()
        self._replies.close()

    def _send(self, message: bytes) -> None:
        with self._lock, suppress(OSError, ValueError):  # gone: the listener notices
            send(self._requests, message)

    def _listen(self) -> None:
        with suppress(EOFError, OSError, ValueError):
            while True:
                message = pickle.loads(receive(self._replies))  # noqa: S301 - both ends are ours
                if message[0] == "admit":
                    granted = self._grants.admit(message[2])
                    self._admitted[message[2]] += not isinstance(granted, Failure)
                    self._send(pickle.dumps(("grant", message[1], granted), pickle.HIGHEST_PROTOCOL))
                elif message[0] == "settle":
                    self._admitted[message[1]] -= 1
                    self._grants.settle(*message[1:])
                else:
                    self._events.put(_Event(self, message))
        for tokens in self._admitted.elements():  # sent, as far as anybody knows
            self._grants.settle(tokens, Usage(calls=1), None)
        self._events.put(_Event(self, None))


@dataclass(slots=True)
class _Crew:
    """The workers of one run."""

    settings: bytes
    grants: Grants
    most: int
    ahead: int
    events: SimpleQueue[_Event] = field(default_factory=SimpleQueue)
    workers: list[_Worker] = field(default_factory=list)
    again: deque[_Job] = field(default_factory=deque)

    def fill(self, tasks: Iterator[Task]) -> None:
        """Gives tasks to those who have room for one."""
        for worker in list(self.workers):
            while len(worker.jobs) < self.ahead and not worker.is_alone and not (self.again and worker.jobs):
                job = self.again.popleft() if self.again else next((_Job(task) for task in tasks), None)
                if job is None:
                    break
                worker.begin(job)
        while len(self.workers) < self.most:
            job = self.again.popleft() if self.again else next((_Job(task) for task in tasks), None)
            if job is None:
                return
            self.workers.append(_Worker(self.settings, self.grants, self.events))
            self.workers[-1].begin(job)

    def bury(self, worker: _Worker) -> Iterator[Outcome]:
        """Takes back the tasks of a worker that died; yields those that are given up."""
        worker.end()
        self.workers.remove(worker)
        if not worker.ready:
            raise JudgeError(f"a worker process ended with status {worker.process.returncode} before it could begin")
        for job in worker.jobs.values():
            job.deaths += 1
            if job.deaths < _DEATHS:
                self.again.append(job)
            else:
                why = f"{_DEATHS} worker processes died over it, the last with status {worker.process.returncode}"
                yield Outcome(job.task.key, "failed", why)

    def end(self) -> None:
        for worker in self.workers:
            worker.end()


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
    crew = _Crew(_portable(judge, options), grants, workers, ahead)
    try:
        crew.fill(tasks)
        while crew.workers and (any(worker.jobs for worker in crew.workers) or crew.again):
            event = crew.events.get()
            if event.message is None:
                if event.worker in crew.workers:
                    yield from crew.bury(event.worker)
            elif event.message[0] == "ready":
                event.worker.ready = True
            elif event.message[0] == "unusable":
                raise JudgeError(f"the judge cannot be used in a worker process: {event.message[1]}")
            else:
                outcome: Outcome = event.message[1]
                event.worker.jobs.pop(outcome.key, None)
                yield outcome
            crew.fill(tasks)
    finally:
        crew.end()


def _portable(judge: Judge, options: VerifyOptions) -> bytes:
    try:
        return pickle.dumps((judge, options), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise JudgeError(
            f"several workers are processes, and this {type(judge).__name__} cannot be sent to one ({error}): name its "
            "model, as in judge='openai/gpt-5-mini', or use one worker"
        ) from error
