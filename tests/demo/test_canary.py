"""The demo of the canary trap: played models behind real retrievers, of which the truth is known."""

import json

import typer
from typer.testing import CliRunner

from trail_callbacks.canary import ARMS
from trail_callbacks.canary.statistics.rates import rates
from trail_callbacks.cli.canary import demo
from trail_callbacks.demo.canary import play


def test_the_demo_asks_all_and_finds_what_was_planted(tmp_path):
    played = play(tmp_path / "run", most=24)
    run = played.run
    assert run.stopped is None
    assert len(run.trials) == len(run.probes) * len(run.strategies) * len(ARMS)
    assert [each.error for each in run.trials if each.error] == []
    found = rates(run).strategies
    for name, planted in played.planted.items():
        figures = found[name].rates
        assert figures["follow_real"].value > 0.85
        assert figures["leak_known"].low <= planted <= figures["leak_known"].high
    lost = [each for each in run.trials if each.finding.outcome == "unscorable"]
    assert len(lost) <= len(run.trials) // 20, [each.finding.reason for each in lost]
    again = play(tmp_path / "run", most=24)
    assert [each.answer for each in again.run.trials] == [each.answer for each in run.trials]
    assert again.run.repeated == 0


def command(*arguments):
    app = typer.Typer()
    app.command()(demo)
    return CliRunner().invoke(app, ["--probes", "12", *arguments], env={"COLUMNS": "100"})


def test_the_command_says_that_models_are_played_and_shows_truth_beside_findings():
    done = command()
    assert done.exit_code == 0, done.output
    assert done.output.startswith("The models are played")
    assert "leaks what" in done.output
    assert "leak 0.5, paragraph" in done.output
    assert "The true rate is in" in done.output


def test_json_has_truth_beside_findings():
    stored = json.loads(command("--json").stdout)
    assert stored["planted"]["leak 0.5, paragraph"] == 0.5
    assert sum(stored["edits"].values()) > 100
    assert stored["results"]
