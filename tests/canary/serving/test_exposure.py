"""What code may see: by task and thread, and the switch that ends it."""

import asyncio
import subprocess
import sys
import threading

import pytest
from small_twins import small

from trail_callbacks.canary import Skipped
from trail_callbacks.canary.serving.exposure import SWITCH, CanaryOffError, current, exposed, is_off
from trail_callbacks.errors import InputError

TWIN = small()


def test_tasks_and_threads_see_what_was_around_their_start():
    async def one(arm):
        with exposed(arm, TWIN) as exposure:
            await asyncio.sleep(0)
            seen = [await asyncio.to_thread(lambda: current().arm), (await asyncio.create_task(later())).arm]
            assert current() is exposure
            return [arm, *seen]

    async def later():
        await asyncio.sleep(0)
        return current()

    async def many():
        return await asyncio.gather(*(one(arm) for arm in ("real", "fictive", "empty") * 20))

    assert all(len(set(seen)) == 1 for seen in asyncio.run(many()))


def test_a_generator_that_ends_late_leaves_nothing_behind():
    def asking(arm):
        with exposed(arm, TWIN):
            yield current().arm
            yield current().arm

    for last in ("close", "exhaust"):
        first = asking("fictive")
        assert next(first) == "fictive"
        with exposed("real", TWIN) as around:
            _ = first.close() if last == "close" else list(first)
            assert current() is around
        assert current() is None

    async def steps():
        with exposed("fictive", TWIN):
            yield current().arm
            yield current().arm

    async def consume():
        found = [arm async for arm in steps()]
        assert current() is None
        given_up = steps()
        found.append(await anext(given_up))
        await given_up.aclose()
        return found, current()

    assert asyncio.run(consume()) == (["fictive"] * 3, None)


def test_what_goes_on_after_a_block_sees_it_no_more():
    async def late(started):
        await started.wait()
        return current()

    async def run():
        started = asyncio.Event()
        with exposed("real", TWIN) as around:
            with exposed("fictive", TWIN):
                task = asyncio.create_task(late(started))
                await asyncio.sleep(0)
            started.set()
            assert await task is around
            started.clear()
            task = asyncio.create_task(late(started))
            await asyncio.sleep(0)
        started.set()
        return await task

    assert asyncio.run(run()) is None


def test_unknown_arms_are_an_error():
    with pytest.raises(InputError, match="closed_book, real, fictive, empty"), exposed("fictional", TWIN):
        pass


@pytest.mark.parametrize("value", ["off", " NO "])
def test_the_environment_switches_it_off(monkeypatch, value):
    monkeypatch.setenv(SWITCH, value)
    assert is_off()
    for arm in ("fictive", "empty", "closed_book"):
        with pytest.raises(CanaryOffError, match=arm), exposed(arm, TWIN):
            pytest.fail("must not be entered")
    with exposed("real", TWIN) as exposure:
        assert exposure.arm == "real"
    monkeypatch.setenv(SWITCH, "on")
    assert not is_off()


def test_the_switch_in_code_is_for_good():
    code = (
        "from trail_callbacks.canary.serving.exposure import *\n"
        "assert not is_off(); switch_off(); assert is_off(); switch_off(); assert is_off()\n"
        "import threading; seen = []\n"
        "t = threading.Thread(target=lambda: seen.append(is_off())); t.start(); t.join(); assert seen == [True]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_switched_off_within_a_block_nothing_of_it_counts(monkeypatch):
    def run(arm):
        with exposed(arm, TWIN):
            monkeypatch.setenv(SWITCH, "off")

    run("real")
    monkeypatch.delenv(SWITCH)
    with pytest.raises(CanaryOffError, match="says nothing"):
        run("empty")


def test_what_is_served_adds_up_over_calls_and_threads():
    with exposed("real", TWIN) as exposure:
        threads = [
            threading.Thread(target=exposure.served, args=(["a", "b"], [Skipped("p", "gone")])) for _ in range(20)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert exposure.calls == 20
    assert exposure.passages == ["a", "b"] * 20
    assert len(exposure.dropped) == 20
    assert "Twin" not in repr(exposure)
