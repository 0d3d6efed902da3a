"""`trail check --diagnose`: one run, several, and bad input."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trail_callbacks.cli.app import app

sys.path.insert(0, str(Path(__file__).parents[1] / "faults"))


@pytest.fixture(scope="module")
def traces():
    pytest.importorskip("langchain_core")
    import langchain_faults
    from cases import cases

    wanted = {"rewrite_loss", "truncation"}
    return {p.signature: langchain_faults.played(p) for p in cases(1, seed=7) if p.signature in wanted}


def trail(*arguments, text=None):
    return CliRunner().invoke(app, ["check", "--diagnose", *map(str, arguments)], input=text)


def test_one_run_with_its_figures(tmp_path, traces):
    file = tmp_path / "trace.json"
    file.write_text(traces["rewrite_loss"].to_json())
    done = trail(file)
    assert done.exit_code == 0, done.output
    assert "evidence path: rewrite loss; at query" in done.output
    assert "question covered, retrieved" in done.output


def test_json_is_one_object(tmp_path, traces):
    file, out = tmp_path / "trace.json", tmp_path / "out.json"
    file.write_text(traces["rewrite_loss"].to_json())
    done = trail(file, "--json", "--output", out)
    data = json.loads(done.stdout)
    assert data["diagnosis"]["signature"] == "rewrite_loss"
    assert data["run_id"] == traces["rewrite_loss"].id
    assert json.loads(out.read_text()) == data


def test_several_runs_get_a_line_each_and_broken_lines_are_named(traces):
    lines = [each.to_json() for each in traces.values()]
    done = trail(
        "-", text="\n".join([json.dumps(json.loads(lines[0])), "{broken", json.dumps(json.loads(lines[1]))]) + "\n"
    )
    assert done.exit_code == 2
    assert "rewrite loss" in done.output
    assert "skipped" in done.output
    assert "2" in done.output
