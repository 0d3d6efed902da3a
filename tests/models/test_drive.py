import asyncio
import contextvars
import os
import signal
import threading
import time

import pytest
from pydantic import BaseModel

from trail_callbacks.errors import InputError
from trail_callbacks.models.adrive import adrive
from trail_callbacks.models.call import Call, Message, Reply, Usage
from trail_callbacks.models.drive import Limits, drive
from trail_callbacks.models.failure import Failure
from trail_callbacks.testing import ScriptedModel


class Echo(BaseModel):
    text: str


def call(text="?", purpose="claims"):
    return Call(messages=(Message("user", text),), schema=Echo, purpose=purpose)


def echo(call):
    return {"text": call.messages[-1].content}


def pipeline(*batches):
    seen = []
    for batch in batches:
        replies = yield [call(text) for text in batch]
        seen.append(replies)
    return seen


async def _in_a_loop(make, model, limits=None):
    return drive(make, model, limits)


def _adrive(*args):
    return asyncio.run(adrive(*args))


def _inside(*args):
    return asyncio.run(_in_a_loop(*args))


@pytest.fixture(params=[drive, _adrive, _inside], ids=["drive", "adrive", "drive inside a running loop"])
def run(request):
    return request.param


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
    _, usage = run(pipeline("abcd"), model, Limits(concurrency=4))
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens) == (8, 40, 12)
    assert 0.05 <= usage.seconds < 5


def test_calls_over_the_call_budget_are_not_made_and_say_so(run):
    model = ScriptedModel(echo)
    result, usage = run(pipeline("ab", "cd"), model, Limits(max_calls=3))
    assert [reply.failure for reply in result[0]] == [None, None]
    assert [reply.failure for reply in result[1]] == [None, Failure("budget", "3 calls are used up")]
    assert usage.calls == len(model.calls) == 3


def test_retries_count_against_the_call_budget(run):
    model = ScriptedModel(echo, usage=Usage(calls=2))
    result, _ = run(pipeline("a", "b"), model, Limits(max_calls=2))
    assert result[1][0].failure.kind == "budget"


def test_cached_replies_do_not_use_up_the_call_budget(run):
    model = ScriptedModel(lambda call: Reply(value=Echo(text="x"), usage=Usage(cache_hits=1)))
    result, usage = run(pipeline("a", "b", "c"), model, Limits(max_calls=1))
    assert [batch[0].failure for batch in result] == [None, None, None]
    assert (usage.calls, usage.cache_hits) == (0, 3)


@pytest.mark.parametrize("limits", [Limits(max_calls=0), Limits(max_tokens=0), Limits(max_seconds=0)])
def test_a_budget_of_nothing_makes_no_call(run, limits):
    model = ScriptedModel(echo)
    result, usage = run(pipeline("ab"), model, limits)
    assert all(reply.failure.kind == "budget" for reply in result[0])
    assert model.calls == []
    assert usage.calls == 0


def test_the_token_budget_stops_later_calls(run):
    model = ScriptedModel(echo, usage=Usage(calls=1, prompt_tokens=60, completion_tokens=40))
    result, usage = run(pipeline("a", "b", "c"), model, Limits(max_tokens=150))
    assert [batch[0].failure for batch in result] == [None, None, Failure("budget", "200 of 150 tokens are used up")]
    assert usage.calls == 2


def test_no_call_starts_after_the_time_is_over(run):
    result, _ = run(pipeline("a", "b"), ScriptedModel(echo, delay=0.06), Limits(max_seconds=0.05))
    assert [batch[0].failure for batch in result] == [None, Failure("budget", "0.05 seconds are over")]


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
    run(pipeline("abcdefghi", "jkl"), gauge, Limits(concurrency=concurrency))
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


async def test_cancelling_closes_the_pipeline_and_cancels_the_calls():
    closed, cancelled = [], []

    class Slow:
        name = "slow"

        async def aask(self, call):
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
    await asyncio.sleep(0.1)
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
    def busy():
        time.sleep(0.2)  # work of the pipeline's own, such as ranking
        yield []
        return "done"

    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    result, _ = await adrive(busy(), None)
    ticking.cancel()
    assert result == "done"
    assert ticks >= 5


