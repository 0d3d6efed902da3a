"""Judging drafts: a judge that fails or takes too long is a report, never an exception."""

import asyncio
import threading
import time

from trail_callbacks import ProvenanceGraph
from trail_callbacks.guard import Checker, GuardSettings, JudgeDraft
from trail_callbacks.models.call import Budget, Usage
from trail_callbacks.testing import ScriptedModel

FACT = "The lighthouse is 77 metres tall."
WANTED = JudgeDraft(lambda: ProvenanceGraph.from_texts(FACT, [FACT]), Usage())


def test_a_graph_that_cannot_be_built_is_a_failed_judge():
    def broken():
        raise ValueError("no graph")

    report = Checker(GuardSettings(judge="local", timeout=None)).check(JudgeDraft(broken, Usage()))
    assert report.state == "error"
    assert report.warnings == ("not verified: failed: ValueError('no graph')",)


def test_a_check_that_takes_too_long_is_left_behind():
    let_go = threading.Event()

    def slow():
        let_go.wait(30)  # far beyond the timeout; nobody waits for its end
        raise AssertionError

    started = time.monotonic()
    report = Checker(GuardSettings(judge="local", timeout=0.05)).check(JudgeDraft(slow, Usage()))
    assert time.monotonic() - started < 10
    let_go.set()
    assert report.warnings == ("not verified: the judge took longer than 0.05 s",)


async def test_what_earlier_drafts_cost_is_not_spent_again():
    model = ScriptedModel([])
    checker = Checker(GuardSettings(judge=model, budget=Budget(calls=2)))
    wanted = JudgeDraft(
        lambda: ProvenanceGraph.from_texts("It is 77 metres tall.", ["It is 77 metres tall."]), Usage(calls=2)
    )
    for report in (checker.check(wanted), await checker.acheck(wanted)):
        assert report.hallucination_score is None
    assert model.calls == []
    Checker(GuardSettings(judge=model, budget=Budget(calls=3))).check(wanted)
    assert len(model.calls) == 1


async def test_a_hook_that_raises_does_not_lose_the_report():
    def broken(report):
        raise KeyError("mine")

    async def abroken(report):
        await asyncio.sleep(0)
        raise KeyError("mine")

    for hook in (broken, abroken):
        checker = Checker(GuardSettings(judge="local", on_report=hook))
        for report in (await asyncio.to_thread(checker.check, WANTED), await checker.acheck(WANTED)):
            assert report.hallucination_score == 0.0
            assert report.warnings == ("on_report raised KeyError",)


async def test_a_coroutine_hook_is_awaited_before_the_draft_is_used_and_not_for_ever():
    seen = []

    async def slow(report):
        await asyncio.sleep(0.05)
        seen.append(report.state)

    checker = Checker(GuardSettings(judge="local", on_report=slow))
    await checker.acheck(WANTED)
    assert seen == ["assessed"]
    await asyncio.to_thread(checker.check, WANTED)
    assert seen == ["assessed"] * 2

    async def endless(report):
        await asyncio.sleep(60)

    report = await asyncio.wait_for(
        Checker(GuardSettings(judge="local", on_report=endless, timeout=1.0)).acheck(WANTED), 20
    )
    assert report.state == "assessed"
