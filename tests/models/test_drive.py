"""Carrying out calls: what both drivers do, and what threads do."""

import asyncio
import contextvars
import os
import signal
import threading
import time

import pytest
from echoes import Echo, call, echo, pipeline

from trail_callbacks.models.call import Failure, Reply, Usage
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


class Gauge:
    """Counts how many calls are in flight at once."""

    name = "gauge"

    def __init__(self):
        self.now = self.most = 0
        self.lock = threading.Lock()

    def enter(self):
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)

    def leave(self):
        with self.lock:
            self.now -= 1

    def ask(self, call):
        self.enter()
        time.sleep(0.02)  # long enough for calls to overlap, if they may
        self.leave()
        return Reply(value=Echo(text="x"))

    async def aask(self, call):
        self.enter()
        await asyncio.sleep(0.02)
        self.leave()
        return Reply(value=Echo(text="x"))


@pytest.mark.parametrize("concurrency", [1, 3])
def test_calls_overlap_up_to_the_limit(run, concurrency):
    gauge = Gauge()
    run(pipeline("abcdefghi", "jkl"), gauge, concurrency=concurrency)
    assert gauge.most == concurrency


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


def busy(retry_after):
    return Reply(failure=Failure("busy", "slow down"), retry_after=retry_after, usage=Usage(calls=1))
