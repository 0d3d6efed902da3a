"""The demo of the canary trap: played models behind real retrievers, of which the truth is known."""

import json
import sys

import pytest
import typer
from typer.testing import CliRunner

from trail_callbacks.canary import ARMS
from trail_callbacks.canary.statistics.rates import rates
from trail_callbacks.cli.canary_demo import demo
from trail_callbacks.demo.canary import FRAMEWORKS, play
from trail_callbacks.errors import InputError, MissingExtraError

MODULES = {"langchain": "langchain_core", "llama-index": "llama_index.core"}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_demo_asks_all_and_finds_what_was_planted(framework, tmp_path):
    if framework in MODULES:
        pytest.importorskip(MODULES[framework])
    played = play(framework, tmp_path / "run", most=24)
    run = played.run
    assert played.framework == framework
    assert run.stopped is None
    assert len(run.trials) == len(run.probes) * len(run.strategies) * len(ARMS)
    assert [each.error for each in run.trials if each.error] == []
    found = rates(run).strategies
    for name, planted in played.planted.items():
        figures = found[name].rates
        assert figures["follow_real"].value > 0.9
        assert figures["leak_known"].low <= planted <= figures["leak_known"].high
    lost = [each for each in run.trials if each.finding.outcome == "unscorable"]
    assert len(lost) <= len(run.trials) // 20, [each.finding.reason for each in lost]


def test_with_reports_some_answers_have_a_graph(tmp_path):
    pytest.importorskip("langchain_core")
    run = play("langchain", tmp_path / "run", most=2, verify=True).run
    kept = [each for each in run.trials if each.report]
    assert kept
    stored = json.loads((tmp_path / "run" / kept[0].report).read_text(encoding="utf-8"))
    assert stored["graph"]["nodes"]


def test_the_same_run_goes_on_where_it_was(tmp_path):
    first = play("none", tmp_path / "run", most=6)
    again = play("none", tmp_path / "run", most=6)
    assert [each.answer for each in again.run.trials] == [each.answer for each in first.run.trials]
    assert again.run.repeated == 0


def test_an_unknown_framework_is_refused(tmp_path):
    with pytest.raises(InputError, match="langchain, llama-index, none"):
        play("haystack", tmp_path / "run")


@pytest.fixture
def without_frameworks(monkeypatch):
    """As where neither is installed."""
    for module in [each for each in sys.modules if each.partition(".")[0] in {"langchain_trail", "llama_index_trail"}]:
        monkeypatch.delitem(sys.modules, module)
    for missing in ["langchain_core", "llama_index_instrumentation"]:
        monkeypatch.setitem(sys.modules, missing, None)


def test_without_a_framework_the_demo_says_how_to_install_one_and_runs(without_frameworks, tmp_path):
    with pytest.raises(MissingExtraError, match=r"pip install .*langchain"):
        play("langchain", tmp_path / "run")
    played = play(None, tmp_path / "run", most=2)
    assert played.framework == "none"
    assert set(played.missing) == {"langchain", "llama-index"}


def command(*arguments):
    app = typer.Typer()
    app.command()(demo)
    return CliRunner().invoke(app, ["--framework", "none", "--probes", "30", *arguments], env={"COLUMNS": "100"})


def test_the_command_says_that_models_are_played_and_shows_truth_beside_findings():
    done = command()
    assert done.exit_code == 0, done.output
    assert done.output.startswith("The models are played")
    assert "plain Python" in done.output
    assert "leaks of" in done.output
    assert "leak 0.5, paragraph" in done.output
    assert "The true rate is in" in done.output


def test_the_command_keeps_the_run_and_writes_a_page_and_json(tmp_path):
    page, kept, data = tmp_path / "page.html", tmp_path / "run", tmp_path / "data.json"
    done = command("--html", str(page), "--out", str(kept), "-o", str(data))
    assert done.exit_code == 0, done.output
    assert f"trail canary report {kept}" in " ".join(done.output.split())
    assert "leak 0.5, paragraph" in page.read_text(encoding="utf-8")
    stored = json.loads(data.read_text(encoding="utf-8"))
    assert stored["framework"] == "none"
    assert stored["planted"]["leak 0.5, paragraph"] == 0.5
    assert sum(stored["edits"].values()) > 100
    assert stored["results"]
    assert list(kept.iterdir())
