"""Judged runs as commands read them: of one recorded app, from files and from a store."""

from __future__ import annotations

import json
import time

import pytest
from tower import FALSE, SOURCE, TRUE, trace

from trail_callbacks.cli.runs import runs
from trail_callbacks.diagnosis import verified
from trail_callbacks.errors import InputError


@pytest.fixture(scope="module")
def pairs():
    """Reports, and the traces of their runs."""
    releases = (("v1", TRUE), ("v2", FALSE))
    traces = [
        trace(f"{version}-{n}", answer, version, time.time() - 9 + n, question=f"When was it finished, {n}?")
        for version, answer in releases
        for n in range(3)
    ]
    return [(verified(each), each) for each in traces]


@pytest.mark.parametrize("reverse", [False, True])
def test_a_trace_gives_its_report_segments_and_a_time(file, pairs, reverse):
    parts = [each.to_json() for pair in pairs for each in pair]
    path = file("runs.jsonl", "\n".join(reversed(parts) if reverse else parts))
    found = {run.id: run for run in runs(path, "--runs")}
    assert set(found) == {trace.id for _, trace in pairs}
    for report, saved in pairs:
        run = found[saved.id]
        assert (run.at, run.release, run.segment("kind")) == (saved.context.started, saved.versions.app, "dates")
        assert (run.judge, run.decided) == (report.judge, 1)


def test_traces_that_nobody_judged_are_refused(file, pairs):
    path = file("traces.jsonl", "\n".join(trace.to_json() for _, trace in pairs))
    with pytest.raises(InputError, match="holds traces that nobody judged: trail audit"):
        runs(path, "--candidate")


@pytest.fixture
def audit(trail, file, tmp_path):
    """The folder of an audit of three rows, one of which cannot be judged."""
    rows = [{"id": f"r{n}", "question": f"{n}?", "answer": TRUE, "sources": [SOURCE], "kind": "x"} for n in range(3)]
    rows[1]["answer"] = 7
    path = file("in.jsonl", "\n".join(map(json.dumps, rows)))
    assert trail("audit", path, "--out", str(tmp_path / "out"), "--workers", "1")[0] == 2
    return tmp_path / "out"


def test_what_an_audit_could_not_judge_is_left_open_and_not_out(audit):
    found = list(runs(str(audit), "--candidate"))
    assert [(run.state, run.segment("kind")) for run in found] == [("assessed", "x")] * 2 + [("error", None)]
    assert len({run.judge for run in found}) == 1
    assert found[0].segment("user") is None


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("answers.jsonl", '{"id": "r1", "state": "assessed"}', "line 1: is no answer of an audit"),
        ("summary.json", '{"judge": "x", "missing": 4}', "is not finished, 4 answers were not judged"),
        ("summary.json", "oops", "summary.json cannot be read"),
    ],
)
def test_an_audit_that_is_broken_or_not_finished_is_refused(audit, name, content, message):
    (audit / name).write_text(content)
    with pytest.raises(InputError, match=message):
        runs(str(audit), "--candidate")


@pytest.fixture
def stored(tmp_path, pairs):
    pytest.importorskip("sqlalchemy", reason="the store needs SQLAlchemy")
    from trail_callbacks.store import Store

    store = Store(tmp_path / "trail.db")
    assert store.put(pairs) == len(pairs)
    store.close()
    return str(tmp_path / "trail.db")


def test_a_release_is_read_from_a_store(stored):
    assert [run.release for run in runs(f"v2@{stored}", "--candidate")] == ["v2"] * 3
    assert [run.release for run in runs(f"v2@sqlite:///{stored}", "--candidate")] == ["v2"] * 3
    with pytest.raises(InputError, match="--candidate: the store has no judged run of release 'v3'"):
        runs(f"v3@{stored}", "--candidate")


def test_a_gate_compares_releases_of_a_store(trail, stored):
    status, printed, _ = trail("gate", f"v1@{stored}", f"v2@{stored}", "--json")
    data = json.loads(printed)
    assert (status, data["outcome"]) == (3, "not_enough_data")
    assert (data["baseline"], data["candidate"]) == ("v1", "v2")
    assert (data["paired"], data["segments"][0]["candidate"]["contradicted"]) == (True, 3)


def test_triage_reads_a_store(trail, stored, pairs):
    status, printed, _ = trail("alerts", "triage", "1h", "--store", stored, "--json")
    assert (status, json.loads(printed)["runs"]) == (0, 6)
    status, printed, _ = trail("alerts", "triage", pairs[-1][1].id, "--store", stored, "--json")
    assert (status, json.loads(printed)["run"]["release"]) == (0, "v2")
