"""While a long answer or long sources are checked, an event loop has its turn: work on a thread rests all the time.

How long a loop waits depends on what else the machine does; `tests/benchmarks/loop_lag.py` prints that. Here counts the
CPU time between two rests, which does not.
"""

import asyncio
import sys
import threading
import time
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_trail import TrailContextFilter

from trail_callbacks import acheck
from trail_callbacks.slices import Slices

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))  # for loop_lag.py
from loop_lag import CASES, gaps

LONGEST, USUAL = 2.0, 0.01  # seconds of CPU between two rests, at most and on average; Python may collect garbage
STUCK = 5.0  # seconds without a turn that no busy machine explains


@pytest.fixture
def held(monkeypatch):
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
        time.sleep(0.2)  # noqa: ASYNC251 - on purpose

    assert (await gaps(holding()))[-1] > 0.15
