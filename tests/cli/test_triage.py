"""`trail alerts triage` as a user types it."""

from __future__ import annotations

import json
import time

import pytest
from tower import FALSE, SOURCE, TRUE

from trail_callbacks.cli.runs import runs as read
from trail_callbacks.trace import Trace


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A file of reports and traces: 30 good runs three days ago, 30 bad ones with a new version today."""
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.runnables import RunnableLambda
    from langchain_trail import TrailCallbackHandler

    templates = {}
    for version, answer in (("v1", TRUE), ("v2", FALSE)):
        handler = TrailCallbackHandler(evaluate="never", context={"versions": {"app": version}})
        model = FakeListChatModel(responses=[answer])
        chain = RunnableLambda(lambda question: f"Context: {SOURCE}\nQuestion: {question}") | model
        chain.invoke("When?", {"callbacks": [handler], "metadata": {"query_class": "dates\x1b[31m"}})
        templates[version] = handler.report().to_json(), handler.trace().to_json(), handler.trace()
    lines = []
    for version, begin in (("v1", time.time() - 3 * 86_400), ("v2", time.time() - 3_600)):
        report, text, trace = templates[version]
        for n in range(30):
            data = json.loads(text)
            data["context"]["started"] = begin + n
            new = f"{version}-run-{n}"
            lines += [report.replace(trace.id, new), json.dumps(data).replace(trace.id, new)]
    path = tmp_path_factory.mktemp("triage") / "runs.jsonl"
    path.write_text("\n".join(lines))
    assert Trace.from_json(lines[-1]).id == "v2-run-29"
    assert len({run.id for run in read(str(path), "--runs")}) == 60
    return str(path)


def test_names_the_stage_and_the_rollout(trail, recorded):
    status, printed, complaints = trail("alerts", "triage", "24h", "--runs", recorded)
    assert (status, complaints) == (0, "")
    flowing = " ".join(printed.split())
    assert "Look at generation first" in flowing
    assert "since app v2" in flowing
    assert "30 runs from" in flowing
    assert "answer coverage (supported): 30 of 30 (100.0%), before 0 of 30 (0.0%): broken first (generation)" in flowing
    assert "\x1b" not in printed


def test_a_run_is_asked_about(trail, recorded):
    status, printed, _ = trail("alerts", "triage", "v2-run-20", "--runs", recorded, "--json")
    data = json.loads(printed)
    assert status == 0
    assert (data["run"]["id"], data["runs"]) == ("v2-run-20", 21)
    assert data["stages"][2]["worse"]


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
