"""While a long answer or long sources are checked, an event loop has its turn: the longest gap between turns.

The bounds are wide, because the machine may be busy and Python collects garbage; `tests/benchmarks/loop_lag.py` prints
the figures.
"""

import asyncio
import sys
import time
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_trail import TrailContextFilter

from trail_callbacks import acheck

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))  # for loop_lag.py
from loop_lag import CASES, gaps

LONGEST, USUAL = 0.5, 0.01  # seconds: of the longest gap, and of the gap that is longer than half of them


@pytest.mark.parametrize("name", CASES)
async def test_a_check_leaves_the_event_loop_its_turn(name):
    answer, sources = CASES[name](0.1)
    await acheck("It leaves at nine.", ["It leaves at ten."])  # loads what is loaded at first use
    began = time.perf_counter()
    found = await gaps(acheck(answer, sources, "When does it leave?"))
    assert len(found) > (time.perf_counter() - began) / 0.05  # it was asked all the time
    assert found[-1] < LONGEST
    assert found[len(found) // 2] < USUAL


async def test_a_context_filter_leaves_the_event_loop_its_turn():
    documents = [Document("It leaves at 5 and takes 40 minutes. " * 500) for _ in range(8)]
    context_filter = TrailContextFilter()
    found = await gaps(context_filter.acompress_documents(documents, "When does it leave?"))
    assert found[-1] < LONGEST


async def test_a_loop_that_is_held_up_is_seen():
    async def holding():
        await asyncio.sleep(0.01)
        time.sleep(0.2)  # noqa: ASYNC251 - on purpose

    assert (await gaps(holding()))[-1] > 0.15
