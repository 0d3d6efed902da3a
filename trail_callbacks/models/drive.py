"""The drivers: they carry out the calls that a pipeline yields, within limits.

A pipeline is written once; `drive` and `adrive` are the only places that know whether the world is synchronous.
Neither touches an event loop that is already running, so both work inside notebooks and servers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from contextvars import copy_context
from itertools import count
from threading import BoundedSemaphore, Event
from typing import Any, TypeVar

from trail_callbacks.models.call import Account, Budget, Call, Failure, Model, Pipeline, Reply, Usage
from trail_callbacks.models.gate import aask, ask
from trail_callbacks.models.loop import alone
from trail_callbacks.models.provider_error import again, is_busy, retry_after

T = TypeVar("T")

_AT_ONCE = 4  # calls of one pipeline

_NO_MODEL = Reply(failure=Failure("failed", "this judge has no model, so its call was not made"))


def drive(
    pipeline: Pipeline[T], model: Model | None, budget: Budget | None = None, concurrency: int = _AT_ONCE
) -> tuple[T, Usage]:
    """Runs a pipeline to its end, its calls on a few threads. Works inside a running event loop, which it blocks."""
    account = Account(budget)
    with closing(pipeline), closing(_Threads(model, account, concurrency)) as threads:
        calls, result = advance(pipeline, None)
        while calls is not None:
            calls, result = advance(pipeline, threads.answer(calls))
    return result, account.total()


async def adrive(
    pipeline: Pipeline[T], model: Model | None, budget: Budget | None = None, concurrency: int = _AT_ONCE
) -> tuple[T, Usage]:
    """As `drive`, with asyncio. The pipeline's own work runs on a thread, so it does not hold up the event loop.

    On the loop of a `Lane` it needs none. When cancelled, the calls in flight are cancelled and the pipeline is closed.
    """
    account = Account(budget)
    slots = asyncio.Semaphore(concurrency)
    replies: Sequence[Reply] | None = None
    step: asyncio.Future[tuple[Sequence[Call] | None, T]] | None = None
    while True:
        try:
            if alone.get():
                calls, result = advance(pipeline, replies)
            else:
                step = asyncio.ensure_future(asyncio.to_thread(advance, pipeline, replies))
                calls, result = await asyncio.shield(step)
            if calls is None:
                return result, account.total()
            replies = await _gather(calls, model, account, slots)
        except BaseException:  # a cancellation above all: whatever ends the drive ends the pipeline
            if step is None or step.done():
                pipeline.close()
            else:  # a generator that is running on its thread cannot be closed until it pauses
                step.add_done_callback(lambda done: _abandon(pipeline, done))
            raise


def advance(pipeline: Pipeline[T], replies: Sequence[Reply] | None) -> tuple[Sequence[Call] | None, T]:
    """Runs a pipeline to its next batch of calls, or to its end: then there are none, and the result counts."""
    try:
        calls = next(pipeline) if replies is None else pipeline.send(replies)
    except StopIteration as stop:
        return None, stop.value
    return calls, None  # type: ignore[return-value]  # there is no result yet, and nobody reads it


def together(pipelines: Sequence[Pipeline[T]]) -> Pipeline[list[T]]:
    """Runs pipelines in step: what they ask at one time is one batch; one that ends early waits for the others."""
    with ExitStack() as stack:
        for pipeline in pipelines:
            stack.enter_context(closing(pipeline))
        states: list[tuple[Sequence[Call] | None, T]] = [advance(pipeline, None) for pipeline in pipelines]
        while any(calls is not None for calls, _ in states):
            replies = iter((yield [call for calls, _ in states for call in calls or ()]))
            for i, (calls, _) in enumerate(states):
                if calls is not None:
                    states[i] = advance(pipelines[i], [next(replies) for _ in calls])
        return [result for _, result in states]


def relayed(
    pipeline: Pipeline[T],
    change: Callable[[Call], Call] | None = None,
    see: Callable[[Sequence[Call], Sequence[Reply]], None] | None = None,
) -> Pipeline[T]:
    """Runs a pipeline with its calls changed, or with somebody who sees calls and replies."""
    with closing(pipeline):
        calls, result = advance(pipeline, None)
        while calls is not None:
            replies = yield [change(call) for call in calls] if change else calls
            if see is not None:
                see(calls, replies)
            calls, result = advance(pipeline, replies)
        return result


class _Threads:
    """Answers batches of calls on a small pool that is only built when two calls can overlap."""

    def __init__(self, model: Model | None, account: Account, concurrency: int) -> None:
        self._model = model
        self._account = account
        self._most = concurrency
        self._slots = BoundedSemaphore(concurrency)
        self._pool: ThreadPoolExecutor | None = None
        self._closed = Event()

    def close(self) -> None:
        self._closed.set()  # wakes who waits to ask again: nobody wants the answer any more
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def answer(self, calls: Sequence[Call]) -> list[Reply]:
        model, most = self._model, self._most
        if model is None:
            return [_NO_MODEL] * len(calls)
        alone_at_it = len(calls) == 1 or most == 1
        if not alone_at_it and self._pool is None:
            self._pool = ThreadPoolExecutor(most, thread_name_prefix="trail-call")
        replies: list[Future[Reply] | Reply] = []
        for call in calls:
            self._slots.acquire()  # admitted in order, and only when it can start, so that a budget cuts off the tail
            refusal = self._account.admit()
            if refusal is not None:
                self._slots.release()
                replies.append(Reply(failure=refusal))
            elif alone_at_it or self._pool is None:
                replies.append(self._answered(model, call))
            else:
                replies.append(self._pool.submit(copy_context().run, self._answered, model, call))
        return [reply if isinstance(reply, Reply) else reply.result() for reply in replies]

    def _answered(self, model: Model, call: Call) -> Reply:
        """Makes an admitted call, and again while the model is busy; each time counts."""
        try:
            for tried in count():
                try:
                    reply = ask(call.model or model, self._account.timed(call), self._closed)
                except Exception as error:  # noqa: BLE001 - a model that breaks its contract is a failed call, no crash
                    reply = _raised(error)
                self._account.settle(reply)
                wait = again(reply, tried)
                if wait is None or self._account.admit(wait) is not None or self._closed.wait(wait):
                    break
        finally:
            self._slots.release()
        return reply


async def _gather(
    calls: Sequence[Call], model: Model | None, account: Account, slots: asyncio.Semaphore
) -> list[Reply]:
    if model is None:
        return [_NO_MODEL] * len(calls)
    tasks: list[asyncio.Task[Reply] | Reply] = []
    try:
        for call in calls:
            await slots.acquire()
            refusal = account.admit()
            if refusal is not None:
                slots.release()
                tasks.append(Reply(failure=refusal))
                continue
            tasks.append(asyncio.create_task(_answered(model, call, account, slots)))
        return [item if isinstance(item, Reply) else await item for item in tasks]
    finally:
        running = [item for item in tasks if isinstance(item, asyncio.Task)]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _answered(model: Model, call: Call, account: Account, slots: asyncio.Semaphore) -> Reply:
    """As `_Threads._answered`."""
    try:
        for tried in count():
            try:
                reply = await aask(call.model or model, account.timed(call))
            except asyncio.CancelledError as error:  # a client cancels itself now and then: nobody has cancelled us
                if (task := asyncio.current_task()) is None or task.cancelling():
                    raise
                reply = _raised(error)
            except Exception as error:  # noqa: BLE001 - as in the threads
                reply = _raised(error)
            account.settle(reply)
            wait = again(reply, tried)
            if wait is None or account.admit(wait) is not None:
                break
            await asyncio.sleep(wait)
    finally:
        slots.release()
    return reply


def _abandon(pipeline: Pipeline[T], step: asyncio.Future[Any]) -> None:
    if not step.cancelled():
        step.exception()  # retrieved, so that asyncio does not report it: the caller has left
    with suppress(ValueError):  # still running, because the loop is shutting down: its last reference closes it
        pipeline.close()


def _raised(error: BaseException) -> Reply:
    """The reply of a model that broke its contract and raised."""
    busy, why = is_busy(error), f"the model raised {type(error).__name__}: {error}"
    return Reply(
        failure=Failure("busy" if busy else "failed", why),
        usage=Usage(calls=1),
        retry_after=(retry_after(error) or 0.0) if busy else None,
    )
