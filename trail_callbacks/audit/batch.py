"""The engine for batch endpoints: half the price where a provider has them, and hours of delay.

A verification asks in several stages, each of which needs the replies to the one before. So all answers in work go on
until each of them waits for replies; then what they ask is one batch, whose replies let them go on: a round. A model's
requests are taken and answered where its client would send them: what is sent, and how a reply is read, is the same as
without batches.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from trail_callbacks.audit.judging import AuditOutcome, AuditTask, Judging
from trail_callbacks.audit.provider_batch import Endpoint, load
from trail_callbacks.errors import InputError, JudgeError
from trail_callbacks.judges.judge import Judge
from trail_callbacks.models.call import Call, Model, Reply
from trail_callbacks.verify.options import VerifyOptions
from trail_callbacks.work.budget import Granted, Grants

_AT_ONCE = 1024  # calls of one answer that may be in the same batch
_PATIENCE = 60.0  # seconds for the thread to end
_SETTLE = 0.05  # seconds for which nothing must happen before a round ends


@dataclass(frozen=True, slots=True)
class BatchEngine:
    """Asks the judge's model through OpenAI-style batch endpoints, in rounds: one batch for many answers.

    Resumable: what was submitted is written down before it is waited for, and never submitted again while its batch
    is open or its replies are there.

    Args:
        folder: Where it is written down; one in the folder of the results.
        concurrency: Answers in work at once, 1 or more: they are in memory, and as many share a batch.
        requests: Requests of one batch, at most, 1 to 50,000.
        first: Seconds before a batch is looked at for the first time; they grow by a half each time.
        longest: Seconds between two looks, at most.

    Raises:
        InputError: If a number is out of range.
    """

    folder: str | Path
    concurrency: int = 1000
    requests: int = 20_000
    first: float = 2.0
    longest: float = 60.0

    def __post_init__(self) -> None:
        """Checks ranges."""
        for name, most in (("concurrency", None), ("requests", 50_000)):
            value = getattr(self, name)
            if value < 1 or (most is not None and value > most):
                raise InputError(f"BatchEngine.{name} is {value}, expected 1 {f'to {most}' if most else 'or more'}")
        if not 0 < self.first <= self.longest < float("inf"):
            raise InputError(f"BatchEngine waits {self.first} to {self.longest} seconds, expected over 0 and in order")

    def run(
        self, tasks: Iterator[AuditTask], judge: Judge, options: VerifyOptions, grants: Grants
    ) -> Iterator[AuditOutcome]:
        """See `Engine`."""
        if judge.model is None:
            raise InputError("batches are for a judge that asks a model: name one, as in judge='openai/gpt-5-mini'")
        rounds = _Rounds(self)
        asked: dict[int, tuple[Model, Model]] = {}

        def through(model: Model) -> Model:
            if id(model) not in asked:
                asked[id(model)] = model, rounds.model(model)  # the first is kept so that its id is not used again
            return _Asking(Granted(asked[id(model)][1], grants))

        through(judge.model)  # says at once if it cannot be asked
        budget = replace(options.budget, seconds=None)  # a batch takes hours
        settings = replace(options, concurrency=max(_AT_ONCE, options.concurrency), budget=budget)
        yield from _worked(tasks, rounds, Judging(judge, settings, grants, through=through), self.concurrency)


def _worked(tasks: Iterator[AuditTask], rounds: _Rounds, judging: Judging, most: int) -> Iterator[AuditOutcome]:
    """Has so many answers judged at once, on an event loop of their own, on a thread."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, name="trail-audit-batch", daemon=True)
    done: SimpleQueue[Future[AuditOutcome]] = SimpleQueue()
    running: set[Future[AuditOutcome]] = set()
    more, whole = True, False

    async def one(task: AuditTask) -> AuditOutcome:
        with rounds.row():
            return await judging.ajudge(task)

    thread.start()
    try:
        while True:
            while more and len(running) < most:
                task = next(tasks, None)
                more = task is not None
                if task is not None:
                    running.add(started := asyncio.run_coroutine_threadsafe(one(task), loop))
                    started.add_done_callback(done.put)
            if not running:
                break
            loop.call_soon_threadsafe(rounds.fill, False)
            ended = [done.get()]
            loop.call_soon_threadsafe(rounds.fill, more)
            while not done.empty():
                ended.append(done.get())
            running.difference_update(ended)
            yield from (each.result() for each in ended)
        whole = True
    finally:
        for each in running:
            each.cancel()
        try:
            asyncio.run_coroutine_threadsafe(rounds.close(whole=whole), loop).result(_PATIENCE)
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(_PATIENCE)
            if not loop.is_running():
                loop.close()


