"""What code may see: by task and thread, and the switch that ends it; and what a retriever serves it."""

import asyncio
import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest
from small_twins import FERRY, small, twin_of

from trail_callbacks.canary import Skipped
from trail_callbacks.canary.serving.exposure import SWITCH, CanaryOffError, current, exposed, is_off
from trail_callbacks.canary.serving.source import CanarySource, Framework
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
    )
    subprocess.run([sys.executable, "-c", code], check=True)


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


PLAIN = Framework(
    retriever=SimpleNamespace,
    read=lambda text: (text, None, {}),
    write=lambda text, new, metadata: new or text,
    shown=str,
)
FOUND = SimpleNamespace()


def source_of(twin=TWIN):
    return CanarySource(FOUND, twin, PLAIN)


def test_a_retriever_is_left_alone_unless_an_arm_says_otherwise():
    source = source_of()
    assert source.sight(None).arm is None
    assert source.sight("fictive").arm == "fictive"
    with exposed("empty", TWIN) as exposure:
        assert source.sight(None).arm == "empty"
        assert source.sight(None).exposure is exposure
        assert source.sight("fictive").exposure is None, "it serves another arm than the code around asks for"
    assert source.outside == 3


def test_a_run_over_another_twin_is_an_error():
    source = source_of()
    other = twin_of({"d": FERRY}, [("number", "40", "50")], id_="t2")
    with exposed("fictive", other), pytest.raises(InputError, match="make one twin"):
        source.sight(None)


def test_switched_off_it_serves_real_texts_and_the_run_fails(monkeypatch):
    source = source_of()

    def run():
        with exposed("fictive", TWIN):
            assert source.sight(None).arm == "fictive"
            monkeypatch.setenv(SWITCH, "off")
            assert source.sight(None).is_untouched

    with pytest.raises(CanaryOffError, match="says nothing"):
        run()
    assert source.sight("fictive").is_untouched


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_what_a_child_process_is_served_nobody_would_know():
    source = source_of()
    with exposed("fictive", TWIN) as exposure:
        if (child := os.fork()) == 0:
            try:
                source.sight(None)
            except InputError as error:
                os._exit(0 if "child process" in str(error) else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert source.sight(None).exposure is exposure


def test_bad_arguments_say_what_to_do():
    with pytest.raises(InputError, match="perturb"):
        source_of("twin.json")
    with pytest.raises(InputError, match="closed_book, real, fictive, empty"), exposed("fictional", TWIN):
        pass


def test_what_has_no_place_is_left_out_and_said():
    source = source_of()
    with exposed("fictive", TWIN) as exposure:
        assert source.served([FERRY, "It takes 40 minutes."], source.sight(None)) == [TWIN.fictive["ferry.md"].text]
    (dropped,) = exposure.dropped
    assert "states what an edit changed" in dropped.why
