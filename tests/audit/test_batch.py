"""Audits through a provider's batch endpoint, over real HTTP: the same results as without, and nothing paid twice."""

import json
import os
import signal
import subprocess
import sys

import pytest
from processes import wait_for
from rows import rows

from trail_callbacks import LLMJudge
from trail_callbacks.audit import BatchEngine, Budget, LocalEngine, audit
from trail_callbacks.errors import InputError, JudgeError
from trail_callbacks.testing import ScriptedModel

pytest.importorskip("instructor")
pytestmark = pytest.mark.loopback

from batch_provider import Provider  # noqa: E402 - found by conftest.py
from endpoint import fair  # noqa: E402 - likewise

FILES = ("answers.jsonl", "claims.jsonl", "broken.jsonl")


@pytest.fixture
def provider():
    started = []

    def start(*args, **options):
        started.append(Provider(*args, **options))
        return started[-1]

    yield start
    for each in started:
        each.close()


def judge(provider, **options):
    return LLMJudge("openai/m", base_url=provider.url, api_key="none", **{"claims_per_call": 8} | options)


def engine(out, **options):
    return BatchEngine(out / "batches", **{"first": 0.02, "longest": 0.1} | options)


def canonical(bodies):
    return sorted(json.dumps(body, sort_keys=True) for body in bodies)


@pytest.mark.parametrize("mode", [None, "tools"])
def test_results_and_requests_are_those_of_the_direct_mode(mode, provider, lines, tmp_path):
    here, path = provider(), lines("in.jsonl", rows(30))
    direct, batched = tmp_path / "direct", tmp_path / "batched"
    settings = {"mode": mode, "temperature": 0.0}
    audit(path, judge(here, **settings), out=direct, engine=LocalEngine())
    asked = canonical(here.direct)
    here.direct.clear()
    summary = audit(path, judge(here, **settings), out=batched, engine=engine(batched))
    for name in FILES:
        assert (batched / name).read_bytes() == (direct / name).read_bytes()
    assert here.direct == []
    assert canonical(body for batch in here.submitted for body in batch) == asked
    assert [len(batch) for batch in here.submitted] == [30, 30]  # a round for each stage
    assert (summary.usage.calls, summary.usage.prompt_tokens) == (60, 600)
    assert list((batched / "batches").iterdir()) == []
    assert len(here.deleted) == 4  # requests and replies of two batches


def test_a_line_that_always_fails_is_given_up(provider, lines, table, tmp_path):
    here, out = provider(lambda asked, _: None if "Tower 3 " in asked.prompt else fair(asked)), tmp_path / "out"
    summary = audit(lines("in.jsonl", rows(4)), judge(here), out=out, engine=engine(out))
    assert summary.unfinished == 1
    assert "nobody knows" in str(table(out)[3])
    assert sum(map(len, here.submitted)) == 3 * 2 + 3


@pytest.mark.parametrize("status", ["expired", "cancelled", "failed"])
def test_a_batch_that_ends_badly_is_submitted_again_without_what_it_answered(status, provider, lines, tmp_path):
    here, out = provider(fate=lambda n: status if n == 0 else "completed"), tmp_path / "out"
    summary = audit(lines("in.jsonl", rows(8)), judge(here), out=out, engine=engine(out))
    assert summary.total.states == {"assessed": 8}
    assert max(here.asked.values()) == 1
    assert sum(here.asked.values()) == 16


def test_what_was_answered_is_not_asked_again_after_a_budget_was_used_up(provider, lines, tmp_path):
    here, out, path = provider(), tmp_path / "out", lines("in.jsonl", rows(8))
    first = audit(path, judge(here), out=out, engine=engine(out), budget=Budget(calls=11))
    assert first.stopped == "the budget of 11 calls is used up"
    assert sum(here.asked.values()) == 11
    audit(path, judge(here), out=out, engine=engine(out))
    assert set(here.asked.values()) == {1}
    assert sum(here.asked.values()) == 16


def test_a_killed_audit_waits_for_its_open_batch(provider, lines, table, tmp_path):
    here, out, path = provider(), tmp_path / "out", lines("in.jsonl", rows(12))
    here.held.set()
    command = [
        sys.executable, "-m", "trail_callbacks.cli", "audit", str(path), "--out", str(out), "--judge",
        f"openai/m@{here.url}", "--engine", "batch",
    ]  # fmt: skip
    quiet = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "env": {**os.environ, "OPENAI_API_KEY": "none"},
    }
    process = subprocess.Popen(command, **quiet)
    wait_for(lambda: any(batch["looks"] for batch in here.batches.values()), "a look at a batch")
    process.kill()
    process.wait()
    assert len(here.submitted) == 1
    here.held.clear()
    assert subprocess.run(command, timeout=120, check=False, **quiet).returncode == 0
    assert {each["state"] for each in table(out)} == {"assessed"}
    assert [len(batch) for batch in here.submitted] == [12]
    assert set(here.asked.values()) == {1}


