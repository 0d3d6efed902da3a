"""Workers that an engine has somewhere: who gets which task, what happens when one dies, and its requests for grants.

A task whose worker died is done again by another, alone; one that was in work when three died is given up, with a
message. Budget and pace are kept here, for all workers.
"""

from __future__ import annotations

import pickle
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from trail_callbacks.audit.judging import Outcome, Task
from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.judge import Judge
from trail_callbacks.models.cache import ReplyStore
from trail_callbacks.models.call import Failure, Usage
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.work.budget import Grants

__all__ = ["Crew", "Desk", "Job", "Said", "Worker", "portable"]

_DEATHS = 3


@dataclass(slots=True)
class Job:
    """A task, and how many workers died that had it."""

    task: Task
    deaths: int = 0


@dataclass(slots=True)
class Said:
    """Something a worker says: that it is ready, that it cannot use the judge, or what it has done.

    Attributes:
        worker: Who.
        message: `("ready",)`, `("unusable", why)` or `("outcomes", list)`; None: the worker is gone.
    """

    worker: Worker
    message: tuple[Any, ...] | None


class Worker(Protocol):
    """Someone who judges tasks, and says so in a queue of events.

    Attributes:
        jobs: What it has been given and has not done, by key.
        ready: Whether it has begun; before that it is given nothing.
        ahead: Tasks that it may have at once, 1 or more.
        cause: What it died of, as in "died over it, the last CAUSE".
    """

    jobs: dict[str, Job]
    ready: bool

    @property
    def ahead(self) -> int:
        """See above."""

    @property
    def cause(self) -> str:
        """See above."""

    def begin(self, jobs: list[Job]) -> None:
        """Gives it tasks."""

    def end(self) -> None:
        """Ends it at once: what it has in work is a task again in the next run."""


class Desk:
    """Answers what a worker asks for: grants, and what is in the cache.

    Args:
        grants: Who grants calls.
        send: Sends a message to the worker.
        store: The cache, for workers that cannot reach its folder.
    """

    def __init__(
        self, grants: Grants, send: Callable[[tuple[Any, ...]], object], store: ReplyStore | None = None
    ) -> None:
        self._grants, self._send, self._store = grants, send, store
        self._admitted: Counter[int] = Counter()  # estimates of calls in flight

    def serve(self, message: tuple[Any, ...]) -> bool:
        """Answers a message; tells whether it was such a request."""
        kind, *rest = message
        if kind == "admit":
            granted = self._grants.admit(rest[1])
            self._admitted[rest[1]] += not isinstance(granted, Failure)
            self._send(("reply", rest[0], granted))
        elif kind == "settle":
            self._admitted[rest[0]] -= 1
            self._grants.settle(*rest)
        elif kind == "recall" and self._store is not None:
            self._send(("reply", rest[0], (self._store.get(rest[1]), self._store.problem)))
        elif kind == "keep" and self._store is not None:
            self._store.put(*rest)
        else:
            return False
        return True

    def close(self) -> None:
        """Counts what the worker had in flight when it ended as sent, as far as anybody knows."""
        for tokens in self._admitted.elements():
            self._grants.settle(tokens, Usage(calls=1), None)
        self._admitted.clear()


@dataclass(slots=True, kw_only=True)
class Crew:
    """The workers of one run.

    Attributes:
        hire: Makes a worker that puts its events into a queue.
        most: Workers, at most.
        patience: Seconds to wait while no worker is ready; None waits as long as it takes.
        absent: Says why none may be.
    """

    hire: Callable[[SimpleQueue[Said]], Worker]
    most: int
    patience: float | None = None
    absent: Callable[[], str] = str
    events: SimpleQueue[Said] = field(default_factory=SimpleQueue)
    workers: list[Worker] = field(default_factory=list)
    fresh: deque[Job] = field(default_factory=deque)  # for workers that are not ready yet
    again: deque[Job] = field(default_factory=deque)  # of workers that died; each is done alone
    unborn: int = 0  # workers that died before they were ready, without one that was in between

    def run(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        """Carries out tasks. See `Engine.run`."""
        try:
            self.fill(tasks)
            while self.workers and (self.again or self.fresh or any(worker.jobs for worker in self.workers)):
                yield from self.handle(self.next_event())
                self.fill(tasks)
        finally:
            for worker in self.workers:
                worker.end()

    def next_event(self) -> Said:
        """Waits for a worker; not for ever if none is there.

        Raises:
            JudgeError: If none begins to work within the patience.
        """
        nobody = not any(worker.ready for worker in self.workers)
        try:
            return self.events.get(timeout=self.patience if nobody else None)
        except Empty:
            raise JudgeError(f"no worker could begin within {self.patience:g} seconds: {self.absent()}") from None

    def handle(self, event: Said) -> Iterator[Outcome]:
        """Takes note of what a worker says."""
        worker, message = event.worker, event.message
        if message is None:
            if worker in self.workers:
                yield from self.bury(worker)
        elif message[0] == "ready":
            worker.ready, self.unborn = True, 0
        elif message[0] == "unusable":
            raise JudgeError(f"the judge cannot be used in a worker process: {message[1]}")
        else:
            for outcome in message[1]:
                if worker.jobs.pop(outcome.key, None) is not None:
                    yield outcome

    def fill(self, tasks: Iterator[Task]) -> None:
        """Gives tasks to those who have room, and hires while there are more."""
        for worker in self.workers:
            if worker.ready and not any(job.deaths for job in worker.jobs.values()):
                jobs = self.jobs_for(worker, tasks)
                if jobs:
                    worker.begin(jobs)
        coming = sum(not worker.ready for worker in self.workers)
        while len(self.workers) < self.most:
            if len(self.fresh) + len(self.again) <= coming:
                job = next((Job(task) for task in tasks), None)
                if job is None:
                    return
                self.fresh.append(job)
            self.workers.append(self.hire(self.events))
            coming += 1

    def jobs_for(self, worker: Worker, tasks: Iterator[Task]) -> list[Job]:
        """Returns what a worker is to do beside what it has; a task whose worker died is done alone."""
        if self.again:
            return [] if worker.jobs else [self.again.popleft()]
        jobs: list[Job] = []
        while len(worker.jobs) + len(jobs) < worker.ahead:
            job = self.fresh.popleft() if self.fresh else next((Job(task) for task in tasks), None)
            if job is None:
                break
            jobs.append(job)
        return jobs

    def bury(self, worker: Worker) -> Iterator[Outcome]:
        """Takes back the tasks of a worker that died; yields those that are given up."""
        worker.end()
        self.workers.remove(worker)
        if not worker.ready:
            self.unborn += 1
            if self.unborn >= _DEATHS:
                raise JudgeError(f"{_DEATHS} worker processes ended before they could begin, the last {worker.cause}")
        for job in worker.jobs.values():
            job.deaths += 1
            if job.deaths < _DEATHS:
                self.again.append(job)
            else:
                why = f"{_DEATHS} worker processes died over it, the last {worker.cause}"
                yield Outcome(job.task.key, "failed", why)


def portable(judge: Judge, options: VerifyOptions) -> bytes:
    """Returns a judge and options as they are sent to workers.

    Raises:
        JudgeError: If the judge cannot be sent.
    """
    try:
        return pickle.dumps((judge, options), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise JudgeError(
            f"several workers are processes, and this {type(judge).__name__} cannot be sent to one ({error}): name its "
            "model, as in judge='openai/gpt-5-mini', or use one worker"
        ) from error
