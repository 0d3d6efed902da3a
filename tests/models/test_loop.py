import asyncio
import gc
import threading

import pytest

from trail_callbacks.models.loop import PrivateLoop


async def where():
    await asyncio.sleep(0)
    return threading.current_thread().name


def test_coroutines_run_on_one_thread_of_its_own_whoever_asks():
    loop = PrivateLoop()

    async def inside():
        return loop.run(where()), await loop.arun(where())

    assert {loop.run(where()), *asyncio.run(inside())} == {"trail-models"}


async def test_cancelling_the_caller_cancels_the_coroutine():
    started, cancelled = threading.Event(), threading.Event()

    async def slow():
        started.set()
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    loop = PrivateLoop()
    task = asyncio.create_task(loop.arun(slow()))
    await asyncio.to_thread(started.wait, 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(cancelled.wait, 5)


def test_it_ends_with_its_owner_and_cleans_up_on_the_loop():
    ended = []

    async def at_end():
        ended.append(threading.current_thread().name)

    loop = PrivateLoop(at_end)
    loop.run(where())
    del loop
    gc.collect()
    assert ended == ["trail-models"]
