"""Requests of many answers, sent to a batch endpoint together.

A verification asks in several stages, each of which needs the replies to the one before. So all answers in work go on
until each of them waits for replies; then what they ask is one batch, whose replies let them go on. A model's requests
are taken and answered where its client would send them: what is sent, and how a reply is read, is the same as without
batches.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from trail_callbacks.audit.provider_batch import Answered, LostError, Provider, Submitted, load, why
from trail_callbacks.errors import JudgeError
from trail_callbacks.models.call import Call, Model, Reply
from trail_callbacks.models.instructor import InstructorModel
from trail_callbacks.models.store import digest

__all__ = ["Asking", "Rounds"]

_SETTLE = 0.05  # seconds for which nothing must happen before a round ends
_FORGETTING = 20.0  # seconds
_SUBMISSIONS = 3  # of the same request that failed
_LATER = frozenset({408, 409, 425, 429})  # HTTP, and 5xx: another time may do
_TOLD = frozenset({401, 403, 429})  # HTTP: what these say of a batch is true of a request too
_OVER_OK, _ERROR = 300, 500
_LARGEST = 100 * 1024 * 1024  # bytes of the requests of a batch; OpenAI takes twice that

_Answers = asyncio.Task[dict[str, Answered]]


@dataclass(slots=True, eq=False)
class _Row:
    """An answer in work: how many of its calls are under way, and how many of those wait for a batch."""

    calls: int = 0
    parked: int = 0


@dataclass(slots=True, eq=False)
class _Parked:
    """A request that waits for the next batch."""

    key: str
    body: str
    batch: asyncio.Future[tuple[str, _Answers]]


_row: ContextVar[_Row] = ContextVar("trail_audit_row")


class Rounds:
    """Decides when a round ends. For one event loop.

    Args:
        folder: Where batches are written down.
        most: Requests of a batch, at most.
        first: See `Provider`.
        longest: Likewise.
    """

    def __init__(self, folder: Path, most: int, first: float, longest: float) -> None:
        self._filling = True
        self.most = most
        self._provider = partial(Provider, folder=folder, first=first, longest=longest)
        self._earlier = load(folder)
        self._rows: set[_Row] = set()
        self._offices: dict[str, _Office] = {}
        self._timer: asyncio.TimerHandle | None = None

    @contextmanager
    def row(self) -> Iterator[None]:
        """An answer is in work: what this task asks belongs to it."""
        token = _row.set(mine := _Row())
        self._rows.add(mine)
        try:
            yield
        finally:
            self._rows.discard(mine)
            _row.reset(token)
            self.look()

    def model(self, model: Model) -> Model:
        """Returns a model that asks in batches, in place of one.

        Raises:
            JudgeError: If there is no batch endpoint for it.
        """
        if not isinstance(model, InstructorModel):
            raise JudgeError(
                f"{model.name} cannot be asked in batches: that needs a judge that is named as 'openai/MODEL', or any "
                "endpoint with OpenAI's protocol, without a pace of its own"
            )
        return model.rerouted(self._route)

    def _route(self, client: Any) -> None:
        """Has the chat completions of a client of openai answered here."""
        import openai  # noqa: PLC0415 - optional and heavy

        if not isinstance(client, openai.AsyncOpenAI):
            raise JudgeError(f"{type(client).__name__} has no batch endpoint: that needs 'openai/MODEL'")
        direct = client.copy(http_client=openai.DefaultAsyncHttpxClient(), max_retries=2, timeout=120.0)
        address = str(client.base_url)
        if address not in self._offices:
            mine = [each for each in self._earlier if each.endpoint == address]
            self._offices[address] = _Office(self, self._provider(direct), mine)
        office = self._offices[address]
        http = import_module(type(client._client.headers).__module__.partition(".")[0])  # noqa: SLF001 - httpx, or its successor

        async def answered(request: Any) -> Any:
            if not request.url.path.endswith("/chat/completions"):
                raise JudgeError(f"{request.url.path} is not asked in batches: only chat completions are")
            answer, again = await office.ask(request.content)
            headers = {} if again else {"x-should-retry": "false"}
            content = json.dumps(answer.body).encode()  # in ASCII: a model may write half a character
            return http.Response(answer.status, content=content, headers={"content-type": "application/json"} | headers)

        client._client = http.AsyncClient(transport=http.MockTransport(answered), timeout=None)  # noqa: SLF001 - sends nothing

    def fill(self, filling: bool) -> None:
        """Takes note whether more rows come without any being over: no round ends before that."""
        self._filling = filling
        self.look()

    @contextmanager
    def parked(self) -> Iterator[None]:
        """A request waits for a batch."""
        row = _row.get()
        row.parked += 1
        self.look()
        try:
            yield
        finally:
            row.parked -= 1

    def look(self) -> None:
        """Ends the round soon, if nobody can go on without replies."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(_SETTLE, self._end)

    def _end(self) -> None:
        if not self._filling and all(row.calls and row.calls == row.parked for row in self._rows):
            for office in self._offices.values():
                office.submit()

    async def close(self, *, whole: bool) -> None:
        """Ends all work; batches go on at the provider, and the next run waits for them.

        Args:
            whole: Whether all answers are judged, so that what was replied is not needed any more.
        """
        if self._timer is not None:
            self._timer.cancel()
        for office in self._offices.values():
            await office.close(whole=whole)


