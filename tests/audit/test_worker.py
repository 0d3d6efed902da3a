"""Worker processes: the same results as without them, whatever happens to one; one budget and one pace for all."""

import json
import subprocess
import sys
import time

import pytest
from judges import DyingJudge, UnbornJudge
from processes import has_results, is_worker, wait_for, workers_of
from rows import row, rows

from trail_callbacks.audit import LocalEngine, audit
from trail_callbacks.errors import InputError, JudgeError
from trail_callbacks.testing import ScriptedModel

FILES = ("answers.jsonl", "claims.jsonl", "broken.jsonl", "summary.json")


def test_two_workers_write_what_one_writes_byte_for_byte(lines, tmp_path):
    path = lines("in.jsonl", [*rows(60), "{", *rows(20)])
    for workers in (1, 2):
        audit(path, out=tmp_path / str(workers), by=["tenant"], engine=LocalEngine(workers=workers))
    for name in FILES:
        assert (tmp_path / "2" / name).read_bytes() == (tmp_path / "1" / name).read_bytes()


@pytest.fixture
def dies(monkeypatch, tmp_path):
    """Says how often the judge dies."""
    monkeypatch.setenv("DIED", str(tmp_path / "died"))
    return lambda times: monkeypatch.setenv("DIES", str(times))


def test_rows_of_a_worker_that_dies_are_done_by_another(dies, lines, table, tmp_path):
    dies(1)
    path = lines("in.jsonl", [row(n, question="die" if n == 5 else "When?") for n in range(20)])
    summary = audit(path, DyingJudge(), out=tmp_path / "out", engine=LocalEngine(workers=2))
    assert (tmp_path / "died").read_text() == "1"
    assert (summary.broken, summary.total.answers) == (0, 20)
    assert [each["id"] for each in table(tmp_path / "out")] == [f"r{n}" for n in range(20)]


def test_a_row_that_kills_its_workers_is_given_up_alone(dies, lines, table, tmp_path):
    dies(99)
    path = lines("in.jsonl", [row(n, question="die" if n == 5 else "When?") for n in range(20)])
    summary = audit(path, DyingJudge(), out=tmp_path / "out", engine=LocalEngine(workers=2))
    assert (tmp_path / "died").read_text() == "3"
    assert summary.broken_places == [
        (f"{path}, line 6", "3 worker processes died over it, the last with status 3"),
    ]
    assert summary.total.answers == 19
    dies(0)
    assert audit(path, DyingJudge(), out=tmp_path / "out", engine=LocalEngine(workers=2)).total.answers == 20


def test_a_judge_that_cannot_travel(lines, tmp_path):
    path = lines("in.jsonl", rows(3))
    with pytest.raises(JudgeError, match="cannot be sent to one"):
        audit(path, ScriptedModel([]), out=tmp_path / "a", engine=LocalEngine(workers=2))
    with pytest.raises(JudgeError, match="LookupError: no weights here"):
        audit(path, UnbornJudge(), out=tmp_path / "b", engine=LocalEngine(workers=2))
    for bad in ({"workers": 0}, {"concurrency": 0}):
        with pytest.raises(InputError, match="expected 1 or more"):
            LocalEngine(**bad)


def running(command):
    return subprocess.Popen(
        [sys.executable, "-m", "trail_callbacks.cli", "audit", *map(str, command)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """An input, the results of an audit that nobody disturbed, and how long it took."""
    folder = tmp_path_factory.mktemp("whole")
    path = folder / "in.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows(300)))
    started = time.monotonic()
    assert running([path, "--out", folder / "out", "--workers", 2]).wait(120) == 0
    return path, folder / "out", time.monotonic() - started


def test_killed_at_any_moment_nothing_is_lost_and_nothing_is_double(whole, table, tmp_path):
    path, expected, seconds = whole
    process = running([path, "--out", tmp_path, "--workers", 2])
    time.sleep(seconds / 2)  # half of an undisturbed run
    process.kill()
    process.wait()
    assert running([path, "--out", tmp_path, "--workers", 2]).wait(120) == 0
    assert [each["id"] for each in table(tmp_path)] == [f"r{n}" for n in range(300)]
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (expected / name).read_bytes()


def test_workers_end_with_a_parent_that_is_killed(lines, tmp_path):
    out = tmp_path / "out"
    process = running([lines("in.jsonl", rows(3_000)), "--out", out, "--workers", 2])
    wait_for(lambda: has_results(out), "a result")
    mine = workers_of(process)
    process.kill()
    process.wait()
    assert len(mine) == 2
    wait_for(lambda: not any(map(is_worker, mine)), "the end of its workers")
