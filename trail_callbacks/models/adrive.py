"""The driver for asyncio. Apart from `drive`, because asyncio takes longer to import than all that is ours."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from typing import Any, TypeVar

from trail_callbacks.models.backoff import again
from trail_callbacks.models.budget import Limits, Meter
from trail_callbacks.models.call import Call, Model, Pipeline, Reply, Usage
from trail_callbacks.models.drive import NO_MODEL, advance, failed
from trail_callbacks.models.gate import aask
from trail_callbacks.models.loop import alone

__all__ = ["adrive"]

T = TypeVar("T")


async def adrive(pipeline: Pipeline[T], model: Model | None, limits: Limits | None = None) -> tuple[T, Usage]:
    """As `drive`, with asyncio. The pipeline's own work runs on a thread, so it does not hold up the event loop.

    On the loop of a `Lane` it needs none. When cancelled, the calls in flight are cancelled and the pipeline is closed.
    """
    meter = Meter(limits or Limits())
    slots = asyncio.Semaphore(meter.limits.concurrency)
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
                return result, meter.total()
            replies = await _gather(calls, model, meter, slots)
        except BaseException:  # a cancellation above all: whatever ends the drive ends the pipeline
            if step is None or step.done():
                pipeline.close()
            else:  # a generator that is running on its thread cannot be closed until it pauses
                step.add_done_callback(lambda done: _abandon(pipeline, done))
            raise


def _abandon(pipeline: Pipeline[T], step: asyncio.Future[Any]) -> None:
    if not step.cancelled():
        step.exception()  # retrieved, so that asyncio does not report it: the caller has left
    with suppress(ValueError):  # still running, because the loop is shutting down: its last reference closes it
        pipeline.close()


async def _gather(calls: Sequence[Call], model: Model | None, meter: Meter, slots: asyncio.Semaphore) -> list[Reply]:
    if model is None:
        return [NO_MODEL] * len(calls)
    tasks: list[asyncio.Task[Reply] | Reply] = []
    try:
        for call in calls:
            await slots.acquire()
            refusal = meter.admit()
            if refusal is not None:
                slots.release()
                tasks.append(Reply(failure=refusal))
                continue
            tasks.append(asyncio.create_task(_answered(model, call, meter, slots)))
        return [item if isinstance(item, Reply) else await item for item in tasks]
    finally:
        running = [item for item in tasks if isinstance(item, asyncio.Task)]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _answered(model: Model, call: Call, meter: Meter, slots: asyncio.Semaphore) -> Reply:
    """As `_Threads._answered`."""
    try:
        for tried in count():
            try:
                reply = await aask(call.model or model, meter.timed(call))
            except asyncio.CancelledError as error:  # a client cancels itself now and then: nobody has cancelled us
                if (task := asyncio.current_task()) is None or task.cancelling():
                    raise
                reply = failed(error)
            except Exception as error:  # noqa: BLE001 - as in the threads
                reply = failed(error)
            meter.settle(reply)
            wait = again(reply, tried)
            if wait is None or meter.admit(wait) is not None:
                break
            await asyncio.sleep(wait)
    finally:
        slots.release()
    return reply
