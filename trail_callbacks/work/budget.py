"""The ledger of a budget: what a run has cost and how fast it asks, for all who ask, in any process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from threading import Lock
from time import monotonic, sleep
from typing import Protocol, TypeVar

from trail_callbacks.models.call import Budget, Call, Failure, Model, Pipeline, Reply, Usage
from trail_callbacks.models.drive import advance
from trail_callbacks.models.tokens import count

T = TypeVar("T")

_BURST = 0.1  # share of a minute's allowance that may be spent at once
_PATIENCE = 60.0  # seconds all calls wait, at most, because an endpoint asked for it


class Grants(Protocol):
    """Grants calls, in this process or from another one."""

    def admit(self, tokens: int) -> float | Failure:
        """Returns how many seconds to wait before a call of about so many tokens, or why it must not be made."""

    def settle(self, tokens: int, usage: Usage, retry_after: float | None) -> None:
        """Takes note that an admitted call has ended: its cost, and for how long the model asks to be left alone."""


class Bucket:
    """A token bucket whose level may go below zero: whoever takes what is not there yet waits until it is.

    Size and rate are such that within any 60 seconds no more is taken than the limit. Only a single cost above the
    size may overshoot it, by what it is larger; who comes next waits for that too.

    Args:
        limit: What may be taken within a minute, 1 or more.
    """

    def __init__(self, limit: float) -> None:
        self._size = max(1.0, limit * _BURST)
        self._rate = (limit - self._size + 1) / 60  # the one more is full just when the minute is over
        self._level = self._size
        self._at = monotonic()

    def wait(self, cost: float) -> float:
        """Seconds until a cost may be taken."""
        now = monotonic()
        self._level = min(self._size, self._level + (now - self._at) * self._rate)
        self._at = now
        return max(0.0, (min(cost, self._size) - self._level) / self._rate)

    def take(self, cost: float) -> None:
        """Takes a cost, or gives back a negative one."""
        self._level = min(self._size, self._level - cost)


class Ledger:
    """Keeps a budget. Works from any thread."""

    def __init__(self, budget: Budget, spent: Usage) -> None:
        self.exhausted: str | None = None  # why no call is granted any more
        self.spent = spent  # by earlier commands too
        self._budget = budget
        self._lock = Lock()  # protects all below
        self._calls = self._reserved = 0  # of calls in flight
        self._requests = Bucket(budget.requests_per_minute) if budget.requests_per_minute else None
        self._tokens = Bucket(budget.tokens_per_minute) if budget.tokens_per_minute else None
        self._not_before = 0.0

    def stop(self, why: str) -> None:
        """Grants nothing more: nobody wants the answers."""
        self.exhausted = self.exhausted or why

    def admit(self, tokens: int) -> float | Failure:
        """See `Grants`."""
        with self._lock:
            self.exhausted = self.exhausted or self._over()
            if self.exhausted is not None:
                return Failure("budget", self.exhausted)
            buckets = self._buckets(1, tokens)
            waits = [bucket.wait(cost) for bucket, cost in buckets]
            for bucket, cost in buckets:
                bucket.take(cost)
            self._calls += 1
            self._reserved += tokens
            return max(0.0, self._not_before - monotonic(), *waits)

    def settle(self, tokens: int, usage: Usage, retry_after: float | None) -> None:
        """See `Grants`."""
        counted = usage.prompt_tokens + usage.completion_tokens
        with self._lock:
            self._calls -= 1
            self._reserved -= tokens
            self.spent += replace(usage, seconds=0.0)
            correction = counted - tokens if counted or not usage.calls else 0
            for bucket, cost in self._buckets(usage.calls - 1, correction):
                bucket.take(cost)
            if retry_after is not None:
                self._not_before = monotonic() + min(max(retry_after, 0.0), _PATIENCE)

    def _over(self) -> str | None:
        ahead = replace(self.spent, prompt_tokens=self.spent.prompt_tokens + self._reserved)
        return self._budget.used_up(ahead, self._calls)

    def _buckets(self, requests: int, tokens: int) -> list[tuple[Bucket, int]]:
        pairs = ((self._requests, requests), (self._tokens, tokens))
        return [(bucket, cost) for bucket, cost in pairs if bucket is not None]


class Granted:
    """A model that is asked only what is granted, and not before the time that is granted."""

    def __init__(self, model: Model, grants: Grants) -> None:
        self._model, self._grants = model, grants
        self.name, self.parameters = model.name, getattr(model, "parameters", None)
        self.asks = getattr(model, "asks", model)  # whose gate all who ask it share

    def ask(self, call: Call) -> Reply:
        """See `Model`."""
        wait = self._grants.admit(tokens := _tokens(call))
        if isinstance(wait, Failure):
            return Reply(failure=wait)
        with self._settled(tokens) as replies:
            sleep(wait)
            replies.append(self._model.ask(call))
        return replies[0]

    async def aask(self, call: Call) -> Reply:
        """See `Model`."""
        wait = await asyncio.to_thread(self._grants.admit, tokens := _tokens(call))
        if isinstance(wait, Failure):
            return Reply(failure=wait)
        with self._settled(tokens) as replies:
            await asyncio.sleep(wait)
            replies.append(await self._model.aask(call))
        return replies[0]

    @contextmanager
    def _settled(self, tokens: int) -> Iterator[list[Reply]]:
        """Takes the reply, and says what it cost: nothing if there is none."""
        replies: list[Reply] = []
        try:
            yield replies
        finally:
            usage, later = (replies[0].usage, replies[0].retry_after) if replies else (Usage(), None)
            self._grants.settle(tokens, usage, later)


def granted(work: Pipeline[T], through: Callable[[Model], Model]) -> Pipeline[T]:
    """The same pipeline, whose calls that name a model themselves ask the one that `through` returns in its place."""
    with closing(work):
        calls, result = advance(work, None)
        while calls is not None:
            replies = yield [call if call.model is None else replace(call, model=through(call.model)) for call in calls]
            calls, result = advance(work, replies)
        return result


def _tokens(call: Call) -> int:
    return sum(count(message.content) for message in call.messages)
