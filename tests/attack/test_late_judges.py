"""A source of four million characters makes no guard pass what it could not check, nor wait for longer than it may."""

import asyncio
import os
import random
import sys
import time
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("langchain", minversion="1.2.9")
sys.path.insert(0, str(Path(__file__).parent))
from apps import APPS

from trail_callbacks import ProvenanceGraph
from trail_callbacks.guard import Checker, GuardSettings, JudgeDraft, decide
from trail_callbacks.guard.policy import LateReport
from trail_callbacks.models.call import Usage

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # LlamaIndex's own
SIZE = 4_000_000
FALSE = "The lighthouse of Genoa is 97 metres tall."
FULL = os.environ.get("TRAIL_ATTACK") == "full"
SLACK = 1.0  # seconds of work after the time is up
HANGS = 60.0  # seconds on the clock, which a busy machine may stretch


def hostile(size):
    """Sentences that are all different, all about the subject, and none of which says how high it is."""
    chance = random.Random(7)  # noqa: S311 - no secret
    words = ["lighthouse", "Genoa", "metres", "tall", "keeper", "ferry", "harbour", "lantern", "1543", "stone"]
    parts, length = ["The lighthouse of Genoa is 77 metres tall."], 0
    while length < size:
        parts.append(f"The {' '.join(chance.choices(words, k=9))} of {chance.randrange(10**6)} was seen by Ada.")
        length += len(parts[-1]) + 1
    return " ".join(parts)


SOURCE = hostile(SIZE)


@pytest.mark.parametrize("on_error", ["open", "closed"])
@pytest.mark.parametrize("guard", APPS)
def test_a_huge_source_opens_no_guard(guard, on_error):
    source = SOURCE if FULL else SOURCE[: SIZE // 8]
    for timeout in (0.05, 2.0, 60.0) if FULL else (0.02,):  # far too little, hardly enough, and enough
        for way in ("invoke", "ainvoke"):
            settings = {"timeout": timeout, "on_error": on_error, "on_fail": "block"}
            visible = APPS[guard](FALSE, source, way, settings)
            assert "97 metres" not in visible.replace(source, "")


@pytest.mark.parametrize("timeout", [0.05, 0.5, 2.0])
async def test_a_late_judge_ends_in_time(timeout):
    checker = Checker(GuardSettings(judge="local", timeout=timeout))
    step = JudgeDraft(lambda: ProvenanceGraph.from_texts(FALSE, [SOURCE]), Usage())
    for check in (partial(asyncio.to_thread, checker.check), checker.acheck):
        start, worked = time.perf_counter(), time.process_time()
        report = await check(step)
        assert time.process_time() - worked < timeout + SLACK
        assert time.perf_counter() - start < HANGS
        assert isinstance(report, LateReport) or report.hallucination_score == 1.0
        for on_error in ("open", "closed"):
            assert decide(GuardSettings(judge="local", on_error=on_error, on_fail="block"), report, 0) == "block"
