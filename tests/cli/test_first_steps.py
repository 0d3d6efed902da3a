"""What somebody new types first: `trail --help`, `demo` and `doctor`."""

import json
import resource
import sys

import pytest

from trail_callbacks import LocalJudge, Report
from trail_callbacks.cli import app, output
from trail_callbacks.demo.runner import APPS, RECORDED, run

NEEDS = {"langchain": "langchain_core", "langgraph": "langgraph", "llama-index": "llama_index.core"}


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_the_first_words_come_at_once(shell, option):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert shell(option).returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime - before.ru_utime < 1.0  # 0.3 s where nothing else runs


def commands():
    """Each command with its words on the command line."""
    group = app.typer.main.get_command(app.app)
    for name in app._COMMANDS:
        found = group.get_command(None, name)
        for each, inner in getattr(found, "commands", {}).items():
            yield f"{name} {each}", inner
        yield name, found


def test_there_are_few_commands_and_options():
    options = [each for _, command in commands() for each in command.params if each.param_type_name == "option"]
    assert len(app._COMMANDS) <= 15
    assert len(options) <= 140


def test_what_is_mistyped_is_refused_with_what_there_is(trail):
    for given, nearest in (
        (["chekc"], "check"),
        (["alerts", "triag"], "triage"),
        (["check", "--sorce", "x"], "--source"),
    ):
        status, out, err = trail(*given)
        assert (status, out) == (2, "")
        assert nearest in err


def test_the_demo_needs_nothing_but_the_package(trail, monkeypatch):
    for name in ("langchain_core", "llama_index", "langchain_trail", "llama_index_trail"):
        monkeypatch.setitem(sys.modules, name, None)
    status, out, err = trail("demo")
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    words = " ".join(out.split())
    for each in (
        "recorded once",
        "hallucination score",
        "entry step: summarise (m",
        "Of 4 planted errors 4 were found",
    ):
        assert each in words


def test_the_recorded_run_is_what_the_app_does():
    pytest.importorskip("langchain_core")
    saved, made = (run(name, LocalJudge()).report for name in (RECORDED, "langchain"))
    assert [node.text for node in saved.graph.nodes] == [node.text for node in made.graph.nodes]
    assert [each.outcome for each in saved.verdicts] == [each.outcome for each in made.verdicts]


@pytest.mark.parametrize("app", [RECORDED, *NEEDS])
def test_every_planted_error_is_found_and_placed(trail, app):
    if app in NEEDS:
        pytest.importorskip(NEEDS[app])
    status, out, err = trail("demo", app, "--json")
    assert (status, err) == (0, "")
    data = json.loads(out)
    report = Report.from_json(json.dumps(data["report"]))
    assert (data["app"], data["question"]) == (app, report.graph.question.text)
    assert len(data["planted"]) >= 3
    assert data["planted_found"] == len(data["planted"])
    assert data["false_alarms"] == 0
    for claim in report.unsupported:
        origin = report.graph.node(report.verdict(claim.id).introduced_at)
        assert origin.kind in {"completion", "answer"}
        assert claim.quote in origin.text
        assert not any(claim.quote in node.text for node in report.graph.inputs(origin.id))


def test_the_demo_is_a_page(trail, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(output.webbrowser, "open", lambda url: asked.append(url) or True)
    monkeypatch.chdir(tmp_path)
    assert trail("demo", "--open")[0] == 0
    assert asked == [(tmp_path / "trail.html").as_uri()]
    assert "Lindqvist Foundation" in (tmp_path / "trail.html").read_text("utf-8")


def test_the_demo_refuses_what_it_does_not_know(trail):
    status, out, err = trail("demo", "cobol")
    assert (status, out) == (2, "")
    assert f"APP is cobol, expected {', '.join(list(APPS)[1:])}" in err


def test_the_doctor_finds_the_planted_claim_everywhere(trail):
    pytest.importorskip("langchain_core")
    pytest.importorskip("llama_index.core")
    status, out, err = trail("doctor", "--json")
    data = json.loads(out)
    assert (status, err) == (0, "")
    assert len(data["findings"]) == 3
    assert all(each["captured"] and each["judged"] and each["flagged"] for each in data["findings"])
    assert "TrailCallbackHandler" in data["next"]


def test_the_doctor_says_who_failed(trail):
    status, out, _ = trail("doctor", "--judge", "openai/none@http://127.0.0.1:9/v1", "--json")
    data = json.loads(out)
    findings = {each["subject"]: each for each in data["findings"]}
    assert status == 1
    assert findings.pop(f"judge {LocalJudge().name}")["flagged"]
    for each in findings.values():
        assert each["captured"]
        assert not each["judged"]
        assert each["trouble"]
    assert data["next"].startswith("mend judge llm/openai/none")
