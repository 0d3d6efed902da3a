"""`trail alerts`: exit status, JSON, a state file, a web service, and files for Prometheus and Grafana."""

import json
import shutil
import subprocess
from datetime import UTC, datetime

import pytest

from trail_callbacks.monitor import Observation

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


def test_json_is_one_object(trail, objectives, store):
    status, out, _ = trail("alerts", "check", objectives, "--store", store, "--at", at(120), "--json")
    data = json.loads(out)
    assert status == 1
    assert {each["id"]: each["severity"] for each in data["alerts"]} == {
        "contradiction": "page",
        "each[tenant=acme]": "page",
        "each[tenant=other]": None,
        "evaluator": None,
    }
    assert {each["kind"] for each in data["events"]} == {"begins"}


def test_a_state_file_keeps_from_telling_twice(trail, objectives, store, tmp_path):
    state = str(tmp_path / "state.json")

    def events(minute):
        arguments = ("alerts", "check", objectives, "--store", store, "--at", at(minute), "--json", "--state", state)
        status, out, err = trail(*arguments)
        assert err == ""
        return status, [(each["kind"], each["id"]) for each in json.loads(out)["events"]]

    assert events(120) == (1, [("begins", "contradiction"), ("begins", "each[tenant=acme]")])
    assert events(121) == (1, [])
    # That tenant has had no run since, so that nobody knows whether it is over
    assert events(599) == (1, [("ends", "contradiction")])
    assert events(600) == (1, [])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"--store": "gone.db"}, "there is no store at gone.db"),
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


def test_rules_and_a_dashboard_are_written(trail, objectives, tmp_path):
    status, out, _ = trail("alerts", "rules", objectives)
    file = tmp_path / "rules.yml"
    assert status == 0
    file.write_text(out)
    status, out, _ = trail("alerts", "dashboard", objectives)
    assert (status, json.loads(out)["title"]) == (0, "Evidence path")
    if not shutil.which("promtool"):
        pytest.skip("promtool is not installed: the rules are not checked")
    assert subprocess.run(["promtool", "check", "rules", file], capture_output=True, check=False).returncode == 0