@dataclass(slots=True, eq=False)
class _Row:
    """An answer in work: how many of its calls are under way, and how many of those wait for a batch."""

    calls: int = 0
    parked: int = 0


_row: ContextVar[_Row] = ContextVar("trail_audit_row")


class _Rounds:
    """Decides when a round ends. For one event loop."""

    def __init__(self, engine: BatchEngine) -> None:
        folder = Path(engine.folder)
        self._filling = True
        self._endpoint = partial(
            Endpoint,
            folder=folder,
            earlier=load(folder),
            most=engine.requests,
            first=engine.first,
            longest=engine.longest,
        )
        self._endpoints: dict[str, Endpoint] = {}
        self._rows: set[_Row] = set()
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
            self._look()

    def model(self, model: Model) -> Model:
        """Returns a model that asks in batches, in place of one."""
        from trail_callbacks.models.instructor import InstructorModel  # noqa: PLC0415 - brings pydantic

        if not isinstance(model, InstructorModel):
            raise JudgeError(
                f"{model.name} cannot be asked in batches: that needs a judge that is named as 'openai/MODEL', or any "
                "endpoint with OpenAI's protocol"
            )
        return model.rerouted(self._route)

    def _route(self, client: Any) -> None:
        """Has the chat completions of a client of openai answered here."""
        import openai  # noqa: PLC0415 - optional and heavy

        if not isinstance(client, openai.AsyncOpenAI):
            raise JudgeError(f"{type(client).__name__} has no batch endpoint: that needs 'openai/MODEL'")
        address = str(client.base_url)
        if address not in self._endpoints:
            direct = client.copy(http_client=openai.DefaultAsyncHttpxClient(), max_retries=2, timeout=120.0)
            self._endpoints[address] = self._endpoint(direct)
        endpoint = self._endpoints[address]
        http = import_module(type(client._client.headers).__module__.partition(".")[0])  # noqa: SLF001 - httpx, or its successor

        async def answered(request: Any) -> Any:
            if not request.url.path.endswith("/chat/completions"):
                raise JudgeError(f"{request.url.path} is not asked in batches: only chat completions are")
            row = _row.get()
            row.parked += 1
            self._look()
            try:
                answer, again = await endpoint.ask(request.content)
            finally:
                row.parked -= 1
            headers = {} if again else {"x-should-retry": "false"}
            content = json.dumps(answer.body).encode()  # in ASCII: a model may write half a character
            return http.Response(answer.status, content=content, headers={"content-type": "application/json"} | headers)

        client._client = http.AsyncClient(transport=http.MockTransport(answered), timeout=None)  # noqa: SLF001 - sends nothing

    def fill(self, filling: bool) -> None:
        """Takes note whether more rows come without any being over: no round ends before that."""
        self._filling = filling
        self._look()

    def _look(self) -> None:
        """Ends the round soon, if nobody can go on without replies."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(_SETTLE, self._end)

    def _end(self) -> None:
        if not self._filling and all(row.calls and row.calls == row.parked for row in self._rows):
            for endpoint in self._endpoints.values():
                endpoint.submit()

    async def close(self, *, whole: bool) -> None:
        """Ends all work; batches go on at the provider, for the next run unless all answers are judged."""
        if self._timer is not None:
            self._timer.cancel()
        for endpoint in self._endpoints.values():
            await endpoint.close(whole=whole)


class _Asking:
    """A model that tells its row which calls are under way."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name = model.name
        self.parameters = getattr(model, "parameters", None)

    def ask(self, call: Call) -> Reply:
        raise NotImplementedError  # a batch is only waited for by `aask`

    async def aask(self, call: Call) -> Reply:
        row = _row.get()
        row.calls += 1
        try:
            return await self._model.aask(replace(call, seconds=None))
        finally:
            row.calls -= 1
