"""`trail show` and `trail check` of saved traces."""

import json
import stat
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_trail import TrailCallbackHandler

from trail_callbacks.report import Report
from trail_callbacks.trace.trace import save


class Shelf(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        return [
            Document("The bridge opened in 1968 and was painted red.", id="a"),
            Document("\x1b[31mThe toll is two crowns for each car that crosses.", id="b"),
        ]


def made(answer):
    pack = RunnableLambda(lambda found: f"Context: {found[0].page_content}\nWhen did the bridge open?", name="pack")
    handler = TrailCallbackHandler(evaluate="never")
    chain = Shelf() | pack | FakeListChatModel(responses=[answer])
    chain.invoke("When did the bridge open?", {"callbacks": [handler], "metadata": {"user_id": "u\x1b[31m1"}})
    return handler.trace()


@pytest.fixture
def shell(trail):
    """The command in this process, with what it prints as bytes."""

    def run(*args):
        status, out, err = trail(*args)
        return SimpleNamespace(returncode=status, stdout=out.encode(), stderr=err.encode())

    return run


@pytest.fixture(scope="module")
def right():
    return made("The bridge opened in 1968.")


@pytest.fixture(scope="module")
def wrong():
    return made("The bridge opened in 1986.")


@pytest.fixture
def saved(tmp_path):
    def make(name, *traces):
        save(tmp_path / name, traces[0] if len(traces) == 1 else traces)
        return str(tmp_path / name)

    return make


def test_a_trace_shows_its_evidence_path(shell, saved, right):
    shown = shell("show", saved("trace.json", right))
    text = shown.stdout.decode()
    assert (shown.returncode, shown.stderr) == (0, b"")
    for part in (
        f"trace {right.id}", "question:   When did the bridge open?", "answer:     The bridge opened in 1968.",
        "Shelf retrieved 2 for: When did the bridge open?", "read 1 of 2 (0 in part), not: 1 cutoff",
    ):  # fmt: skip
        assert part in text
    assert "\x1b" not in text
    assert "two crowns" in shell("show", "--graph", saved("trace.json", right)).stdout.decode()


def test_a_trace_as_one_object_has_its_steps_and_no_events(shell, saved, right):
    data = json.loads(shell("show", "--json", saved("trace.json", right)).stdout)
    assert (data["trace_id"], data["answer"]) == (right.id, right.answer)
    assert [len(each["candidates"]) for each in data["retrievals"]] == [2]
    assert [piece["dropped"] for piece in data["packings"][0]["pieces"]] == [None, "cutoff"]
    assert "events" not in data


def test_a_saved_trace_is_verified(shell, saved, right, wrong, tmp_path):
    done = shell("check", saved("trace.json", right), "--max-score", "0", "-o", str(tmp_path / "report.json"))
    assert done.returncode == 0, done.stderr
    report = Report.from_json((tmp_path / "report.json").read_text())
    assert (report.trace_id, report.hallucination_score) == (right.id, 0.0)
    assert stat.S_IMODE((tmp_path / "report.json").stat().st_mode) == 0o600
    failed = shell("check", saved("trace.json", wrong), "--max-score", "0")
    assert failed.returncode == 1
    assert f"{wrong.id}: hallucination score 1.00 is over".encode() in failed.stderr
    assert shell("check", saved("trace.json", wrong)).returncode == 0


@pytest.mark.parametrize("command", ["show", "check"])
def test_a_broken_line_is_named_and_the_others_are_kept(shell, saved, right, command):
    path = saved("traces.jsonl", right, right)
    with Path(path).open("a") as file:
        file.write(right.to_json()[:99] + "\n")
    done = shell(command, path, "--json")
    assert done.returncode == 2
    assert b"skipped: " in done.stderr
    assert b"line 3: the JSON is broken or truncated" in done.stderr
    data = json.loads(done.stdout)
    assert len(data["reports" if command == "check" else "traces"]) == 2
    assert len(data["errors"]) == 1


def test_shows_a_trace_from_a_time_that_no_calendar_has(shell, saved, right):
    context = replace(right.context, started=1e300)
    found = shell("show", saved("late.json", replace(right, context=context)))
    assert found.returncode == 0
    assert b"1e+300 seconds after 1970" in found.stdout