class Asking:
    """A model that tells its row which calls are under way.

    Args:
        model: Who answers.
    """

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """That of the model."""
        return self._model.name

    @property
    def parameters(self) -> Any:
        """Those of the model, if it tells them."""
        return getattr(self._model, "parameters", None)

    def ask(self, call: Call) -> Reply:
        """See `Model`; a batch is only waited for by `aask`."""
        raise NotImplementedError

    async def aask(self, call: Call) -> Reply:
        """See `Model`."""
        row = _row.get()
        row.calls += 1
        try:
            return await self._model.aask(replace(call, seconds=None))
        finally:
            row.calls -= 1


@dataclass(slots=True, eq=False)
class _Office:
    """What is asked at one endpoint.

    Attributes:
        rounds: Who says when.
        provider: Who answers.
        earlier: Batches of earlier runs.
    """

    rounds: Rounds
    provider: Provider
    earlier: list[Submitted]
    waiting: list[_Parked] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)  # by id: equal requests have one each
    last: dict[str, Answered] = field(default_factory=dict)  # the answer to a request that is not submitted any more
    lost: Answered | None = None
    known: dict[str, list[tuple[str, Submitted]]] = field(default_factory=lambda: defaultdict(list))
    running: dict[int, _Answers] = field(default_factory=dict)
    used: list[Submitted] = field(default_factory=list)
    tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Finds what was submitted by earlier runs."""
        for batch in self.earlier:
            for id_ in batch.requests:
                self.known[id_.partition("-")[0]].append((id_, batch))

    async def ask(self, content: bytes) -> tuple[Answered, bool]:
        """Answers a request; tells whether asking again may help."""
        body = json.loads(content)
        key = digest(body)
        if key in self.last:
            return self.last[key], False
        with self.rounds.parked():
            if self.known.get(key):
                id_, batch = self.known[key].pop(0)
                answers = self._answers(batch)
            elif self.lost is not None:
                return self.lost, False
            else:
                parked = _Parked(key, json.dumps(body), asyncio.get_running_loop().create_future())
                self.waiting.append(parked)
                if len(self.waiting) >= self.rounds.most:
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
            while count < min(len(waiting), self.rounds.most) and (
                not count or size + len(waiting[count].body) <= _LARGEST
            ):
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

    async def _submitted(self, requests: dict[str, str]) -> dict[str, Answered]:
        return await self._finished(await self.provider.submit(requests))

    async def _finished(self, batch: Submitted) -> dict[str, Answered]:
        answers = await self.provider.answers(batch)
        batch.requests = [id_ for id_ in batch.requests if answers[id_].status < _OVER_OK]  # others are submitted again
        batch.save()
        self.used.append(batch)
        return answers

    async def _carried(self, work: Any, ids: list[str]) -> dict[str, Answered]:
        """Returns answers, whatever happens."""
        try:
            answers: dict[str, Answered] = await work()
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
