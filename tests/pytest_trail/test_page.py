"""The page docs/pytest.md: its example fails as it says, and its workflow uses options that exist."""

import re
import shlex
from pathlib import Path

import pytest
from pytest_trail.options import OPTIONS

pytest_plugins = "pytester"

PAGE = (Path(__file__).parents[2] / "docs" / "pytest.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
WORKFLOW = next(block for language, block in BLOCKS if language == "yaml")
COMMANDS = [
    *re.findall(r"^ +- run: (pytest .*)$", WORKFLOW, re.MULTILINE),
    *re.findall(r"`(pytest --[^`]*)`", PAGE),
]
EVERY = {f"--trail-{name}" for name in OPTIONS} | {"--trail-update-baseline"}


def test_the_example_fails_as_the_page_says(run):
    code, shown = (next(block for language, block in BLOCKS if language == each) for each in ("python", "text"))
    result = run(code)
    result.assert_outcomes(failed=1)
    said = [line.removeprefix("E").strip() for line in result.outlines]
    lines = [line.strip() for line in shown.splitlines()]
    assert [line for line in lines if line not in said] == []
    result.stdout.fnmatch_lines(["1 answer checked in 1 test"])


def test_the_page_lists_the_options_and_no_others():
    assert set(re.findall(r"^\| `(--trail-[\w-]+)", PAGE, re.MULTILINE)) == EVERY
    assert set(re.findall(r"--trail-[\w-]+", PAGE)) == EVERY


def test_pytest_takes_each_command(run, pytester):
    assert len(COMMANDS) == 3
    (pytester.path / "tests").mkdir()
    for name in ("answers.json", "answers.model.json"):
        (pytester.path / "tests" / name).write_text('{"version": 1, "findings": []}', encoding="utf-8")
    for command in COMMANDS:
        offline = command.replace("--trail-judge openai/gpt-5-mini", "--trail-judge local")
        result = run("def test_it(trail_check): pass", *shlex.split(offline)[1:])
        assert result.ret == pytest.ExitCode.OK, command


def test_the_workflow_is_yaml_with_a_job_for_each_judge():
    yaml = pytest.importorskip("yaml")
    jobs = yaml.safe_load(WORKFLOW)["jobs"]
    runs = {name: " ".join(step.get("run", "") for step in job["steps"]) for name, job in jobs.items()}
    assert "--trail-judge" not in runs["offline"]
    assert "--trail-judge" in runs["model"]
    assert "secrets." not in str(jobs["offline"])
    assert jobs["offline"]["if"] == "github.event_name == 'pull_request'"
    assert jobs["model"]["if"] == "github.event_name != 'pull_request'"
