"""Carrying out calls with asyncio: what it is for is that nothing waits."""

import asyncio
import threading
import time

import pytest
from echoes import call, echo, pipeline

from trail_callbacks.models.call import Failure, Reply, Usage
from trail_callbacks.models.drive import adrive
from trail_callbacks.testing import ScriptedModel


def busy(retry_after):
    return Reply(failure=Failure("busy", "slow down"), retry_after=retry_after, usage=Usage(calls=1))


async def test_cancelling_closes_the_pipeline_and_cancels_the_calls():
    closed, cancelled, begun = [], [], []

    class Slow:
        name = "slow"

        async def aask(self, call):
            begun.append(call)
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                cancelled.append(call.messages[-1].content)
                raise

    def waiting():
        try:
            yield [call("a"), call("b")]
        finally:
            closed.append(True)

    task = asyncio.create_task(adrive(waiting(), Slow()))
    while len(begun) < 2:  # noqa: ASYNC110 - there is no event to wait for
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(cancelled) == ["a", "b"]
    assert closed == [True]


async def test_cancelling_while_the_pipeline_works_returns_at_once_and_closes_it_later():
    working, go_on, closed = threading.Event(), threading.Event(), threading.Event()

    def busy():
        try:
            working.set()
            go_on.wait(10)
            yield []
        finally:
            closed.set()

    task = asyncio.create_task(adrive(busy(), None))
    await asyncio.to_thread(working.wait, 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not closed.is_set()  # it did not wait for the work
    go_on.set()
    assert await asyncio.to_thread(closed.wait, 5)


async def test_the_pipelines_own_work_does_not_hold_up_the_event_loop():
    ticked = threading.Event()

    def busy():
        assert ticked.wait(20)  # work of the pipeline's own, such as ranking
        yield []
        return "done"

    async def tick():
        for _ in range(5):
            await asyncio.sleep(0.01)
        ticked.set()

    ticking = asyncio.create_task(tick())
    result, _ = await adrive(busy(), None)
    await ticking
    assert result == "done"


def test_many_runs_at_once_do_not_mix():
    async def all_at_once():
        runs = [adrive(pipeline(f"{i}x", f"{i}y"), ScriptedModel(echo, delay=0.001)) for i in range(10)]
        return await asyncio.gather(*runs)

    for i, (result, usage) in enumerate(asyncio.run(all_at_once())):
        assert [reply.value.text for reply in result[0]] == [str(i), "x"]
        assert usage.calls == 4


async def test_a_cancelled_drive_does_not_wait_for_a_busy_model():
    model = ScriptedModel(lambda call: busy(50))
    task = asyncio.create_task(adrive(pipeline("ab"), model))
    while len(model.calls) < 2:  # noqa: ASYNC110 - there is no event to wait for
        await asyncio.sleep(0.01)
    task.cancel()
    started = time.perf_counter()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.perf_counter() - started < 5


async def test_a_model_that_cancels_itself_is_a_failed_call():
    class Cancelling:
        name = "cancelling"

        async def aask(self, call):
            raise asyncio.CancelledError

    result, usage = await adrive(pipeline("a"), Cancelling())
    assert [reply.failure.kind for reply in result[0]] == ["failed"]
    assert usage.calls == len(result)
