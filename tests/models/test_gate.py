"""How many calls a model gets at once, by those that are in flight, whoever asks."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from echoes import Crowded, busy, call, pipeline

from trail_callbacks.models import gate
from trail_callbacks.models.call import Reply, Usage
from trail_callbacks.models.drive import adrive, drive
from trail_callbacks.models.gate import aask, ask, gate_of


@pytest.mark.parametrize("threads", [True, False], ids=["threads", "loop"])
def test_a_busy_model_gets_fewer_calls_at_once_and_then_more_again(threads):
    model = Crowded(10)

    async def together(count):
        return await asyncio.gather(*(aask(model, call()) for _ in range(count)))

    def all_at_once(count):
        if not threads:
            return asyncio.run(together(count))
        with ThreadPoolExecutor(count) as pool:
            return list(pool.map(lambda _: ask(model, call(), Event()), range(count)))

    assert gate_of(model).most == float("inf")
    first = all_at_once(32)
    assert any(reply.failure for reply in first)
    assert 1 <= gate_of(model).most <= 16
    low = gate_of(model).most
    model.most, model.peaks = 1000, []
    assert not any(reply.failure for reply in all_at_once(64))
    assert gate_of(model).most > low
    assert max(model.peaks) <= gate_of(model).most


class Clock(Event):
    """An event that is never set, and whose time passes when it is waited for."""

    now = 1000.0

    def wait(self, timeout=None):
        self.now += timeout
        return False


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(gate, "monotonic", lambda: clock.now)
    return clock


class Replies:
    name = "replies"

    def __init__(self, *replies):
        self.replies, self.seconds = list(replies), []

    def ask(self, call):
        self.seconds.append(call.seconds)
        return self.replies.pop(0)


@pytest.mark.parametrize(("said", "waited"), [(20, 20), (3600, 60), (float("inf"), 60), (-3, 0), (None, 0)])
def test_when_one_is_told_to_wait_all_do(clock, said, waited):
    model = Replies(busy(said), Reply())
    ask(model, call(), clock)
    ask(model, call(), clock)
    assert clock.now == pytest.approx(1000 + waited)


def test_a_call_whose_time_would_be_over_is_not_made(clock):
    model = Replies(busy(20), Reply())
    ask(model, call(), clock)
    timed = call().__class__(messages=call().messages, schema=call().schema, purpose="claims", seconds=5.0)
    assert ask(model, timed, clock).failure.kind == "budget"
    assert clock.now == 1000.0
    assert len(model.seconds) == 1


def test_who_has_left_asks_no_more_after_the_wait():
    model, left = Replies(busy(50), Reply()), Event()
    ask(model, call(), left)
    threading.Timer(0.05, left.set).start()
    assert ask(model, call(), left).failure.kind == "budget"
    assert len(model.seconds) == 1


async def test_a_cancelled_call_gives_its_place_up_wherever_it_is():
    class Hangs:
        name = "hangs"

        async def aask(self, call):
            await asyncio.sleep(30)

    model = Hangs()
    gate_of(model).most = 1
    asked = [asyncio.create_task(aask(model, call())) for _ in range(4)]
    await asyncio.sleep(0.01)
    for task in (asked[2], asked[0], asked[1], asked[3]):
        task.cancel()
    await asyncio.gather(*asked, return_exceptions=True)
    assert gate_of(model)._inside == 0
    assert not gate_of(model)._waiting


def test_threads_and_loops_share_the_gate_of_a_model_and_no_other(run):
    model, other = Crowded(100), Crowded(100)
    gate_of(model).most = 2
    drives = [
        lambda: drive(pipeline("abcdefgh"), model, concurrency=8),
        lambda: asyncio.run(adrive(pipeline("abcdefgh"), model, concurrency=8)),
    ]
    with ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(work) for work in drives * 2]:
            each.result(30)
    assert len(model.peaks) == 32
    assert max(model.peaks) <= gate_of(model).most < 12
    run(pipeline("abcdefgh"), other, concurrency=8)
    assert max(other.peaks) > 2
    assert gate_of(other).most == float("inf")


def test_what_a_model_raises_about_a_rate_limit_is_asked_again(run, monkeypatch):
    monkeypatch.setattr("trail_callbacks.models.provider_error._FIRST", 0.01)
    tries = []

    class Raises:
        name = "raises"

        def ask(self, call):
            tries.append(call)
            if len(tries) < 4:
                raise RuntimeError("Rate limit reached for requests")
            return Reply(usage=Usage(calls=1))

        async def aask(self, call):
            return self.ask(call)

    result, usage = run(pipeline("a"), Raises())
    assert (result[0][0].failure, usage.calls) == (None, 4)
