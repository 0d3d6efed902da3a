"""Many verifications at once, by the calls in flight at a real endpoint: no clock decides here."""

import asyncio
import gc
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from endpoint import Answer, error, fair

from trail_callbacks import LLMJudge
from trail_callbacks.models.gate import gate_of
from trail_callbacks.session import CaptureSettings, Session

sys.path.insert(0, str(Path(__file__).parents[1] / "session"))
from test_session import run

pytest.importorskip("instructor")
pytestmark = pytest.mark.loopback

SILENT = Answer(200, b"", fault="silent")


class Crowd:
    """A judge's endpoint that answers when so many calls are in flight; counts them."""

    def __init__(self, size, script=fair):
        self.barrier, self.script = threading.Barrier(size), script
        self.lock, self.inside, self.most = threading.Lock(), 0, 0

    def __call__(self, asked):
        with self.lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
        self.barrier.wait(30)
        with self.lock:
            self.inside -= 1
        return self.script(asked)


def judge_at(endpoint, **settings):
    return LLMJudge("openai/m", base_url=endpoint.url, api_key="k", timeout=60.0, **settings)


def ours():
    return sorted(thread.name for thread in threading.enumerate() if thread.name.startswith("trail"))


@pytest.mark.parametrize("concurrency", [None, 4])
def test_so_many_runs_are_judged_at_once_on_one_thread(endpoints, concurrency):
    gc.collect()
    before, most = ours(), concurrency or 16
    crowd = Crowd(most)
    session = Session(CaptureSettings(judge=judge_at(endpoints(crowd)), concurrency=concurrency))
    for n in range(2 * most):
        run(session, f"r{n}")
    assert session.flush(60)
    assert crowd.most == most
    assert {report.state for report in session.reports.values()} == {"assessed"}
    assert (len(session.reports), session.skipped, session.errors) == (2 * most, 0, [])
    assert set(ours()) - set(before) <= {"trail-judges", "trail-models"}
    session.close()


@pytest.mark.parametrize("ask", ["inline", "report", "areport"])
def test_those_who_wait_on_threads_or_loops_overlap(endpoints, ask):
    crowd = Crowd(16)
    evaluate = "inline" if ask == "inline" else "never"
    session = Session(CaptureSettings(judge=judge_at(endpoints(crowd)), evaluate=evaluate))

    def one(n):
        run(session, f"r{n}")
        return session.reports[f"r{n}"] if ask == "inline" else session.report(f"r{n}", timeout=60)

    async def all_of_them():
        return await asyncio.gather(*(session.areport(f"r{n}", timeout=60) for n in range(16)))

    if ask == "areport":
        for n in range(16):
            run(session, f"r{n}")
        reports = asyncio.run(all_of_them())
    else:
        with ThreadPoolExecutor(16) as pool:
            reports = list(pool.map(one, range(16)))
    assert [report.state for report in reports] == ["assessed"] * 16
    assert [report.run_id for report in reports] == [f"r{n}" for n in range(16)]
    assert crowd.most == 16
    session.close()


def test_a_fifth_of_refusals_costs_no_report(endpoints, monkeypatch):
    monkeypatch.setattr("trail_callbacks.models.provider_error._FIRST", 0.01)
    seen, lock = [], threading.Lock()

    def script(asked):
        with lock:
            seen.append(asked)
            refused = len(seen) % 5 == 0
        return error(429, "slow down") if refused else fair(asked)

    judge = judge_at(endpoints(script))
    session = Session(CaptureSettings(judge=judge))
    for n in range(40):
        run(session, f"r{n}")
    assert session.flush(120)
    assert {report.state for report in session.reports.values()} == {"assessed"}
    assert len(session.reports) == 40
    asked = sum(report.usage.calls for report in session.reports.values())
    assert asked == len(seen) == 49  # every fifth of them was refused
    assert gate_of(judge.model).most < float("inf")
    session.close()


def test_an_endpoint_that_hangs_costs_its_own_runs_and_closing_says_so(endpoints):
    def script(asked):
        return SILENT if "1847" in asked.prompt else fair(asked)

    endpoint = endpoints(script)
    session = Session(CaptureSettings(judge=judge_at(endpoint), concurrency=4))
    others = Session(CaptureSettings(judge=judge_at(endpoints(fair))))
    for n in range(3):
        run(session, f"hangs{n}")  # it says 1847
    for n in range(12):
        run(session, f"r{n}", answer="The quarry at Holm was closed in 1902.")
        run(others, f"r{n}")
    for n in range(12):
        assert session.report(f"r{n}", timeout=60).state == "assessed"
    assert others.flush(60)
    assert len(others.reports) == 12
    assert not session.flush(0)
    session.close(timeout=0)
    assert [str(error) for error in session.errors] == ["closed before 3 runs were verified: ask report() for them"]
    for _ in range(500):  # what was in flight was let go
        if endpoint.aborted == 3:
            break
        threading.Event().wait(0.02)
    assert endpoint.aborted == 3
    others.close()


EXIT = """
import logging, sys
sys.path.insert(0, {folder!r})
from test_session import run
from trail_callbacks import LLMJudge
from trail_callbacks.models import lane
from trail_callbacks.session import CaptureSettings, Session
logging.basicConfig(format="%(message)s")
lane._LAST = {patience}
judge = LLMJudge("openai/m", base_url={url!r}, api_key="k")
session = Session(CaptureSettings(judge=judge, on_report=lambda report: print(report.state, flush=True)))
for n in range(20):
    run(session, "r" + str(n))
"""


@pytest.mark.parametrize(
    ("script", "patience", "said"),
    [(fair, 60, ["assessed"] * 20), (SILENT, 0.5, [])],
    ids=["finishes", "says what it left"],
)
def test_the_end_of_the_interpreter_finishes_or_says_what_it_left(endpoints, script, patience, said):
    folder = str(Path(__file__).parents[1] / "session")
    code = EXIT.format(folder=folder, patience=patience, url=endpoints(script).url)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == said
    assert ("20 runs were not verified when the interpreter ended" in done.stderr) == (not said)
