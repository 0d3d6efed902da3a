"""Requests of many answers, sent to a batch endpoint together.

A verification asks in several stages, each of which needs the replies to the one before. So all answers in work go on
until each of them waits for replies; then what they ask is one batch, whose replies let them go on. A model's requests
are taken and answered where its client would send them: what is sent, and how a reply is read, is the same as without
batches.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from trail_callbacks.audit.office import Office
from trail_callbacks.audit.provider_batch import Provider, load
from trail_callbacks.errors import JudgeError
from trail_callbacks.models.call import Call, Model, Reply
from trail_callbacks.models.instructor import InstructorModel

__all__ = ["Asking", "Rounds"]

_SETTLE = 0.05  # seconds for which nothing must happen before a round ends


@dataclass(slots=True, eq=False)
class _Row:
    """An answer in work: how many of its calls are under way, and how many of those wait for a batch."""

    calls: int = 0
    parked: int = 0


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
        self._offices: dict[str, Office] = {}
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
            self._offices[address] = Office(self.parked, self.most, self._provider(direct), mine)
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
