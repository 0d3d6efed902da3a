"""What is asked at one batch endpoint: which requests wait, which were submitted, and what became of them."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from trail_callbacks.audit.provider_batch import BatchReply, LostError, Provider, Submitted, why
from trail_callbacks.models.cache import digest

__all__ = ["Office"]

_FORGETTING = 20.0  # seconds
_SUBMISSIONS = 3  # of the same request that failed
_LATER = frozenset({408, 409, 425, 429})  # HTTP, and 5xx: another time may do
_TOLD = frozenset({401, 403, 429})  # HTTP: what these say of a batch is true of a request too
_OVER_OK, _ERROR = 300, 500
_LARGEST = 100 * 1024 * 1024  # bytes of the requests of a batch; OpenAI takes twice that

_Answers = asyncio.Task[dict[str, BatchReply]]


@dataclass(slots=True, eq=False)
class _Parked:
    """A request that waits for the next batch."""

    key: str
    body: str
    batch: asyncio.Future[tuple[str, _Answers]]


@dataclass(slots=True, eq=False)
class Office:
    """What is asked at one endpoint.

    Attributes:
        parked: Is entered while a request waits.
        most: Requests of a batch, at most.
        provider: Who answers.
        earlier: Batches of earlier runs.
    """

    parked: Callable[[], AbstractContextManager[None]]
    most: int
    provider: Provider
    earlier: list[Submitted]
    waiting: list[_Parked] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)  # by id: equal requests have one each
    last: dict[str, BatchReply] = field(default_factory=dict)  # the answer to a request that is not submitted any more
    lost: BatchReply | None = None
    known: dict[str, list[tuple[str, Submitted]]] = field(default_factory=lambda: defaultdict(list))
    running: dict[int, _Answers] = field(default_factory=dict)
    used: list[Submitted] = field(default_factory=list)
    tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Finds what was submitted by earlier runs."""
        for batch in self.earlier:
            for id_ in batch.requests:
                self.known[id_.partition("-")[0]].append((id_, batch))

    async def ask(self, content: bytes) -> tuple[BatchReply, bool]:
        """Answers a request; tells whether asking again may help."""
        body = json.loads(content)
        key = digest(body)
        if key in self.last:
            return self.last[key], False
        with self.parked():
            if self.known.get(key):
                id_, batch = self.known[key].pop(0)
                answers = self._answers(batch)
            elif self.lost is not None:
                return self.lost, False
            else:
                parked = _Parked(key, json.dumps(body), asyncio.get_running_loop().create_future())
                self.waiting.append(parked)
                if len(self.waiting) >= self.most:
                    self.submit()
                id_, answers = await parked.batch
            answer = (await asyncio.shield(answers))[id_]
        if answer.status < _ERROR and answer.status not in _LATER:
            return answer, True
        self.failures[id_] += 1
        if self.failures[id_] < _SUBMISSIONS:
            return answer, True
        self.last[key] = answer
        return answer, False

    def submit(self) -> None:
        """Submits what waits."""
        waiting, self.waiting = self.waiting, []
        while waiting:
            size, count = 0, 0
            while count < min(len(waiting), self.most) and (not count or size + len(waiting[count].body) <= _LARGEST):
                size += len(waiting[count].body)
                count += 1
            now, waiting = waiting[:count], waiting[count:]
            ids, equal = {}, Counter[str]()
            for parked in now:
                ids[f"{parked.key}-{equal[parked.key]}"] = parked
                equal[parked.key] += 1
            answers = self._started(
                self._carried(partial(self._submitted, {i: p.body for i, p in ids.items()}), list(ids))
            )
            for id_, parked in ids.items():
                if not parked.batch.done():
                    parked.batch.set_result((id_, answers))

    def _started(self, work: Any) -> _Answers:
        task: _Answers = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    def _answers(self, batch: Submitted) -> _Answers:
        """Waits for a batch of an earlier run; once for all its requests."""
        if id(batch) not in self.running:
            work = partial(self._finished, batch)
            self.running[id(batch)] = self._started(self._carried(work, list(batch.requests)))
        return self.running[id(batch)]

    async def _submitted(self, requests: dict[str, str]) -> dict[str, BatchReply]:
        return await self._finished(await self.provider.submit(requests))

    async def _finished(self, batch: Submitted) -> dict[str, BatchReply]:
        answers = await self.provider.answers(batch)
        batch.requests = [id_ for id_ in batch.requests if answers[id_].status < _OVER_OK]  # others are submitted again
        batch.save()
        self.used.append(batch)
        return answers

    async def _carried(self, work: Any, ids: list[str]) -> dict[str, BatchReply]:
        """Returns answers, whatever happens."""
        try:
            answers: dict[str, BatchReply] = await work()
        except LostError as error:
            self.lost = why(str(error), "batch_lost")
            self.last |= {id_.partition("-")[0]: self.lost for id_ in ids}
            return dict.fromkeys(ids, self.lost)
        except Exception as error:  # noqa: BLE001 - the client's, or a full disk: every request gets an answer
            status = getattr(error, "status_code", None)
            refused = why(
                f"the batch could not be submitted: {error}", "batch_refused", (status in _TOLD and status) or 503
            )
            if status is not None and status < _ERROR and status not in _LATER:
                self.lost = refused  # so would every other one be
            return dict.fromkeys(ids, refused)
        return answers

    async def close(self, *, whole: bool) -> None:
        """See `Rounds.close`."""
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        if whole:
            for batch in self.used:
                batch.delete()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.provider.forget(self.used), _FORGETTING)
        await self.provider.close()
