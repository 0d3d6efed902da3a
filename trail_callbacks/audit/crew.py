"""Workers that an engine has somewhere: who gets which task, what happens when one dies, and its requests for grants.

A worker and the process that hired it exchange tuples, whatever carries them. To the worker go `("task", task)` and
`("reply", number, value)`. It says `("ready", release)` or `("unusable", why)`, then `("outcome", outcome)` for each
task, and asks by `admit` and `settle` for grants, by `recall` and `keep` for the cache. Budget and pace are kept here.

A task whose worker died is done again by another, alone; one that was in work when three died is given up, with a
message.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeAlias

from trail_callbacks.audit.judging import AuditOutcome, AuditTask
from trail_callbacks.errors import JudgeError
from trail_callbacks.judges.judge import Judge
from trail_callbacks.models.cache import ReplyStore
from trail_callbacks.models.call import Failure, Usage
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.work.budget import Grants

_DEATHS = 3
_LEAST, _MOST = 2, 64  # tasks that a worker without a model has, so that it need not wait for the next ones

Message: TypeAlias = "tuple[Any, ...]"
Events: TypeAlias = "SimpleQueue[tuple[CrewWorker, list[Message] | None]]"


class Desk(NamedTuple):
    """What workers ask for."""

    grants: Grants
    ahead: int | None  # tasks that a worker may have at once; None where it judges one after the other
    store: ReplyStore | None = None  # the cache, for workers that cannot reach its folder


@dataclass(slots=True)
class _Job:
    task: AuditTask
    deaths: int = 0  # of workers that had it


class CrewWorker(ABC):
    """A worker, as the process sees it that hired it.

    Its requests are answered at once, on a thread of its own; what else it says is an event, and None when it is gone.
    """

    def __init__(self, desk: Desk, events: Events) -> None:
        self.jobs: dict[str, _Job] = {}  # what it has been given and has not done, by key
        self.ready = False  # whether it has begun; before that it is given nothing
        self.cause = "without a word"  # what it died of, as in "died over it, the last CAUSE"
        self.ahead = desk.ahead or _LEAST  # tasks that it may have at once
        self._desk, self._events = desk, events
        self._admitted: Counter[int] = Counter()  # estimates of calls in flight
        self._thread = Thread(target=self._listen, name="trail-audit", daemon=True)
        self._thread.start()

    @abstractmethod
    def send(self, messages: list[Message]) -> None:
        """Sends messages; none if it is gone."""

    @abstractmethod
    def receive(self) -> Iterator[list[Message]]:
        """Yields what it says until it is gone, which it may tell by an exception."""

    @abstractmethod
    def kill(self) -> None:
        """Ends it at once."""

    def begin(self, jobs: list[_Job]) -> None:
        """Gives it tasks."""
        self.jobs.update((job.task.key, job) for job in jobs)
        self.send([("task", job.task) for job in jobs])

    def end(self) -> None:
        """Ends it at once: what it has in work is a task again in the next run."""
        self.kill()
        self._thread.join(1.0)

    def died(self, error: Exception) -> None:
        """Takes note of how `receive` ended."""
        self.cause = f"with {type(error).__name__}"

    def _listen(self) -> None:
        try:
            for messages in self.receive():
                told = [message for message in messages if not self._served(*message)]
                if self._desk.ahead is None and told:
                    self.ahead = min(max(2 * len(told), _LEAST), _MOST)
                if told:
                    self._events.put((self, told))
        except Exception as error:  # noqa: BLE001 - whatever carries messages calls it, nobody is there any more
            self.died(error)
        for tokens in self._admitted.elements():  # sent, as far as anybody knows
            self._desk.grants.settle(tokens, Usage(calls=1), None)
        self._events.put((self, None))

    def _served(self, kind: str, *rest: Any) -> bool:
        """Answers a message; tells whether it was a request."""
        grants, store = self._desk.grants, self._desk.store
        if kind == "admit":
            granted = grants.admit(rest[1])
            self._admitted[rest[1]] += not isinstance(granted, Failure)
            self.send([("reply", rest[0], granted)])
        elif kind == "settle":
            self._admitted[rest[0]] -= 1
            grants.settle(*rest)
        elif kind == "recall" and store is not None:
            self.send([("reply", rest[0], (store.get(rest[1]), store.problem))])
        elif kind == "keep" and store is not None:
            store.put(*rest)
        else:
            return False
        return True


@dataclass(slots=True, kw_only=True)
class Crew:
    """The workers of one run."""

    hire: Callable[[Events], CrewWorker]
    most: int  # workers
    patience: float | None = None  # seconds to wait while no worker is ready; None waits as long as it takes
    absent: Callable[[], str] = str  # says why none may be
    _events: Events = field(default_factory=SimpleQueue)
    _workers: list[CrewWorker] = field(default_factory=list)
    _waiting: deque[_Job] = field(default_factory=deque)  # first those of workers that died
    _unborn: int = 0  # workers that died before they were ready, without one that was in between

    def run(self, tasks: Iterator[AuditTask]) -> Iterator[AuditOutcome]:
        """Carries out tasks; a `JudgeError` says that no worker begins within the patience, or can use the judge."""
        jobs = map(_Job, tasks)
        try:
            self._fill(jobs)
            while self._workers and (self._waiting or any(worker.jobs for worker in self._workers)):
                nobody = not any(worker.ready for worker in self._workers)
                try:
                    worker, said = self._events.get(timeout=self.patience if nobody else None)
                except Empty:
                    why = f"no worker could begin within {self.patience:g} seconds: {self.absent()}"
                    raise JudgeError(why) from None
                if said is not None:
                    yield from self._heard(worker, said)
                elif worker in self._workers:
                    yield from self._buried(worker)
                self._fill(jobs)
        finally:
            for worker in self._workers:
                worker.end()

    def _heard(self, worker: CrewWorker, said: list[Message]) -> Iterator[AuditOutcome]:
        for kind, what in said:
            if kind == "unusable":
                raise JudgeError(f"the judge cannot be used in a worker process: {what}")
            if kind == "outcome":
                if worker.jobs.pop(what.key, None) is not None:
                    yield what
            elif what != version("trail-callbacks"):
                raise JudgeError(
                    "the judge cannot be used in a worker process: its machine has release "
                    f"{what} of trail-callbacks, this one {version('trail-callbacks')}"
                )
            else:
                worker.ready, self._unborn = True, 0

    def _fill(self, tasks: Iterator[_Job]) -> None:
        """Gives tasks to those who have room, a task whose worker died alone, and hires while there are more."""
        for worker in self._workers:
            given: list[_Job] = []
            while worker.ready and len(worker.jobs) + len(given) < worker.ahead:
                self._waiting += islice(tasks, not self._waiting)
                held = [*worker.jobs.values(), *given]
                if not self._waiting or (held and any(job.deaths for job in (*held, self._waiting[0]))):
                    break
                given.append(self._waiting.popleft())
            if given:
                worker.begin(given)
        coming = sum(not worker.ready for worker in self._workers)
        while len(self._workers) < self.most:
            self._waiting += islice(tasks, len(self._waiting) <= coming)
            if len(self._waiting) <= coming:
                return
            self._workers.append(self.hire(self._events))
            coming += 1

    def _buried(self, worker: CrewWorker) -> Iterator[AuditOutcome]:
        """Takes back the tasks of a worker that died; yields those that are given up."""
        worker.end()
        self._workers.remove(worker)
        if not worker.ready:
            self._unborn += 1
            if self._unborn >= _DEATHS:
                raise JudgeError(f"{_DEATHS} worker processes ended before they could begin, the last {worker.cause}")
        for job in worker.jobs.values():
            job.deaths += 1
            if job.deaths < _DEATHS:
                self._waiting.appendleft(job)
            else:
                why = f"{_DEATHS} worker processes died over it, the last {worker.cause}"
                yield AuditOutcome(job.task.key, "failed", why)


def portable(judge: Judge, options: VerifyOptions) -> bytes:
    """Returns a judge and options as they are sent to workers; a judge that cannot be sent is a `JudgeError`."""
    try:
        return pickle.dumps((judge, options), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise JudgeError(
            f"several workers are processes, and this {type(judge).__name__} cannot be sent to one ({error}): name its "
            "model, as in judge='openai/gpt-5-mini', or use one worker"
        ) from error
