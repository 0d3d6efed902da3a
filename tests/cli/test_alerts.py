"""`trail alerts`: exit status, JSON, a state file, files for Prometheus and Grafana, and where to look first."""

import json
import time
from datetime import UTC, datetime

import pytest
from tower import FALSE, SOURCE, TRUE, trace

from trail_callbacks import check, verify
from trail_callbacks.monitor import Observation, observe

NOW = 1_800_000_000
OBJECTIVES = """
lag = 0
[[objective]]
signal = "contradiction"
objective = 0.95
[[objective]]
name = "each"
signal = "contradiction"
objective = 0.95
segment = { tenant = "*" }
"""


@pytest.fixture
def objectives(file):
    return file("objectives.toml", OBJECTIVES)


@pytest.fixture
def store(tmp_path):
    """A store: good runs of one tenant for an hour, then contradictions of another for an hour, then good ones."""
    pytest.importorskip("sqlalchemy")
    from trail_callbacks.store import Store

    def run(minute):
        bad = 60 <= minute < 120 and minute % 4 < 3
        tenant = "acme" if bad else "other"
        outcomes = {"contradicted": 1} if bad else {"supported": 1}
        at = NOW + 60 * minute
        return Observation(
            id=str(minute), at=at, state="assessed", claims=1, outcomes=outcomes, fields={"tenant": tenant}
        )

    path = str(tmp_path / "trail.db")
    opened = Store(path)
    assert opened.put_observations(map(run, range(600))) == 600
    opened.close()
    return path


def at(minute):
    return datetime.fromtimestamp(NOW + 60 * minute, UTC).isoformat()


def test_what_burns_is_said_with_whom_to_call(trail, objectives, store):
    status, out, _ = trail("alerts", "check", objectives, "--store", f"sqlite:///{store}", "--at", "2027-01-15T10:00Z")
    assert status == 1
    assert "contradiction: firing: page to generation: 75.0% of 60" in " ".join(out.split())
    assert "each[tenant=acme]: firing: page to generation: 100.0% of 45" in " ".join(out.split())
    assert "each[tenant=other]: quiet" in out
    status, out, _ = trail("alerts", "check", objectives, "--store", store, "--at", at(120), "--json")
    data = json.loads(out)
    assert status == 1
    assert {each["id"]: each["severity"] for each in data["alerts"]} == {
        "contradiction": "page",
        "each[tenant=acme]": "page",
        "each[tenant=other]": None,
        "evaluator": None,
    }
    assert [each["id"] for each in data["events"]] == ["contradiction"], "one incident is told once"


def test_a_state_file_keeps_from_telling_twice(trail, objectives, store, tmp_path):
    state = str(tmp_path / "state.json")

    def events(minute):
        arguments = ("alerts", "check", objectives, "--store", store, "--at", at(minute), "--json", "--state", state)
        status, out, err = trail(*arguments)
        assert err == ""
        return status, [(each["kind"], each["id"]) for each in json.loads(out)["events"]]

    assert events(120) == (1, [("begins", "contradiction")])
    assert events(121) == (1, [])
    # That tenant has had no run since, so that nobody knows whether it is over
    assert events(599) == (1, [])


def test_a_state_file_that_cannot_be_used_hides_no_alert(trail, objectives, store, file):
    given = ("alerts", "check", objectives, "--store", store, "--at", at(120), "--state")
    for state, words in ((file("state.json", "{oops"), "all is told as if it were new"), ("no/state", "cannot be")):
        status, out, err = trail(*given, state)
        assert (status, "firing" in out, words in err) == (1, True, True)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"--store": "sqlite:///gone.db"}, "there is no store at gone.db"),
        ({"--at": "yesterday"}, "--at is 'yesterday', expected a time"),
    ],
)
def test_bad_input_is_told_from_an_alert(trail, objectives, store, change, says):
    options = {"--store": store, "--at": at(120)} | change
    status, out, err = trail("alerts", "check", objectives, *(x for pair in options.items() for x in pair))
    assert (status, out) == (2, "")
    assert says in err


def test_a_bad_file_is_named_with_its_line(trail, store, file):
    bad = file("o.toml", "[[objective]]\nsignal = 'contradiction'\nobjective = 0.9\n")
    for command in (["check", bad, "--store", store], ["rules", bad], ["dashboard", bad]):
        status, out, err = trail("alerts", *command)
        assert (status, out) == (2, "")
        assert f"{bad}, line 1: objective 1: a burn rate of 6" in err


