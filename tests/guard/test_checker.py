"""Judging drafts: a judge that fails or takes too long is a report, never an exception."""

import asyncio
import threading
import time

import pytest

from trail_callbacks import ProvenanceGraph
from trail_callbacks.errors import AnswerRejectedError
from trail_callbacks.guard import (
    Checker,
    GuardOutcome,
    GuardSettings,
    JudgeDraft,
    acarry_out,
    carry_out,
    guard_answer,
    reject,
)
from trail_callbacks.models.call import Budget, Failure, Reply, Usage
from trail_callbacks.testing import ScriptedModel

FACT = "The lighthouse is 77 metres tall."
WANTED = JudgeDraft(lambda: ProvenanceGraph.from_texts(FACT, [FACT]), Usage())


def test_a_graph_that_cannot_be_built_is_a_failed_judge():
    def broken():
        raise ValueError("no graph")

    report = Checker(GuardSettings(judge="local", timeout=None)).check(JudgeDraft(broken, Usage()))
    assert report.state == "error"
    assert report.warnings == ("not verified: failed: ValueError('no graph')",)


def test_a_judge_that_fails_is_logged_once_for_each_kind_and_named_in_the_summary(caplog):
    refused = Reply(failure=Failure("unauthorised", "the key of ada@example.com is wrong"))
    checker = Checker(GuardSettings(judge=ScriptedModel([refused] * 9)))
    wanted = JudgeDraft(lambda: ProvenanceGraph.from_texts("It is red.", ["It is blue."]), Usage())
    reports = [checker.check(wanted) for _ in range(2)]
    assert [record.getMessage() for record in caplog.records] == [
        f"the judge {reports[0].judge} of a guard failed (unauthorised): on_report= has why"
    ]
    outcome = GuardOutcome(draft="It is red.", action="block", report=reports[0])
    assert outcome.summary()["failure"] == "unauthorised"
    assert "ada@" not in str(outcome.summary())
    with pytest.raises(AnswerRejectedError, match=r"the judge failed \(unauthorised\)"):
        reject(outcome)


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


TOWER = "The lighthouse of Genoa is 77 metres tall. The lighthouse of Genoa was rebuilt in 1543."
GOOD, BAD = "The lighthouse of Genoa is 77 metres tall.", "The lighthouse of Genoa is 99 metres tall."


def steps(drafts, sources=(TOWER,)):
    written = []

    def revised(request, draft, text):
        written.append(text)
        return request + 1

    made = guard_answer(
        GuardSettings(judge="local"),
        0,
        graph_of=lambda request, draft: draft and (lambda: ProvenanceGraph.from_texts(draft, sources)),
        texts_of=lambda draft: [draft],
        revised=revised,
    )
    return made, lambda request: drafts[request], written


def test_the_loop_sync_and_async():
    async def write(request):
        return [BAD, GOOD][request]

    made, plain, feedback = steps([BAD, GOOD])
    for outcome in (
        carry_out(made, plain, Checker(GuardSettings(judge="local"))),
        asyncio.run(acarry_out(steps([BAD, GOOD])[0], write, Checker(GuardSettings(judge="local")))),
    ):
        assert (outcome.draft, outcome.action, outcome.attempts, outcome.rejected) == (GOOD, "pass", 2, 1)
    assert len(feedback) == 1
    skipped = carry_out(steps([None])[0], lambda request: None, Checker(GuardSettings(judge="local")))
    assert (skipped.action, skipped.report) == ("skip", None)


@pytest.mark.parametrize("kind", [StopIteration, KeyError, RuntimeError])
def test_what_the_app_raises_is_not_taken_for_an_end(kind):
    def write(request):
        raise kind("out of replies")

    with pytest.raises(kind):
        carry_out(steps([BAD])[0], write, Checker(GuardSettings(judge="local")))
