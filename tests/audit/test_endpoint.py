"""A model behind real HTTP that limits its rate, fails and stalls: every answer is judged, and paid for once."""

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter, deque
from pathlib import Path

import pytest
from processes import is_worker, wait_for, workers_of
from rows import rows

from trail_callbacks import LLMJudge
from trail_callbacks.audit import Budget, LocalEngine, audit

pytest.importorskip("instructor")
pytestmark = pytest.mark.loopback

sys.path.insert(0, str(Path(__file__).parents[1] / "wire"))
from endpoint import Answer, Endpoint, error, fair, reply  # noqa: E402 - found by the line above

PER_SECOND = 40


class Moody:
    """Answers honestly, but refuses more than so many requests a second, fails every 20th, is silent on every 100th."""

    def __init__(self):
        self.paid = Counter()
        self.stalls = True
        self.refused = self.failed = self.stalled = 0
        self._taken, self._recent = 0, deque()
        self._lock = threading.Lock()

    def __call__(self, asked):
        with self._lock:
            now = time.monotonic()
            while self._recent and self._recent[0] < now - 1.0:
                self._recent.popleft()
            if len(self._recent) >= PER_SECOND:
                self.refused += 1
                return error(429, "slow down", Retry_After=1)
            self._recent.append(now)
            self._taken += 1  # the refused are not among them: how many fail must not depend on the machine
            if self.stalls and self._taken % 100 == 50:
                self.stalled += 1
                return Answer(200, {}, fault="silent")
            if self._taken % 20 == 7:
                self.failed += 1
                return error(500, "oops")
            self.paid[json.dumps(asked.body["messages"])] += 1
        return reply(asked, fair(asked))


@pytest.fixture
def moody():
    script = Moody()
    endpoint = Endpoint(script)
    yield script, endpoint
    endpoint.close()


def judge(endpoint):
    return LLMJudge("openai/m", base_url=endpoint.url, api_key="none", claims_per_call=8, timeout=2.0)


@pytest.mark.parametrize("workers", [1, 2])
def test_every_answer_is_judged_and_paid_for_once(workers, moody, lines, table, tmp_path):
    script, endpoint = moody
    summary = audit(
        lines("in.jsonl", rows(80)),
        judge(endpoint),
        out=tmp_path / "out",
        engine=LocalEngine(workers=workers, concurrency=8),
    )
    assert summary.total.states == {"assessed": 80}
    assert (summary.unfinished, summary.missing, summary.broken) == (0, 0, 0)
    assert script.stalled >= 1
    assert script.failed >= 8
    least = 2 * 80
    assert len(script.paid) == least
    assert script.paid.total() <= least * 1.01
    assert summary.usage.prompt_tokens == 10 * script.paid.total()
    assert summary.usage.calls >= least + script.failed  # retries count


def test_a_budget_is_one_for_all_workers(moody, lines, tmp_path):
    _, endpoint = moody
    summary = audit(
        lines("in.jsonl", rows(60)), judge(endpoint), out=tmp_path / "out", engine=LocalEngine(workers=2, concurrency=4),
        budget=Budget(calls=30),
    )  # fmt: skip
    assert len(endpoint.times) <= 30 + 4  # the client's own retries are known only afterwards
    assert summary.stopped == "the budget of 30 calls is used up"
    assert summary.missing > 0


def test_killed_and_begun_again_only_calls_in_flight_are_paid_twice(moody, lines, table, tmp_path):
    script, endpoint = moody
    script.stalls = False  # the command's patience is a minute
    path, out = lines("in.jsonl", rows(60)), tmp_path / "out"
    command = [
        sys.executable, "-m", "trail_callbacks.cli", "audit", str(path), "--out", str(out), "--judge",
        f"openai/m@{endpoint.url}", "--workers", "2", "--concurrency", "4",
    ]  # fmt: skip
    env = {**os.environ, "OPENAI_API_KEY": "none"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": env}
    process = subprocess.Popen(command, **quiet)
    wait_for(lambda: script.paid.total() >= 25, "the 25th call")
    mine = workers_of(process)
    process.kill()
    process.wait()
    wait_for(lambda: not any(map(is_worker, mine)), "the end of its workers")
    assert subprocess.run(command, timeout=150, check=False, **quiet).returncode == 0
    assert [each["id"] for each in table(out)] == [f"r{n}" for n in range(60)]
    assert {each["state"] for each in table(out)} == {"assessed"}
    assert len(script.paid) == 60
    assert script.paid.total() - 60 <= 8  # as many as were in flight