def test_a_file_of_objectives_is_named_in_its_errors(trail, tmp_path):
    path = tmp_path / "o.toml"
    assert f"{path} does not exist" in trail("alerts", "rules", str(path))[2]
    path.write_bytes(b"\xff")
    status, _, err = trail("alerts", "rules", str(path))
    assert (status, f"{path} is not UTF-8" in err) == (2, True)
    path.write_bytes(b"\xef\xbb\xbf" + OBJECTIVES.encode())
    assert trail("alerts", "rules", str(path))[0] == 0


def test_rules_and_a_dashboard_are_written(trail, objectives):
    status, out, _ = trail("alerts", "rules", objectives)
    assert (status, out.split(":")[0]) == (0, "groups")
    status, out, _ = trail("alerts", "dashboard", objectives)
    assert (status, json.loads(out)["title"]) == (0, "Evidence path")


def test_counters_of_a_store_are_printed_with_what_runs_stand_for(trail, tmp_path, file):
    pytest.importorskip("sqlalchemy")
    from trail_callbacks.store import Store

    path, into = str(tmp_path / "rated.db"), tmp_path / "trail.prom"
    opened = Store(path)
    for n, answer in enumerate((TRUE, FALSE, "The tower was finished in 1848.")):
        report = check(answer, [SOURCE])
        opened.add(report, run=observe(report, at=float(n), rate=0.25))
    assert opened.flush(30)
    opened.close()
    wanted = file("o.toml", OBJECTIVES.replace("*", "acme"))
    assert trail("alerts", "metrics", "--store", path, "--objectives", wanted, "-o", str(into)) == (0, "", "")
    (tmp_path / "usual").touch()
    assert into.stat().st_mode == (tmp_path / "usual").stat().st_mode, "a collector can read it"
    lines = into.read_text().splitlines()
    for line in (
        "trail_runs_total 12",
        'trail_bad_runs_total{signal="contradiction"} 8',
        'trail_squared_weight_total{signal="contradiction"} 48',
        'trail_decided_runs_total{signal="query_coverage"} 0',
        'trail_claims_total{outcome="contradicted"} 8',
        'trail_runs_total{segment="tenant",value="acme"} 0',  # of the objectives, from the start
    ):
        assert line in lines


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A file of reports and traces: 30 good runs three days ago, 30 bad ones with a new version today."""
    lines = []
    for version, answer, begin in (("v1", TRUE, time.time() - 3 * 86_400), ("v2", FALSE, time.time() - 3_600)):
        for n in range(30):
            run = trace(f"{version}-run-{n}", answer, version, begin + n, kind="dates\x1b[31m")
            lines += [verify(run).to_json(), run.to_json()]
    path = tmp_path_factory.mktemp("triage") / "runs.jsonl"
    path.write_text("\n".join(lines))
    return str(path)


def test_names_the_stage_and_the_rollout(trail, recorded):
    status, printed, complaints = trail("alerts", "triage", "24h", "--runs", recorded)
    assert (status, complaints) == (0, "")
    flowing = " ".join(printed.split())
    assert "Look at generation first" in flowing
    assert "since app v2" in flowing
    assert "30 runs from" in flowing
    assert (
        "runs with too few claims supported: 30 of 30 (100.0%), before 0 of 30 (0.0%): broken first (generation)"
        in flowing
    )
    assert "\x1b" not in printed


def test_a_run_is_asked_about(trail, recorded):
    status, printed, _ = trail("alerts", "triage", "v2-run-20", "--runs", recorded, "--json")
    data = json.loads(printed)
    assert status == 0
    assert (data["run"]["id"], data["runs"]) == ("v2-run-20", 21)
    assert data["stages"][3]["worse"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["24h"], "say where runs are"),
        (["24h", "--runs", "RUNS", "--store", "x.db"], "only one of them"),
        (["no-such-run", "--runs", "RUNS"], "'no-such-run' is neither the id of a judged run nor a time"),
        (["24h", "--until", "noon", "--runs", "RUNS"], "--until is 'noon'"),
        (["1h", "--until", "2h", "--runs", "RUNS"], "since has to be before until"),
        (["24h", "--store", "none.db"], "there is no store at"),
    ],
)
def test_bad_input_is_status_2(trail, recorded, options, message):
    status, _, complaints = trail("alerts", "triage", *(recorded if each == "RUNS" else each for each in options))
    assert status == 2
    assert message in complaints
