"""A pace for all who use one model: so many requests and tokens a minute, whatever thread or event loop asks.

By hand: of the known libraries aiolimiter serves one event loop, limits does not wait, and pyrate-limiter keeps an
entry in a list for each single token, cannot correct an estimate once the real count is known, and has no deadline
that is known before the waiting begins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from time import monotonic, sleep
from typing import Any

from trail_callbacks.errors import InputError
from trail_callbacks.forking import renewed_in_child
from trail_callbacks.models.call import Call, Failure, Model, Reply
from trail_callbacks.models.tokens import count

__all__ = ["Bucket", "Paced"]

_BURST = 0.1  # share of a minute's allowance that may be spent at once
_ANSWER = 0.5  # share of the room for an answer that it is expected to take, until its tokens are known


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


class Paced:
    """A model that is asked no faster than a pace. Share one object among all that should keep the pace together.

    Calls wait in the order in which they came. One whose turn would come when its time is over is not made, its reply
    fails with `budget`. Requests that the model's own client repeats count too, once they are known.

    Args:
        model: Who answers.
        requests_per_minute: Requests within any 60 seconds, 1 or more; a tenth of them may come at once. None is no
            limit.
        tokens_per_minute: Likewise for tokens, prompt and completion: estimated before a call, corrected by the
            reply's own count. A call that costs more than a tenth of them overshoots the limit by what it is larger.

    Raises:
        InputError: If a limit is below 1, or none is given.
    """

    def __init__(
        self, model: Model, *, requests_per_minute: float | None = None, tokens_per_minute: float | None = None
    ) -> None:
        limits = {"requests_per_minute": requests_per_minute, "tokens_per_minute": tokens_per_minute}
        for name, limit in limits.items():
            if limit is not None and not limit >= 1:
                raise InputError(f"{name} is {limit}, expected 1 or more, or None for no limit")
        if requests_per_minute is None and tokens_per_minute is None:
            raise InputError("a pace needs requests_per_minute, tokens_per_minute or both")
        self._model = model
        self._buckets = [None if limit is None else Bucket(limit) for limit in limits.values()]
        self._renew()
        renewed_in_child(self, Paced._renew)

    def _renew(self) -> None:
        self._lock = Lock()  # protects the buckets; held for microseconds, also on event loops

    @property
    def name(self) -> str:
        """That of the model."""
        return self._model.name

    @property
    def parameters(self) -> Any:
        """Those of the model, if it tells them: a pace changes no answer."""
        return getattr(self._model, "parameters", None)

    def __repr__(self) -> str:
        return f"Paced({self._model!r})"

    def ask(self, call: Call) -> Reply:
        """Answers a call when its turn has come."""
        tokens = _estimate(call)
        wait = self._queue(call, tokens)
        if isinstance(wait, Reply):
            return wait
        with self._kept(tokens):
            sleep(wait)
        return self._settle(tokens, self._model.ask(_later(call, wait)))

    async def aask(self, call: Call) -> Reply:
        """As `ask`, without blocking the event loop; cancelling it while it waits gives its turn back."""
        tokens = _estimate(call)
        wait = self._queue(call, tokens)
        if isinstance(wait, Reply):
            return wait
        with self._kept(tokens):
            await asyncio.sleep(wait)
        return self._settle(tokens, await self._model.aask(_later(call, wait)))

    def _queue(self, call: Call, tokens: int) -> float | Reply:
        with self._lock:
            costs = zip(self._buckets, (1, tokens), strict=True)
            wait = max(bucket.wait(cost) for bucket, cost in costs if bucket is not None)
            if call.seconds is not None and wait >= call.seconds:
                late = f"the pace of {self.name} would let this call start only in {wait:.1f} s"
                return Reply(failure=Failure("budget", late))
            self._take(1, tokens)
        return wait

    @contextmanager
    def _kept(self, tokens: int) -> Iterator[None]:
        try:
            yield
        except BaseException:  # cancelled or interrupted: the call is not made
            with self._lock:
                self._take(-1, -tokens)
            raise

    def _settle(self, tokens: int, reply: Reply) -> Reply:
        spent = reply.usage.prompt_tokens + reply.usage.completion_tokens
        with self._lock:
            self._take(reply.usage.calls - 1, spent - tokens if spent else 0)
        return reply

    def _take(self, *costs: int) -> None:
        for bucket, cost in zip(self._buckets, costs, strict=True):
            if bucket is not None:
                bucket.take(cost)


def _estimate(call: Call) -> int:
    return sum(count(message.content) for message in call.messages) + round((call.max_tokens or 0) * _ANSWER)


def _later(call: Call, wait: float) -> Call:
    """The call after a wait: that much less time is left."""
    return call if call.seconds is None else replace(call, seconds=call.seconds - wait)
