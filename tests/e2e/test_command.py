"""The command line with a real model behind a real endpoint. Its words mean nothing; their way through the app does."""

import json

import pytest

from trail_callbacks import Report
from trail_callbacks.cli import main

pytestmark = pytest.mark.loopback


def test_the_demo_asks_the_model_that_is_named(base_url, capsys):
    pytest.importorskip("llama_index.core")
    status = main(["demo", "--app", "llama-index", "--model", "smollm2", "--base-url", base_url, "--json"])
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    data = json.loads(out)
    (played,) = data["apps"]
    report = Report.from_json(json.dumps(played["report"]))
    assert data["model"] == "smollm2"
    assert not played["recorded"]
    assert played["planted"] == []
    assert report.graph.answer is not None
    assert report.graph.answer.text
    assert any(leaf.kind == "document" for leaf in report.graph.leaves())


def test_check_with_a_model_as_judge(base_url, capsys):
    given = ["--answer-text", "It opened in 1968.", "--source-text", "It opened in 1986."]
    status = main(["check", *given, "--judge", "openai/smollm2", "--base-url", base_url, "--json"])
    out, _ = capsys.readouterr()
    report = Report.from_json(out)
    assert status == (2 if report.state == "error" else 0)  # so small a model may find no claim at all
    assert report.judge.startswith("llm/openai/smollm2")
    assert report.usage.calls >= 1
