"""`trail store` as a user types it, and `trail audit --store`."""

import json
import time
from dataclasses import replace

import pytest

pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed")

from tower import FALSE, SOURCE, TRUE, trace

from trail_callbacks import check
from trail_callbacks.diagnosis import verified
from trail_callbacks.monitor import Observation
from trail_callbacks.store import Store
from trail_callbacks.trace import Trace


@pytest.fixture
def where(tmp_path):
    return str(tmp_path / "trail.db")


def test_what_is_in_a_store_is_told_and_comes_out(trail, where, tmp_path):
    store = Store(where)
    store.put([(verified(each), each) for each in (trace("t1"), trace("t2", TRUE))])
    store.put([(replace(check(TRUE, [SOURCE]), run_id="r1"), None)])
    status, printed, _ = trail("store", "info", where, "--json")
    found = json.loads(printed)
    assert (status, found["runs"], found["claims"], found["first"]) == (0, 3, 3, 1000.0)
    assert "3 runs with 3 claims" in trail("store", "info", where)[1]
    out = tmp_path / "out.jsonl"
    assert trail("store", "export", where, "-o", str(out))[1].startswith("3 reports written")
    assert [json.loads(line)["run_id"] for line in out.read_text().splitlines()][:2] == ["t1", "t2"]
    assert trail("store", "export", where, "-o", str(out), "--what", "traces")[1].startswith("2 traces written")
    assert [Trace.from_json(line) for line in out.read_text().splitlines()] == [trace("t1"), trace("t2", TRUE)]


def test_old_runs_and_those_of_a_user_are_deleted(trail, where):
    now = time.time()
    days = (1, 20, 40, 60)
    runs = [
        Observation(id=f"r{n}", at=now - n * 86_400, user=f"u{n}", state="assessed", outcomes={"absent": n == 60})
        for n in days
    ]
    Store(where).put_observations(runs)
    assert trail("store", "prune", where, "--older-than", "30d", "--keep", "flagged") == (0, "1 runs deleted\n", "")
    assert trail("store", "prune", where, "--older-than", "30d") == (0, "1 runs deleted\n", "")
    assert trail("store", "forget", where, "--user", "u1") == (0, "1 runs deleted\n", "")
    assert [each.id for each in Store(where).observations()] == ["r20"]


def test_what_is_wrong_is_said(trail, file, where):
    status, _, complaints = trail("store", "info", where)
    assert (status, complaints) == (2, f"trail: there is no store at {where}: name the one that the app writes\n")
    Store(where).close()
    status, _, complaints = trail("store", "prune", where, "--older-than", "a month")
    assert status == 2
    assert "--older-than is 'a month', expected a number and a unit" in complaints
    status, _, complaints = trail("store", "info", file("notes.txt", "notes " * 200))
    assert status == 2
    assert complaints.endswith("cannot be opened: file is not a database\n")


def test_an_audit_keeps_its_reports(trail, file, where, tmp_path):
    row = {"question": "When?", "sources": [SOURCE], "tenant": "x"}
    rows = "".join(json.dumps({"id": str(n), **row, "answer": each}) + "\n" for n, each in enumerate((TRUE, FALSE)))
    path = file("in.jsonl", f"{trace('t1').to_json()}\n")
    for name, out in ((path, "a"), (file("rows.jsonl", rows), "b")):
        command = ("audit", name, "--out", str(tmp_path / out), "--workers", "1", "--store", where)
        assert trail(*command)[0] == 0
        assert trail(*command)[0] == 0, "and nothing is judged twice"
    store = Store(where)
    found = list(store.observations())
    assert len(found) == 3
    assert (found[0].id, found[0].fields, found[0].user) == ("t1", {"kind": "dates"}, "ada")
    assert [each.fields for each in found[1:]] == [{"tenant": "x"}] * 2
    assert sorted(each.score for each in found[1:]) == [0.0, 1.0]
    assert store.trace("t1") == trace("t1")
    assert store.report("t1").graph.answer.text == FALSE