def test_many_runs_at_once_do_not_mix():
    async def all_at_once():
        runs = [adrive(pipeline(f"{i}x", f"{i}y"), ScriptedModel(echo, delay=0.001)) for i in range(10)]
        return await asyncio.gather(*runs)

    for i, (result, usage) in enumerate(asyncio.run(all_at_once())):
        assert [reply.value.text for reply in result[0]] == [str(i), "x"]
        assert usage.calls == 4


@pytest.mark.parametrize("bad", [{"concurrency": 0}, {"max_calls": -1}, {"max_tokens": -5}, {"max_seconds": -0.1}])
def test_limits_out_of_range_are_refused(bad):
    with pytest.raises(InputError, match=next(iter(bad))):
        Limits(**bad)


def busy(retry_after):
    return Reply(failure=Failure("busy", "slow down"), retry_after=retry_after, usage=Usage(calls=1))


def test_a_busy_model_is_asked_again_when_it_said(run):
    model = ScriptedModel([busy(0.2), busy(0.2), {"text": "fine"}])
    result, usage = run(pipeline("a"), model)
    assert result[0][0].value.text == "fine"
    assert usage.calls == len(model.calls) == 3
    assert 0.4 <= usage.seconds < 5


def test_a_busy_model_that_names_no_time_is_asked_after_growing_pauses(run, monkeypatch):
    monkeypatch.setattr("trail_callbacks.models.backoff._FIRST", 0.1)
    times = []
    model = ScriptedModel(lambda call: times.append(time.monotonic()) or (busy(0) if len(times) < 3 else {"text": "x"}))
    result, _ = run(pipeline("a"), model)
    assert result[0][0].failure is None
    assert times[2] - times[1] > times[1] - times[0] > 0.07


@pytest.mark.parametrize(
    ("reply", "calls"),
    [
        (busy(None), 1),  # its client has asked again already
        (busy(3600), 1),  # nobody waits an hour
        (busy(float("nan")), 1),
        (busy(float("inf")), 1),
        (Reply(failure=Failure("invalid", "x"), usage=Usage(calls=1)), 1),
        (Reply(value=Echo(text="x"), retry_after=0.1, usage=Usage(calls=1)), 1),
        (busy(0.001), 5),
    ],
    ids=["already repeated", "an hour", "NaN", "for ever", "not busy", "answered", "always busy"],
)
def test_asking_again_has_bounds(run, reply, calls, monkeypatch):
    monkeypatch.setattr("trail_callbacks.models.backoff._FIRST", 0.01)
    model = ScriptedModel(lambda call: reply)
    result, usage = run(pipeline("a"), model)
    assert result[0][0] is reply
    assert len(model.calls) == usage.calls == calls
    assert usage.seconds < 10


def test_asking_again_keeps_to_the_budget(run):
    model = ScriptedModel(lambda call: busy(30))
    result, usage = run(pipeline("a"), model, Limits(max_seconds=5))
    assert str(result[0][0].failure) == "busy: slow down"
    assert (usage.calls, usage.seconds < 4) == (1, True)
    model = ScriptedModel(lambda call: busy(0.001))
    result, usage = run(pipeline("a"), model, Limits(max_calls=2))
    assert str(result[0][0].failure) == "busy: slow down"
    assert usage.calls == 2


def test_one_busy_call_does_not_hold_up_the_others(run):
    def answer(call):
        first = call.messages[-1].content == "a" and sum(c.messages[-1].content == "a" for c in model.calls) == 1
        return busy(0.5) if first else echo(call)

    model = ScriptedModel(answer)
    result, usage = run(pipeline("abc"), model)
    assert [reply.value.text for reply in result[0]] == list("abc")
    assert usage.calls == 4
    assert [c.messages[-1].content for c in model.calls][-1] == "a"


def test_nobody_waits_for_a_busy_model_after_the_caller_has_left():
    threads = set()

    def answer(call):
        threads.add(threading.current_thread())
        if len(threads) == 2:
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        return busy(50)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            drive(pipeline("ab"), ScriptedModel(answer))
    finally:
        signal.signal(signal.SIGINT, before)
    for thread in threads:
        thread.join(5)
        assert not thread.is_alive()


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


def test_a_call_is_told_how_much_time_is_left(run):
    model = ScriptedModel(echo, delay=0.1)
    run(pipeline("a", "b"), model, Limits(max_seconds=20))
    left = [call.seconds for call in model.calls]
    assert 19 < left[1] < left[0] - 0.09 < 20
    model = ScriptedModel(echo)
    run(pipeline("a"), model)
    assert model.calls[0].seconds is None
