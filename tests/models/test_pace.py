import asyncio
import threading
import time

import pytest
from pydantic import BaseModel

from trail_callbacks import LLMJudge
from trail_callbacks.errors import InputError
from trail_callbacks.models import pace
from trail_callbacks.models.call import Call, Message, Reply, Usage
from trail_callbacks.models.drive import Limits, adrive, drive
from trail_callbacks.models.pace import Paced
from trail_callbacks.testing import ScriptedModel


class Echo(BaseModel):
    text: str = ""


def call(text="?", **options):
    return Call(messages=(Message("user", text),), schema=Echo, purpose="claims", **options)


def pipeline(count, **options):
    return (yield [call(**options) for _ in range(count)])


def fast(**options):
    return Paced(ScriptedModel(lambda call: {"text": "x"}), **options)


class Clock:
    """Time that passes only when somebody waits: what a minute allows is then exact."""

    def __init__(self):
        self.now = 1000.0
        self.lock = threading.Lock()

    def sleep(self, seconds):
        with self.lock:
            self.now += seconds

    async def asleep(self, seconds):
        self.sleep(seconds)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(pace, "monotonic", lambda: clock.now)
    monkeypatch.setattr(pace, "sleep", clock.sleep)
    return clock


def within_a_minute(times):
    return max(sum(start <= later < start + 60 - 1e-6 for later in times) for start in times)


@pytest.mark.parametrize("limit", [1, 2, 7, 60, 600])
def test_no_minute_has_more_requests_than_allowed(clock, limit):
    times = []
    model = Paced(ScriptedModel(lambda call: times.append(clock.now) or {"text": "x"}), requests_per_minute=limit)
    for _ in range(limit * 3 + 5):
        model.ask(call())
    assert within_a_minute(times) <= limit
    assert times[-1] - times[0] <= 60 * (len(times) / (limit * 0.9) + 1)


def test_tokens_are_counted_as_the_reply_counts_them(clock):
    times = []

    def answer(call):
        times.append(clock.now)
        return Reply(value=Echo(), usage=Usage(calls=1, prompt_tokens=900, completion_tokens=100))

    model = Paced(ScriptedModel(answer), tokens_per_minute=10_000)
    for _ in range(40):
        model.ask(call("a short prompt, so the estimate is far too low"))
    assert within_a_minute(times) * 1000 <= 10_000
    assert times[-1] - times[0] < 60 * 5


def test_replies_of_a_cache_cost_no_turn(clock):
    model = Paced(ScriptedModel(lambda call: Reply(value=Echo(), usage=Usage(cache_hits=1))), requests_per_minute=1)
    started = clock.now
    for _ in range(5):
        model.ask(call())
    assert clock.now == started


def test_a_turn_that_comes_too_late_is_not_waited_for(clock):
    model = fast(requests_per_minute=6)
    assert model.ask(call(seconds=5)).failure is None
    started = clock.now
    late = model.ask(call(seconds=5))
    assert str(late.failure) == "budget: the pace of scripted would let this call start only in 10.0 s"
    assert clock.now == started
    assert model.ask(call(seconds=15)).failure is None
    assert clock.now - started == pytest.approx(10, abs=0.1)
    assert model._model.calls[-1].seconds == pytest.approx(5, abs=0.1)


async def test_waiting_holds_up_no_event_loop_and_a_cancelled_call_gives_its_turn_back():
    model = fast(requests_per_minute=3)
    await model.aask(call())
    waiting = [asyncio.create_task(model.aask(call())) for _ in range(5)]
    started = time.perf_counter()
    await asyncio.sleep(0.05)
    assert time.perf_counter() - started < 5
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert len(model._model.calls) == 1
    late = await model.aask(call(seconds=0.01))
    assert 10 < float(late.failure.detail.split()[-2]) <= 20  # not 120


def test_threads_and_event_loops_share_one_pace():
    times, lock = [], threading.Lock()

    def answer(call):
        with lock:
            times.append(time.perf_counter())
        return {"text": "x"}

    model = Paced(ScriptedModel(answer), requests_per_minute=600)  # 60 at once, then nine a second

    def sync():
        drive(pipeline(20), model, Limits(concurrency=4))

    def asynchronous():
        asyncio.run(adrive(pipeline(20), model, Limits(concurrency=20)))

    threads = [threading.Thread(target=target) for target in (sync, sync, asynchronous, asynchronous)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(times) == 80
    times.sort()
    assert times[-1] - times[0] > 1.5  # the last twenty had to wait, whoever asked


@pytest.mark.parametrize("limits", [{}, {"requests_per_minute": 0}, {"tokens_per_minute": float("nan")}])
def test_a_pace_of_nothing_is_wrong_input(limits):
    with pytest.raises(InputError, match="per_minute"):
        Paced(ScriptedModel([]), **limits)


def test_a_judge_takes_a_pace_and_stays_the_same_judge():
    model = ScriptedModel([])
    model.parameters = {"temperature": 0}
    judge, plain = LLMJudge(model, requests_per_minute=60), LLMJudge(model)
    assert isinstance(judge.model, Paced)
    assert judge.name == plain.name
    assert judge.model.parameters == {"temperature": 0}
    assert LLMJudge(ScriptedModel([]), tokens_per_minute=60).model.parameters is None
    assert plain.model is model
