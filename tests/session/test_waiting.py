"""Judges that wait for a model: what holds for each of the many verifications on their one event loop."""

import asyncio
import contextvars
import sys
import threading
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from contextlib import contextmanager

from forks import needs_fork, run_program
from test_session import run

from trail_callbacks.models.call import Failure, Reply, Usage
from trail_callbacks.session import CaptureSettings, Session
from trail_callbacks.testing import ScriptedModel

hidden = contextvars.ContextVar("hidden", default=None)
CLAIM = {"claims": [{"text": "It opened in 1847.", "quote": "was opened in 1847", "kind": "statement"}]}


class Door:
    """A model behind a door that the test opens; notes what is current where it is asked."""

    name = "door"

    def __init__(self):
        self.door, self.inside, self.seen = threading.Event(), threading.Semaphore(0), []

    async def aask(self, call):
        self.seen.append(hidden.get())
        self.inside.release()
        while not self.door.is_set():  # noqa: ASYNC110 - the test is on another thread
            await asyncio.sleep(0.005)
        self.seen.append(hidden.get())
        return Reply(failure=Failure("failed", "no"), usage=Usage(calls=1))

    def ask(self, call):
        raise AssertionError("nobody asks on a thread")


def test_a_slow_hook_or_one_that_asks_for_another_run_holds_nobody_up():
    model, asked, go_on = ScriptedModel(lambda call: CLAIM), [], threading.Event()

    def hook(report):
        if report.run_id == "r0":
            asked.append(session.report("r5", timeout=20).run_id)
            go_on.wait(20)

    session = Session(CaptureSettings(judge=model, on_report=hook))
    for n in range(6):
        run(session, f"r{n}")
    while len(session.reports) < 6:
        threading.Event().wait(0.005)
    assert not session.flush(0), "a run is done when its hook was called"
    go_on.set()
    assert session.flush(20)
    assert asked == ["r5"]
    assert session.errors == []


async def test_who_stops_waiting_stops_nobody_else():
    model = Door()
    session = Session(CaptureSettings(judge=model, evaluate="never"))
    run(session)
    waits = [asyncio.create_task(session.areport()) for _ in range(3)]
    assert await asyncio.to_thread(model.inside.acquire, timeout=20)
    waits[0].cancel()
    with pytest.raises(TimeoutError):
        await session.areport(timeout=0.01)
    model.door.set()
    done = await asyncio.gather(*waits, return_exceptions=True)
    assert isinstance(done[0], asyncio.CancelledError)
    assert done[1] is done[2]
    assert len(model.seen) == 2  # one call, at its start and end


def test_what_is_waited_for_goes_first():
    model, seen = Door(), []
    session = Session(CaptureSettings(judge=model, concurrency=1, on_report=lambda report: seen.append(report.run_id)))
    for n in range(5):
        run(session, f"r{n}")
    assert model.inside.acquire(timeout=20)
    with pytest.raises(TimeoutError):
        session.report("r3", timeout=0)
    model.door.set()
    assert session.flush(20)
    assert seen == ["r0", "r3", "r1", "r2", "r4"]


def test_a_closed_session_starts_again_and_those_who_wait_get_their_report():
    model = Door()
    session = Session(CaptureSettings(judge=model))
    run(session)
    assert model.inside.acquire(timeout=20)
    got = []
    waiting = threading.Thread(target=lambda: got.append(session.report("r1")))
    waiting.start()
    session.close(timeout=0)
    assert model.inside.acquire(timeout=20)  # asked again, for the one who waits
    model.door.set()
    waiting.join(20)
    assert [report.run_id for report in got] == ["r1"]
    run(session, "r2")
    assert session.report("r2", timeout=20).run_id == "r2"


@needs_fork
def test_a_fork_waits_until_the_first_verification_has_imported_what_it_needs():
    code = """
from test_session import run
from trail_callbacks.session import CaptureSettings, Session
from trail_callbacks.testing import ScriptedModel
session = Session(CaptureSettings(judge=ScriptedModel(lambda call: {"claims": []})))
assert "numpy" not in sys.modules
run(session, "first")
while "numpy" not in sys.modules:
    time.sleep(0)
def child():
    run(session, "mine")
    assert session.report("mine", timeout=15).run_id == "mine"
print(forked(child))
"""
    assert run_program(code) == ["ok"]


@needs_fork
def test_a_forked_child_judges_on_a_loop_of_its_own():
    code = """
from test_session import run
from test_waiting import CLAIM
from trail_callbacks.session import CaptureSettings, Session
from trail_callbacks.testing import ScriptedModel
session = Session(CaptureSettings(judge=ScriptedModel(lambda call: CLAIM, delay=0.2)))
run(session, "first")
session.report("first", timeout=30)  # all is imported, and the loop is there
run(session, "before")
time.sleep(0.1)  # it is under way
def child():
    run(session, "mine")
    assert session.report("mine", timeout=15).run_id == "mine"
    assert session.report("before", timeout=15).run_id == "before"
print(forked(child), session.report("before", timeout=15).run_id)
"""
    assert run_program(code) == ["ok before"]


def test_what_is_hidden_is_hidden_for_each_run_on_its_own():
    count = iter(range(100))

    @contextmanager
    def around():
        token = hidden.set(next(count))
        try:
            yield
        finally:
            hidden.reset(token)

    model = Door()
    session = Session(CaptureSettings(judge=model), around=around)
    mine = hidden.set("the app's")
    for n in range(8):
        run(session, f"r{n}")
    for _ in range(8):
        assert model.inside.acquire(timeout=20)
    model.door.set()
    assert session.flush(20)
    assert sorted(model.seen) == sorted([*range(8), *range(8)])
    assert hidden.get() == "the app's"
    hidden.reset(mine)
