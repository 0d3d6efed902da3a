"""The demo on the screen."""

import json

import pytest

from trail_callbacks import Report


@pytest.mark.parametrize("app", ["langchain", "langgraph", "llama-index"])
def test_demo_finds_and_places_every_planted_error(trail, app):
    pytest.importorskip(
        {"langchain": "langchain_core", "langgraph": "langgraph", "llama-index": "llama_index.core"}[app]
    )
    status, out, err = trail("demo", "--app", app, "--json")
    assert (status, err) == (0, "")
    data = json.loads(out)
    (played,) = data["apps"]
    report = Report.from_json(json.dumps(played["report"]))
    assert len(played["planted"]) >= 3
    assert played["planted_found"] == len(played["planted"])
    assert played["false_alarms"] == 0
    for claim in report.unsupported:
        origin = report.graph.node(report.verdict(claim.id).introduced_at)
        assert origin.kind in {"completion", "answer"}
        before = [node.text for node in report.graph.inputs(origin.id)]
        assert claim.quote in origin.text
        assert not any(claim.quote in text for text in before)


def test_demo_on_the_screen(trail):
    pytest.importorskip("langchain_core")
    status, out, _ = trail("demo", "--app", "langchain")
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    for words in ("recorded completions", "stage 0", "hallucination score", "entry step: summarise (m", "history.md"):
        assert words in " ".join(out.split())


def test_demo_refuses_what_it_does_not_know(trail):
    status, out, err = trail("demo", "--app", "cobol")
    assert (status, out) == (2, "")
    assert "--app is cobol" in err
