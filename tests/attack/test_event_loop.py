"""While a long answer or long sources are checked, an event loop has its turn: work on a thread rests all the time.

How long a loop waits depends on what else the machine does; `tests/benchmarks/loop_lag.py` prints that. Here counts the
CPU time between two rests, which does not.
"""

import asyncio
import gc
import os
import sys
import threading
import time
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_trail import TrailContextFilter

from trail_callbacks import acheck
from trail_callbacks.slices import Slices

pytest.importorskip("langchain", minversion="1.2.9")
sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))  # for loop_lag.py and loop_holds.py
import loop_holds
from loop_lag import CASES, gaps

LONGEST, USUAL = 2.0, 0.01  # seconds of CPU between two rests, at most and on average
LONGEST_TURN = 0.02  # seconds of CPU that a turn of a loop may take more than the same app's without us
SHARE = 1.25  # of a framework's turn, with what is recorded of each token that it hands on in it
FULL = os.environ.get("TRAIL_ATTACK") == "full"
JUDGED = {"acheck", "areport", "areport_for"}  # to the end; all others until a timeout
STUCK = 5.0  # seconds without a turn that no busy machine explains


@pytest.fixture
def held(monkeypatch, collected):
    """Seconds of CPU between two rests of our work, of all threads."""
    found, rested, pause = [], threading.local(), Slices.pause

    def watched(self):
        now = time.thread_time()
        found.append(now - getattr(rested, "at", now))
        pause(self)
        rested.at = time.thread_time()

    monkeypatch.setattr(Slices, "pause", watched)
    return found


@pytest.mark.parametrize("name", CASES)
async def test_a_check_leaves_the_event_loop_its_turn(name, held):
    answer, sources = CASES[name](0.1)
    await acheck("It leaves at nine.", ["It leaves at ten."])  # loads what is loaded at first use
    held.clear()
    began = time.process_time()
    found = await gaps(acheck(answer, sources, "When does it leave?"))
    assert found[-1] < STUCK
    assert max(held) < LONGEST
    assert (time.process_time() - began) / len(held) < USUAL


async def test_a_context_filter_leaves_the_event_loop_its_turn():
    documents = [Document("It leaves at 5 and takes 40 minutes. " * 500) for _ in range(8)]
    context_filter = TrailContextFilter()
    found = await gaps(context_filter.acompress_documents(documents, "When does it leave?"))
    assert found[-1] < STUCK


async def test_a_loop_that_is_held_up_is_seen():
    async def holding():
        await asyncio.sleep(0.01)
        time.sleep(0.2)  # noqa: ASYNC251 - holds the loop up, so that the check is seen to notice

    assert (await gaps(holding()))[-1] > 0.15


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # LlamaIndex's own
@pytest.mark.parametrize("name", loop_holds.CASES)
def test_no_turn_of_a_loop_takes_long(name, monkeypatch):
    """Garbage collection is off: its pauses are Python's, and come whatever runs."""
    monkeypatch.setitem(loop_holds.BLOCK, "timeout", 0.3)
    monkeypatch.setitem(loop_holds.SHOW, "timeout", 0.3)
    ours, plain = loop_holds.CASES[name]
    given = loop_holds.texts(30 if name in JUDGED else 4000 if FULL else 600, 4_000_000 if FULL else 200_000)
    loop_holds.longest(ours, *loop_holds.texts(3, 1000))  # loads what is loaded at first use
    gc.collect()
    gc.disable()
    try:
        theirs = loop_holds.longest(plain, *given)[0] if plain else 0.0
        allowed = LONGEST_TURN + SHARE * theirs
        found = [loop_holds.longest(ours, *given)[0]]
        while min(found) > allowed and len(found) < 3:  # other processes slow down a turn, but not every time
            found.append(loop_holds.longest(ours, *given)[0])
    finally:
        gc.enable()
    assert min(found) < allowed


def test_a_turn_that_takes_long_is_seen():
    async def holding():
        sum(range(50_000_000))

    assert loop_holds.longest(holding)[0] > LONGEST_TURN