def test_a_submission_whose_answer_is_lost_is_found(provider, lines, tmp_path):
    here, out = provider(), tmp_path / "out"

    def creating(body):
        if here.submitted:
            return None
        here.create(body)
        return 502, {"error": {"message": "bad gateway", "type": "t", "code": None, "param": None}}

    here.creating = creating
    summary = audit(lines("in.jsonl", rows(6)), judge(here), out=out, engine=engine(out))
    assert summary.total.states == {"assessed": 6}
    assert [len(batch) for batch in here.submitted] == [6, 6]


def test_nothing_is_submitted_again_where_nobody_knows_whether_it_was(provider, lines, table, tmp_path):
    here, out, path = provider(), tmp_path / "out", lines("in.jsonl", rows(2))
    here.listing = False
    here.creating = lambda _: (502, {"error": {"message": "bad gateway", "type": "t", "code": None, "param": None}})
    for _ in range(2):
        summary = audit(path, judge(here), out=out, engine=engine(out))
        assert summary.unfinished == 2
        [left] = (out / "batches").iterdir()
        assert f"if it was not, delete {left}" in str(table(out))
        here.creating = None
    assert (len(here.files), here.submitted) == (1, [])
    left.unlink()
    assert audit(path, judge(here), out=out, engine=engine(out)).unfinished == 0


def test_a_judge_without_a_batch_endpoint_is_refused(lines, tmp_path):
    path = lines("in.jsonl", rows(1))
    with pytest.raises(InputError, match="a judge that asks a model"):
        audit(path, out=tmp_path / "local", engine=engine(tmp_path / "local"))
    with pytest.raises(JudgeError, match="cannot be asked in batches"):
        audit(path, LLMJudge(ScriptedModel([])), out=tmp_path / "other", engine=engine(tmp_path / "other"))
    with pytest.raises(InputError, match=r"BatchEngine\.requests is 50001, expected 1 to 50000"):
        BatchEngine("out", requests=50_001)


def test_an_interrupted_audit_ends_at_once_and_goes_on_later(provider, lines, table, tmp_path):
    here, out, path = provider(), tmp_path / "out", lines("in.jsonl", rows(6))
    script = (
        "import signal, sys; from trail_callbacks.audit import BatchEngine, audit; from trail_callbacks import LLMJudge\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background job ignores it
        "path, out, url = sys.argv[1:]\n"
        "audit(path, LLMJudge('openai/m', base_url=url, api_key='none', claims_per_call=8), out=out, engine=BatchEngine(out + '/batches'))"
    )
    here.held.set()
    process = subprocess.Popen([sys.executable, "-c", script, path, out, here.url], stderr=subprocess.PIPE, text=True)
    wait_for(lambda: any(batch["looks"] for batch in here.batches.values()), "a look at a batch")
    process.send_signal(signal.SIGINT)
    try:
        complaints = process.communicate(timeout=120)[1]  # a second or two, on a machine that has nothing else to do
    finally:
        process.kill()  # left running, it would fail whatever test is next
    assert complaints.strip().endswith("KeyboardInterrupt")
    assert "never retrieved" not in complaints
    here.held.clear()
    audit(path, judge(here), out=out, engine=engine(out))
    assert [len(batch) for batch in here.submitted] == [6, 6]
    assert {each["state"] for each in table(out)} == {"assessed"}


def test_what_earlier_runs_wrote_down_is_kept_or_named(provider, lines, table, tmp_path):
    here, out, path = provider(), tmp_path / "out", lines("in.jsonl", rows(3))
    audit(path, judge(here), out=out, engine=engine(out), budget=Budget(calls=0))
    unsure = {"endpoint": f"{here.url}/", "file": "file-9", "batch": "batch_9", "outputs": [], "requests": ["0-0"]}
    (out / "batches" / "x.json").write_text(json.dumps(unsure))
    audit(path, judge(here), out=out, engine=engine(out))
    assert json.loads((out / "batches" / "x.json").read_text()) == unsure  # nobody asked for what is in it
    assert {each["state"] for each in table(out)} == {"assessed"}
    (out / "batches" / "x.json").write_text("{}")
    with pytest.raises(InputError, match=r"x\.json says which batch is with the provider, and is damaged"):
        audit(path, judge(here), out=out, engine=engine(out))
