"""The driver for threads: it carries out the calls a pipeline yields, within limits.

A pipeline is written once; `drive` and `adrive` are the only places that know whether the world is synchronous.
Neither touches an event loop that is already running, so both work inside notebooks and servers.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context
from itertools import count
from threading import BoundedSemaphore, Event
from typing import TypeVar

from trail_callbacks.models.backoff import again
from trail_callbacks.models.budget import Limits, Meter
from trail_callbacks.models.call import Call, Model, Pipeline, Reply, Usage
from trail_callbacks.models.failure import Failure
from trail_callbacks.models.gate import ask
from trail_callbacks.models.provider_error import is_busy, retry_after

__all__ = ["NO_MODEL", "Limits", "advance", "drive", "failed"]

T = TypeVar("T")


def drive(pipeline: Pipeline[T], model: Model | None, limits: Limits | None = None) -> tuple[T, Usage]:
    """Runs a pipeline to its end, its calls on a few threads. Works inside a running event loop, which it blocks.

    Args:
        pipeline: The computation. Whatever it raises is raised here.
        model: Who answers; None for pipelines that make no calls: any they make get a reply with a failure.
        limits: What the calls may cost.

    Returns:
        The pipeline's result, and what the calls cost; `seconds` is the wall time of the whole.
    """
    meter = Meter(limits or Limits())
    with closing(pipeline), closing(_Threads(model, meter)) as threads:
        calls, result = advance(pipeline, None)
        while calls is not None:
            calls, result = advance(pipeline, threads.answer(calls))
    return result, meter.total()


def advance(pipeline: Pipeline[T], replies: Sequence[Reply] | None) -> tuple[Sequence[Call] | None, T]:
    """Runs a pipeline to its next batch of calls, or to its end: then there are none, and the result counts."""
    try:
        calls = next(pipeline) if replies is None else pipeline.send(replies)
    except StopIteration as stop:
        return None, stop.value
    return calls, None  # type: ignore[return-value]  # there is no result yet, and nobody reads it


def failed(error: BaseException) -> Reply:
    """The reply of a model that broke its contract and raised."""
    busy, why = is_busy(error), f"the model raised {type(error).__name__}: {error}"
    return Reply(
        failure=Failure("busy" if busy else "failed", why),
        usage=Usage(calls=1),
        retry_after=(retry_after(error) or 0.0) if busy else None,
    )


NO_MODEL = Reply(failure=Failure("failed", "this judge has no model, so its call was not made"))


class _Threads:
    """Answers batches of calls on a small pool that is only built when two calls can overlap."""

    def __init__(self, model: Model | None, meter: Meter) -> None:
        self._model = model
        self._meter = meter
        self._slots = BoundedSemaphore(meter.limits.concurrency)
        self._pool: ThreadPoolExecutor | None = None
        self._closed = Event()

    def close(self) -> None:
        self._closed.set()  # wakes who waits to ask again: nobody wants the answer any more
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def answer(self, calls: Sequence[Call]) -> list[Reply]:
        model = self._model
        if model is None:
            return [NO_MODEL] * len(calls)
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
                futures.append(Reply(failure=refusal))
                continue
            futures.append(self._pool.submit(copy_context().run, self._work, model, call))
        return [item if isinstance(item, Reply) else item.result() for item in futures]

    def _ask(self, model: Model, call: Call) -> Reply:
        refusal = self._meter.admit()
        if refusal is not None:
            return Reply(failure=refusal)
        return self._answered(model, call)

    def _work(self, model: Model, call: Call) -> Reply:
        try:
            return self._answered(model, call)
        finally:
            self._slots.release()

    def _answered(self, model: Model, call: Call) -> Reply:
        """Makes an admitted call, and again while the model is busy; each time counts."""
        meter = self._meter
        for tried in count():
            try:
                reply = ask(call.model or model, meter.timed(call), self._closed)
            except Exception as error:  # noqa: BLE001 - a model that breaks its contract is a failed call, not a crash
                reply = failed(error)
            meter.settle(reply)
            wait = again(reply, tried)
            if wait is None or meter.admit(wait) is not None or self._closed.wait(wait):
                break
        return reply
