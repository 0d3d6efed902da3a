"""Carrying out calls: what both drivers do, and what threads do."""

import asyncio
import contextvars
import os
import signal
import threading
import time

import pytest
from echoes import Crowded, busy, call, echo, pipeline

from trail_callbacks.models.call import Usage
from trail_callbacks.models.drive import adrive, drive
from trail_callbacks.testing import ScriptedModel


def test_replies_come_back_in_the_order_of_the_calls(run):
    def slow_first(call):
        time.sleep(0.05 if call.messages[-1].content == "a" else 0)
        return echo(call)

    result, usage = run(pipeline("abcdef", "g"), ScriptedModel(slow_first))
    assert [[reply.value.text for reply in batch] for batch in result] == [list("abcdef"), ["g"]]
    assert usage.calls == 7


def test_an_empty_batch_gets_an_empty_list_and_needs_no_model(run):
    result, usage = run(pipeline("", ""), None)
    assert result == [[], []]
    assert usage.calls == 0


def test_a_pipeline_without_a_model_that_asks_gets_errors_as_data(run):
    result, usage = run(pipeline("ab"), None)
    assert [str(reply.failure).startswith("failed: this judge has no model") for reply in result[0]] == [True, True]
    assert usage.calls == 0


def test_a_model_that_raises_is_a_failed_call(run):
    result, usage = run(pipeline("ab"), ScriptedModel([RuntimeError("boom"), {"text": "fine"}]))
    assert sorted(str(reply.failure) for reply in result[0]) == ["None", "failed: the model raised RuntimeError: boom"]
    assert usage.calls == 2


def test_usage_adds_up_tokens_and_measures_wall_time_once(run):
    model = ScriptedModel(echo, usage=Usage(calls=2, prompt_tokens=10, completion_tokens=3, seconds=99), delay=0.05)
    _, usage = run(pipeline("abcd"), model, concurrency=4)
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens) == (8, 40, 12)
    assert 0.05 <= usage.seconds < 5


@pytest.mark.parametrize("concurrency", [1, 3])
def test_calls_overlap_up_to_the_limit(run, concurrency):
    model = Crowded(100)
    run(pipeline("abcdefghi", "jkl"), model, concurrency=concurrency)
    assert max(model.peaks) == concurrency


def test_workers_see_the_context_of_the_caller():
    who = contextvars.ContextVar("who", default="nobody")
    seen = []

    def look(call):
        seen.append(who.get())
        return echo(call)

    who.set("caller")
    drive(pipeline("abc"), ScriptedModel(look))
    assert seen == ["caller"] * 3
    seen.clear()

    async def inside():
        who.set("task")
        await adrive(pipeline("abc"), ScriptedModel(look))

    asyncio.run(inside())
    assert seen == ["task"] * 3


def test_what_a_pipeline_raises_is_raised_and_its_clean_up_has_run(run):
    closed = []

    def broken():
        try:
            yield [call()]
            raise LookupError("in the pipeline")
        finally:
            closed.append(True)

    with pytest.raises(LookupError, match="in the pipeline"):
        run(broken(), ScriptedModel(echo))
    assert closed == [True]


def test_nobody_waits_for_a_busy_model_after_the_caller_has_left():
    lock, known = threading.Lock(), set(threading.enumerate())
    calls = []

    def answer(call):
        with lock:
            calls.append(call)
            if len(calls) == 1:
                threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        return busy(50)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            drive(pipeline("ab"), ScriptedModel(answer))
    finally:
        signal.signal(signal.SIGINT, before)
    for thread in set(threading.enumerate()) - known:  # one waits to ask again, the other perhaps to ask at all
        thread.join(5)
        assert not thread.is_alive()


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
