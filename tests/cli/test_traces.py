"""`trail show` and `trail check` of recorded runs: of this library and of other tools, diagnosed or not."""

import json
import stat
import sys
from dataclasses import replace
from pathlib import Path

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


def test_a_trace_shows_its_evidence_path(trail, saved, right):
    path = saved("trace.json", right)
    status, text, err = trail("show", path)
    assert (status, err) == (0, "")
    for part in (
        f"trace {right.id}", "question:   When did the bridge open?", "answer:     The bridge opened in 1968.",
        "Shelf retrieved 2 for: When did the bridge open?", "read 1 of 2 (0 in part), not: 1 cutoff",
    ):  # fmt: skip
        assert part in text
    assert "\x1b" not in text
    assert "two crowns" in trail("show", "--graph", path)[1]
    data = json.loads(trail("show", "--json", path)[1])
    assert (data["trace_id"], data["answer"]) == (right.id, right.answer)
    assert [len(each["candidates"]) for each in data["retrievals"]] == [2]
    assert [piece["dropped"] for piece in data["packings"][0]["pieces"]] == [None, "cutoff"]
    assert "events" not in data
    late = replace(right, context=replace(right.context, started=1e300))
    assert "1e+300 seconds after 1970" in trail("show", saved("late.json", late))[1]
    assert "is a trace, and pages show reports" in trail("show", path, "--open")[2]


def test_a_saved_trace_is_verified(trail, saved, right, wrong, tmp_path):
    out = tmp_path / "report.json"
    assert trail("check", saved("trace.json", right), "--max-score", "0", "-o", str(out))[0] == 0
    report = Report.from_json(out.read_text())
    assert (report.trace_id, report.hallucination_score) == (right.id, 0.0)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    status, _, err = trail("check", saved("trace.json", wrong), "--max-score", "0")
    assert status == 1
    assert f"{wrong.id}: hallucination score 1.00 is over" in err


@pytest.mark.parametrize("command", ["show", "check"])
def test_a_broken_line_is_named_and_the_others_are_kept(trail, saved, right, command):
    path = saved("traces.jsonl", right, right)
    with Path(path).open("a") as file:
        file.write(right.to_json()[:99] + "\n")
    status, out, err = trail(command, path, "--json")
    assert status == 2
    assert "line 3: the JSON is broken or truncated" in err
    data = json.loads(out)
    assert len(data["reports" if command == "check" else "traces"]) == 2
    assert len(data["errors"]) == 1


def test_runs_are_diagnosed_with_their_figures(trail, shell, file):
    sys.path.insert(0, str(Path(__file__).parents[1] / "faults"))
    import langchain_faults
    from cases import cases

    plans = {each.signature: each for each in cases(1, seed=7)}
    lines = [langchain_faults.played(plans[name]).to_json() for name in ("right_by_memory", "grounding_failure")]
    one = file("trace.json", lines[0])
    status, out, _ = trail("check", "--diagnose", one)
    assert status == 0
    assert "evidence path: right by memory; selection failure at reranking" in out
    assert "sufficient, retrieved" in out
    assert json.loads(trail("check", "--diagnose", one, "--json")[1])["diagnosis"]["signature"] == "right_by_memory"
    done = shell("check", "--diagnose", "-", stdin=f"{lines[0]}\n{{broken\n{lines[1]}\n".encode())
    assert done.returncode == 2
    assert b"1 right by memory, 1 undetermined" in done.stdout
    assert b"skipped: standard input, line 2" in done.stderr


def test_the_retriever_of_an_app_is_asked_for_what_a_run_lacked(trail, saved, wrong, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "shelf.py").write_text("def find(query):\n    return ['The bridge opened in 1968.']\n")
    path = saved("trace.json", wrong)
    index = json.loads(trail("check", "--diagnose", path, "--retriever", "shelf:find", "--json")[1])["diagnosis"][
        "index"
    ]
    assert (index["queries"], index["found"], index["why"]) == ([wrong.question], None, "no judge read what it brought")
    for option, message in (("shelf:gone", "importing it failed"), ("shelf", "expected MODULE:ATTRIBUTE")):
        status, _, err = trail("check", "--diagnose", path, "--retriever", option)
        assert (status, message in " ".join(err.split())) == (2, True)
    assert trail("check", path, "--retriever", "shelf:find")[0] == 2


def test_what_other_tools_recorded_is_shown_and_verified(trail, file):
    sys.path.insert(0, str(Path(__file__).parents[1] / "importing"))
    import spans_by_hand as made

    content = made.lines([made.otlp([each]) for each in made.run(answer="The bridge opened in 1986.")])
    path = file("spans.jsonl", content)
    status, out, _ = trail("show", path)
    assert status == 0
    assert f"trace {made.TRACE}" in out
    assert "search retrieved 1 for: When did the bridge open?" in out
    report = json.loads(trail("check", path, "--diagnose", "--json")[1])
    assert (report["run_id"], report["hallucination_score"]) == (made.TRACE, 1.0)
    assert report["diagnosis"]["signature"] == "undetermined"  # the offline judge does not know what answers


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty: expected traces"),
        (b"\x00\x01\x02", "is a binary file, not text: expected traces as JSON"),
        (b'{"a": 1}', "looked for OpenTelemetry spans"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(trail, file, content, message):
    path = file("file.json", content)
    status, out, err = trail("check", path)
    assert (status, out) == (2, "")
    assert path in err
    assert message in " ".join(err.split())
