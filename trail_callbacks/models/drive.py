"""Drivers: they carry out the calls a pipeline yields, on threads or with asyncio, within limits.

A pipeline is written once; `drive` and `adrive` are the only places that know whether the world is synchronous.
Neither touches an event loop that is already running, so both work inside notebooks and servers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from contextvars import copy_context
from dataclasses import dataclass, replace
from threading import BoundedSemaphore, Lock
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from trail_callbacks.errors import InputError
from trail_callbacks.models.call import Call, Model, Pipeline, Reply, Usage

if TYPE_CHECKING:
    from typing import Any

__all__ = ["Limits", "adrive", "drive"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the calls of one pipeline may cost together. A call over budget is not made: its reply says so.

    Attributes:
        max_calls: Requests, retries included, 0 or more; None is no limit.
        max_tokens: Tokens, prompt and completion, 0 or more; None is no limit. Checked before a call, so the calls
            in flight when it is reached may overshoot it.
        max_seconds: Wall time after which no further call is started, 0 or more; None is no limit.
        concurrency: Calls in flight at once, 1 or more.

    Raises:
        InputError: If a number is out of range.
    """

    max_calls: int | None = None
    max_tokens: int | None = None
    max_seconds: float | None = None
    concurrency: int = 4

    def __post_init__(self) -> None:
        """Checks ranges."""
        if self.concurrency < 1:
            raise InputError(f"Limits.concurrency is {self.concurrency}, expected 1 or more")
        for name in ("max_calls", "max_tokens", "max_seconds"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise InputError(f"Limits.{name} is {value}, expected 0 or more, or None for no limit")


class _Meter:
    """Admits calls while there is budget, and adds up what they cost."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._started = perf_counter()
        self._lock = Lock()  # protects the two counters below
        self._usage = Usage()
        self._in_flight = 0

    def admit(self) -> str | None:
        """Returns why a call must not be made, or None and counts it as under way."""
        limits, seconds = self.limits, perf_counter() - self._started
        with self._lock:
            spent = self._usage
            tokens = spent.prompt_tokens + spent.completion_tokens
            if limits.max_calls is not None and spent.calls + self._in_flight >= limits.max_calls:
                return f"budget: {limits.max_calls} calls are used up"
            if limits.max_tokens is not None and tokens >= limits.max_tokens:
                return f"budget: {tokens} of {limits.max_tokens} tokens are used up"
            if limits.max_seconds is not None and seconds >= limits.max_seconds:
                return f"budget: {limits.max_seconds:g} seconds are over"
            self._in_flight += 1
        return None

    def settle(self, reply: Reply) -> Reply:
        with self._lock:
            self._in_flight -= 1
            self._usage += reply.usage
        return reply

    def total(self) -> Usage:
        with self._lock:
            return replace(self._usage, seconds=perf_counter() - self._started)


def drive(pipeline: Pipeline[T], model: Model | None, limits: Limits | None = None) -> tuple[T, Usage]:
    """Runs a pipeline to its end, its calls on a few threads. Works inside a running event loop, which it blocks.

    Args:
        pipeline: The computation. Whatever it raises is raised here.
        model: Who answers; None for pipelines that make no calls: any they make get a reply with `error`.
        limits: What the calls may cost.

    Returns:
        The pipeline's result, and what the calls cost; `seconds` is the wall time of the whole.
    """
    meter = _Meter(limits or Limits())
    with closing(pipeline), closing(_Threads(model, meter)) as threads:
        calls, result = _advance(pipeline, None)
        while calls is not None:
            calls, result = _advance(pipeline, threads.answer(calls))
    return result, meter.total()


async def adrive(pipeline: Pipeline[T], model: Model | None, limits: Limits | None = None) -> tuple[T, Usage]:
    """As `drive`, with asyncio. The pipeline's own work runs on a thread, so it does not hold up the event loop.

    When cancelled, the calls in flight are cancelled and the pipeline is closed.
    """
    meter = _Meter(limits or Limits())
    slots = asyncio.Semaphore(meter.limits.concurrency)
    replies: Sequence[Reply] | None = None
    while True:
        step = asyncio.ensure_future(asyncio.to_thread(_advance, pipeline, replies))
        try:
            calls, result = await asyncio.shield(step)
            if calls is None:
                return result, meter.total()
            replies = await _gather(calls, model, meter, slots)
        except BaseException:
            if step.done():
                pipeline.close()
            else:  # a generator that is running on its thread cannot be closed until it pauses
                step.add_done_callback(lambda done: _abandon(pipeline, done))
            raise


def _advance(pipeline: Pipeline[T], replies: Sequence[Reply] | None) -> tuple[Sequence[Call] | None, T]:
    """Runs a pipeline to its next batch of calls, or to its end: then there are none, and the result counts."""
    try:
        calls = next(pipeline) if replies is None else pipeline.send(replies)
    except StopIteration as stop:
        return None, stop.value
    return calls, None  # type: ignore[return-value]  # there is no result yet, and nobody reads it


def _abandon(pipeline: Pipeline[T], step: asyncio.Future[Any]) -> None:
    if not step.cancelled():
        step.exception()  # retrieved, so that asyncio does not report it: the caller has left
    with suppress(ValueError):  # still running, because the loop is shutting down: its last reference closes it
        pipeline.close()


def _failed(error: Exception) -> Reply:
    return Reply(error=f"failed: the model raised {type(error).__name__}: {error}", usage=Usage(calls=1))


_NO_MODEL = Reply(error="failed: this judge has no model, so its call was not made")


class _Threads:
    """Answers batches of calls on a small pool that is only built when two calls can overlap."""

    def __init__(self, model: Model | None, meter: _Meter) -> None:
        self._model = model
        self._meter = meter
        self._slots = BoundedSemaphore(meter.limits.concurrency)
        self._pool: ThreadPoolExecutor | None = None

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def answer(self, calls: Sequence[Call]) -> list[Reply]:
        model = self._model
        if model is None:
            return [_NO_MODEL] * len(calls)
        if len(calls) == 1 or self._meter.limits.concurrency == 1:
            return [self._ask(model, call) for call in calls]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._meter.limits.concurrency, thread_name_prefix="trail-call")
        futures: list[Future[Reply] | Reply] = []
        for call in calls:
            self._slots.acquire()  # admitted in order, and only when it can start, so that a budget cuts off the tail
            refusal = self._meter.admit()
            if refusal is not None:
                self._slots.release()
                futures.append(Reply(error=refusal))
                continue
            futures.append(self._pool.submit(copy_context().run, self._work, model, call))
        return [item if isinstance(item, Reply) else item.result() for item in futures]

    def _ask(self, model: Model, call: Call) -> Reply:
        refusal = self._meter.admit()
        if refusal is not None:
            return Reply(error=refusal)
        return self._meter.settle(_asked(model, call))

    def _work(self, model: Model, call: Call) -> Reply:
        try:
            return self._meter.settle(_asked(model, call))
        finally:
            self._slots.release()


def _asked(model: Model, call: Call) -> Reply:
    try:
        return model.ask(call)
    except Exception as error:  # noqa: BLE001 - a model that breaks its contract is a failed call, not a crash
        return _failed(error)


async def _gather(calls: Sequence[Call], model: Model | None, meter: _Meter, slots: asyncio.Semaphore) -> list[Reply]:
    if model is None:
        return [_NO_MODEL] * len(calls)
    tasks: list[asyncio.Task[Reply] | Reply] = []
    try:
        for call in calls:
            await slots.acquire()
            refusal = meter.admit()
            if refusal is not None:
                slots.release()
                tasks.append(Reply(error=refusal))
                continue
            tasks.append(asyncio.create_task(_aask(model, call, meter, slots)))
        return [item if isinstance(item, Reply) else await item for item in tasks]
    finally:
        running = [item for item in tasks if isinstance(item, asyncio.Task)]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _aask(model: Model, call: Call, meter: _Meter, slots: asyncio.Semaphore) -> Reply:
    try:
        reply = await model.aask(call)
    except Exception as error:  # noqa: BLE001 - as in the threads
        reply = _failed(error)
    finally:
        slots.release()
    return meter.settle(reply)  # nothing else runs in between: it is settled before the slot is taken
