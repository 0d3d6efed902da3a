"""Hooks that take reports: functions, coroutine functions and whatever else can be called, in every kind of code."""

from __future__ import annotations

import asyncio
import functools
import threading

import pytest

from trail_callbacks import check
from trail_callbacks.verify.delivery import Delivery, running_loop

REPORT = check("It is 77 metres tall.", ["It is 77 metres tall."])


class Hook:
    """Notes the reports it got, and in which loop it was awaited."""

    def __init__(self):
        self.reports, self.loops, self.done = [], [], threading.Event()

    async def __call__(self, report):
        await asyncio.sleep(0.01)
        self.reports.append(report)
        self.loops.append(running_loop())
        self.done.set()


@pytest.fixture
def hook():
    return Hook()


def kinds(hook):
    async def function(report):
        await hook(report)

    def returning(report):
        return function(report)

    return [hook, function, functools.partial(function), returning]


def test_code_without_a_loop_waits_for_a_coroutine_in_one_loop_of_ours(hook):
    for kind in kinds(hook):
        delivery, failed = Delivery(kind), []
        delivery.deliver(REPORT, failed.append)
        delivery.deliver(REPORT, failed.append)
        assert failed == []
        assert hook.reports[-2:] == [REPORT, REPORT]
        assert hook.loops[-1] is hook.loops[-2]  # a client of the first call can be used by the second


async def test_a_coroutine_is_awaited_in_the_apps_loop(hook):
    for kind in kinds(hook):
        await Delivery(kind).adeliver(REPORT, pytest.fail)
        assert hook.loops[-1] is asyncio.get_running_loop()
    assert hook.reports == [REPORT] * 4


async def test_a_worker_hands_the_coroutine_to_the_apps_loop_and_goes_on(hook):
    delivery, loop = Delivery(hook), asyncio.get_running_loop()
    worker = threading.Thread(target=delivery.deliver, args=(REPORT, pytest.fail, loop))
    worker.start()
    worker.join(5)  # which blocks the loop: a worker that waited for it would never end
    assert not worker.is_alive()
    assert await asyncio.to_thread(hook.done.wait, 10)
    assert hook.loops == [loop]


@pytest.mark.parametrize("closed", [False, True])
def test_a_loop_that_has_ended_is_replaced_by_ours(hook, closed):
    loop = asyncio.new_event_loop()
    if closed:
        loop.close()
    Delivery(hook).deliver(REPORT, pytest.fail, loop)
    assert hook.reports == [REPORT]
    assert hook.loops[0] is not loop
    loop.close()


async def test_what_a_hook_raises_is_kept_wherever_it_runs():
    async def broken(report):
        await asyncio.sleep(0)
        raise KeyError("mine")

    async def cancelled(report):
        asyncio.current_task().cancel()
        await asyncio.sleep(1)

    for hook, kind in [(broken, KeyError), (lambda report: 1 / 0, ZeroDivisionError), (cancelled, RuntimeError)]:
        delivery, failed = Delivery(hook), []
        await delivery.adeliver(REPORT, failed.append)
        await asyncio.to_thread(delivery.deliver, REPORT, failed.append)
        await asyncio.to_thread(delivery.deliver, REPORT, failed.append, asyncio.get_running_loop())
        async with asyncio.timeout(10):
            while len(failed) < 3:  # noqa: ASYNC110 - the last one fails on the loop, whenever that has time
                await asyncio.sleep(0.01)
        assert [type(error) for error in failed] == [kind] * 3


async def test_a_caller_that_is_cancelled_or_late_leaves_the_hook_to_its_end():
    begun, go, ended = asyncio.Semaphore(0), asyncio.Event(), asyncio.Semaphore(0)

    async def hook(report):
        begun.release()
        await go.wait()
        ended.release()

    await Delivery(hook).adeliver(REPORT, pytest.fail, timeout=0.001)
    caller = asyncio.create_task(Delivery(hook).adeliver(REPORT, pytest.fail))
    for _ in range(2):
        await begun.acquire()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    go.set()
    for _ in range(2):
        await ended.acquire()


async def test_no_hook_is_no_work():
    Delivery(None).deliver(REPORT, pytest.fail)
    await Delivery(None).adeliver(REPORT, pytest.fail)
